"""Plans of the family `rush-hour` as text: `A+2 B-1`, a piece and how far it goes, right or down being forward."""

from __future__ import annotations

from ...cells import shift
from ...errors import ReplayError
from ...family import Notation
from ...moves import Slide
from ...plan import Plan
from ..plan_words import parsed, words
from .puzzle import BACKWARD, FORWARD, RushHour

STEP = r"(.)([+\-−–])([0-9]{1,4})"


def written(letter: str, forward: bool, count: int) -> str:
    """A step for people: `A+2` is piece A, two cells right or down; `A-2` left or up."""
    return f"{letter}{'+' if forward else '-'}{count}"


def parse(puzzle: RushHour, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    cells = {v.letter: v.cells[0] for v in puzzle.vehicles}
    horizontal = {v.letter: v.horizontal for v in puzzle.vehicles}
    moves = []
    for place, word in words(text):
        letter, sign, count = parsed(STEP, place, word, "a piece, a sign and a number of cells, as `A+2`").groups()
        if letter not in cells:
            raise ReplayError(f"{place}: no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        direction = (FORWARD if sign == "+" else BACKWARD)[horizontal[letter]]
        moves.append(Slide(cells[letter], direction * int(count)))
        cells[letter] = shift(cells[letter], direction, int(count))
    return Plan(tuple(moves))


NOTATION = Notation("a piece, `+` (right, down) or `-` (left, up), and how many cells: `A+2 B-1`", parse)
