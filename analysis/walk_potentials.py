"""Lower bounds on what a walker's steps and pushes cost together: potential heuristics over (object's place, cell).

The matching of objects to goals counts pushes. Where every step of the walker costs the same, whether it pushes or not,
most of a plan's cost is walking, and nothing of that may be added object by object: while the walker pushes one box it
may be on its way to the other side of another. A linear program (`program`) finds weights whose sum is nevertheless a
lower bound: those that say most of the initial state.

Weights are integers, in parts of 1 / `SCALE`. They are made from the solution of the program, whose rounding errors
nobody knows. So the most that a step can lower their sum, and its value in goal states, are computed anew from the
integers: soundness rests on that alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import OperatorTask
from ..runtime.arrays import Bytes, Flags, Int, Ints, Longs
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_calls import njit
from .bitset_task import BitsetTask, cost_key
from .deadlocks.freeze import Boards
from .movable_objects import INFINITE, MovableObjects

if TYPE_CHECKING:
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]


# The linear program behind potentials of walks: weights for what a walker's steps and pushes cost together.
#
# A potential heuristic (Pommerening, Helmert, Röger and Seipp, *From non-negative to general operator cost
# partitioning*, AAAI 2015) over pairs of an object's place p and the walker's cell c, and over the cell alone:
#
#     h(state) = phi(c)  +  sum over the objects' places p of w(p, c)
#
# h is at most the number of steps that are left if no step, a walk or a push, lowers it by more than 1, and if it is
# at most 0 in every goal state that a push leads to. A walk from u to v changes the terms of all objects, so the sum
# of the n largest changes counts; n largest values of a list x are stated linearly with one more variable s (the
# threshold) and one for each value:
#
#     n largest of x  =  min over s >= 0 of  n s + sum of max(0, x[p] - s)        (values below 0 count as 0)
#
#     walk u -> v              phi(u) - phi(v) + n largest of w(p, u) - w(p, v)                               <= 1
#     push u -> v, from p to q phi(u) - phi(v) + w(p, u) - w(q, v) + n-1 largest of w(r, u) - w(r, v)         <= 1
#     goal, the walker in v    phi(v) + n largest of w(g, v) over goals g                                     <= 0
#
# The program maximises h of one state. Dual to it is a flow: the walker's steps are a flow from cell to cell, each
# object's pushes a flow from place to place, and a push is a step. So what the walker does for one object is never
# paid twice, and coming back for the next one is paid (compare the operator-counting and flow heuristics of van den
# Briel and others, CP 2007, and Bonet, IJCAI 2013).
#
#     ########     Three boxes, three pushes each: the matching says nine. The walker comes back for the second and the
#     #.  $  #     third one, which the flow pays: h = 18, the moves of the best plan.
#     #.  $  #
#     #.  $ @#
#     ########
#
# Pairs (p, c) share one weight where c is farther than a radius from p, and on the same side of it (`classes`): that
# makes the program smaller and its bound lower.

# Seconds of a linear program where there is no limit.
SECONDS = 3_600.0

Reals = NDArray[np.float64]

# No weight is larger, or smaller than its negative.
MOST = 1_000.0


# The weight of all pairs together in the objective beside the state that was asked for: it decides among solutions that
# are as good for that.
BESIDE = 1e-3


class Room(NamedTuple):
    """What the program knows of a task with P places, K cells and n objects.

    `cover` (P): the cell that an object at a place stands on. `steps` (E, 2): the walker's steps, from cell to cell.
    `pushes` (O, 4): place before and after, the walker's cell before and after. `possible` (P, K): whether an object
    can get to a place, and from it to a goal, the walker being in a cell. `target` (P).
    """

    objects: int
    cover: Longs
    steps: Longs
    pushes: Longs
    possible: Flags
    target: Bytes

    def counts(self, u: int, v: int, without: Sequence[int] = ()) -> Flags:
        """(P): the places, except those in `without`, where an object can stand while the walker steps from u to v."""
        kept: Flags = self.possible[:, u] & self.possible[:, v] & (self.cover != u) & (self.cover != v)
        kept[list(without)] = False
        return kept


def room_of(task: BitsetTask, objects: MovableObjects, useful: Bytes, side: Bytes, dist: Longs) -> Room | None:
    """The room of a task whose operators all push one object, which stands on one cell; else None.

    `useful`, `side`, `dist`: as in `freeze.Boards`, of the empty board.
    """
    moves, ahead = objects.moves, np.diff(objects.covers_first)
    if objects.sides == 1 or (moves[:, 0] < 0).any() or (ahead != 1).any() or not objects.count:
        return None
    columns = [np.flatnonzero(row).tolist() for row in objects.meets]
    if sorted(columns) != [[g] for g in np.flatnonzero(objects.target).tolist()]:
        return None
    cover = objects.covers[objects.covers_first[:-1]].astype(np.int64)
    pushes = np.column_stack([moves, task.walk]).astype(np.int64)[useful.astype(np.bool_)]
    if (cover[pushes[:, 0]] != pushes[:, 3]).any():
        return None
    steps = [
        (cell, int(other))
        for cell in np.flatnonzero(objects.walkable).tolist()
        for other in task.near[task.near_first[cell] : task.near_first[cell + 1]]
        if objects.walkable[other]
    ]
    alive = (dist[: side.shape[0] * objects.sides].reshape(side.shape[0], objects.sides, -1) < INFINITE).any(axis=2)
    reached = _reached(task, objects, pushes, side)
    possible = np.take_along_axis(alive & reached, side.astype(np.int64), axis=1)
    possible[np.arange(len(cover)), cover] = False
    return Room(
        objects=objects.count,
        cover=cover,
        steps=np.array(steps, np.int64).reshape(-1, 2),
        pushes=pushes,
        possible=possible,
        target=objects.target,
    )


def _reached(task: BitsetTask, objects: MovableObjects, pushes: Longs, side: Bytes) -> Flags:
    """(P, sides): whether one of the objects, alone on the board, gets to a place with the walker on a side of it."""
    reached = np.zeros((len(side), objects.sides), np.bool_)
    facts = objects.fact.astype(np.uint64)
    held = (task.init[facts >> np.uint64(6)] >> (facts & np.uint64(63))) & np.uint64(1)
    queue = [(int(p), int(side[p, task.start])) for p in np.flatnonzero(held)]
    leaving: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for before, after, here, there in pushes.tolist():
        leaving.setdefault((before, int(side[before, here])), []).append((after, int(side[after, there])))
    for node in queue:
        if not reached[node]:
            reached[node] = True
            queue += leaving.get(node, ())
    return reached


def classes(room: Room, side: Bytes, radius: int) -> Longs:
    """(P, K): the number of the weight of each pair: one for each cell that is not farther than `radius` from a place,
    for a walker who walks through objects, and one for each side of the other cells.
    """
    places, cells = room.possible.shape
    near: list[list[int]] = [[] for _ in range(cells)]
    for u, v in room.steps.tolist():
        near[u].append(v)
    number, made = np.zeros((places, cells), np.int64), 0
    for p, start in enumerate(room.cover.tolist()):
        far = {start: 0}
        queue = [start]
        for cell in queue:
            for other in near[cell] if far[cell] < radius else ():
                if other not in far:
                    far[other] = far[cell] + 1
                    queue.append(other)
        names: dict[tuple[bool, int], int] = {}
        for cell in range(cells):
            name = (True, cell) if cell in far else (False, int(side[p, cell]))
            number[p, cell] = made + names.setdefault(name, len(names))
        made += len(names)
    return number


def rows_of(room: Room, number: Longs) -> int:
    """How many constraints the program has, nearly: one for each step and place whose weight the step changes."""
    changes = sum(int((room.counts(u, v) & (number[:, u] != number[:, v])).sum()) for u, v in room.steps.tolist())
    return changes * (len(room.steps) + len(room.pushes)) // max(1, len(room.steps))


class WalkProgram:
    """The linear program of a room, with one variable for each weight `number`."""

    def __init__(self, room: Room, number: Longs) -> None:
        from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]

        self.room, self.number = room, number
        self._solver: pywraplp.Solver = pywraplp.Solver.CreateSolver("GLOP")
        cells, weights = room.possible.shape[1], int(number.max()) + 1
        self._weight = [self._variable(-MOST) for _ in range(weights)]
        self._cell = [self._variable(-MOST) for _ in range(cells)]
        for u, v in room.steps.tolist():
            self._fall(u, v, [], room.counts(u, v), room.objects)
        ends = set()
        for p, q, u, v in room.pushes.tolist():
            pushed = [(int(number[p, u]), 1.0), (int(number[q, v]), -1.0)]
            self._fall(u, v, pushed, room.counts(u, v, (p, q)), room.objects - 1)
            if room.target[q]:
                ends.add(v)
        for v in sorted(ends):
            self._end(v)

    def maximise(self, places: Sequence[int], cell: int, seconds: float) -> tuple[Reals, Reals] | None:
        """The weights (P, K) and (K) that are the best for a state, given by its objects' places and the walker's cell.
        None if none are found within about `seconds` seconds.
        """
        from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]

        objective = self._solver.Objective()
        objective.Clear()
        objective.SetMaximization()
        cells = len(self._cell)
        for here in range(cells):
            self._add(objective, np.flatnonzero(self.room.possible[:, here]).tolist(), here, BESIDE / cells)
        self._add(objective, places, cell, 1.0)
        self._solver.SetTimeLimit(max(1, int(1000 * min(seconds, SECONDS))))
        if self._solver.Solve() not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
            return None
        weight = np.array([variable.solution_value() for variable in self._weight])
        return weight[self.number], np.array([variable.solution_value() for variable in self._cell])

    def _add(self, row: pywraplp.Objective, places: Iterable[int], cell: int, factor: float) -> None:
        """Add h of a state, times a factor, to what is maximised."""
        for variable in (self._cell[cell], *(self._weight[self.number[p, cell]] for p in places)):
            row.SetCoefficient(variable, row.GetCoefficient(variable) + factor)

    def _variable(self, least: float) -> pywraplp.Variable:
        return self._solver.NumVar(least, MOST if least else self._solver.infinity(), "")

    def _at_most(self, terms: Sequence[tuple[pywraplp.Variable, float]], most: float) -> None:
        row = self._solver.Constraint(-self._solver.infinity(), most)
        for variable, factor in terms:
            row.SetCoefficient(variable, row.GetCoefficient(variable) + factor)

    def _fall(self, u: int, v: int, pushed: Sequence[tuple[int, float]], others: Flags, count: int) -> None:
        """The constraint that a step from u to v lowers h by at most 1; `others`: places that `count` unmoved objects
        may have.
        """
        terms = [(self._cell[u], 1.0), (self._cell[v], -1.0), *((self._weight[i], f) for i, f in pushed)]
        changed = others & (self.number[:, u] != self.number[:, v])
        falls = [
            [(self._weight[self.number[p, u]], 1.0), (self._weight[self.number[p, v]], -1.0)]
            for p in np.flatnonzero(changed).tolist()
        ]
        self._at_most([*terms, *self._largest(falls, count)], 1.0)

    def _end(self, v: int) -> None:
        """The constraint that h is at most 0 in goal states with the walker in v."""
        goals = [g for g in np.flatnonzero(self.room.target).tolist() if self.room.cover[g] != v]
        values = [[(self._weight[self.number[g, v]], 1.0)] for g in goals]
        terms = [(self._cell[v], 1.0)]
        if len(goals) == self.room.objects:
            self._at_most([*terms, *(term for value in values for term in value)], 0.0)
        elif len(goals) > self.room.objects:
            self._at_most([*terms, *self._largest(values, self.room.objects, least=-MOST)], 0.0)

    def _largest(
        self, values: Sequence[Sequence[tuple[pywraplp.Variable, float]]], count: int, least: float = 0.0
    ) -> list[tuple[pywraplp.Variable, float]]:
        """LP terms that bound the sum of the `count` largest values above `least` from above (dual of "k largest")."""
        if not values or not count:
            return []
        threshold = self._variable(least)
        terms = [(threshold, float(count))]
        for value in values:
            above = self._variable(0.0)
            self._at_most([*value, (threshold, -1.0), (above, -1.0)], 0.0)
            terms.append((above, 1.0))
        return terms


# Constraints of the linear program, for which the initial state waits, at most (nearly): a tenth of a second.
MOST_ROWS = 2_500

# How often weights are made smaller until no step lowers their sum by more than 1.
SCALINGS = 5

SHIFT = 20
# Weights are integers in units of 1 / `SCALE` of a step.
SCALE = 1 << SHIFT


# Radii of the linear programs (see `program`) to be tried; the first with few enough constraints is taken.
RADII = (64, 12, 8, 6, 5, 4, 3, 2, 1, 0)

# Stands for no value: less than any that a function can have.
NONE = -(1 << 40)


class WalkPotentials(NamedTuple):
    """`weight` (P, K), `cell` (K): for pairs of a place and the walker's cell, and for the cell. Each step costs `unit`
    or more; if that is 0, nothing is known.
    """

    weight: Ints
    cell: Longs
    unit: int


def no_walk_potentials() -> WalkPotentials:
    """Nothing is known."""
    return WalkPotentials(np.zeros((0, 0), np.int32), np.zeros(0, np.int64), 0)


def as_integers(room: Room, weight: Reals, cell: Reals) -> tuple[Longs, Longs] | None:
    """The weights (P, K) and (K) in parts of 1 / `SCALE`, so that no step lowers their sum by more than `SCALE` and no
    goal state has more than 0. None if they cannot be made so.
    """
    scale = float(SCALE - 2 * room.objects - 8)
    for _ in range(SCALINGS):
        whole, base = np.rint(weight * scale).astype(np.int64), np.rint(cell * scale).astype(np.int64)
        fall = greatest_fall(room, whole, base)
        if fall <= SCALE:
            end = value_at_goal(room, whole, base)
            fits = end > NONE and np.abs(whole).max(initial=0) < 1 << 31
            return (whole, base - end) if fits else None
        scale *= (SCALE - 1) / fall
    return None


def greatest_fall(room: Room, weight: Longs, cell: Longs) -> int:
    """The most by which a walk or a push lowers the sum of weights."""
    u, v = room.steps.T
    most = int((largest_falls(room, weight, u, v, room.objects) + cell[u] - cell[v]).max(initial=NONE))
    if not len(room.pushes):
        return most
    p, q, u, v = room.pushes.T
    without = np.zeros((len(weight), len(p)), np.bool_)
    without[p, np.arange(len(p))] = without[q, np.arange(len(p))] = True
    others = largest_falls(room, weight, u, v, room.objects - 1, without)
    return max(most, int((others + weight[p, u] - weight[q, v] + cell[u] - cell[v]).max()))


def largest_falls(room: Room, weight: Longs, u: Longs, v: Longs, count: int, without: Flags | None = None) -> Longs:
    """For steps of the walker from cells u to v: the `count` largest decreases of places' weights, where positive."""
    possible = room.possible[:, u] & room.possible[:, v]
    possible &= (room.cover[:, None] != u) & (room.cover[:, None] != v)
    if without is not None:
        possible &= ~without
    falls = np.where(possible, np.maximum(weight[:, u] - weight[:, v], 0), 0)
    largest: Longs = np.sort(falls, axis=0)[len(falls) - min(count, len(falls)) :].sum(axis=0)
    return largest


def value_at_goal(room: Room, weight: Longs, cell: Longs) -> int:
    """The largest sum of weights in any goal state that is reached by a push."""
    most = NONE
    for _, q, _, v in room.pushes.tolist():
        others = [g for g in np.flatnonzero(room.target).tolist() if g != q and room.cover[g] != v]
        if room.target[q] and len(others) >= room.objects - 1:
            largest = sorted((int(weight[g, v]) for g in others), reverse=True)[: room.objects - 1]
            most = max(most, int(weight[q, v] + cell[v]) + sum(largest))
    return most


def walk_potentials(
    task: OperatorTask, packed: BitsetTask, objects: MovableObjects, boards: Boards, budget: Budget
) -> WalkPotentials:
    """The potentials of a task with a walker; nothing, if steps of the walker are not what the task counts."""
    assert task.walker is not None
    unit = min([cost_key(task.walker.cost), *packed.cost.tolist()])
    held = set(task.init)
    # Weights are at most 0 in goal states that a push leads to (`value_at_goal`): of a level that begins solved they
    # would say more than its optimum, 0.
    solved = all(not held.isdisjoint(facts) for facts in task.goal)
    program = program_of(packed, objects, boards, MOST_ROWS) if unit > 0 and not solved else None
    if program is None:
        return no_walk_potentials()
    at = [int(objects.place[f]) for f in task.init if objects.place[f] >= 0]
    weights = program.maximise(at, packed.start, budget.remaining / 10)
    made = weights and as_integers(program.room, *weights)
    return WalkPotentials(made[0].astype(np.int32), made[1], unit) if made else no_walk_potentials()


def program_of(packed: BitsetTask, objects: MovableObjects, boards: Boards, most: int) -> WalkProgram | None:
    """The program of the largest radius that has about `most` constraints or fewer; None if there is none."""
    room = room_of(packed, objects, boards.useful, boards.side[0], boards.dist[0])
    if room is None:
        return None
    for radius in RADII:
        number = classes(room, boards.side[0], radius)
        if rows_of(room, number) <= most:
            return WalkProgram(room, number)
    return None


@njit(inner=True)
def walk_value(potentials: WalkPotentials, at: Longs, cell: Int) -> int:
    """The value in a state with objects at places `at` and the walker in `cell`, as a key of a cost.

    By definition `unit` times the sum of `weight[p, cell]` over p in `at` and `cell[cell]`, in steps, rounded up; at
    least 0.
    """
    weight, total = potentials.weight, long(potentials.cell[cell])
    for i in range(len(at)):
        total += weight[at[i], cell]
    value: int = ((max(long(0), total) + (SCALE - 1)) >> SHIFT) * potentials.unit
    return value
