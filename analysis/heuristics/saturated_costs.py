"""Saturated cost partitioning: projections that share the costs of operators add up (`saturated_costs`)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.task import OperatorTask
from ...runtime.arrays import Flags, Ints, Longs, Words, to_csr
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from ..abstractions import AbstractSystem, Sums, abstract, by_target, in_order, largest_sum, sums_of
from ..bitset_kernels import ONE, applies, apply
from ..bitset_task import BitsetTask
from ..heuristic import Estimate, Heuristic, Role, Successor, Survey
from ..structure import NONE_OF_THOSE, structure_of
from ..transition_graphs import relaxation

# Saturated cost partitioning: projections share the costs of the operators, so that their distances add up to a
# bound (`analysis.abstractions`).
#
#     truck and box 1: driving costs 1, loading 1     takes what its distances need: driving 1, loading box 1 1
#     truck and box 2                                 gets the rest: driving 0, loading box 2 1
#
# Three sections: the projections of operators; which of them are made, in which orders; what a state looks up. A state
# takes the largest sum of all orders.

# The most operators times variables, eight bytes each.
MOST_VALUES = 10_000_000

# Stands where an operator has no value for a variable: no precondition on it, or no effect.
ANY = -1

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class VariableTask:
    """A task of V finite-domain variables and N operators: `sizes` (V), the numbers of values.

    `places`: for each fact the variables that it is a value of, and which one. `before`, `after` (N, V): the values
    that operators ask for and lead to, or `ANY`. `possible` (N): the operators that can ever apply. `clauses`: the
    goal's; `init` (V): the values in the initial state.
    """

    sizes: Longs
    places: dict[int, list[tuple[int, int]]]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    possible: Flags
    clauses: tuple[tuple[int, ...], ...]
    init: Longs


def variable_task(task: OperatorTask) -> VariableTask | None:
    """The variables of a task (`structure.cover`), and what operators do to them. None if these are more values than
    `partition_values`.
    """
    variables = structure_of(task).cover
    if len(task.operators) * len(variables) > MOST_VALUES:
        return None
    places: dict[int, list[tuple[int, int]]] = {}
    for number, values in enumerate(variables):
        for value, fact in enumerate(values):
            if fact != NONE_OF_THOSE:
                places.setdefault(fact, []).append((number, value))
    alone = {number for number, values in enumerate(variables) if NONE_OF_THOSE in values}
    before = np.full((len(task.operators), len(variables)), ANY, np.int32)
    after = np.full_like(before, ANY)
    for n, op in enumerate(task.operators):
        for fact in op.pre:
            for number, value in places.get(fact, ()):
                before[n, number] = value
        for fact in op.add:
            for number, value in places.get(fact, ()):
                after[n, number] = value
        for fact in op.delete:
            for number, _ in places.get(fact, ()):
                if number in alone:
                    after[n, number] = 0
    init = np.zeros(len(variables), np.int64)
    for fact in task.init:
        for number, value in places.get(fact, ()):
            init[number] = value
    possible = np.zeros(len(task.operators), np.bool_)
    possible[sorted(relaxation(task).operators)] = True
    sizes = np.array([len(values) for values in variables], np.int64)
    return VariableTask(sizes, places, before, after, possible, task.goal, init)


def projection(task: VariableTask, pattern: Sequence[int], most: int) -> AbstractSystem | None:
    """The projection onto some variables; None if it has more than `most` transitions, or every state is a goal."""
    sizes = task.sizes[list(pattern)]
    strides = np.cumprod([1, *sizes[:-1]])
    states = int(sizes.prod())
    digits = [np.arange(states) // stride % size for stride, size in zip(strides, sizes, strict=True)]
    goal = _goal_states(task, pattern, digits)
    if goal.all():
        return None
    # 1. What operators do here: equal rows are one label.
    before, after = task.before[:, pattern], task.after[:, pattern]
    (moving,) = np.nonzero((after != ANY).any(axis=1) & task.possible)
    both = np.hstack((before[moving], after[moving])).astype(np.int64)
    numbers = both @ np.cumprod([1, *(sizes + 1), *(sizes[:-1] + 1)])  # of a row, but for an offset
    _, examples, label_of = np.unique(numbers, return_index=True, return_inverse=True)
    asked, new = np.split(both[examples], 2, axis=1)
    if np.where(asked == ANY, sizes, 1).prod(axis=1).sum() > most:
        return None
    # 2. The transitions of each label from every abstract state in which it applies, if the initial state leads there;
    # by target.
    source, target, label = _transitions(asked, new, sizes, strides)
    start = int((task.init[list(pattern)] * strides).sum())
    met = _reached(states, start, source, target)[source]
    return AbstractSystem(
        *by_target(states, source[met], target[met], label[met]),
        label_first=np.cumsum([0, *np.bincount(label_of, minlength=len(examples))]).astype(np.int32),
        operators=moving[np.argsort(label_of, kind="stable")].astype(np.int32),
        goals=np.flatnonzero(goal).astype(np.int32),
        variables=np.array(pattern, np.int32),
        strides=strides.astype(np.int64),
    )


def _transitions(asked: Table, new: Table, sizes: Longs, strides: Longs) -> tuple[Longs, Longs, Longs]:
    """The transitions of labels, given by the values that they ask for and lead to, (L, variables) each: sources,
    targets and labels.
    """
    parts = [(np.zeros(0, np.int64),) * 3]
    # Labels that leave the same variables open are done together: an axis for each variable, of one value or of all.
    shapes, shape_of = np.unique((asked == ANY) @ (1 << np.arange(len(sizes))), return_inverse=True)
    for number, shape in enumerate(shapes.tolist()):
        (labels,) = np.nonzero(shape_of == number)
        source, target = np.zeros((len(labels), 1), np.int64), np.zeros((len(labels), 1), np.int64)
        for i, (size, stride) in enumerate(zip(sizes.tolist(), strides.tolist(), strict=True)):
            values = np.arange(size)[None, :] if shape >> i & 1 else asked[labels, i, None]
            leads = np.where(new[labels, i, None] == ANY, values, new[labels, i, None])
            source = (source[:, :, None] + values[:, None, :] * stride).reshape(len(labels), -1)
            target = (target[:, :, None] + leads[:, None, :] * stride).reshape(len(labels), -1)
        moves = source != target
        parts.append((source[moves], target[moves], np.broadcast_to(labels[:, None], moves.shape)[moves]))
    sources, targets, of_label = (np.concatenate(column) for column in zip(*parts, strict=True))
    return sources, targets, of_label


def _goal_states(task: VariableTask, pattern: Sequence[int], digits: list[Longs]) -> Flags:
    """The abstract states in which every clause of the goal may hold."""
    place = {variable: i for i, variable in enumerate(pattern)}
    good = np.ones(len(digits[0]), np.bool_)
    for clause in task.clauses:
        met = np.zeros(len(good), np.bool_)
        for fact in clause:
            may = np.ones(len(good), np.bool_)
            for variable, value in task.places.get(fact, ()):
                if variable in place:
                    may &= digits[place[variable]] == value
            met |= may
        good &= met
    return good


def _reached(states: int, start: int, source: Longs, target: Longs) -> Flags:
    """The abstract states to which transitions lead from `start`."""
    reached = np.zeros(states, np.bool_)
    reached[start] = True
    count = 0
    while count < (count := int(reached.sum())):
        reached[target[reached[source]]] = True
    return reached


class PartitionedCosts(NamedTuple):
    """Distances in projections under the costs that each of some orders has left them: a sum for each order.

    `fact_first` (bits + 1), `variable`, `value`: the variables that a fact is a value of, and which. `values`: scratch,
    by variable.
    """

    fact_first: Ints
    variable: Ints
    value: Ints
    values: Longs
    sums: Sums


def no_partitioned_costs(words: int) -> PartitionedCosts:
    """Tables without an order: the bound is 0."""
    none, longs = np.zeros(0, np.int32), np.zeros(0, np.int64)
    return PartitionedCosts(np.zeros(64 * words + 1, np.int32), none, none, longs, sums_of((), (), longs))


@njit(inner=True)
def values_in(tables: PartitionedCosts, row: Words) -> None:
    """Write to `tables.values` the values of the variables in a state."""
    values = tables.values
    for v in range(len(values)):
        values[v] = 0
    for w in range(len(row)):
        bits = row[w]
        while bits:
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(tables.fact_first[fact], tables.fact_first[fact + 1]):
                values[tables.variable[i]] = tables.value[i]


@njit(inner=True)
def partitioned_value(tables: PartitionedCosts, row: Words) -> int:
    """The largest sum of distances of a state, over all orders; -1 for a dead end."""
    if len(tables.sums.sum_first) == 1:
        return long(0)
    values_in(tables, row)
    value: int = largest_sum(tables.sums, tables.values)
    return value


@njit()
def abstract_states(tables: PartitionedCosts, row: Words) -> None:
    """Write to `tables.sums.states` the abstract state of each projection in a state, for callers in Python."""
    values_in(tables, row)
    abstract(tables.sums, tables.values)


@njit()
def random_walk(task: BitsetTask, row: Words, steps: int, chance: int) -> int:
    """Make at most `steps` steps by chance from a state, in place; gives the last pseudo-random number."""
    for _ in range(steps):
        chosen, count = long(-1), long(0)
        for w in range(task.words):
            bits = row[w] & task.watched[w]
            while bits:
                fact = (w << 6) + long(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = long(task.watch_ops[i])
                    if applies(task, op, row):
                        # The k-th operator found replaces the one chosen with probability 1/k.
                        count += 1
                        chance = (chance * 1103515245 + 12345) & 0x7FFFFFFF
                        if (chance >> 8) % count == 0:
                            chosen = op
        if chosen < 0:
            break
        apply(task, chosen, row, row)
    return chance


# Which projections there are, and in which orders they take their costs.
#
# What a projection takes is lost to all after it, so the sum depends on the order. For each of some sample states an
# order is made in which those projections come first that say much of the state for what they take (Seipp, Keller and
# Helmert, JAIR 2020: greedy orders, diversification). It is kept if for some sample its sum is larger than those of
# the orders before.

# Seconds for projections and their orders, about.
SECONDS = 1.0

# The most variables of a projection. With two, elevators 1 has 12 as the bound of the initial state, with three 30;
# landmark cut 25.
MOST_VARIABLES = 3

# The most projections of one goal variable and one size.
MOST_PATTERNS = 300

# The most abstract states of a projection.
MOST_STATES = 10_000

# The most transitions of all projections together.
MOST_TRANSITIONS = 1_000_000

# The most orders, each the best for some sample state.
MOST_ORDERS = 20

# The most distances of all orders together, nearly.
MOST_DISTANCES = 4_000_000

# States, drawn by random walks, for which orders are made.
SAMPLES = 200

# After so many sample states in a row whose orders are not kept, no more are made.
PATIENCE = 20

# The least key of a cost that is too large: sums along a way in a projection stay below `NEVER`.
LARGEST_COST = 1 << 44

# Longer distances, those of dead ends among them, are cut to this before they are added up to compare orders: sums of
# `NEVER` would overflow 64 bits.
FAR = 1 << 50

Pattern = tuple[int, ...]


def partitioned_costs(task: OperatorTask, packed: BitsetTask, budget: Budget) -> PartitionedCosts:
    """The orders that pay, for a task without a walker and compound moves, after `partition_seconds` at most, about."""
    empty = no_partitioned_costs(packed.words)
    variables = variable_task(task)
    if variables is None or packed.cost.max(initial=0) >= LARGEST_COST:
        return empty
    began, seconds = time.monotonic(), min(SECONDS, budget.remaining / 4)
    graphs = list(_projections(variables, began + seconds / 2))
    if not graphs:
        return empty
    samples = _samples(packed, _tables(packed, variables, graphs, []))
    return _tables(packed, variables, graphs, _orders(graphs, packed.cost, samples, began + seconds))


# Projections


def _projections(task: VariableTask, ends: float) -> Iterator[AbstractSystem]:
    """Projections of goal variables with others, until there are enough transitions or the time is over."""
    room = MOST_TRANSITIONS
    for pattern in _patterns(task, ends):
        if time.monotonic() > ends:
            return
        if task.sizes[list(pattern)].prod() > MOST_STATES:
            continue
        graph = projection(task, pattern, room)
        if graph is not None and len(graph.source):
            room -= len(graph.source)
            yield graph


def _patterns(task: VariableTask, ends: float) -> Iterator[Pattern]:
    """Sets of one, two and three variables, of the goal's and of what operators name that change one of the set
    (Pommerening, Röger and Helmert, *Getting the most out of pattern databases for classical planning*, IJCAI 2013).

    Those of each goal variable in turn, the smallest projections first.
    """
    goals = sorted({v for clause in task.clauses for fact in clause for v, _ in task.places.get(fact, ())})
    beside = _beside(task)
    patterns: list[list[Pattern]] = [[(goal,)] for goal in goals]
    listed = {pattern for each in patterns for pattern in each}
    for size in range(1, MOST_VARIABLES + 1):
        yield from (pattern for row in zip_longest(*patterns) for pattern in row if pattern is not None)
        longer: list[list[Pattern]] = []
        for each in patterns if size < MOST_VARIABLES else ():
            if time.monotonic() > ends:
                return
            more = {tuple(sorted({*pattern, v})) for pattern in each for member in pattern for v in beside[member]}
            fresh = (pattern for pattern in more - listed if len(pattern) > size)
            chosen = sorted(fresh, key=lambda pattern: (int(task.sizes[list(pattern)].prod()), pattern))
            longer.append(chosen[:MOST_PATTERNS])
            listed.update(longer[-1])
        patterns = longer


def _beside(task: VariableTask) -> list[list[int]]:
    """For each variable v the others in preconditions or effects of operators that change v: for a truck's place, the
    packages that it loads.
    """
    named = (task.before >= 0) | (task.after >= 0)
    neighbours = []
    for variable in range(len(task.sizes)):
        others = np.flatnonzero(named[task.after[:, variable] >= 0].any(axis=0))
        neighbours.append(others[others != variable].tolist())
    return neighbours


# Orders


def _orders(graphs: list[AbstractSystem], costs: Longs, samples: Longs, ends: float) -> list[list[Longs]]:
    """The distances in all projections under each of the orders that are kept."""
    laid = [(graph, laid_out(graph)) for graph in graphs]
    alone = [in_order([pair], costs) for pair in laid]
    taken = np.array([max(1, int((costs - unspent).sum())) for _, unspent in alone])
    said = np.array([levels[0][samples[:, p]] for p, (levels, _) in enumerate(alone)])
    orders: list[list[Longs]] = []
    best = np.zeros(len(samples), np.int64)
    room, last = MOST_DISTANCES, 0
    for sample in range(len(samples)):
        order = np.argsort(-(said[:, sample] / taken), kind="stable")
        levels, _ = in_order([laid[p] for p in order], costs)
        by_graph = [levels[place] for place in np.argsort(order)]
        sums = np.sum([np.minimum(level[samples[:, p]], FAR) for p, level in enumerate(by_graph)], axis=0)
        if (sums > best).any():
            best = np.maximum(best, sums)
            orders.append(by_graph)
            room, last = room - sum(map(len, by_graph)), sample
        if time.monotonic() > ends or len(orders) == MOST_ORDERS or room < 0:
            break
        if sample - last >= PATIENCE:
            break
    return orders


def _samples(packed: BitsetTask, tables: PartitionedCosts) -> Longs:
    """(samples, P): the abstract states of the initial state, and of those after random walks of 1, 2, 4, ... steps."""
    made, chance = [], 1
    for number in range(SAMPLES):
        row = packed.init.copy()
        if number:
            chance = int(random_walk(packed, row, 1 << number % 7, chance))
        abstract_states(tables, row)
        made.append(tables.sums.states.copy())
    return np.array(made)


def _tables(
    packed: BitsetTask, task: VariableTask, graphs: list[AbstractSystem], orders: list[list[Longs]]
) -> PartitionedCosts:
    """The tables for kernels of the distances in each projection, order by order. Those that are 0 all over are left
    out.
    """
    places = [task.places.get(fact, []) for fact in range(64 * packed.words)]
    fact_first, variable = to_csr([[v for v, _ in each] for each in places])
    kept = [[(p, level) for p, level in enumerate(levels) if level.any()] for levels in orders]
    distances = [level for order in kept for _, level in order]
    return PartitionedCosts(
        fact_first=fact_first,
        variable=variable,
        value=np.array([value for each in places for _, value in each], np.int32),
        values=np.zeros(len(task.sizes), np.int64),
        sums=sums_of(
            [(graph.variables.tolist(), graph.strides.tolist()) for graph in graphs],
            [[(p, len(level)) for p, level in order] for order in kept],
            np.concatenate(distances or [np.zeros(0, np.int64)]),
        ),
    )


@njit(inner=True)
def _after(tables: PartitionedCosts, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = partitioned_value(tables, child.row)
    return value


HEURISTIC = Heuristic(
    sentence="projections that take the costs they need, one after the other (Seipp, Keller and Helmert 2020)",
    role=Role.LATE_BOUND,
    rank=5,
    prepare=lambda given: partitioned_costs(given.task, given.packed, given.budget),
    empty=lambda _task, packed: no_partitioned_costs(packed.words),
    words=lambda tables: "saturated costs" if len(tables.sums.sum_first) > 1 else "",
    after=_after,
)
