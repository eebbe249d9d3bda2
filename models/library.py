"""Finding puzzles: a file, standard input, or the name of a shipped puzzle."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path

from .documents.document import parse_bytes
from .errors import UsageError
from .families import load_file, load_text, read_puzzle
from .puzzle import Puzzle

SHIPPED = Path(__file__).resolve().parent.parent / "puzzles"


def shipped() -> dict[str, Path]:
    """Every shipped puzzle by its name: its path below `puzzles/` without the ending, in order of name."""
    return {path.relative_to(SHIPPED).with_suffix("").as_posix(): path for path in sorted(SHIPPED.rglob("*.yaml"))}


def find(name: str) -> Path:
    """The file that a user means: a path, or a shipped puzzle by its name, with or without its folder.

    Raises `UsageError` for a name that nothing or more than one thing has.
    """
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml"):
        return path
    names = shipped()
    wanted = name.strip("/").lower()
    matches = [n for n in names if n == wanted] or [n for n in names if n.rsplit("/", 1)[-1] == wanted]
    if len(matches) == 1:
        return names[matches[0]]
    if matches:
        raise UsageError(f"`{name}` is the name of several puzzles: {', '.join(matches)}")
    stems = {n.rsplit("/", 1)[-1]: n for n in names}
    close = difflib.get_close_matches(wanted, [*names, *stems], n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(f'`{c}`' for c in close)}?" if close else "`budge list` shows them"
    raise UsageError(f"no file and no shipped puzzle `{name}`; {hint}")


def load(name: str | Path) -> Puzzle:
    """Load a puzzle: a file, `-` for standard input, or the name of a shipped one.

    Raises `PuzzleError` for a file that cannot be used and `UsageError` for a name that does not exist.
    """
    if name == "-":
        return read_puzzle(parse_bytes(sys.stdin.buffer.read(), "<stdin>"))
    return load_file(name if isinstance(name, Path) else find(name))


PuzzleLike = Puzzle | str | os.PathLike[str]
"""What stands for a puzzle: itself, its name, its file, or the text of its file."""


def as_puzzle(value: PuzzleLike) -> Puzzle:
    """The puzzle that a value stands for.

    A `Puzzle` is itself. A path (`pathlib.Path`) is a file. A text of one line is what `load` takes: the name of a
    shipped puzzle or a file; one of several lines is the text of a puzzle file. Raises `PuzzleError` and `UsageError`
    as `load` does, and `TypeError` for anything else.
    """
    if isinstance(value, Puzzle):
        return value
    if isinstance(value, str):
        return load_text(value) if "\n" in value else load(value)
    if isinstance(value, os.PathLike):
        return load(Path(value))
    raise TypeError(
        "a puzzle is needed: a Puzzle, the name of a shipped one, a path, or the text of a puzzle file (YAML); "
        f"this is of the type {type(value).__name__}"
    )


__all__ = ["PuzzleLike", "as_puzzle", "find", "load", "load_text", "shipped"]
