"""How often each number occurs, as a table with bars."""

from __future__ import annotations

from collections.abc import Sequence

from .layout import table, wide
from .screen import Screen

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
    taken = max(wide(line) for line in table(rows, (0, 1)))
    room = max(8, min(LONGEST_BAR, screen.width - taken - 6))
    bars = [_bar(total / max(sums) * room, screen) if total else "" for total in sums]
    return ["  " + line for line in table([(*row, bar) for row, bar in zip(rows, bars, strict=True)], (0, 1))]


def _bar(length: float, screen: Screen) -> str:
    """A bar of `length` columns; the smallest can still be seen."""
    if not screen.unicode:
        return "#" * max(1, round(length))
    eighths = max(1, round(8 * length))
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
