"""Plans as text: the words of a plan with their places, for the families' parsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from ..cells import Cell, shift
from ..errors import ReplayError, UnreadableError
from ..moves import Slide
from ..plan import Plan
from ..text import clip

S = TypeVar("S")

SHOWN = 21
"""Characters of a word that are shown in a message."""


def words(text: str) -> Iterator[tuple[str, str]]:
    """The words of a plan, between blanks, line ends, commas and semicolons, each with its place in a few words."""
    number = 0
    for row, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"[^\s,;]+", line):
            number += 1
            word = match.group()
            yield f"step {number} (`{clip(word, SHOWN)}`, line {row}, column {match.start() + 1})", word


def parsed(pattern: str, place: str, word: str, example: str) -> re.Match[str]:
    """The match of a whole word. Raises `UnreadableError`, naming the place and an example, if there is none."""
    match = re.fullmatch(pattern, word)
    if match is None:
        raise UnreadableError(f"{place} is not a step of this family; write {example}")
    return match


def slides(text: str, pattern: str, example: str, first: dict[str, Cell], path: Callable[..., str]) -> Plan:
    """The plan of a text whose steps name a piece by its letter: `pattern` finds the letter and what `path` makes the
    way of, in letters of UDLR. `first`: the first cell of each piece. Raises `ReplayError` for any other text.
    """
    moves, cells = [], dict(first)
    for place, word in words(text):
        letter, *rest = parsed(pattern, place, word, example).groups()
        if letter not in cells:
            raise ReplayError(f"{place}: no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        moves.append(Slide(cells[letter], path(letter, *rest)))
        for way in moves[-1].path:
            cells[letter] = shift(cells[letter], way)
    return Plan(tuple(moves))


def by_time(steps: Iterable[tuple[str | None, S]]) -> list[S]:
    """The steps of a planner's plan in the order of the times before them, as they stand where no step has a time:
    `2: (b)`, `1: (a)` gives a, b. Raises `UnreadableError` if only some have one.
    """
    from decimal import Decimal  # 10 ms, for plans with times only

    timed = [(None if time is None else Decimal(time), step) for time, step in steps]
    times = [time for time, _ in timed if time is not None]
    if times and len(times) < len(timed):
        raise UnreadableError("some steps have a time before them, `0.001: (a)`, and others none; write all or none")
    return [step for _, step in sorted(timed, key=lambda pair: pair[0] or 0)]
