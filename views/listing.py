"""What `budge list` prints."""

from __future__ import annotations

from collections.abc import Mapping

from ..models.puzzle import Puzzle
from ..models.text import columns
from .layout import fill
from .screen import Screen
from .text import expectation

WIDEST_EXPECTATION = 40
"""Columns for the expected costs; longer ones push the title of their line to the right."""

GAP = 2


def as_text(puzzles: Mapping[str, Puzzle], screen: Screen) -> str:
    """A line for each puzzle: its name, what its file expects, its title. On a narrow screen two."""
    rows = [(name, expectation(puzzle), puzzle.header.name) for name, puzzle in puzzles.items()]
    first = max(columns(name) for name, _, _ in rows)
    second = min(WIDEST_EXPECTATION, max(columns(known) for _, known, _ in rows))
    last = max(columns(title) for _, _, title in rows)
    if first + second + last + 2 * GAP > screen.width:
        return "\n".join(_in_two_lines(row, screen.width) for row in rows)
    return "\n".join(f"{_padded(name, first)}{_padded(known, second)}{title}" for name, known, title in rows)


def _padded(text: str, width: int) -> str:
    return text + " " * (max(0, width - columns(text)) + GAP)


def _in_two_lines(row: tuple[str, str, str], width: int) -> str:
    """The name and the title, and below them what is expected."""
    name, known, title = row
    indent = "    "
    lines = fill([name, "", *title.split(" ")], width, rest=indent)
    return "\n".join(lines + (fill(known.split(" "), width, first=indent, rest=indent) if known else []))
