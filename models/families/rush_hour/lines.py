"""Rush Hour boards in lines of text, as in Michael Fogleman's database: `60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332`.

A board is 36 characters, row by row. A number that begins the line and stands before it is its optimum in slides; what
else is in the file is left out. The car that must get out, to the right, is `X` if that lies in row 3, else `A`.
"""

from __future__ import annotations

import re
from pathlib import Path

from ...documents import write
from ...documents.document import Report, Span
from ...documents.files import FileError, read_regular
from ...errors import PuzzleError
from ...family import Conversion
from ...header import Expect, Header
from ...level_files import write_levels
from .puzzle import METRICS

MAX_BYTES = 32 * 1024 * 1024
"""The largest file that is converted."""

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


def convert_lines(path: Path, folder: Path, prefix: str | None = None) -> Conversion:
    """Write each board as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed).

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
        report.error(None, "the file holds no Rush Hour board", "a board is 36 letters and `o`, `.` or `x` in one line")
    report.raise_if_any()
    texts = {}
    for number, (line, found) in enumerate(boards, 1):
        text = _yaml(found, f"{path.stem} {number}", f"line {line + 1} of {path.name}")
        try:
            load_text(text)
            texts[number] = text
        except PuzzleError as error:
            report.error(Span(line, found.start("board"), 36), error.problems[0].message, error.problems[0].hint)
    return write_levels(texts, len(boards), path.stem if prefix is None else prefix, folder, report)


def _lines(path: Path) -> list[str]:
    data = read_regular(path, MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise FileError(f"it has more than {MAX_BYTES:,} bytes", "choose lines of it")
    return data.decode("utf-8-sig", "replace").splitlines()


def _target(row: str) -> str:
    """The car that must get out of row 3; empty if there is none."""
    return next((letter for letter in "XA" if letter * 2 in row), "")


def _yaml(found: re.Match[str], name: str, credit: str) -> str:
    board, slides = found["board"], found["slides"]
    expect = Expect({METRICS[0].name: (int(slides),)} if slides else {})
    keys: dict[str, str | tuple[str, ...]] = {"board": tuple(board[i : i + 6] for i in range(0, 36, 6))}
    if _target(found["row"]) == "X":
        keys["goal"] = "{piece: X, exit: right}"
    header = Header(file="", name=name, metric=METRICS[0].name, credit=credit, expect=expect)
    return write.to_yaml("rush-hour", header, keys, METRICS[0].name)
