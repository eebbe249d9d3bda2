"""Boards with boxes or with lanes: views of puzzles for engines that plan in such terms."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .cells import DIRECTIONS, Cell, direction, flood, rc, shift
from .moves import Cost, Slide
from .task import ExactlyInvariant, GroupKind, Operator, Task, TaskBuilder, Walker, operator

# A view of puzzles in which a player pushes boxes: for engines that plan with boxes, regions and rooms.
#
# A family offers this view in its record. An engine that reads it knows nothing of the family, of its files or its
# rules.


@dataclass(frozen=True, slots=True)
class BoxBoard:
    """Boxes on the cells of a room, and a player who pushes one at a time; solved if every box stands on a goal.

    `cells`, in reading order: where the player could get if there were no boxes; everything else is wall. `boxes` and
    `goals` are among them, and there are at least as many goals as boxes. `push` and `walk`: what a step of the player
    costs in the metric asked for, one number for each of its components. `unsolvable_because` says why there is no
    plan, if that is seen at once.
    """

    cells: tuple[Cell, ...]
    boxes: tuple[Cell, ...]
    goals: tuple[Cell, ...]
    player: Cell
    push: Cost
    walk: Cost
    unsolvable_because: str | None = None


def pulled_from(goals: Iterable[Cell], inside: Collection[Cell]) -> frozenset[Cell]:
    """The cells to which a box alone on the board could be pulled from some of these goals."""
    return _carried(goals, inside, 2)  # who pulls a box goes before it


def _carried(cells: Iterable[Cell], inside: Collection[Cell], room: int) -> frozenset[Cell]:
    """The cells that a box gets to, one step at a time. For each step the cell `room` steps on must be inside: 2 for a
    pull, as the player goes before the box, and -1 for a push.
    """
    return frozenset(flood(cells, lambda cell, way: shift(cell, way) in inside and shift(cell, way, room) in inside))


def to_task(board: BoxBoard, metric: tuple[str, ...], *, dead_squares: bool = False) -> Task:
    """The task of a board; `metric`: what each component of the costs counts.

    Facts: a box at each cell from which a goal can be reached (or where one starts; with `dead_squares` at each cell to
    which one can be pushed), and each cell free. Every cell is free or has a box. The goal: a box on each goal; where
    goals are more than boxes, every other cell free of boxes.
    """
    builder, boxes, goals = TaskBuilder(), frozenset(board.boxes), frozenset(board.goals)
    index = {cell: i for i, cell in enumerate(board.cells)}
    live = _carried(boxes, index, -1) | goals if dead_squares else pulled_from(board.goals, index)
    box = {cell: builder.fact(f"box at {rc(cell)}") for cell in board.cells if cell in live or cell in boxes}
    free = {cell: builder.fact(f"free {rc(cell)}") for cell in board.cells}
    groups = [ExactlyInvariant("boxes", GroupKind.OBJECT, tuple(box.values()), len(boxes))] if box else []
    for cell in board.cells:
        groups.append(ExactlyInvariant(f"cell {rc(cell)}", GroupKind.CELL, (*_facts(box, [cell]), free[cell])))
    if len(boxes) == len(goals):
        goal = _facts(box, board.goals)
    else:
        goal = _facts(free, [cell for cell in box if cell not in goals])
    return Task(
        name="",
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(_pushes(box, free, index, board.push)),
        init=tuple(sorted([*_facts(box, boxes), *_facts(free, index.keys() - boxes)])),
        goal=tuple((fact,) for fact in goal),
        metric=metric,
        walker=Walker(
            cells=board.cells,
            free=_facts(free, board.cells),
            neighbours=tuple(
                tuple(index[c] for c in (shift(cell, d) for d in DIRECTIONS) if c in index) for cell in board.cells
            ),
            start=index[board.player],
            cost=board.walk,
        ),
        unsolvable_because=board.unsolvable_because,
        views=(board,),
    )


def _facts(facts: dict[Cell, int], cells: Iterable[Cell]) -> tuple[int, ...]:
    return tuple(facts[cell] for cell in cells if cell in facts)


def _pushes(box: dict[Cell, int], free: dict[Cell, int], index: dict[Cell, int], cost: Cost) -> list[Operator]:
    """One operator for each box position and direction, if the player can stand behind and a box ahead."""
    operators = []
    for cell, here in box.items():
        for way in DIRECTIONS:
            behind, ahead = shift(cell, way, -1), shift(cell, way)
            if behind not in free or ahead not in box:
                continue
            operators.append(
                operator(
                    f"push {way} from {rc(cell)}",
                    pre=(here, free[ahead], free[behind]),
                    add=(box[ahead], free[cell]),
                    delete=(here, free[ahead]),
                    move=Slide(cell, way),
                    cost=cost,
                    walk=(index[behind], index[cell]),
                )
            )
    return operators


# A view of puzzles in which every piece moves along a lane of its own: for engines that plan in such terms.
#
# A family offers this view in its record. An engine that reads it knows nothing of the family, of its files or its
# rules.


@dataclass(frozen=True, slots=True)
class LaneVehicle:
    """A vehicle in its lane: the cells between walls that it could cover, in order.

    It covers `size` of them, from `cells[position]` on. `AA` in `..AA#` has a lane of 4 cells, size 2, position 2.
    """

    cells: tuple[Cell, ...]
    size: int
    position: int

    def slide(self, start: int, end: int) -> Slide:
        """The move from one position in the lane to another."""
        step = 1 if end > start else -1
        return Slide(self.cells[start], direction(self.cells[start], self.cells[start + step]) * abs(end - start))


@dataclass(frozen=True, slots=True)
class LaneBoard:
    """Vehicles in their lanes, in reading order; vehicle number `target` must cover the cell `exit`.

    `long_moves`: in the metric asked for a vehicle that goes on in one direction makes one move, however far.
    `unsolvable_because` says why the exit is not in the target's lane, if it is not.
    """

    vehicles: tuple[LaneVehicle, ...]
    target: int
    exit: Cell
    long_moves: bool
    unsolvable_because: str | None = None
