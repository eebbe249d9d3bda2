"""The folder that a certificate is to be written to: whether it can be, and what stands there already."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..models.documents.files import FileError, read_regular, writing
from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..proofs.core.claim import FILE as CLAIM
from ..proofs.core.claim import PUZZLE
from ..proofs.core.limits import Limits, Rejected
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.folder import LARGEST, PACKED, foreign_file, problem_in
from ..proofs.puzzles import puzzle_of
from .same_puzzle import same_as

SECONDS = 2.0
"""Time limit for reading the certificate in a folder and comparing its puzzle with the one to be certified."""


def check_folder_is_ours(folder: Path, puzzle: Puzzle, metric: str) -> None:
    """Say before the work, and not after, that a certificate cannot be written to a folder: it holds something else,
    maybe the certificate of another puzzle, or the system does not allow it. Raises `UsageError`."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"cannot write to {folder}: it is no folder")
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    with writing(folder), tempfile.TemporaryDirectory(dir=there, prefix=".budge-"):
        pass
    why = in_the_way(folder, puzzle, metric)
    if why is not None:
        raise UsageError(f"cannot write to {folder}: {why}; move it away, or name another folder")


def in_the_way(folder: Path, puzzle: Puzzle, metric: str) -> str | None:
    """Why a folder must not be overwritten by the certificate of a puzzle; None if it is absent, empty, or a
    certificate of the same puzzle in the same metric. Raises `UsageError` where none can be written."""
    if not folder.exists():
        return None
    try:
        odd = foreign_file(folder, LARGEST)
        if odd is not None:
            raise UsageError(f"cannot write to {folder}: it holds `{odd}`, which is no file of a certificate")
        if not any(folder.iterdir()):
            return None
        text = read_regular(folder / PUZZLE, LARGEST[PUZZLE]).decode()
        limits = Limits(SECONDS)
        if _metric_in(folder, limits) == metric and same_as(puzzle, puzzle_of(text, limits=limits), limits):
            return None
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    except (FileError, ValueError, LookupError, TypeError, RecursionError, Rejected):
        pass  # what cannot be read is no certificate of this puzzle
    return f"it has files that are no certificate of {puzzle.header.name}, as that is now, in {metric}"


def _metric_in(folder: Path, limits: Limits) -> str:
    """What the certificate in a folder counts: line 2 of its problem, or line 4 of its claim where it has none. Raises
    `OSError`, `FileError`, `ValueError`, `LookupError`, `Rejected`.
    """
    if (folder / PROBLEM).exists() or (folder / PACKED).exists():
        text, line = problem_in(folder, limits), 1
    else:
        text, line = read_regular(folder / CLAIM, LARGEST[CLAIM]).decode(), 3
    return ",".join(text.split("\n", line + 1)[line].split(" ")[1:])
