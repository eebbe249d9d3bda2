"""Plans of the family `n-puzzle` as text: `8L 5U`, the number of a tile and where it goes, into the blank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...cells import DIRECTIONS
from ...errors import ReplayError
from ...plan import Plan
from ...task import Move
from ..plan_words import parsed, words

if TYPE_CHECKING:
    from .puzzle import NPuzzle

STEP = r"([0-9]{1,9})([UDLR])"


def parse(puzzle: NPuzzle, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError` for any other text, and for a tile that cannot go there."""
    tiles = {(r, c): tile for r, row in enumerate(puzzle.start) for c, tile in enumerate(row)}
    blank = next(cell for cell, tile in tiles.items() if tile == 0)
    moves = []
    for place, word in words(text):
        number, way = parsed(STEP, place, word, "the number of a tile and U, D, L or R, as `8L`").groups()
        row, column = DIRECTIONS[way]
        here = (blank[0] - row, blank[1] - column)
        if tiles.get(here) != int(number):
            around = [
                f"{tiles[cell]}{letter}"
                for letter, (r, c) in DIRECTIONS.items()
                if (cell := (blank[0] - r, blank[1] - c)) in tiles
            ]
            raise ReplayError(f"{place}: no tile {number} can go {way} into the blank; possible are {' '.join(around)}")
        moves.append(Move(here, way))
        tiles[blank], tiles[here], blank = tiles[here], 0, here
    return Plan(tuple(moves))
