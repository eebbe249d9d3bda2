"""What a page about a puzzle says: the optimum, how hard it is, why no plan is shorter, a certificate to download."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..models.errors import DisagreementError, FaultError, UsageError
from ..models.puzzle import Puzzle
from ..runtime.apart import Apart
from ..runtime.budget import Budget
from ..runtime.events import Progress
from ..runtime.outcome import StoppedError
from .certifying import Certified, certify_apart
from .evidence import AUTO
from .exploration import Answer, explore
from .presented import Presented
from .solving import solve
from .why.found import Reasons
from .why.reasons import why

EXPLORING, REASONS = 0.25, 0.5
"""Parts of the time left after solving that visiting all states may take, then that reasons may; a certificate may take
the rest.
"""


def present(puzzle: Puzzle, name: str, budget: Budget, apart: Apart, progress: Progress) -> Presented:
    """Solve a puzzle and find out the rest, all in a process apart. `name`: of the folder in the zip file.

    Raises `BudgeError` where there is no solution to show. The rest is left out if time or memory do not suffice, or if
    it cannot be had for the puzzle; what contradicts the solution is a doubt.
    """
    metric = puzzle.header.metric
    solution = solve(puzzle, metric=metric, budget=budget, progress=progress, apart=apart)
    doubts: list[str] = []

    def tried(work: Callable[..., Any], part: float) -> Any:
        if budget.stopped():
            return None
        own = budget.part(part * budget.remaining)
        began = own.started
        try:
            return apart.run(work, own, progress)
        except FaultError:
            raise
        except DisagreementError as error:
            doubts.append(str(error))
            return None
        except (UsageError, StoppedError):
            return None
        finally:
            budget.started += own.started - began  # its clock stood still while kernels were compiled

    answer: Answer | None = tried(partial(explore, puzzle, metric), EXPLORING)
    reasons: Reasons | None = tried(partial(why, puzzle, metric), REASONS) if solution.status.proven else None
    certificate, verdict = None, ""
    if solution.status.proven:
        with TemporaryDirectory(prefix="budge-") as scratch:
            folder = Path(scratch) / name
            work = partial(certify_apart, solution, folder, AUTO, False, scratch)
            written: Certified | None = tried(work, 1)
            if written is not None:
                certificate, verdict = _zipped(folder), written.verdict.headline
    space = None if answer is None or answer.space is None or answer.space.stopped_by else answer.space
    return Presented(solution, space, reasons, certificate, verdict, tuple(doubts))


def _zipped(folder: Path) -> bytes:
    """The files of a folder as a zip file; the same bytes for the same files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.name}")
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, file.read_bytes())
    return data.getvalue()
