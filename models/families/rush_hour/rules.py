"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...boards import LaneBoard, LaneVehicle
from ...cells import Cell, Rows, place, shift
from ...errors import ReplayError
from ...family import SLIDE, Notation
from ...family import STEP as METRIC_STEP
from ...moves import Metric, Slide
from ...plan import Plan, slides
from ...task import Task
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

FORWARD = {True: "R", False: "D"}
BACKWARD = {True: "L", False: "U"}
"""The direction backward, by whether a vehicle is horizontal."""

OUT = {"R": "to the right, row", "L": "to the left, row", "U": "at the top, column", "D": "at the bottom, column"}
"""How a vehicle that moves in a direction leaves the board, and in which line."""


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A piece: its letter, its cells from the top left, and its axis."""

    letter: str
    cells: tuple[Cell, ...]
    horizontal: bool


@dataclass(frozen=True)
class RushHour:
    """A Rush Hour board. `target` is the letter of the piece that must get out, by covering `exit_cell`."""

    height: int
    width: int
    walls: frozenset[Cell]
    vehicles: tuple[Vehicle, ...]
    target: str
    exit_cell: Cell

    def goal_text(self) -> Rows:
        way = self.exit()
        if way is None:
            return (f"piece {self.target} gets to {place(self.exit_cell)}",)
        return (f"piece {self.target} gets out {OUT[way[1]]} {self.exit_cell[way[1] in 'UD'] + 1}",)

    def goal_cells(self) -> dict[Cell, str]:
        return {self.exit_cell: self.target}

    def exit(self) -> tuple[Cell, str] | None:
        """The exit and its direction, if it lies at an end of the target's row or column."""
        horizontal = next(vehicle.horizontal for vehicle in self.vehicles if vehicle.letter == self.target)
        for way in (FORWARD[horizontal], BACKWARD[horizontal]):
            row, column = shift(self.exit_cell, way)
            if not (0 <= row < self.height and 0 <= column < self.width):
                return self.exit_cell, way
        return None

    def counts(self) -> str:
        return counted(len(self.vehicles), "vehicle")

    def inside(self, cell: Cell) -> bool:
        """Whether a cell is on the board and no wall."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width and cell not in self.walls

    def as_blocks(self) -> SlidingBlock:
        """The vehicles as sliding blocks that go forward and backward."""
        pieces = tuple(
            BlockPiece(v.letter, v.cells, FORWARD[v.horizontal] + BACKWARD[v.horizontal]) for v in self.vehicles
        )
        return SlidingBlock(self.height, self.width, self.walls, pieces, ((self.target, (self.exit_cell,)),))

    def lane_of(self, vehicle: Vehicle) -> list[Cell]:
        """The cells that a vehicle could cover on an empty board, from the top left."""
        lane = list(vehicle.cells)
        while self.inside(cell := shift(lane[0], BACKWARD[vehicle.horizontal])):
            lane.insert(0, cell)
        while self.inside(cell := shift(lane[-1], FORWARD[vehicle.horizontal])):
            lane.append(cell)
        return lane

    def walled_off(self) -> str | None:
        """Why the target cannot reach its exit even on an empty board, in a sentence; None if it can."""
        target = next(v for v in self.vehicles if v.letter == self.target)
        if self.exit_cell in self.lane_of(target):
            return None
        return f"a wall stands between piece {self.target} and its exit, {place(self.exit_cell)}"


# Plans of the family `rush-hour` as text: `A+2 B-1`, a piece and how far it goes, right or down being forward.

STEP = r"(.)([+\-−–])([0-9]{1,4})"


def written(letter: str, forward: bool, count: int) -> str:
    """A step for people: `A+2` is piece A, two cells right or down; `A-2` left or up."""
    return f"{letter}{'+' if forward else '-'}{count}"


def parse(puzzle: RushHour, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""
    horizontal = {v.letter: v.horizontal for v in puzzle.vehicles}

    def path(letter: str, sign: str, count: str) -> str:
        return (FORWARD if sign == "+" else BACKWARD)[horizontal[letter]] * int(count)

    cells = {v.letter: v.cells[0] for v in puzzle.vehicles}
    return slides(text, STEP, "a piece, a sign and a number of cells, as `A+2`", cells, path)


NOTATION = Notation("a piece, `+` (right, down) or `-` (left, up), and how many cells: `A+2 B-1`", parse)


class RushHourSimulator(SlidingBlockSimulator):
    """A board in play. A run of moves of one piece in one direction counts as one of `slides`."""

    def __init__(self, puzzle: RushHour) -> None:
        super().__init__(puzzle.as_blocks())
        self.costs = {"slides": 0, "steps": 0}

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        direction, ways = move.path[:1], self.ways[letter]
        if not direction or direction not in ways or set(move.path) != {direction}:
            raise ReplayError(f"{letter} cannot move {move.path or 'nowhere'}")
        self.go(letter, move.path)
        return written(letter, direction == ways[0], len(move.path))


# Rush Hour as a planning task, and as a board of lanes.


def ground(puzzle: RushHour, metric: Metric) -> Task:
    """The task of the vehicles as sliding blocks that go two ways, no two of them of one kind. Raises `UsageError` if
    there are more than `MAX_OPERATORS` operators.
    """

    def named(letter: str, path: str) -> str:
        return written(letter, path[0] in FORWARD.values(), len(path))

    task = ground_blocks(puzzle.as_blocks(), metric, named, distinct=True)
    # Of each vehicle in the order of its lane: by where it is before, then after.
    operators = tuple(sorted(task.operators, key=lambda op: (op.pre[0], op.add[0])))
    return replace(task, operators=operators, unsolvable_because=puzzle.walled_off() or task.unsolvable_because)


def to_lane_board(puzzle: RushHour, metric: Metric) -> LaneBoard:
    """The board as vehicles in lanes: the view of a Rush Hour puzzle for engines that read lanes."""
    vehicles = []
    for vehicle in puzzle.vehicles:
        lane = puzzle.lane_of(vehicle)
        vehicles.append(LaneVehicle(tuple(lane), len(vehicle.cells), lane.index(vehicle.cells[0])))
    return LaneBoard(
        vehicles=tuple(vehicles),
        target=[vehicle.letter for vehicle in puzzle.vehicles].index(puzzle.target),
        exit=puzzle.exit_cell,
        long_moves=metric == SLIDES,
        unsolvable_because=puzzle.walled_off(),
    )
