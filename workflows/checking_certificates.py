"""Checking certificates: by the checker of `proofs/`, in a process that can be ended, and against Budge's own reading.

The checker looks at its clock, and holds its tables against its limit of memory. A process ends it whatever it does.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..models.puzzle import Puzzle
from ..proofs.check import check_folder
from ..proofs.core.claim import PUZZLE
from ..proofs.core.limits import Limits, Rejected, Unsupported
from ..proofs.verdict import INVALID, UNSUPPORTED, CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.events import Progress
from .same_puzzle import difference


def checking(folder: Path, puzzle: Puzzle | None = None, metric: str | None = None) -> Work:
    """Check a certificate; gives a `CertificateVerdict`. `puzzle`, `metric`: what it has to be about."""
    return partial(_check, folder, puzzle, metric)


def _check(
    folder: Path, puzzle: Puzzle | None, metric: str | None, budget: Budget, _progress: Progress
) -> CertificateVerdict:
    limits = Limits(budget.seconds_left, budget.memory_mib, budget.stopped)
    verdict = check_folder(folder, limits)
    if not verdict.shown:
        return verdict
    if metric is not None and metric != verdict.metric:
        return CertificateVerdict(INVALID, problem=f"the certificate counts {verdict.metric}, not {metric}")
    if not verdict.puzzle:
        reason = "the certificate is about problem.txt alone: that is not compared with a puzzle.yaml"
        return verdict if puzzle is None else CertificateVerdict(UNSUPPORTED, problem=reason)
    try:
        problem = difference(verdict.puzzle, limits, puzzle)
    except Unsupported as reason:
        return CertificateVerdict(UNSUPPORTED, problem=str(reason))
    except Rejected as reason:
        return CertificateVerdict(INVALID, problem=str(reason))
    return verdict if problem is None else CertificateVerdict(INVALID, problem=f"{PUZZLE}: {problem}")
