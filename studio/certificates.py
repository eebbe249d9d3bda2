"""Where the certificate of a puzzle stands, below the folder that was opened, and what stands there already."""

from __future__ import annotations

from pathlib import Path

from ..models.documents.files import FileError, inside, read_regular
from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..proofs.check import puzzle_of
from ..proofs.limits import Limits, Rejected
from ..proofs.manifest import LARGEST, MANIFEST, PUZZLE, foreign_file
from ..workflows.same_puzzle import same_as
from .editor import file_name

ENDING = ".certificate"
"""How the names of certificates' folders end."""

SECONDS = 2.0
"""That may be spent on the question whether a certificate is one of this puzzle."""


def folder_of(root: Path, puzzle: Puzzle) -> Path:
    """The folder for the certificate of a puzzle. Titles with other letters than those of ASCII are told apart by the
    puzzle itself. Raises `UsageError` where a link leads out of `root`."""
    title = puzzle.header.name
    stem = Path(file_name(title)).stem
    if not title.isascii() or stem == "puzzle":
        stem += f"-{puzzle.digest[:8]}"
    try:
        return inside(root, stem + ENDING)
    except FileError:
        raise UsageError(f"{stem}{ENDING} is a link that leads out of the folder {root}; remove it first") from None


def in_the_way(folder: Path, puzzle: Puzzle) -> str | None:
    """What would be lost if the certificate of a puzzle were written to a folder; None: nothing, or one of the same
    puzzle. Raises `UsageError` where none can be written."""
    if not folder.exists():
        return None
    try:
        odd = foreign_file(folder)
        if odd is not None:
            raise UsageError(f"{folder.name} holds `{odd}`, which is no file of a certificate; move it away first")
        if not any(folder.iterdir()):
            return None
        text = read_regular(folder / PUZZLE, LARGEST[PUZZLE]).decode()
        limits = Limits(SECONDS)
        if (folder / MANIFEST).exists() and same_as(puzzle, puzzle_of(text, limits=limits), limits):
            return None
    except OSError as error:
        raise UsageError(f"{folder.name} cannot be read: {error.strerror}") from None
    except (FileError, UnicodeDecodeError, Rejected):
        pass
    return f"{folder.name} has files that are no certificate of this puzzle as it is now"
