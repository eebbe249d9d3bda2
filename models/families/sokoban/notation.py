"""Plans of Sokoban as text: LURD, `l u r d` for a step of the player, `L U R D` for a push."""

from __future__ import annotations

import string

from ...cells import DIRECTIONS, place, shift
from ...errors import ReplayError, UnreadableError
from ...family import Notation
from ...moves import Slide
from ...plan import Plan
from . import xsb
from .puzzle import Sokoban
from .rules import SokobanSimulator


def parse(puzzle: Sokoban, text: str) -> Plan:
    """The plan that LURD writes: one move for each push, and one for each walk between two pushes.

    Blanks and line ends are skipped, numbers and parentheses repeat (`3r2U`, `2(rD)`). A text without any
    capital says nothing of pushes; there, a step into a box is one. Raises `UnreadableError` for
    other characters, `ReplayError` for steps that the rules forbid and for letters whose case contradicts the board.
    """
    try:
        letters = xsb.expand(text, skip=string.whitespace)
    except xsb.RunLengthError as error:
        raise UnreadableError(f"character {error.column + 1}: {error}") from None
    cased = any(letter.isupper() for letter, _ in letters)
    simulator = SokobanSimulator(puzzle)
    moves: list[Slide] = []
    walked, start = "", puzzle.player
    for number, (letter, column) in enumerate(letters, 1):
        direction, here = letter.upper(), simulator.player
        if direction not in DIRECTIONS:
            raise UnreadableError(f"character {column + 1}: `{letter}` is none of l u r d L U R D")
        target = shift(here, direction)
        pushes = target in simulator.boxes
        if cased and pushes != letter.isupper():
            says = "a push, but no box stands there" if letter.isupper() else "a walk, but a box stands there"
            raise ReplayError(f"step {number} (`{letter}`) is {says}: {place(target)}")
        try:
            simulator.step(direction)
        except ReplayError as error:
            raise ReplayError(f"step {number} (`{letter}`): {error}") from None
        if not pushes:
            start = start if walked else here
            walked += direction
            continue
        if walked:
            moves.append(Slide(start, walked))
        walked = ""
        moves.append(Slide(target, direction))
    if walked:
        moves.append(Slide(start, walked))
    return Plan(tuple(moves))


NOTATION = Notation("LURD: `l u r d` for a step of the player, `L U R D` for a push: `urrR`", parse, separator="")
