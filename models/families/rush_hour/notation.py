"""Plans of the family `rush-hour` as text: `A+2 B-1`, a piece and how far it goes, right or down being forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...cells import DIRECTIONS
from ...errors import ReplayError
from ...plan import Plan
from ...task import Move
from ..plan_words import parsed, words

if TYPE_CHECKING:
    from .puzzle import RushHour

STEP = r"(.)([+\-−–])([0-9]{1,4})"


def parse(puzzle: RushHour, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    cells = {v.letter: v.cells[0] for v in puzzle.vehicles}
    ways = {v.letter: ("R", "L") if v.horizontal else ("D", "U") for v in puzzle.vehicles}
    moves = []
    for place, word in words(text):
        letter, sign, count = parsed(STEP, place, word, "a piece, a sign and a number of cells, as `A+2`").groups()
        if letter not in cells:
            raise ReplayError(f"{place}: no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        direction = ways[letter][sign != "+"]
        moves.append(Move(cells[letter], direction * int(count)))
        row, column = DIRECTIONS[direction]
        cells[letter] = (cells[letter][0] + row * int(count), cells[letter][1] + column * int(count))
    return Plan(tuple(moves))
