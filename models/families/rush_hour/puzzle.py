"""The family `rush-hour`: vehicles that move along their own axis, one of which must get out.

A board of any size. A vehicle is a straight run of equal letters and moves only along its length; one cell
long, it needs an `orientation`. The goal: the target piece touches the edge of the board on the exit side
(`exit: right`), or covers a named cell (`exit: {row: 3, col: 6}`).

Metrics: `slides` (one piece, one straight line, any distance) and `steps` (one cell).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...cells import DIRECTIONS, Cell, draw, place, rc
from ...documents.write import flow, quoted
from ...errors import ReplayError, UsageError
from ...plan import Plan, Replay, Step
from ...puzzle import Header, Puzzle
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Move, Operator, Task, TaskBuilder, operator
from . import notation as rush_hour_plan

FORWARD = {True: "R", False: "D"}
BACKWARD = {True: "L", False: "U"}


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A piece: its letter, its cells from the top left, and its axis."""

    letter: str
    cells: tuple[Cell, ...]
    horizontal: bool


@dataclass(frozen=True)
class RushHour(Puzzle):
    """A Rush Hour board. `target` is the letter of the piece that must get out, by covering `exit_cell`."""

    header: Header
    height: int
    width: int
    walls: frozenset[Cell]
    vehicles: tuple[Vehicle, ...]
    target: str
    exit_cell: Cell

    family: ClassVar[str] = "rush-hour"
    metrics: ClassVar[tuple[str, ...]] = ("slides", "steps")

    def goal_text(self) -> tuple[str, ...]:
        return (f"piece {self.target} gets to {place(self.exit_cell)}",)

    def board(self) -> tuple[str, ...]:
        return self._draw({cell: v.letter for v in self.vehicles for cell in v.cells})

    def _draw(self, letters: dict[Cell, str]) -> tuple[str, ...]:
        return draw(self.height, self.width, letters, self.walls)

    def inside(self, cell: Cell) -> bool:
        """Whether a cell is on the board and no wall."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width and cell not in self.walls

    def replay(self, plan: Plan) -> Replay:
        """Play the plan cell by cell. A run of moves of one piece in one direction counts as one of `slides`."""
        letters = {cell: v.letter for v in self.vehicles for cell in v.cells}
        axis = {v.letter: v.horizontal for v in self.vehicles}
        steps: list[Step] = []
        cost = {"slides": 0, "steps": 0}
        previous: tuple[str, str] | None = None
        for number, move in enumerate(plan.moves, 1):
            letter = letters.get(move.cell)
            if letter is None:
                raise ReplayError(f"move {number}: no piece at {place(move.cell)}")
            direction = move.path[:1]
            if direction not in (FORWARD[axis[letter]], BACKWARD[axis[letter]]) or set(move.path) != {direction}:
                raise ReplayError(f"move {number}: {letter} cannot move {move.path or 'nowhere'}")
            vector = DIRECTIONS[direction]
            for _ in move.path:
                old = {cell for cell, owner in letters.items() if owner == letter}
                new = {(r + vector[0], c + vector[1]) for r, c in old}
                for cell in new - old:
                    if not self.inside(cell) or cell in letters:
                        raise ReplayError(f"move {number}: {letter} is blocked at {place(cell)}")
                for cell in old:
                    del letters[cell]
                letters.update(dict.fromkeys(new, letter))
            cost["steps"] += len(move.path)
            cost["slides"] += previous != (letter, direction)
            previous = (letter, direction)
            sign = "+" if direction == FORWARD[axis[letter]] else "-"
            steps.append(Step(f"{letter}{sign}{len(move.path)}", self._draw(letters)))
        return Replay(tuple(steps), cost, letters.get(self.exit_cell) == self.target)

    def keys(self, board: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
        row, column = self.exit_cell
        keys: dict[str, str | tuple[str, ...]] = {
            "board": board,
            "goal": f"{{piece: {quoted(self.target)}, exit: {{row: {row + 1}, col: {column + 1}}}}}",
        }
        axes = {v.letter: "horizontal" if v.horizontal else "vertical" for v in self.vehicles if len(v.cells) == 1}
        if axes:
            keys["orientation"] = flow(axes)
        return keys

    def parse_plan(self, text: str) -> Plan:
        return rush_hour_plan.parse(self, text)

    def task(self, metric: str) -> Task:
        return _ground(self, metric)


# Grounding


def _ground(puzzle: RushHour, metric: str) -> Task:
    """Facts: each vehicle at each place of its lane, and each cell that some lane crosses, free.

    At place k a vehicle covers the cells of its lane from the k-th on. Raises `UsageError` if there are more
    than `MAX_OPERATORS` operators.
    """
    lanes = {v.letter: lane_of(puzzle, v) for v in puzzle.vehicles}
    places = {v.letter: len(lanes[v.letter]) - len(v.cells) + 1 for v in puzzle.vehicles}
    reach = 1 if metric == "steps" else max(places.values())
    count = sum(n * (n - 1) if metric == "slides" else 2 * (n - 1) for n in places.values())
    if count > MAX_OPERATORS:
        raise UsageError(
            f"{puzzle.header.file}: this board has too much room for the metric `{metric}`: {count:,} ways to move "
            f"a vehicle, at most {MAX_OPERATORS:,} are tried"
            + ("; try the metric `steps`" if metric == "slides" else "")
        )
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
                        move=Move(here[0], direction * abs(j - i)),
                    )
                )
    groups = [ExactlyInvariant(letter, GroupKind.OBJECT, tuple(facts)) for letter, facts in at.items()]
    groups += [
        ExactlyInvariant(f"cell {rc(c)}", GroupKind.CELL, tuple(sorted([*facts, free[c]])))
        for c, facts in covering.items()
    ]
    vacant = tuple(sorted(free.values()))
    count = len(set(init).intersection(vacant))
    groups.append(ExactlyInvariant("free cells", GroupKind.RESOURCE, vacant, count))
    return Task(
        name=puzzle.header.name,
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(init)),
        goal=(tuple(goal),),
        metric=(metric,),
        unsolvable_because=walled_off(puzzle),
    )


def lane_of(puzzle: RushHour, vehicle: Vehicle) -> list[Cell]:
    """The cells that a vehicle could cover on an empty board, from the top left."""
    row, column = DIRECTIONS[FORWARD[vehicle.horizontal]]
    lane = list(vehicle.cells)
    while puzzle.inside(cell := (lane[0][0] - row, lane[0][1] - column)):
        lane.insert(0, cell)
    while puzzle.inside(cell := (lane[-1][0] + row, lane[-1][1] + column)):
        lane.append(cell)
    return lane


def walled_off(puzzle: RushHour) -> str | None:
    """Why the target could not reach its exit even on an empty board, in a sentence; None if it could."""
    target = next(v for v in puzzle.vehicles if v.letter == puzzle.target)
    if puzzle.exit_cell in lane_of(puzzle, target):
        return None
    return f"a wall stands between piece {puzzle.target} and its exit, {place(puzzle.exit_cell)}"
