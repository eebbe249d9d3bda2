"""Plans of the family `sliding-block` as text: `X:D2R b:L`, a piece and its path; a number repeats a letter."""

from __future__ import annotations

import re
from itertools import groupby

from ...cells import shift
from ...errors import ReplayError
from ...family import Notation
from ...moves import Slide
from ...plan import Plan
from ..plan_words import parsed, words
from .puzzle import SlidingBlock

STEP = r"(.):((?:[UDLR][0-9]{0,3})+)"


def written(letter: str, path: str) -> str:
    """A step for people: `X:D2R` is piece X two cells down and one to the right."""
    runs = [(direction, len(list(run))) for direction, run in groupby(path)]
    return f"{letter}:" + "".join(f"{direction}{count if count > 1 else ''}" for direction, count in runs)


def parse(puzzle: SlidingBlock, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    cells = {piece.letter: piece.cells[0] for piece in puzzle.pieces}
    moves = []
    for place, word in words(text):
        letter, runs = parsed(STEP, place, word, "a piece, a colon and a path, as `X:D2R`").groups()
        if letter not in cells:
            raise ReplayError(f"{place}: no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        path = "".join(way * int(count or 1) for way, count in re.findall("([UDLR])([0-9]*)", runs))
        moves.append(Slide(cells[letter], path))
        for way in path:
            cells[letter] = shift(cells[letter], way)
    return Plan(tuple(moves))


NOTATION = Notation("a piece, a colon and its path, a number repeats a letter: `X:D2R b:L`", parse)
