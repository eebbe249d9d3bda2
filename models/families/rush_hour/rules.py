"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from dataclasses import replace

from ...boards import LaneBoard, LaneVehicle
from ...cells import Cell, Rows, place, shift
from ...errors import ReplayError
from ...family import SLIDE, Notation
from ...family import STEP as METRIC_STEP
from ...moves import Metric, Slide
from ...plan import Plan, slides
from ...task import OperatorTask
from ...text import counted
from ..sliding_block.rules import BlockPiece, SlidingBlock, SlidingBlockSimulator
from ..sliding_block.rules import ground as ground_blocks

# A Rush Hour board.
#
# A board of any size. A vehicle is a straight run of cells and moves only along its length; one cell long, it needs
# an `orientation`. The goal: the target covers the exit cell, at the edge of the board or anywhere.
#
# Metrics: `slides` (one piece, one straight line, any distance) and `steps` (one cell).

SLIDES, STEPS = Metric((SLIDE,)), Metric((METRIC_STEP,))
METRICS = (SLIDES, STEPS)

WAYS = {"horizontal": "RL", "vertical": "DU"}
"""The directions of a vehicle by its orientation: forward and backward."""

OUT = {"R": "to the right, row", "L": "to the left, row", "U": "at the top, column", "D": "at the bottom, column"}
"""How a vehicle that moves in a direction leaves the board, and in which line."""


class RushHour(SlidingBlock):
    """A Rush Hour board: sliding blocks that go two ways, and of which one, the target, must get out: it has to cover
    one cell, the exit.
    """

    @property
    def target(self) -> str:
        """The letter of the vehicle that must get out."""
        return self.goal[0][0]

    @property
    def exit_cell(self) -> Cell:
        return self.goal[0][1][0]

    @property
    def target_piece(self) -> BlockPiece:
        return next(piece for piece in self.pieces if piece.letter == self.target)

    def goal_text(self) -> Rows:
        way = self.exit()
        if way is None:
            return (f"piece {self.target} gets to {place(self.exit_cell)}",)
        return (f"piece {self.target} gets out {OUT[way[1]]} {self.exit_cell[way[1] in 'UD'] + 1}",)

    def exit(self) -> tuple[Cell, str] | None:
        """The exit and its direction, if it lies at an end of the target's row or column."""
        for way in self.target_piece.directions:
            row, column = shift(self.exit_cell, way)
            if not (0 <= row < self.height and 0 <= column < self.width):
                return self.exit_cell, way
        return None

    def counts(self) -> str:
        return counted(len(self.pieces), "vehicle")

    def lane_of(self, piece: BlockPiece) -> list[Cell]:
        """The cells that a vehicle could cover on an empty board, from the top left."""
        lane = list(piece.cells)
        while self.inside(cell := shift(lane[0], piece.directions[1])):
            lane.insert(0, cell)
        while self.inside(cell := shift(lane[-1], piece.directions[0])):
            lane.append(cell)
        return lane

    def walled_off(self) -> str | None:
        """Why the target cannot reach its exit even on an empty board, in a sentence; None if it can."""
        if self.exit_cell in self.lane_of(self.target_piece):
            return None
        return f"a wall stands between piece {self.target} and its exit, {place(self.exit_cell)}"


# Plans of the family `rush-hour` as text: `A+2 B-1`, a piece and how far it goes, right or down being forward.

STEP = r"(.)([+\-−–])([0-9]{1,4})"


def written(letter: str, forward: bool, count: int) -> str:
    """A step for people: `A+2` is piece A, two cells right or down; `A-2` left or up."""
    return f"{letter}{'+' if forward else '-'}{count}"


def parse(puzzle: RushHour, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    ways = {piece.letter: piece.directions for piece in puzzle.pieces}
    across = max(puzzle.height, puzzle.width)  # further than any piece can go, however far the text says

    def path(letter: str, sign: str, count: str) -> str:
        return ways[letter][sign != "+"] * min(int(count), across)

    cells = {piece.letter: piece.cells[0] for piece in puzzle.pieces}
    return slides(text, STEP, "a piece, a sign and a number of cells, as `A+2`", cells, path)


NOTATION = Notation("a piece, `+` (right, down) or `-` (left, up), and how many cells: `A+2 B-1`", parse)


class RushHourSimulator(SlidingBlockSimulator):
    """A board in play. A run of moves of one piece in one direction counts as one of `slides`."""

    def __init__(self, puzzle: RushHour) -> None:
        super().__init__(puzzle)
        self.costs = {"slides": 0, "steps": 0}

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        direction, ways = move.path[:1], self.ways[letter]
        if not direction or direction not in ways or set(move.path) != {direction}:
            raise ReplayError(f"{letter} cannot move {move.path or 'nowhere'}")
        self.go(letter, move.path)
        return written(letter, direction == ways[0], len(move.path))


# Rush Hour as a planning task, and as a board of lanes.


def ground(puzzle: RushHour, metric: Metric) -> OperatorTask:
    """The task of the vehicles as sliding blocks that go two ways, no two of them of one kind. Raises `UsageError` if
    there are more than `MAX_OPERATORS` operators.
    """

    def named(letter: str, path: str) -> str:
        return written(letter, path[0] in "RD", len(path))

    task = ground_blocks(puzzle, metric, named, distinct=True)
    # Of each vehicle in the order of its lane: by where it is before, then after.
    operators = tuple(sorted(task.operators, key=lambda op: (op.pre[0], op.add[0])))
    return replace(task, operators=operators, unsolvable_because=puzzle.walled_off() or task.unsolvable_because)


def to_lane_board(puzzle: RushHour, metric: Metric) -> LaneBoard:
    """The board as vehicles in lanes: the view of a Rush Hour puzzle for engines that read lanes."""
    vehicles = []
    for piece in puzzle.pieces:
        lane = puzzle.lane_of(piece)
        vehicles.append(LaneVehicle(tuple(lane), len(piece.cells), lane.index(piece.cells[0])))
    return LaneBoard(
        vehicles=tuple(vehicles),
        target=puzzle.pieces.index(puzzle.target_piece),
        exit=puzzle.exit_cell,
        long_moves=metric == SLIDES,
        unsolvable_because=puzzle.walled_off(),
    )
