"""Rush Hour as a planning task, and as a board of lanes."""

from __future__ import annotations

from ...cells import Cell, rc
from ...cost import Metric
from ...errors import UsageError
from ...lanes import LaneBoard, LaneVehicle
from ...moves import Slide
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Operator, Task, TaskBuilder, operator
from .puzzle import BACKWARD, FORWARD, SLIDES, RushHour


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
