"""Sokoban levels from collections (XSB, SLC) to YAML puzzles, and back to XSB.

Nothing but the dialect changes: the rows of a map are kept as they are, titles, authors and comments too.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...cells import Rows
from ...documents import write
from ...documents.document import Report
from ...documents.files import FileError
from ...documents.write import one_line, write_levels
from ...family import Conversion
from ...header import Header
from . import xsb
from .collection import NO_LEVEL, read_levels
from .reading import check_level
from .reading import write as write_keys
from .rules import METRICS, NAME, Sokoban
from .xsb import FLOOR, CollectionLevel


def convert_collection(path: Path, out_dir: Path, prefix: str | None = None) -> Conversion:
    """Write each level of a collection as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed).

    The prefix is the collection's file name unless given. Levels with errors are left out and reported with
    their places in the collection. Raises `PuzzleError` if the collection cannot be read or has no level, and
    `UsageError`, before anything is written, if a file of that name with other content exists.
    """
    levels, report = load_collection(path)
    texts = {
        level.number: to_yaml(_header(level, path), puzzle)
        for level in levels
        if (puzzle := check_level(level, report)) is not None
    }
    return write_levels(texts, len(levels), path.stem if prefix is None else prefix, out_dir, report)


def load_collection(path: Path) -> tuple[list[CollectionLevel], Report]:
    """The levels of a file, and a report for their problems. Raises `PuzzleError` if there are none."""
    levels: list[CollectionLevel] = []
    try:
        levels, report = read_levels(path)
    except FileError as error:
        report = Report(str(path))
        report.error(None, f"cannot read the file: {error.reason}", error.hint or "check its name and its permissions")
    if not levels and not report.problems:
        report.error(None, "the file holds no Sokoban level", NO_LEVEL)
    report.raise_if_any()
    return levels, report


def level_name(level: CollectionLevel, collection: str) -> str:
    """The name of a level: its title if that has letters, else the name of the collection with the level's number."""
    title = " ".join(level.title.split())
    return title if any(char.isalpha() for char in title) else f"{collection} {level.number}"


def _header(level: CollectionLevel, path: Path) -> Header:
    collected = f", collected by {level.collector}" if level.collector else ""
    return Header(
        file=str(path),
        name=level_name(level, path.stem),
        metric=METRICS[0].name,
        author=level.author,
        credit=f"level {level.number} of {path.name}{collected}{_copyright(level.copyright)}",
        notes=level.comment,
    )


def _copyright(holder: str) -> str:
    """The part of the credit that names the holder of the copyright: `; copyright N. N.`; empty without a holder."""
    worded = re.match(r"\(c\)|©|copyright", holder, re.IGNORECASE)
    return f"; {'' if worded else 'copyright '}{holder}" if holder else ""


def to_xsb(header: Header, puzzle: Sokoban) -> str:
    """A level as XSB: its rows, title, author and notes."""
    return _xsb(header, xsb.file_rows(puzzle.board()))


def to_compact_xsb(header: Header, puzzle: Sokoban) -> str:
    """A level as XSB with its rows in one line, run-length encoded."""
    rows = xsb.file_rows(puzzle.board())
    return _xsb(header, ("|".join(xsb.compress(row.replace(FLOOR, "-")) for row in rows),))


def _xsb(header: Header, rows: Rows) -> str:
    lines = [*rows, f"Title: {one_line(header.name)}"]
    if header.author:
        lines.append(f"Author: {one_line(header.author)}")
    if header.notes:
        lines += ["Comment:", *header.notes.split("\n"), "Comment-End:"]
    return "\n".join(lines) + "\n"


def to_yaml(header: Header, puzzle: Sokoban) -> str:
    """A level as a puzzle file."""
    return write.to_yaml(NAME, header, write_keys(puzzle, puzzle.board()), METRICS[0].name)
