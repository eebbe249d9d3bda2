"""The rules of Sokoban, and plans as LURD: `l u r d` for a step of the player, `L U R D` for a push.

The player steps to a neighbouring cell. If a box stands there, it is pushed one cell further, which must be
neither a wall nor a box. Nothing here knows the grounded task.
"""

from __future__ import annotations

import string
from collections import deque
from typing import TYPE_CHECKING

from ...cells import DIRECTIONS, Cell, place
from ...errors import ReplayError
from ...plan import Plan, Replay, Step
from ...task import Move
from . import xsb

if TYPE_CHECKING:
    from .puzzle import Sokoban


def _next(cell: Cell, letter: str) -> Cell:
    row, column = DIRECTIONS[letter]
    return cell[0] + row, cell[1] + column


class Simulator:
    """A position of a level that changes step by step, and the LURD of how it came about."""

    def __init__(self, puzzle: Sokoban) -> None:
        self.puzzle = puzzle
        self.boxes = set(puzzle.boxes)
        self.player = puzzle.player
        self.lurd = ""

    def step(self, letter: str) -> None:
        """The player steps in a direction (U, D, L, R) and pushes what stands there. Raises `ReplayError`."""
        target = _next(self.player, letter)
        if target in self.boxes:
            beyond = _next(target, letter)
            if not self.puzzle.is_open(beyond) or beyond in self.boxes:
                what = "a box" if beyond in self.boxes else "a wall"
                raise ReplayError(f"the box at {place(target)} cannot be pushed {letter}: {what} is behind it")
            self.boxes.remove(target)
            self.boxes.add(beyond)
            self.lurd += letter
        elif not self.puzzle.is_open(target):
            raise ReplayError(f"the player at {place(self.player)} cannot step {letter} into a wall")
        else:
            self.lurd += letter.lower()
        self.player = target

    def walk(self, target: Cell) -> None:
        """Walk by a shortest way, pushing nothing. Raises `ReplayError` if boxes and walls leave none."""
        came: dict[Cell, str] = {self.player: ""}
        queue = deque([self.player])
        while queue and target not in came:
            here = queue.popleft()
            for letter in DIRECTIONS:
                cell = _next(here, letter)
                if cell not in came and self.puzzle.is_open(cell) and cell not in self.boxes:
                    came[cell] = letter
                    queue.append(cell)
        if target not in came:
            raise ReplayError(f"the player at {place(self.player)} cannot walk to {place(target)}")
        path = ""
        cell = target
        while came[cell]:
            path = came[cell] + path
            row, column = DIRECTIONS[came[cell]]
            cell = (cell[0] - row, cell[1] - column)
        for letter in path:
            self.step(letter)

    def play(self, move: Move) -> None:
        """A move of a plan: of a box, which is pushed along the path, or of the player, who only walks."""
        if not move.path or not set(move.path) <= DIRECTIONS.keys():
            raise ReplayError(f"`{move.path}` is not a path of the letters U, D, L, R")
        if move.cell in self.boxes:
            box = move.cell
            for letter in move.path:
                row, column = DIRECTIONS[letter]
                self.walk((box[0] - row, box[1] - column))
                self.step(letter)
                box = _next(box, letter)
        elif move.cell == self.player:
            for letter in move.path:
                if _next(self.player, letter) in self.boxes:
                    raise ReplayError(f"the player at {place(self.player)} cannot walk {letter} into a box")
                self.step(letter)
        else:
            raise ReplayError(f"neither a box nor the player stands at {place(move.cell)}")

    @property
    def solved(self) -> bool:
        return self.boxes <= self.puzzle.goals


def replay(puzzle: Sokoban, plan: Plan) -> Replay:
    """Play a plan; before each push the player walks by a shortest way to where it is made from.

    The notation of a step is its LURD (`urrR`), `costs` counts pushes and moves. Raises `ReplayError`.
    """
    simulator = Simulator(puzzle)
    steps = []
    for number, move in enumerate(plan.moves, 1):
        played = len(simulator.lurd)
        try:
            simulator.play(move)
        except ReplayError as error:
            raise ReplayError(f"move {number}: {error}") from None
        board = puzzle.draw(frozenset(simulator.boxes), simulator.player)
        steps.append(Step(simulator.lurd[played:], board))
    costs = {"pushes": sum(letter.isupper() for letter in simulator.lurd), "moves": len(simulator.lurd)}
    return Replay(tuple(steps), costs, simulator.solved)


def to_lurd(puzzle: Sokoban, plan: Plan) -> str:
    """A plan as LURD. Raises `ReplayError` if the rules do not allow it."""
    return "".join(replay(puzzle, plan).notation)


def parse_lurd(puzzle: Sokoban, text: str) -> Plan:
    """The plan that LURD writes: one move for each push, and one for each walk between two pushes.

    Blanks and line ends are skipped, numbers and parentheses repeat (`3r2U`, `2(rD)`). A text without any
    capital says nothing of pushes; there, a step into a box is one. Raises `ReplayError` for other
    characters, for steps that the rules forbid and for letters whose case contradicts the board.
    """
    try:
        letters = xsb.expand(text, skip=string.whitespace)
    except xsb.RunLengthError as error:
        raise ReplayError(f"character {error.column + 1}: {error}") from None
    cased = any(letter.isupper() for letter, _ in letters)
    simulator = Simulator(puzzle)
    moves: list[Move] = []
    walked, start = "", puzzle.player
    for number, (letter, column) in enumerate(letters, 1):
        direction, here = letter.upper(), simulator.player
        if direction not in DIRECTIONS:
            raise ReplayError(f"character {column + 1}: `{letter}` is none of l u r d L U R D")
        target = _next(here, direction)
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
            moves.append(Move(start, walked))
        walked = ""
        moves.append(Move(target, direction))
    if walked:
        moves.append(Move(start, walked))
    return Plan(tuple(moves))
