"""An answer as sections, which a terminal and a page write each in its own way.

    [Value("distance", "10 slides"), Counts([1, 4, 9]), Drawing(rows), Words("best moves", ["A+1", "B-2"]), "time over"]

A command's answer gives its sections (`explore.sections`, ...); `as_text` and `as_html` write those of every command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..models.cells import Rows
from ..models.puzzle import Puzzle
from .board import board, exit_of, position
from .terminal import Screen, fill, histogram, labelled, paragraph
from .text import heading


@dataclass(frozen=True, slots=True)
class Value:
    """A label and what stands behind it: `distance      10 slides`."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Counts:
    """A histogram: [1, 4, 9] where 0 occurs once, 1 four times and 2 nine times."""

    numbers: Sequence[int]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A position of the puzzle."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class Words:
    """A plan or some moves, under a title if they have one."""

    title: str
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines on a terminal, of at most some width, where a page has the picture of this name (`as_html`)."""

    name: str
    lines: Callable[[int], Iterable[str]] = lambda _width: ()


Section = Value | Counts | Drawing | Words | Listing | str
"""A part of an answer. A plain text is a paragraph; an empty one is an empty line on a terminal."""


def as_text(puzzle: Puzzle, sections: Iterable[Section], screen: Screen, *, start: bool = True) -> str:
    """An answer about a puzzle for a terminal, below its name and, with `start`, its board."""
    parts = [heading(puzzle, screen), "", *([position(puzzle, screen), ""] if start else [])]
    for section in sections:
        match section:
            case Value():
                parts.append(labelled(section.label, section.text, screen.width))
            case Counts():
                parts += histogram(section.numbers, screen)
            case Drawing():
                parts.append(board(puzzle, section.rows, screen, exit_of(puzzle)))
            case Words():
                parts += [section.title] if section.title else []
                parts += fill(section.words, screen.width, first="  ", rest="  ")
            case Listing():
                parts += section.lines(screen.width)
            case _:
                parts.append(paragraph(section, screen.width))
    return "\n".join(parts)


MANY = 30
"""Numbers of a histogram beyond which a page shows them only when it is asked to."""


def as_html(
    puzzle: Puzzle, sections: Iterable[Section], pictures: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> Iterator[str]:
    """An answer about a puzzle as HTML, for a page that has the style of boards. `pictures`: the HTML in place of
    listings, by their names.
    """
    from .html import escape, table
    from .svg import board_svg

    values: list[tuple[str, str]] = []
    for section in [*sections, ""]:
        if isinstance(section, Value):
            values.append((section.label, section.text.replace("  (", " (").replace("  ", ": ")))
            continue
        if values:
            yield table((), values)
            values = []
        match section:
            case Counts():
                said = f'<p class="counts">{", ".join(f"{number:,}" for number in section.numbers)}</p>'
                many = len(section.numbers) > MANY
                yield f"<details><summary>As numbers</summary>{said}</details>" if many else said
            case Drawing():
                yield board_svg(puzzle, section.rows, style=False)
            case Words():
                yield f"<p>{escape(section.title)} <code>{escape(' '.join(section.words))}</code></p>"
            case Listing():
                yield from pictures.get(section.name, ())
            case str() if section:
                yield f"<p>{escape(section)}</p>"
