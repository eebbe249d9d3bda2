"""Plans of the family `sliding-block` as text: `X:D2R b:L`, a piece and its path; a number repeats a letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...cells import DIRECTIONS
from ...errors import ReplayError
from ...plan import Plan
from ...task import Move
from ..plan_words import parsed, words

if TYPE_CHECKING:
    from .puzzle import SlidingBlock

STEP = r"(.):((?:[UDLR][0-9]{0,3})+)"


def parse(puzzle: SlidingBlock, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    cells = {piece.letter: piece.cells[0] for piece in puzzle.pieces}
    moves = []
    for place, word in words(text):
        letter, runs = parsed(STEP, place, word, "a piece, a colon and a path, as `X:D2R`").groups()
        if letter not in cells:
            raise ReplayError(f"{place}: no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        path = "".join(way * int(count or 1) for way, count in re.findall("([UDLR])([0-9]*)", runs))
        moves.append(Move(cells[letter], path))
        for way in path:
            row, column = DIRECTIONS[way]
            cells[letter] = (cells[letter][0] + row, cells[letter][1] + column)
    return Plan(tuple(moves))
