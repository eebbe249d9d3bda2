"""What text is written to: how wide it is, whether it shows colours, and which characters it knows."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TextIO

from ..models.text import aligned, columns, wide

# Text in columns: lines broken between words, labelled lines, blocks side by side, tables.

LABEL = 13
"""Columns of a label and the space after it."""


def fill(words: Iterable[str], width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most `width` columns with words in order; the first begins with `first`, the others with `rest`.

    A word that is wider than a line gets one of its own and is not broken.
    """
    lines, line, begun = [], first, False
    for word in words:
        if begun and columns(line) + 1 + columns(word) > width:
            lines.append(line)
            line, begun = rest, False
        line += (" " if begun else "") + word
        begun = True
    return [line.rstrip() for line in (*lines, line)]


def paragraph(text: str, width: int, first: str = "", rest: str = "") -> str:
    """A text as lines of at most `width`, broken between words."""
    return "\n".join(fill(text.split(), width, first=first, rest=rest))


def labelled(label: str, text: str, width: int) -> str:
    """A line `label        text`; further lines of the text begin below its first one. Double spaces are kept."""
    words = text.replace("  ", " \0").split(" ")  # the second space stays with its word
    lines = fill(words, width, first=f"{label:<{LABEL - 1}} ", rest=" " * LABEL)
    return "\n".join(line.replace("\0", " ") for line in lines)


def beside(blocks: Sequence[str], width: int, gap: int = 3) -> str:
    """Blocks of lines side by side, in as many rows of blocks as the width needs; an empty line between the rows."""
    sizes = [max(map(wide, block.split("\n"))) for block in blocks]
    rows: list[list[int]] = []
    for number, size in enumerate(sizes):
        taken = sum(sizes[n] + gap for n in rows[-1]) if rows else width + 1
        if taken + size > width:
            rows.append([])
        rows[-1].append(number)
    # Blocks of one size stand below each other as in a grid; others take the room that they need.
    return "\n\n".join(_row([blocks[n] for n in row], [sizes[n] for n in row], gap) for row in rows)


def _row(blocks: Sequence[str], sizes: Sequence[int], gap: int) -> str:
    split = [block.split("\n") for block in blocks]
    height = max(map(len, split))
    lines = []
    for number in range(height):
        parts = []
        for block, size in zip(split, sizes, strict=True):
            line = block[number] if number < len(block) else ""
            parts.append(line + " " * (size - wide(line)))
        lines.append((" " * gap).join(parts).rstrip())
    return "\n".join(lines)


def fitted(lines: Sequence[Sequence[str]], room: int, right: Collection[int] = ()) -> list[list[Sequence[str]]]:
    """Each line of cells as lines that take at most `room` columns, as far as they can: the widest cells are broken
    between words, but not within parentheses, and not behind a number; the cells `right` are not broken.
    """
    cells = [[[text] if n in right else _words(text) for n, text in enumerate(line)] for line in lines]
    widths = [max(map(wide, column)) for column in zip(*lines, strict=True)]
    least = [max(wide(word) for cell in column for word in cell) for column in zip(*cells, strict=True)]
    for _ in range(breadth(lines) - room):
        if able := [n for n, size in enumerate(widths) if size > least[n]]:
            widths[max(able, key=widths.__getitem__)] -= 1
    return [list(zip_longest(*map(fill, line, widths), fillvalue="")) for line in cells]


def _words(text: str) -> list[str]:
    return re.split(r"(?<!\d) (?![^()]*\))", text)


def breadth(lines: Sequence[Sequence[str]]) -> int:
    """The columns of a terminal that cells take, `aligned`."""
    return sum(2 + max(map(wide, column)) for column in zip(*lines, strict=True)) - 2


def listed(items: Sequence[str], width: int, indent: str = "  ") -> str:
    """Short items in columns, read from left to right."""
    size = max(map(wide, items), default=0) + 2
    across = max(1, (width - len(indent)) // size)
    rows = [items[i : i + across] for i in range(0, len(items), across)]
    return "\n".join((indent + "".join(item + " " * (size - wide(item)) for item in row)).rstrip() for row in rows)


WIDTH = 100
"""Columns of text where it is not written to a terminal."""

NARROWEST = 30

Colour = Literal["auto", "always", "never"]

DRAWN = "─│┼█·→≤…"
"""Characters that an encoding must have for drawings in Unicode."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A stream of text as those see it who write to it. The default is text of `WIDTH` columns for a file.

    `height`: the lines that are seen at once; None where there is no end of them. `fits`: tables have to fit into the
    width, too; of those that go to a file or another program, each line stays a line.
    """

    width: int = WIDTH
    colour: bool = False
    unicode: bool = True
    height: int | None = None
    fits: bool = True

    @staticmethod
    def of(stream: TextIO, colour: Colour = "auto") -> Screen:
        """A stream with its own width, colours and characters."""
        colours, draws = wants_colour(stream, colour), _draws(stream)
        return Screen(_width(stream), colours, draws, _height(stream), stream.isatty())

    def sign(self, unicode: str, ascii: str) -> str:
        """The sign `first` if the screen can show it; else the other one."""
        return unicode if self.unicode else ascii


PLAIN = Screen()


def wants_colour(stream: TextIO, colour: Colour = "auto", environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to a stream.

    `auto`: not if `NO_COLOR` is set (no-color.org: to anything but nothing), else if `FORCE_COLOR` is, or the stream is
    a terminal that can.
    """
    if colour != "auto":
        return colour == "always"
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or is_terminal(stream, environment)


def is_terminal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a stream is a terminal on which a line can be written again (`FORCE_COLOR` makes it none)."""
    return stream.isatty() and environment.get("TERM", "") not in ("dumb", "unknown")


def _width(stream: TextIO) -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked) > 0:
        width = int(asked)
    else:
        width = WIDTH
        if stream.isatty():
            try:
                width = os.get_terminal_size(stream.fileno()).columns or WIDTH
            except (OSError, ValueError):
                width = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(NARROWEST, width)


def _height(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).lines or None
    except (OSError, ValueError):
        return None


def _draws(stream: TextIO) -> bool:
    try:
        DRAWN.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# How often each number occurs, as a table with bars.

MOST_BARS = 16
"""Lines at most; longer histograms put several numbers into one line."""

LONGEST_BAR = 40

EIGHTHS = " ▏▎▍▌▋▊▉"
"""The last character of a bar, by its width in eighths of a column."""


def histogram(counts: Sequence[int], screen: Screen) -> list[str]:
    """A line for each number from 0 on, or for each range of numbers: how often it occurs, and a bar."""
    step = -(-len(counts) // MOST_BARS)
    ranges = [range(start, min(start + step, len(counts))) for start in range(0, len(counts), step)]
    sums = [sum(counts[number] for number in numbers) for numbers in ranges]
    names = [f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}" for numbers in ranges]
    rows = [(name, f"{total:,}") for name, total in zip(names, sums, strict=True)]
    taken = max(wide(line) for line in aligned(rows, (0, 1)))
    room = max(8, min(LONGEST_BAR, screen.width - taken - 6))
    bars = [_bar(total / max(sums) * room, screen) if total else "" for total in sums]
    return ["  " + line for line in aligned([(*row, bar) for row, bar in zip(rows, bars, strict=True)], (0, 1))]


def _bar(length: float, screen: Screen) -> str:
    """A bar of `length` columns; the smallest can still be seen."""
    if not screen.unicode:
        return "#" * max(1, round(length))
    eighths = max(1, round(8 * length))
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
