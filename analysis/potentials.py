"""Potential heuristics: lower bounds that are sums of a weight for each true fact (Pommerening, Helmert, Röger and
Seipp, *From non-negative to general operator cost partitioning*, AAAI 2015).

Here the weights come from the matching of objects to goal positions. Let d(p, c) be the distance from position p to
column c of the goal, for an object that is alone on the board. A minimum-cost matching bounds the steps that are left,
and so does, by linear programming duality (Kuhn, *The Hungarian method*, 1955), for any potentials v

    h(state) = sum over columns c of v(c)  +  sum over objects at p of min over c of (d(p, c) - v(c)).

With the potentials of a matching in the initial state, h is exact there, as far as matching goes; with v = 0 it adds up
the distances to the nearest goals. Such a sum is linear in the facts of a layer (a time step), so a model states it as
one inequality, where it could not state the matching. The steps from the initial state are bounded in the same way.

With a walker, d depends on the side of the object on which the walker is: a box in a door is one push from a goal in
the room if the player is outside, and three if the player is inside and has to push it out first. Then an object weighs
what it does on the side where that is least, and more on each other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import OperatorTask
from ..runtime.arrays import Bytes, Longs, Words
from ..runtime.bitops import long, trailing_zeros
from ..runtime.kernel_calls import njit
from .bitset_kernels import ONE
from .bitset_task import BitsetTask, cost_key, cost_keys
from .distances import distances
from .matching import assignment, match
from .movable_objects import INFINITE, MovableObjects
from .transition_graphs import nearest_first

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PotentialHeuristic:
    """The sum of the `weights` (F) of a state's true facts, plus `constant`, is at most `scale` times some steps.

    With a walker, each of `sides` that holds adds to it: (a fact, cells of the walker, how much).
    """

    weights: tuple[int, ...]
    constant: int
    sides: tuple[tuple[int, frozenset[int], int], ...] = ()
    scale: int = 1

    def value(self, facts: tuple[int, ...], cell: int = -1) -> int:
        """The bound in a state given by its true facts and the walker's cell (-1: anywhere)."""
        true = set(facts) if self.sides and cell >= 0 else set()
        more = sum(extra for fact, cells, extra in self.sides if fact in true and cell in cells)
        return -(-(self.constant + sum(self.weights[f] for f in facts) + more) // self.scale)


def potentials_to_goal(
    task: OperatorTask, packed: BitsetTask, objects: MovableObjects
) -> tuple[PotentialHeuristic, ...]:
    """Bounds on the steps that are left, from the distances to the goal. Empty if the goal is out of reach, or asks
    for no place of an object.

    The sides on which the walker can stand are distinguished where that raises the bound of the initial state.
    """
    if not objects.rows:
        return ()
    side, dist = distances(packed, objects)
    sides, nodes = objects.sides, len(objects.fact) * objects.sides
    one_step = cost_key((1, *[0] * (len(task.metric) - 1)))
    dist = np.where(dist < INFINITE, dist // one_step, INFINITE)
    at = _initial(task, objects)
    nearest = np.vstack([dist[:nodes].reshape(-1, sides, dist.shape[1]).min(axis=1), dist[nodes:]])
    ahead = _potentials(task, objects, nearest, np.concatenate([at, np.arange(len(objects.fact), len(nearest))]))
    if sides == 1:
        return ahead
    rows = np.concatenate([at * sides + side[at, packed.start], np.arange(nodes, len(dist))])
    by_side = _potentials(task, objects, dist, rows, side)
    values = [max((bound.value(task.init, packed.start) for bound in bounds), default=0) for bounds in (ahead, by_side)]
    return by_side if values[1] > values[0] else ahead


def potentials_from_start(task: OperatorTask, objects: MovableObjects) -> tuple[PotentialHeuristic, ...]:
    """Bounds on the steps that were made, from the distances from where the objects are at first.

    Empty unless the goal has one position for each object: exact bounds need to know where they end.
    """
    if objects.rows != objects.count or len(objects.meets) != objects.count:
        return ()
    if (objects.meets.sum(axis=1) != 1).any():
        return ()
    ends: NDArray[np.int64] = np.argmax(objects.meets, axis=1)
    return _potentials(task, objects, _distances_from_start(objects, _initial(task, objects)), ends)


def _initial(task: OperatorTask, objects: MovableObjects) -> NDArray[np.int64]:
    """(count): the places of the objects in the initial state."""
    return np.array([int(objects.place[f]) for f in task.init if objects.place[f] >= 0], np.int64)


def _potentials(
    task: OperatorTask, objects: MovableObjects, dist: Table, rows: NDArray[np.int64], side: Bytes | None = None
) -> tuple[PotentialHeuristic, ...]:
    """The two heuristics from distances (rows, C): exact where the objects are at `rows`, and with v = 0.

    `dist` has a row for each place, or with `side` (P, K) one for each side of each place, and then the spare ones.
    """
    columns, sides = dist.shape[1], objects.sides if side is not None else 1
    heuristics: list[PotentialHeuristic] = []
    work = assignment(columns)
    if len(rows) == columns:
        work.where[:] = rows
        if match(dist, work) < 0:
            return ()
    nodes = len(objects.fact) * sides
    for low in (work.low, np.zeros(columns, np.int64)):
        least = np.where(dist < INFINITE, dist - low, INFINITE).min(axis=1)
        by_side = least[:nodes].reshape(-1, sides)
        weights, more = [0] * len(task.facts), []
        for place, fact in enumerate(objects.fact.tolist()):
            # A place from which the goal is out of reach is excluded by h^m, and needs no weight.
            nearest = by_side[place].min()
            weights[fact] = int(nearest) if nearest < INFINITE else 0
            if side is not None and sides > 1:
                more += _sides(fact, side[place], by_side[place])
        constant = int(low.sum() + least[nodes:].sum())
        bound = PotentialHeuristic(tuple(weights), constant, tuple(more))
        if bound not in heuristics and (any(weights) or more):
            heuristics.append(bound)
    return tuple(heuristics)


def _sides(fact: int, side: Bytes, weight: NDArray[np.int64]) -> list[tuple[int, frozenset[int], int]]:
    """What a fact weighs more on some sides than on the one where it weighs least; cells of the same weight together.

    `side` (K): the side that each cell of the walker is on; `weight` (sides). (Sides from which the goal is out of
    reach are excluded by h^m.)
    """
    values = np.where(weight < INFINITE, weight, weight.min())[side]
    if weight.min() >= INFINITE:
        return []
    more = sorted(set(values.tolist()) - {int(weight.min())})
    return [(fact, frozenset(np.flatnonzero(values == v).tolist()), int(v - weight.min())) for v in more]


def _distances_from_start(objects: MovableObjects, init: NDArray[np.int64]) -> Table:
    """(P, count): the least number of operators that bring each of the objects from its first place to each, alone."""
    leading: dict[int, list[tuple[int, int]]] = {}
    for before, after in objects.moves.tolist():
        leading.setdefault(before, []).append((after, 1))
    dist = np.full((len(objects.fact), len(init)), INFINITE, np.int64)
    for column, start in enumerate(init.tolist()):
        for steps, place in nearest_first((start,), leading):
            dist[place, column] = steps
    return dist


# Potential heuristics of any task: a weight for each fact, found by a linear program.
#
#     h(state) = constant  +  sum of the weights of the true facts
#
# is at most what the rest of a plan costs (it is *consistent*) if no operator lowers it by more than it costs, and if
# it is at most 0 in every goal state (Pommerening, Helmert, Röger and Seipp, *From non-negative to general operator
# cost partitioning*, AAAI 2015). An operator needs all that it deletes. What it adds is false before if
# it is in a group of which one fact is true, as the operator then deletes that one; of other facts that is not known,
# so they count only if they lower h:
#
#     operator         weights of `delete` - weights of `add` (of no such group: at most 0)     <=  its cost
#     goal states      constant + the largest sum of weights that a goal state can have         <=  0
#
# The largest sum over goal states is taken group by group. Of a group of which n facts are true, beside those that
# the goal names, the n largest weights count, stated with a threshold s as n s + sum of max(0, weight - s). A fact in
# no group counts if its weight is positive.
#
#     barman, 5 shots     landmark cut says 38 at the start, this 49, in 0.02 s, and it is looked up in each state.
#
# The weights maximise h of the initial state, or its mean over all states (Seipp, Pommerening and Helmert, *New
# optimization functions for potential heuristics*, ICAPS 2015); of several functions the largest value counts. They
# are integers in parts of 1 / `scale`. What rounding does to a solution of the program is not trusted: the
# constraints are checked, and the constant is found, with the integers.

# Seconds that each of the two linear programs has at most.
SECONDS = 1.0

# The most constraints of a linear program: 0.7 s at 13,000.
MOST_ROWS = 20_000

Reals = NDArray[np.float64]

# The name, in words, of the proof of these bounds.
OF_FACTS = "potentials of facts"

# Weights are parts of one of these, the first that fits nearly: solutions are fractions with small denominators.
SCALES = (1, 2, 3, 4, 6, 12, 60, 840, 720_720)

# A weight is rounded to an integer that is at most this far away: 2.9999999 to 3.
NEARLY = 1e-6

# The absolute values of a function's weights add up to less than this.
LARGEST = 1 << 61


class FactPotentials(NamedTuple):
    """`weight` (M, F), `constant` (M), `scale` (M): M functions. None, where nothing is known."""

    weight: Longs
    constant: Longs
    scale: Longs


def no_fact_potentials() -> FactPotentials:
    """No functions, for a task of which nothing is known."""
    return FactPotentials(np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


class Part(NamedTuple):
    """Facts of a group: in each goal state the `sure` ones are true, and `most` of `facts` (None: however many)."""

    facts: tuple[int, ...]
    most: int | None
    sure: tuple[int, ...] = ()


def fact_potentials(task: OperatorTask) -> FactPotentials:
    """The functions that are best for the initial state and for all states, each found within `potential_seconds`.

    Nothing is known of tasks with a walker, whose steps are no operators; of compound moves, which cost one together;
    of costs of two components; and of more constraints than `potential_rows`. `task.computed(fact_potentials)` keeps
    them with the task.
    """
    if task.walker is not None or task.compound_moves or len(task.metric) > 1 or not task.operators:
        return no_fact_potentials()
    rows = _falls(task)
    if len(rows) > MOST_ROWS:
        return no_fact_potentials()
    parts = _parts(task)
    functions: list[tuple[Longs, int, int]] = []
    for objective in (_of_start(task), _of_all_states(task)):
        weights = _solve(len(task.facts), rows, parts, objective)
        if weights is None:
            break  # the other program takes as long
        made = as_integers(weights, rows, parts)
        if made is not None and not any(np.array_equal(made[0], other) for other, _, _ in functions):
            functions.append(made)
    if not functions:
        return no_fact_potentials()
    weight, constant, scale = zip(*functions, strict=True)
    return FactPotentials(np.array(weight), np.array(constant, np.int64), np.array(scale, np.int64))


# What operators delete, what they make true that was false, what they make true else, and the least cost of those that
# do: by how much a function may fall.
Falls = dict[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]], int]


def _falls(task: OperatorTask) -> Falls:
    alone = {fact for group in task.groups if group.count == 1 for fact in group.facts}
    rows: Falls = {}
    for op, cost in zip(task.operators, cost_keys(op.cost for op in task.operators).tolist(), strict=True):
        key = op.delete, tuple(f for f in op.add if f in alone), tuple(f for f in op.add if f not in alone)
        rows[key] = min(rows.get(key, cost), cost)
    return rows


def _parts(task: OperatorTask) -> list[Part]:
    """All facts, parted: by groups that have no fact in common, the largest first, and what is in none of them."""
    sure = {clause[0] for clause in task.goal if len(clause) == 1}
    unassigned, parts = set(range(len(task.facts))), []
    for group in sorted(task.groups, key=lambda group: -len(group.facts)):
        if unassigned.issuperset(group.facts):
            unassigned -= set(group.facts)
            named = tuple(sorted(sure.intersection(group.facts)))
            others = tuple(f for f in group.facts if f not in sure)
            parts.append(Part(others, max(0, group.count - len(named)), named))
    return [*parts, Part(tuple(sorted(unassigned - sure)), None, tuple(sorted(unassigned & sure)))]


def _of_start(task: OperatorTask) -> Reals:
    objective = np.zeros(len(task.facts))
    objective[list(task.init)] = 1.0
    return objective


def _of_all_states(task: OperatorTask) -> Reals:
    """How often each fact is true, if each choice from each part is as likely as any other."""
    objective = np.full(len(task.facts), 0.5)
    for group in task.groups:
        objective[list(group.facts)] = group.count / len(group.facts)
    return objective


def _solve(size: int, rows: Falls, parts: Sequence[Part], objective: Reals) -> Reals | None:
    """The weights that maximise the objective; None if they are not found."""
    from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]

    solver = pywraplp.Solver.CreateSolver("GLOP")
    most = 1000.0 * max(1, *rows.values())
    weight = [solver.NumVar(-most, most, "") for _ in range(size)]

    def at_most(limit: float, *terms: tuple[pywraplp.Variable, float]) -> None:
        row = solver.Constraint(-solver.infinity(), limit)
        for variable, factor in terms:
            row.SetCoefficient(variable, row.GetCoefficient(variable) + factor)

    below = {f: solver.NumVar(0.0, most, "") for f in sorted({f for _, _, unsure in rows for f in unsure})}
    for f, variable in below.items():
        at_most(0.0, (weight[f], -1.0), (variable, -1.0))
    for (delete, add, unsure), cost in rows.items():
        falls = (*((weight[f], 1.0) for f in delete), *((below[f], 1.0) for f in unsure))
        at_most(cost, *falls, *((weight[f], -1.0) for f in add))
    end = [(weight[f], 1.0) for part in parts for f in part.sure]
    for part in parts:
        threshold = None
        if part.most:
            threshold = solver.NumVar(-most, most, "")
            end.append((threshold, float(part.most)))
        for f in part.facts if part.most != 0 else ():
            above = solver.NumVar(0.0, 2 * most, "")
            at_most(0.0, (weight[f], 1.0), (above, -1.0), *([(threshold, -1.0)] if threshold else []))
            end.append((above, 1.0))
    at_most(0.0, *end)
    for f in np.flatnonzero(objective).tolist():
        solver.Objective().SetCoefficient(weight[f], float(objective[f]))
    solver.Objective().SetMaximization()
    solver.SetTimeLimit(max(1, int(1000 * SECONDS)))
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return None
    return np.array([variable.solution_value() for variable in weight])


def as_integers(weights: Reals, rows: Falls, parts: Sequence[Part]) -> tuple[Longs, int, int] | None:
    """The weights, the constant and their scale as integers that satisfy the constraints; None if rounding breaks one.

    They come first as they are, then a little smaller.
    """
    scale = next((s for s in SCALES if np.abs(weights * s - np.rint(weights * s)).max() < NEARLY * s), SCALES[-1])
    for factor in (1.0, 1 - NEARLY):
        whole = np.rint(weights * (scale * factor)).astype(np.int64)
        values = whole.tolist()
        fits = all(
            sum(values[f] for f in delete) - sum(values[f] for f in add) - sum(min(0, values[f]) for f in unsure)
            <= cost * scale
            for (delete, add, unsure), cost in rows.items()
        )
        if fits and sum(map(abs, values)) < LARGEST:
            return whole, -sum(_largest(part, values) for part in parts), scale
    return None


def _largest(part: Part, values: Sequence[int]) -> int:
    """The largest sum of weights of a part in a goal state."""
    others = sorted((values[f] for f in part.facts), reverse=True)
    chosen = [value for value in others if value > 0] if part.most is None else others[: part.most]
    return sum(chosen) + sum(values[f] for f in part.sure)


def heuristics_of(potentials: FactPotentials) -> tuple[PotentialHeuristic, ...]:
    """The functions one by one, as models of `cp-sat` state them."""
    functions = zip(*(part.tolist() for part in potentials), strict=True)
    return tuple(PotentialHeuristic(tuple(weights), constant, scale=scale) for weights, constant, scale in functions)


def value_at(potentials: FactPotentials, facts: Sequence[int]) -> int:
    """The largest value in a state given by its true facts, rounded up; at least 0."""
    return max([0, *(heuristic.value(tuple(facts)) for heuristic in heuristics_of(potentials))])


@njit(inner=True)
def potentials_value(potentials: FactPotentials, row: Words) -> int:
    """The largest value of the potential functions in a state packed into bits: a lower bound. Compiled."""
    weight, most = potentials.weight, long(0)
    for m in range(len(weight)):
        total = potentials.constant[m]
        for w in range((weight.shape[1] + 63) >> 6):
            bits = row[w]
            while bits:
                total += weight[m, (w << 6) + long(trailing_zeros(bits))]
                bits &= bits - ONE
        most = max(most, (total + (potentials.scale[m] - 1)) // potentials.scale[m])
    return most
