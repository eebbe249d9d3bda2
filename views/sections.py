"""An answer as sections, which a terminal and a page write each in its own way.

    [Value("distance", "10 slides"), Counts([1, 4, 9]), Drawing(puzzle, rows), Words("best moves", ["A+1", "B-2"])]

Each kind of answer gives its sections (`solution.of_solution`, ...); `as_text` and `as_html` write those of all kinds.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ..models.cells import Rows
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..models.text import aligned, wide
from .board import board, exit_of, position
from .terminal import PLAIN, Screen, breadth, fill, fitted, histogram, labelled, paragraph
from .text import filmstrip, heading

if TYPE_CHECKING:
    from .html import Markup


@dataclass(frozen=True, slots=True)
class Title:
    """The name of a puzzle, its author and its credit."""

    puzzle: Puzzle


@dataclass(frozen=True, slots=True)
class Start:
    """The first position of a puzzle and its goal."""

    puzzle: Puzzle


@dataclass(frozen=True, slots=True)
class Value:
    """A label and what stands behind it: `distance      10 slides`."""

    label: str
    text: str

    @property
    def cells(self) -> tuple[str, str]:
        """Both in a table of a page, which has no wide spaces."""
        return self.label, self.text.replace("  (", " (").replace("  ", ": ")


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What comes of it, in a sentence: a page shows it first. `label`: what a terminal has before it."""

    text: str
    kind: Literal["good", "bad", ""] = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """A histogram: [1, 4, 9] where 0 occurs once, 1 four times and 2 nine times."""

    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position of a puzzle."""

    puzzle: Puzzle
    rows: Rows


@dataclass(frozen=True, slots=True)
class Film:
    """All positions of a plan, side by side. A page has a player in its place."""

    puzzle: Puzzle
    replay: Replay


@dataclass(frozen=True, slots=True)
class Words:
    """A plan or some moves, under a title if they have one."""

    title: str
    words: Sequence[str]


class Link(str):
    """A cell that a page can open, by its number."""

    number: int

    @staticmethod
    def to(number: int, text: str) -> Link:
        """A cell with this text."""
        link = Link(text)
        link.number = number
        return link


@dataclass(frozen=True, slots=True)
class Table:
    """Lines of cells below a head, in groups with titles. `numbers`: the columns that are aligned to the right; `less`:
    those that a narrow terminal leaves out, in this order. Empty columns are not shown. `sort`: by which
    column the lines are sorted, and whether descending; a page offers to sort them by others.
    """

    head: Sequence[str]
    groups: Mapping[str, Sequence[Sequence[str]]]
    numbers: Collection[int] = ()
    less: Sequence[str] = ()
    indent: str = ""
    sort: tuple[str, bool] | None = None

    @property
    def lines(self) -> list[Sequence[str]]:
        """The head, if there is one, and the lines of all groups."""
        return [*([self.head] if self.head else []), *(line for group in self.groups.values() for line in group)]

    def only(self, columns: Sequence[int]) -> Table:
        """A table of some of the columns."""

        def picked(line: Sequence[str]) -> list[str]:
            return [line[n] for n in columns] if line else []

        groups = {title: [*map(picked, lines)] for title, lines in self.groups.items()}
        numbers = [at for at, n in enumerate(columns) if n in self.numbers]
        return replace(self, head=picked(self.head), groups=groups, numbers=numbers)

    def filled(self) -> Table:
        """A table of the columns that are not empty."""
        lines = self.lines
        return self.only([n for n in range(len(lines[0])) if any(line[n] for line in lines[bool(self.head) :])])


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that a page shows as they are; a terminal breaks those that are too wide."""

    lines: Sequence[str]
    kind: Literal["good", "bad", ""] = ""


@dataclass(frozen=True, slots=True)
class Pictured:
    """Sections in whose place a page has the picture of this name, if there is one (`as_html`)."""

    name: str
    sections: Sequence[Section] = ()


Section = Title | Start | Value | Conclusion | Counts | Drawing | Film | Words | Table | Lines | Pictured | str
"""A part of an answer. A plain text is a paragraph; an empty one is an empty line on a terminal."""


def with_start(puzzle: Puzzle, sections: Iterable[Section]) -> Iterator[Section]:
    """An answer below the name of its puzzle and the position."""
    yield from (Title(puzzle), Start(puzzle))
    yield from sections


# For a terminal


def as_text(sections: Iterable[Section], screen: Screen = PLAIN) -> str:
    """An answer for a terminal."""
    return "\n".join(line for section in sections for line in _lines(section, screen))


def _lines(section: Section, screen: Screen) -> Iterable[str]:
    match section:
        case Title():
            return heading(section.puzzle, screen), ""
        case Start():
            return position(section.puzzle, screen), ""
        case Conclusion(label=""):
            return [paragraph(section.text, screen.width)]
        case Value() | Conclusion():
            return [labelled(section.label, section.text, screen.width)]
        case Counts():
            return histogram(section.numbers, screen)
        case Drawing():
            return [board(section.puzzle, section.rows, screen, exit_of(section.puzzle))]
        case Film():
            return "", filmstrip(section.puzzle, section.replay, screen), ""
        case Words():
            title = [section.title] if section.title else []
            return title + fill(section.words, screen.width, first="  ", rest="  ")
        case Table():
            return _table(section.filled(), screen)
        case Lines():
            return (_broken(line, screen.width) for line in section.lines)
        case Pictured():
            return (line for part in section.sections for line in _lines(part, screen))
    return [paragraph(section, screen.width)]


def _broken(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return line if wide(line) <= width else paragraph(line, width, indent, indent + "  ")


def _table(table: Table, screen: Screen) -> Iterator[str]:
    """A table on a terminal: one head, the groups below each other, and what was left out for want of room. Where there
    is no room for the columns that remain, each line of cells is a paragraph.
    """
    shown = table
    room = screen.width - len(table.indent) if screen.fits else sys.maxsize
    for name in table.less:
        if breadth(shown.lines) > room:
            shown = shown.only([n for n, title in enumerate(shown.head) if title != name])
    broken = fitted(shown.lines, room, shown.numbers)
    parts = [part for line in broken for part in line]
    if breadth(parts) > room:
        texts = iter("\n".join(fill(_flowing(line), screen.width, rest="    ")) for line in shown.lines)
    else:
        lines = iter(aligned(parts, shown.numbers))
        texts = iter("\n".join(table.indent + next(lines) for _ in line) for line in broken)
    if table.head:
        yield next(texts)
    for title, group in table.groups.items():
        yield from ("", paragraph(title, screen.width)) if title else ()
        yield from (next(texts) for _ in group)
    if left_out := [name for name in table.head if name not in shown.head]:
        yield paragraph(f"Left out for want of room: {', '.join(left_out)}; --csv has everything.", screen.width)


def _flowing(line: Sequence[str]) -> Iterator[str]:
    """The words of all cells, with room between two cells."""
    for text in filter(None, line):
        yield from (*text.split(), "")


# For a page


def as_html(sections: Iterable[Section], pictures: Mapping[str, Markup] = MappingProxyType({})) -> Markup:
    """An answer as HTML, for a page that has the style of boards. `pictures`: the HTML of pictures, by their names."""
    from .html import render

    shown = sorted(sections, key=lambda section: not isinstance(section, Conclusion))
    groups = [(kind.__name__, [*group]) for kind, group in groupby(shown, type)]
    return render("sections", groups=groups, pictures=pictures, as_html=as_html)
