"""Boards in a terminal: pieces with outlines, or the family's own map characters, in colour or plain."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TextIO

from ..models.text import columns

BLANK, WALL = " ", "#"
PALETTE = (203, 114, 75, 221, 176, 80, 215, 111, 150, 212, 186, 117, 180, 147, 79, 209, 222, 140)
"""Colours of the 256-colour terminal palette for pieces, in the order in which they appear."""

_JOINTS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""The box-drawing character for each set of arms: 1 up, 2 right, 4 down, 8 left."""


def wants_colour(stream: TextIO | None = None) -> bool:
    """Whether to colour what goes to a stream: only for a terminal, and not when `NO_COLOR` is set."""
    import os

    stream = stream or sys.stdout
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def draw_pieces(rows: tuple[str, ...], *, colour: bool = False, labels: dict[str, str] | None = None) -> str:
    """Outline the pieces of a board whose equal letters are one piece; `.` is empty, `#` a wall.

    `labels` replaces what stands in a piece (numbers, for example); labels wider than two columns make all
    cells wider. The board is closed by a frame.
    """
    labels = labels or {}
    inner = max([3, *(columns(label) + 2 for label in labels.values())])
    height, width = len(rows), max(map(len, rows), default=0)
    order: dict[str, int] = {}
    for row in rows:
        for char in row:
            if char not in (".", WALL):
                order.setdefault(char, len(order))

    def at(r: int, c: int) -> str:
        inside = 0 <= r < height and 0 <= c < len(rows[r])
        return rows[r][c] if inside else ""

    def line(a: str, b: str) -> bool:
        return a != b

    def paint(char: str, text: str) -> str:
        if not colour or char in ("", "."):
            return text
        if char == WALL:
            return f"\x1b[90m{text}\x1b[0m"
        return f"\x1b[30;48;5;{PALETTE[order[char] % len(PALETTE)]}m{text}\x1b[0m"

    out = []
    for r in range(height + 1):
        top = []
        for c in range(width + 1):
            a, b, d, e = at(r - 1, c - 1), at(r - 1, c), at(r, c - 1), at(r, c)
            arms = line(a, b) | line(b, e) << 1 | line(d, e) << 2 | line(a, d) << 3
            joint = _JOINTS[arms]
            same = a == b == d == e
            top.append(paint(e, joint if e != WALL else "█") if same and e else joint)
            if c < width:
                edge = line(b, e)
                top.append("─" * inner if edge else paint(e, ("█" if e == WALL else " ") * inner))
        out.append("".join(top).rstrip())
        if r == height:
            break
        middle = []
        for c in range(width + 1):
            left, here = at(r, c - 1), at(r, c)
            middle.append("│" if line(left, here) else paint(here, "█" if here == WALL else " "))
            if c < width:
                middle.append(paint(here, _filling(here, labels, inner)))
        out.append("".join(middle).rstrip())
    return "\n".join(out)


def _filling(char: str, labels: dict[str, str], inner: int) -> str:
    if char == WALL:
        return "█" * inner
    text = labels.get(char, "" if char in (".", "") else char)
    space = inner - columns(text)
    return " " * (space // 2) + text + " " * (space - space // 2)


ANSI = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "grey": 90}
"""The terminal's code of each colour word that a family may use; with `bold ` before it the code follows a 1."""


def draw_map(rows: tuple[str, ...], colours: Mapping[str, str] | None = None) -> str:
    """A map in its own characters; `colours` are words like `grey` and `bold cyan`, by character."""

    def painted(char: str) -> str:
        words = (colours or {}).get(char, "").split()
        if not words:
            return char
        return f"\x1b[{'1;' if 'bold' in words else ''}{ANSI[words[-1]]}m{char}\x1b[0m"

    return "\n".join("".join(map(painted, row)) for row in rows)
