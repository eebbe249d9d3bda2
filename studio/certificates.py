"""The folder of the certificate of a puzzle, below the folder that was opened."""

from __future__ import annotations

from pathlib import Path

from ..models.documents.files import FileError, inside
from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from .editor import file_name

ENDING = ".certificate"
"""The ending of the names of folders with certificates."""


def folder_of(root: Path, puzzle: Puzzle) -> Path:
    """The folder for the certificate of a puzzle, whose name has a digest of the puzzle if its title is not ASCII.

    Raises `UsageError` where a link leads out of `root`.
    """
    title = puzzle.header.name
    stem = Path(file_name(title)).stem
    if not title.isascii() or stem == "puzzle":
        stem += f"-{puzzle.digest[:8]}"
    try:
        return inside(root, stem + ENDING)
    except FileError:
        raise UsageError(f"{stem}{ENDING} is a link that leads out of the folder {root}; remove it first") from None
