"""Finding puzzles: a file, standard input, or the name of a shipped puzzle."""

from __future__ import annotations

import difflib
import os
import re
import sys
from functools import cache
from pathlib import Path

from .documents.document import parse_bytes
from .errors import PuzzleError, UsageError
from .families import load_file, load_text, read_puzzle
from .puzzle import Puzzle

SHIPPED = Path(__file__).resolve().parent.parent / "puzzles"

SUGGESTED = 6
"""Names that are suggested at most."""


def shipped() -> dict[str, Path]:
    """Every shipped puzzle by its name: its path below `puzzles/` without the ending, in order of name."""
    return {path.relative_to(SHIPPED).with_suffix("").as_posix(): path for path in sorted(SHIPPED.rglob("*.yaml"))}


def find(name: str) -> Path:
    """The file that a user means: a path, or a shipped puzzle by its name, with or without its folder or family.

    Raises `UsageError` for a name that nothing or more than one thing has.
    """
    if not name:
        raise UsageError("the name of the puzzle is empty; give a file, or a name of `budge list`")
    if re.match(r"[a-z][a-z0-9+.-]*:/", name, re.IGNORECASE):
        raise UsageError(f"`{name}` is a URL, and Budge reads none; download the file, then give its name")
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml"):
        return path
    names = shipped()
    wanted = _plain(name.strip("/"))
    matches = [n for n in names if _plain(n) == wanted] or [n for n in names if _plain(_stem(n)) == wanted]
    if len(matches) == 1:
        return names[matches[0]]
    if matches:
        raise UsageError(f"`{name}` is the name of several puzzles: {', '.join(matches)}")
    near = _near(wanted)
    listed = " or ".join([", ".join(f"`{n}`" for n in near[:-1]), f"`{near[-1]}`"][len(near) == 1 :]) if near else ""
    hint = f"did you mean {listed}?" if near else "`budge list` shows them"
    raise UsageError(f"no file and no shipped puzzle `{name}`; {hint}")


def search(text: str) -> dict[str, Puzzle]:
    """The shipped puzzles with a text in their name, family or title."""
    wanted = _plain(text)
    found = {}
    for name, path in shipped().items():
        puzzle = load_file(path)
        title, family = puzzle.header.name, puzzle.record
        if any(wanted in _plain(part) for part in (name, family.name, family.title, title)):
            found[name] = puzzle
    return found


def _near(wanted: str) -> list[str]:
    """Names that someone may have meant, best first: those that begin so, that are spelt alike, whose title has it."""
    stems = {_plain(_stem(name)): _stem(name) for name in shipped()}
    begin = sorted((stem for plain, stem in stems.items() if plain.startswith(wanted)), key=_by_number)
    close = difflib.get_close_matches(wanted, stems, n=3, cutoff=0.6)
    alike = sorted((stems[plain] for plain in close), key=lambda stem: (-_alike(wanted, stem), _by_number(stem)))
    if len(wanted) > 2 and not begin + alike:
        alike = [_stem(name) for name, title in _titles().items() if wanted in _plain(title)]
    return list(dict.fromkeys(begin + alike))[:SUGGESTED]


@cache
def _titles() -> dict[str, str]:
    """The titles of the shipped puzzles."""
    titles = {}
    for name, path in shipped().items():
        try:
            titles[name] = load_file(path).header.name
        except PuzzleError:
            continue
    return titles


def _alike(one: str, other: str) -> float:
    return round(difflib.SequenceMatcher(None, one, _plain(other)).ratio(), 2)


def _by_number(name: str) -> tuple[tuple[int, str], ...]:
    """A key by which `bird-2` stands before `bird-10`."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name))


def _plain(name: str) -> str:
    """A name without the differences that do not count: capitals, `_` and `-`."""
    return name.lower().replace("_", "-")


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1]


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


__all__ = ["PuzzleLike", "as_puzzle", "find", "load", "load_text", "search", "shipped"]
