"""Levels in plain text as puzzle files: boards in rows of signs, several a file, and what all such forms share.

A form is a function from the lines of a file to its levels. A level has the keys of its puzzle file and says where in
the text it stands; the family's own reading finds what is wrong with it, and that is told at this place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..errors import PuzzleError
from ..family import Conversion, Importer, Keys
from .compose import Span
from .document import Report, parse
from .fields import HEADER_KEYS, Expect, Fields, Header, Key, names
from .files import FileError, read_whole
from .write import to_yaml, write_levels

MAX_BYTES = 32 * 1024 * 1024
"""The largest file that is converted."""

AROUND = " \t\"',[]"
"""What may stand around a row of signs or numbers, as in a list of texts."""

Line = tuple[int, str]
"""A line of a text with its number."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level as a text has it. `at`: its place; `rows`: the first sign of each row of the board, its first key."""

    at: Span
    keys: Keys
    name: str = ""
    expect: Expect = field(default_factory=Expect)
    rows: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class TextForm:
    """A form of levels in text, of a family with its default metric, its keys, and its function that reads a file.

    `levels(report)` gives the levels in the lines of a report, and reports lines that should hold one and do not.
    """

    family: str
    metric: str
    keys: tuple[Key, ...]
    read: Callable[[Fields, Header], object]
    levels: Callable[[Report], Iterable[Level]]
    what: str
    hint: str

    def importer(self, name: str, endings: tuple[str, ...], text: str) -> Importer:
        """This form for `budge convert`: a file is in it if a level can be read from it."""
        return Importer(name, endings, text, self.convert, self.holds)

    def holds(self, path: Path) -> bool:
        """Whether a file has a level in this form."""
        try:
            return any(True for _ in self.levels(Report(str(path), lines_of_file(path))))
        except FileError:
            return False

    def convert(self, path: Path, folder: Path, prefix: str | None = None) -> Conversion:
        """Write each level as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed).

        Levels that cannot be used are left out and reported with their places. Raises `PuzzleError` if the file cannot
        be read or has no level, and `UsageError` as `write_levels`.
        """
        report = Report(str(path))
        levels: list[Level] = []
        try:
            report.lines = lines_of_file(path)
            levels = list(self.levels(report))
            if not levels:
                report.problems.clear()
                report.error(None, f"the file holds no {self.what}", self.hint)
        except FileError as error:
            report.unreadable(error)
        if not levels:
            report.raise_if_any()
        texts = {}
        for number, level in enumerate(levels, 1):
            credit = f"line {level.at.line + 1} of {path.name}"
            name = level.name or f"{path.stem} {number}"
            header = Header(file="", name=name, metric=self.metric, credit=credit, expect=level.expect)
            text = to_yaml(self.family, header, level.keys, self.metric)
            document = parse(text)
            try:
                self.read(Fields(document.root, document.report, names((*HEADER_KEYS, *self.keys))), header)
                texts[number] = text
            except PuzzleError as error:
                first = text.splitlines().index(f"{next(iter(level.keys))}: |2") + 2
                for problem in error.problems if level.rows else error.problems[:1]:
                    at = level.at
                    if 0 <= (row := problem.line - first) < len(level.rows):
                        start = level.rows[row]
                        at = replace(start, column=start.column + start.width * max(problem.column - 3, 0))
                    said = re.sub(r"(?<=line )\d+", partial(_line_of, level, first), problem.message)
                    report.error(at, said, problem.hint)
        return write_levels(texts, len(levels), path.stem if prefix is None else prefix, folder, report)


def lines_of_file(path: Path) -> list[str]:
    """The lines of a file of text. Raises `FileError`."""
    return read_whole(path, MAX_BYTES).decode("utf-8-sig", "replace").splitlines()


def _line_of(level: Level, first: int, number: re.Match[str]) -> str:
    """A line number in the puzzle file as one in the converted text; row 1 is line `first` of the puzzle file."""
    row = int(number[0]) - first
    return str(level.rows[row].line + 1) if 0 <= row < len(level.rows) else number[0]


# Blocks of lines


def in_blocks(
    report: Report, read: Callable[[list[Line]], Level | None], what: str, hint: str, first: str = "(?!)"
) -> Iterator[Level]:
    """The levels of a text, each a block of lines. A line above a block, or its first one, may be a title.

    `first`: the pattern of lines with which a block begins also where no empty line stands above. Blocks that hold no
    level, and titles of none, are reported.
    """
    title: Line | None = None
    for block in _blocks(report.lines, first):
        level, name = read(block), title
        if level is None and len(block) > 1 and _is_title(block[0][1]):
            level, name = read(block[1:]), block[0]
        if level is None and len(block) == 1 and title is None and _is_title(block[0][1]):
            title = block[0]
            continue
        for number, text in () if level and name is title else (title,) if title else ():
            report.error(Span(number, 0, len(text)), f"this line belongs to no {what}", hint)
        if level is None:
            number, text = block[0]
            where = f"the {len(block)} lines from here" if len(block) > 1 else "this line"
            report.error(Span(number, 0, len(text)), f"no {what} in {where}", hint)
        else:
            yield replace(level, name=name[1].strip(" \t#:;=-*") if name else "")
        title = None
    if title:
        report.error(Span(title[0], 0, len(title[1])), f"this line belongs to no {what}", hint)


def _blocks(lines: list[str], first: str) -> Iterator[list[Line]]:
    """Lines between empty lines, without comments. Six blanks are a row of an empty board of six by six cells."""
    block: list[Line] = []
    for number, text in enumerate([*lines, ""]):
        empty = not text.strip() and not (len(text) == 6 and len(block) < 6)
        if block and (empty or re.match(first, text)):
            yield block
            block = []
        if not empty and not re.match(r"\s*(;|//|#\s|```)", text):
            block.append((number, text))


def _is_title(text: str) -> bool:
    """Whether a line has a word, which a row of signs has not."""
    return bool(re.search("[A-Z][a-z]{2}|[A-Za-z]{3}.*[^A-Za-z.]|[^A-Za-z.].*[A-Za-z]{3}", text[:100].strip()))


def signs(block: list[Line]) -> tuple[tuple[str, ...], tuple[Span, ...]] | None:
    """The rows of a board of one sign a cell, and the first sign of each; None if they are no rectangle.

    Between signs may be a blank, comma or bar. Where six rows are no rectangle so, blanks are cells, of which those at
    the right may be missing.
    """
    texts = [text for _, text in block]
    for around in (AROUND, ""):
        starts = [len(text) - len(text.lstrip(around)) if around else 0 for text in texts]
        cut = [text.strip(around) if around else text.rstrip() for text in texts]
        parted = max(map(len, cut)) > 2 and all(set(text[1::2]) <= set(" \t,|;") for text in cut)
        rows = [text[:: 2 if parted else 1] for text in cut]
        if not around:
            rows = [row.ljust(6) for row in rows] if len(rows) == 6 else []
        if len({len(row) for row in rows}) == 1 and len(rows) > 1 and not (around and " " in "".join(rows)):
            places = zip(block, starts, strict=True)
            return tuple(rows), tuple(Span(line, start, 2 if parted else 1) for (line, _), start in places)
    return None
