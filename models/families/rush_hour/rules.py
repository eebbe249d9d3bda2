"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from dataclasses import dataclass

from ...cells import Cell, Rows, place, rc, shift
from ...errors import ReplayError, UsageError
from ...family import SLIDE, Notation
from ...family import STEP as METRIC_STEP
from ...moves import Metric, Slide
from ...plan import Plan
from ...sliding import LaneBoard, LaneVehicle, SlidingSimulator
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Operator, Task, TaskBuilder, operator
from ...text import counted
from ..plan_words import slides

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


class RushHourSimulator(SlidingSimulator):
    """A board in play. A run of moves of one piece in one direction counts as one of `slides`."""

    def __init__(self, puzzle: RushHour) -> None:
        pieces = {v.letter: v.cells for v in puzzle.vehicles}
        ways = {v.letter: FORWARD[v.horizontal] + BACKWARD[v.horizontal] for v in puzzle.vehicles}
        super().__init__(puzzle.height, puzzle.width, puzzle.walls, pieces, ways)
        self.puzzle = puzzle
        self.costs = {"slides": 0, "steps": 0}
        self._previous: tuple[str, str] | None = None

    def open_to(self, _letter: str, cell: Cell) -> bool:
        return cell not in self.walls

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        direction, ways = move.path[:1], self.ways[letter]
        if not direction or direction not in ways or set(move.path) != {direction}:
            raise ReplayError(f"{letter} cannot move {move.path or 'nowhere'}")
        for _ in move.path:
            self.step(letter, direction)
        self.costs["steps"] += len(move.path)
        self.costs["slides"] += self._previous != (letter, direction)
        self._previous = (letter, direction)
        return written(letter, direction == ways[0], len(move.path))

    @property
    def solved(self) -> bool:
        return self.letters.get(self.puzzle.exit_cell) == self.puzzle.target


# Rush Hour as a planning task, and as a board of lanes.


def ground(puzzle: RushHour, metric: Metric) -> Task:
    """Facts: each vehicle at each place of its lane, and each cell that some lane crosses, free.

    At place k a vehicle covers the cells of its lane from the k-th on. Raises `UsageError` if there are more
    than `MAX_OPERATORS` operators.
    """
    long = metric == SLIDES
    lanes = {v.letter: puzzle.lane_of(v) for v in puzzle.vehicles}
    places = {v.letter: len(lanes[v.letter]) - len(v.cells) + 1 for v in puzzle.vehicles}
    _check_size(list(places.values()), metric)
    reach = max(places.values()) if long else 1
    builder = TaskBuilder()
    at = {x: [builder.fact(f"{x} at {rc(cell)}") for cell in lane[: places[x]]] for x, lane in lanes.items()}
    covering: dict[Cell, list[int]] = {cell: [] for cell in sorted({c for lane in lanes.values() for c in lane})}
    free = {cell: builder.fact(f"free {rc(cell)}") for cell in covering}
    init = [free[cell] for cell in covering.keys() - {cell for v in puzzle.vehicles for cell in v.cells}]
    goal: list[int] = []
    operators: list[Operator] = []
    for vehicle in puzzle.vehicles:
        letter, size = vehicle.letter, len(vehicle.cells)
        lane, facts = lanes[letter], at[letter]
        init.append(facts[lane.index(vehicle.cells[0])])
        # For each place i of the lane, an operator to each place j within reach. Of `AA` in a lane of five cells:
        #     i = 0  AA...   j = 2  ..AA.   entered: cells 2 and 3 must be free, cells 0 and 1 become so
        for i, fact in enumerate(facts):
            here = lane[i : i + size]
            for cell in here:
                covering[cell].append(fact)
            if letter == puzzle.target and puzzle.exit_cell in here:
                goal.append(fact)
            for j in range(max(0, i - reach), min(len(facts), i + reach + 1)):
                if i == j:
                    continue
                there = lane[j : j + size]
                entered = lane[i + size : j + size] if i < j else lane[j:i]
                direction = (FORWARD if i < j else BACKWARD)[vehicle.horizontal]
                operators.append(
                    operator(
                        f"{letter}{j - i:+d} from {rc(here[0])}",
                        pre=[fact, *(free[c] for c in entered)],
                        add=[facts[j], *(free[c] for c in here if c not in there)],
                        delete=[fact, *(free[c] for c in there if c not in here)],
                        move=Slide(here[0], direction * abs(j - i)),
                    )
                )
    # A vehicle is at one place of its lane; a cell is free or covered by one vehicle; as many cells are free as ever.
    groups = [ExactlyInvariant(letter, GroupKind.OBJECT, tuple(facts)) for letter, facts in at.items()]
    groups += [
        ExactlyInvariant(f"cell {rc(c)}", GroupKind.CELL, tuple(sorted([*facts, free[c]])))
        for c, facts in covering.items()
    ]
    vacant = tuple(sorted(free.values()))
    count = len(set(init).intersection(vacant))
    groups.append(ExactlyInvariant("free cells", GroupKind.RESOURCE, vacant, count))
    return Task(
        name="",
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(init)),
        goal=(tuple(goal),),
        metric=metric.components,
        unsolvable_because=puzzle.walled_off(),
    )


def _check_size(places: list[int], metric: Metric) -> None:
    """Raise `UsageError` if the vehicles, with these numbers of positions, would give more than `MAX_OPERATORS`
    operators.
    """
    long = metric == SLIDES
    count = sum(n * (n - 1) if long else 2 * (n - 1) for n in places)
    if count > MAX_OPERATORS:
        raise UsageError(
            f"this board has too much room for the metric `{metric.name}`: {count:,} ways to move "
            f"a vehicle, at most {MAX_OPERATORS:,} are tried" + ("; try the metric `steps`" if long else "")
        )


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
