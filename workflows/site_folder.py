"""What `budge site` finds out about a puzzle for its page, and the folder of the site: which of its pages are done, so
that the same command continues, and what is foreign.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..engines.common.reachable import Space
from ..models.documents.files import FileError, read_regular, write_whole, writing
from ..models.errors import DisagreementError, FaultError, UsageError
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.events import Progress
from ..runtime.outcome import StoppedError
from ..runtime.worker import Apart
from ..version import __version__
from .certifying import Certified, certify
from .exploration import Answer, explore
from .solving import Solution, solve
from .why.find_reasons import why
from .why.reasons import Reasons


@dataclass(frozen=True, slots=True)
class Presented:
    """A solution with what could be found out within the time. `certificate`: a folder as a zip file, and `verdict` the
    first line of what its checker says. `doubts`: what contradicts the solution, above all a certificate that its
    checker refuses.
    """

    solution: Solution
    space: Space | None = None
    reasons: Reasons | None = None
    certificate: bytes | None = None
    verdict: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def proven(self) -> bool:
        """Whether the answer is proven, and nothing speaks against it."""
        return self.solution.status.proven and not self.doubts


# What a page about a puzzle says: the optimum, how hard it is, why no plan is shorter, a certificate to download.

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
            work = partial(certify, solution, folder, scratch=scratch)
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


MANIFEST = "site.json"
FORMAT = 1
MADE_BY = f"{__version__} 3"
"""The version of pages, `0.1.0 3`: a site with another one is written again. Raise the 3 when templates change."""
LARGEST = 1 << 26
"""The most bytes of the manifest."""

ENDINGS = (".html", ".svg", ".yaml", ".certificate.zip")
"""How the names of the files of a puzzle end."""


@dataclass(slots=True)
class SiteFolder:
    """`done`: for each page what the index says of it, and under which `key` it was made: the text of the puzzle, the
    limits (none where it has no answer yet), the version.
    """

    folder: Path
    done: dict[str, dict[str, Any]] = field(default_factory=dict)

    @staticmethod
    def at(folder: Path) -> SiteFolder:
        """The site in a folder, which is made if it is not there. Raises `UsageError` where there is something else."""
        file = folder / MANIFEST
        try:
            if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not file.exists())):
                raise UsageError(f"{folder} is there and is no site of Budge: name another folder")
            site = SiteFolder(folder)
            if file.exists():
                index = json.loads(read_regular(file, LARGEST))
                if index["format"] == FORMAT:
                    site.done = {
                        page: {"key": [*entry["key"]], "card": {**entry["card"]}}
                        for page, entry in index["puzzles"].items()
                        if site._is_page(page)
                    }
            with writing(folder):
                (folder / "puzzles").mkdir(parents=True, exist_ok=True)
                (folder / "assets").mkdir(exist_ok=True)
                site.keep()
        except OSError as error:
            raise UsageError(f"cannot read {folder}: {error.strerror}") from None
        except (FileError, ValueError, LookupError, TypeError, AttributeError):
            raise UsageError(f"{file} cannot be read: name another folder, or remove this one") from None
        return site

    def has(self, page: str, key: tuple[str, str]) -> bool:
        """Whether a page is done by the same version, within the same limits or with an answer that is proven. `key`:
        the text of the puzzle, and the limits.
        """
        entry = self.done.get(page, {})
        return self.shows(page, key[0]) and (entry["card"]["proven"] or entry["key"][1] == key[1])

    def shows(self, page: str, text: str) -> bool:
        """Whether a page shows the puzzle of a text, made by the same version; it may be an earlier answer, or none."""
        was, _, version = self.done.get(page, {}).get("key", ["", "", ""])
        return [was, version] == [text, MADE_BY]

    def add(self, page: str, key: tuple[str, str], card: dict[str, Any], files: Mapping[str, bytes | str]) -> None:
        """Keep a page: its files by their endings; those that it had before are replaced. Raises `OSError`."""
        self.drop(page)
        for ending, data in files.items():
            self.write(f"puzzles/{page}{ending}", data)
        self.done[page] = {"key": [*key, MADE_BY], "card": card}
        self.keep()

    def drop(self, page: str) -> None:
        """Remove a page and its files."""
        self.done.pop(page, None)
        for ending in ENDINGS:
            (self.folder / "puzzles" / f"{page}{ending}").unlink(missing_ok=True)

    def keep(self) -> None:
        """Write which pages are done."""
        self.write(MANIFEST, json.dumps({"format": FORMAT, "puzzles": self.done}))

    def _is_page(self, name: str) -> bool:
        return bool(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name)) and (self.folder / "puzzles" / f"{name}.html").is_file()

    def write(self, name: str, data: bytes | str) -> None:
        """Write a file of the site, as a whole. What the name of a file has that is no character becomes `?`."""
        write_whole(self.folder / name, data if isinstance(data, bytes) else data.encode(errors="replace"), None)


def pages_of(names: Iterable[str]) -> dict[str, str]:
    """The name of each puzzle's page: of `a/b/one.yaml` it is `one`, or `b-one` if another page is called so, ..."""
    pages: dict[str, str] = {}
    for name in dict.fromkeys(names):
        parts = [_plain(part) for part in Path(name).with_suffix("").parts]
        called = ("-".join(filter(None, parts[-depth:]))[:120] or "puzzle" for depth in range(1, len(parts) + 1))
        others = (f"puzzle-{number}" for number in range(len(pages) + 1))
        pages[name] = next(page for page in (*called, *others) if page not in pages.values())
    return pages


def _plain(part: str) -> str:
    """A part of a path as a part of an address; short, as the name of a file is."""
    return re.sub(r"[^a-z0-9]+", "-", part.lower())[:60].strip("-")
