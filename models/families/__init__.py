"""The table of families, and reading a puzzle of any of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..documents.document import Document, Scalar, describe, parse, read_file
from ..puzzle import Puzzle
from ..text import suggest
from .n_puzzle import puzzle as n_puzzle
from .rush_hour import reading as rush_hour_read
from .sliding_block import reading as sliding_read
from .sokoban import puzzle as sokoban

FAMILIES: dict[str, Callable[[Document], Puzzle]] = {
    "rush-hour": rush_hour_read.read,
    "sliding-block": sliding_read.read,
    "n-puzzle": n_puzzle.read,
    "sokoban": sokoban.read,
}

OTHER_NAMES = {
    **dict.fromkeys(("klotski", "sliding", "blocks", "huarong-dao"), "sliding-block"),
    **dict.fromkeys(("8-puzzle", "15-puzzle", "15puzzle", "fifteen", "sliding-tile"), "n-puzzle"),
    "unblock-me": "rush-hour",
    "boxxle": "sokoban",
}
"""What puzzles of a family are also called, for suggestions."""


def read_puzzle(document: Document) -> Puzzle:
    """The puzzle that a document describes. Raises `PuzzleError` with all problems of the file."""
    report, root = document.report, document.root
    version = root.get("format")
    if version is None:
        report.error(root, "a puzzle needs the key `format`", "add `format: 1` as the first line")
    elif not isinstance(version, Scalar) or version.text != "1":
        report.error(version, f"format {describe(version)} is not known", "this version reads `format: 1`")
    family = root.get("family")
    if family is None:
        report.error(root, "a puzzle needs the key `family`", f"one of: {', '.join(FAMILIES)}")
    elif not isinstance(family, Scalar) or family.text not in FAMILIES:
        text = family.text if isinstance(family, Scalar) else ""
        report.error(family, f"family {describe(family)} is not known", suggest(text, FAMILIES, OTHER_NAMES))
    else:
        puzzle = FAMILIES[family.text](document)
        report.raise_if_any()
        return puzzle
    report.raise_if_any()
    raise AssertionError


def load_file(path: Path) -> Puzzle:
    """Read a puzzle file. Raises `PuzzleError`."""
    return read_puzzle(read_file(path))


def load_text(text: str, name: str = "<text>") -> Puzzle:
    """Read a puzzle from YAML text. Raises `PuzzleError`."""
    return read_puzzle(parse(text, name))
