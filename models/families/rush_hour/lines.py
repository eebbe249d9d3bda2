"""Rush Hour boards in lines of text, as in Michael Fogleman's database: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332`.

A board is 36 characters, row by row. The number before it is its optimum in slides in the database; elsewhere it is
a number of the board, or whatever: it becomes what the puzzle's file expects only where the caller says so. A line that
has no board is reported, but for comments (`#`, `;`, `//`) and a first line without digits, the heading of a table. The
car that must get out, to the right, is `X` if that lies in row 3, else `A`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...documents import write
from ...documents.document import Report, Span
from ...documents.files import FileError, read_whole
from ...documents.write import write_levels
from ...errors import PuzzleError
from ...family import Conversion
from ...header import Expect, Header
from .rules import METRICS

MAX_BYTES = 32 * 1024 * 1024
"""The largest file that is converted."""

_BOARD = "a board is 36 letters and `o`, `.` or `x` in one line"
_LINE = re.compile(
    r"(?:^(?P<slides>[0-9]{1,4})[\s,;]+)?"
    r"(?<![^\s,;\"'])(?P<board>[A-Zox.]{12}(?P<row>[A-Zox.]{6})[A-Zox.]{18})(?![^\s,;\"'])"
)


def is_boards(path: Path) -> bool:
    """Whether a file is lines of boards: one has a car that can be the one to get out."""
    try:
        return any(_target(found["row"]) for found in map(_LINE.search, _lines(path)) if found)
    except FileError:
        return False


def convert_database(path: Path, folder: Path, prefix: str | None = None) -> Conversion:
    """As `convert_lines`, where the number before each board is known to be its optimum in slides."""
    return convert_lines(path, folder, prefix, optima=True)


def convert_lines(path: Path, folder: Path, prefix: str | None = None, *, optima: bool = False) -> Conversion:
    """Write each board as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed). `optima`: the number before a
    board is the optimum that its file expects.

    Boards that cannot be used are left out and reported with their places. Raises `PuzzleError` if the file cannot be
    read or has no board, and `UsageError` as `write_levels`.
    """
    from .. import load_text

    report = Report(str(path))
    try:
        report.lines = _lines(path)
    except FileError as error:
        report.error(None, f"cannot read the file: {error.reason}", error.hint or "check its name and its permissions")
        report.raise_if_any()
    boards = [(line, found) for line, text in enumerate(report.lines) if (found := _LINE.search(text))]
    if not boards:
        report.error(None, "the file holds no Rush Hour board", _BOARD)
    report.raise_if_any()
    for line in _without_boards(report.lines):
        report.error(Span(line, 0, len(report.lines[line])), "this line holds no board of 6 by 6 cells", _BOARD)
    texts = {}
    for number, (line, found) in enumerate(boards, 1):
        slides = found["slides"] if optima else None
        text = _yaml(found, slides, f"{path.stem} {number}", f"line {line + 1} of {path.name}")
        try:
            load_text(text)
            texts[number] = text
        except PuzzleError as error:
            report.error(Span(line, found.start("board"), 36), error.problems[0].message, error.problems[0].hint)
    return write_levels(texts, len(boards), path.stem if prefix is None else prefix, folder, report)


def _lines(path: Path) -> list[str]:
    return read_whole(path, MAX_BYTES).decode("utf-8-sig", "replace").splitlines()


def _target(row: str) -> str:
    """The car that must get out of row 3; empty if there is none."""
    return next((letter for letter in "XA" if letter * 2 in row), "")


def _without_boards(lines: list[str]) -> Iterator[int]:
    """The lines that should hold a board and do not."""
    texts = [(number, line) for number, line in enumerate(lines) if line.strip()]
    for number, line in texts:
        heading = number == texts[0][0] and not any(char.isdigit() for char in line)
        if not (_LINE.search(line) or heading or re.match(r"\s*(#|;|//)", line)):
            yield number


def _yaml(found: re.Match[str], slides: str | None, name: str, credit: str) -> str:
    board = found["board"]
    expect = Expect({METRICS[0].name: (int(slides),)} if slides else {})
    keys: dict[str, str | tuple[str, ...]] = {"board": tuple(board[i : i + 6] for i in range(0, 36, 6))}
    if _target(found["row"]) == "X":
        keys["goal"] = "{piece: X, exit: right}"
    header = Header(file="", name=name, metric=METRICS[0].name, credit=credit, expect=expect)
    return write.to_yaml("rush-hour", header, keys, METRICS[0].name)
