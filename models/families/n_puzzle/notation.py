"""Plans of the family `n-puzzle` as text: `8L 5U`, the number of a tile and where it goes, into the blank."""

from __future__ import annotations

from ...cells import DIRECTIONS, shift
from ...errors import ReplayError
from ...family import Notation
from ...moves import Slide
from ...plan import Plan
from ..plan_words import parsed, words
from .puzzle import BLANK, NPuzzle, cells_of

STEP = r"([0-9]{1,9})([UDLR])"


def written(tile: str, direction: str) -> str:
    """A step for people: `8L` is tile 8, to the left."""
    return f"{tile}{direction}"


def parse(puzzle: NPuzzle, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError` for any other text, and for a tile that cannot go there."""
    tiles = cells_of(puzzle.start)
    blank = next(cell for cell, tile in tiles.items() if tile == BLANK)
    moves = []
    for place, word in words(text):
        number, way = parsed(STEP, place, word, "the number of a tile and U, D, L or R, as `8L`").groups()
        here = shift(blank, way, -1)
        if tiles.get(here) != int(number):
            around = [f"{tiles[cell]}{letter}" for letter in DIRECTIONS if (cell := shift(blank, letter, -1)) in tiles]
            raise ReplayError(f"{place}: no tile {number} can go {way} into the blank; possible are {' '.join(around)}")
        moves.append(Slide(here, way))
        tiles[blank], tiles[here], blank = tiles[here], BLANK, here
    return Plan(tuple(moves))


NOTATION = Notation("the number of a tile and where it goes, U, D, L or R: `8L 5U`", parse)
