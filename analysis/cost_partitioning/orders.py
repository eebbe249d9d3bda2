"""Which projections there are, and in which orders they take their costs.

What a projection takes is lost to all after it, so the sum depends on the order. For each of some sample states an
order is made in which those projections come first that say much of the state for what they take (Seipp, Keller and
Helmert, JAIR 2020: greedy orders, diversification). It is kept if for some sample its sum is larger than those of the
orders before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Longs, to_csr
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ..bitset_task import BitsetTask
from .kernels import abstract_states, random_walk, saturate
from .projection import Projection, VariableTask, projection, variable_task
from .tables import PartitionedCosts, no_partitioned_costs

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

LARGEST_COST = 1 << 44
"""The least key of a cost that is too large: sums along a way in a projection stay below `NEVER`."""

FAR = 1 << 50
"""Longer distances, those of dead ends among them, are cut to this before they are added up to compare orders: sums of
`NEVER` would overflow 64 bits.
"""

Pattern = tuple[int, ...]


def partitioned_costs(task: Task, packed: BitsetTask, budget: Budget) -> PartitionedCosts:
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


def _projections(task: VariableTask, ends: float) -> Iterator[Projection]:
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


def _orders(graphs: list[Projection], costs: Longs, samples: Longs, ends: float) -> list[list[Longs]]:
    """The distances in all projections under each of the orders that are kept."""
    laid = [(graph, laid_out(graph)) for graph in graphs]
    alone = [_in_order([pair], costs) for pair in laid]
    taken = np.array([max(1, int((costs - unspent).sum())) for _, unspent in alone])
    said = np.array([levels[0][samples[:, p]] for p, (levels, _) in enumerate(alone)])
    orders: list[list[Longs]] = []
    best = np.zeros(len(samples), np.int64)
    room, last = MOST_DISTANCES, 0
    for sample in range(len(samples)):
        order = np.argsort(-(said[:, sample] / taken), kind="stable")
        levels, _ = _in_order([laid[p] for p in order], costs)
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


def _in_order(graphs: list[tuple[Projection, Projection]], costs: Longs) -> tuple[list[Longs], Longs]:
    """The distances in each of some projections (each also laid out for kernels), of which each leaves the next what it
    does not need; and the costs that are left in the end.
    """
    unspent, levels = costs.copy(), []
    scratch = np.zeros((2, max(len(graph.first) for graph, _ in graphs)), np.int32)
    for graph, tables in graphs:
        level, needed = np.zeros(len(graph.first) - 1, np.int64), np.zeros(len(graph.label_first) - 1, np.int64)
        saturate(tables, unspent, level, needed, *scratch)
        levels.append(level)
    return levels, unspent


def _samples(packed: BitsetTask, tables: PartitionedCosts) -> Longs:
    """(samples, P): the abstract states of the initial state, and of those after random walks of 1, 2, 4, ... steps."""
    made, chance = [], 1
    for number in range(SAMPLES):
        row = packed.init.copy()
        if number:
            chance = int(random_walk(packed, row, 1 << number % 7, chance))
        abstract_states(tables, row)
        made.append(tables.states.copy())
    return np.array(made)


def _tables(
    packed: BitsetTask, task: VariableTask, graphs: list[Projection], orders: list[list[Longs]]
) -> PartitionedCosts:
    """The tables for kernels of the distances in each projection, order by order. Those that are 0 all over are left
    out.
    """
    places = [task.places.get(fact, []) for fact in range(64 * packed.words)]
    fact_first, variable = to_csr([[v for v, _ in each] for each in places])
    first, variables = to_csr([graph.variables.tolist() for graph in graphs])
    kept = [[(p, level) for p, level in enumerate(levels) if level.any()] for levels in orders]
    entries = [entry for order in kept for entry in order]
    lengths = [len(level) for _, level in entries]
    return PartitionedCosts(
        fact_first=fact_first,
        variable=variable,
        value=np.array([value for each in places for _, value in each], np.int32),
        first=first,
        variables=variables,
        strides=np.concatenate([graph.strides for graph in graphs]),
        order_first=np.cumsum([0, *map(len, kept)]).astype(np.int32),
        projection=np.array([p for p, _ in entries], np.int32),
        offset=np.cumsum([0, *lengths])[:-1].astype(np.int64),
        distances=np.concatenate([level for _, level in entries] or [np.zeros(0, np.int64)]),
        values=np.zeros(len(task.sizes), np.int64),
        states=np.zeros(len(graphs), np.int64),
    )
