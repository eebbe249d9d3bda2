"""Sokoban levels from XSB collections to YAML puzzles, and back.

Nothing but the dialect changes: the rows of a map are kept as they are, titles, authors and comments too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from ...documents import write
from ...documents.document import Report
from ...documents.write import one_line
from ...errors import Problem, PuzzleError, UsageError
from ...puzzle import Header
from . import xsb
from .puzzle import METRICS, Sokoban, check_level
from .xsb import FLOOR, Level


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files that were written, and the problems of the levels for which there is none."""

    written: list[Path]
    problems: list[Problem]


def convert_collection(path: Path, out_dir: Path, prefix: str | None = None) -> Conversion:
    """Write each level of a collection as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed).

    The prefix is the collection's file name unless given. Levels with errors are left out and reported with
    their places in the collection. Raises `PuzzleError` if the collection cannot be read or has no level, and
    `UsageError`, before anything is written, if a file of that name with other content exists.
    """
    levels, report = load_collection(path)
    stem = file_name(path.stem if prefix is None else prefix)
    digits = max(3, len(str(len(levels))))
    files: dict[Path, str] = {}
    for level in levels:
        header = Header(str(path), level_name(level, path.stem), METRICS[0], author=level.author)
        puzzle = check_level(level, report, header)
        if puzzle is not None:
            name = f"{stem}-{level.number:0{digits}}.yaml" if len(levels) > 1 else f"{stem}.yaml"
            files[out_dir / name] = to_yaml(puzzle, f"level {level.number} of {path.name}", level.comment)
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            if file.exists() and file.read_bytes() != text.encode():
                raise UsageError(f"{file} exists and has other content; remove it, or choose another folder")
        for file, text in files.items():
            file.write_bytes(text.encode())
    except OSError as error:
        raise UsageError(f"cannot write to {error.filename}: {error.strerror}") from None
    return Conversion(list(files), PuzzleError(report.problems).problems)


def load_collection(path: Path) -> tuple[list[Level], Report]:
    """The levels of a file, and a report for their problems. Raises `PuzzleError` if there are none."""
    text, why = xsb.read_text(path)
    report = Report(str(path), text.split("\n"))
    levels = xsb.read_collection(text)
    if why:
        report.error(None, f"cannot read the file: {why}")
    elif not levels:
        report.error(None, "the file holds no Sokoban level", xsb.no_level_hint(text))
    report.raise_if_any()
    return levels, report


def level_name(level: Level, collection: str) -> str:
    """The name of a level: its title, if that is more than a number, or the collection's with its number."""
    title = " ".join(level.title.split())
    return title if any(char.isalpha() for char in title) else f"{collection} {level.number}"


def file_name(text: str) -> str:
    """A text as the beginning of a file name: lower-case ASCII letters and digits, joined by `-`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60] or "level"


def to_xsb(puzzle: Sokoban, *, compact: bool = False) -> str:
    """A level as XSB: its rows (in one line, run-length encoded, if `compact`), title, author and notes."""
    rows = puzzle.rows(puzzle.board())
    if compact:
        rows = ("|".join(xsb.compress(row.replace(FLOOR, "-")) for row in rows),)
    lines = [*rows, f"Title: {one_line(puzzle.header.name)}"]
    if puzzle.header.author:
        lines.append(f"Author: {one_line(puzzle.header.author)}")
    if puzzle.header.notes:
        lines += ["Comment:", *puzzle.header.notes.split("\n"), "Comment-End:"]
    return "\n".join(lines) + "\n"


def to_yaml(puzzle: Sokoban, credit: str = "", notes: str = "") -> str:
    """A level as a puzzle file; credit and notes are used where the puzzle has none of its own."""
    header = puzzle.header
    header = replace(header, credit=header.credit or credit, notes=header.notes or notes)
    return write.to_yaml(puzzle, header, puzzle.board())
