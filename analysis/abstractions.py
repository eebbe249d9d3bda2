"""Abstractions of a task: transition systems over a few of its variables, the distances in them, and sums of these.

In a projection onto a *pattern* of variables the others are not there: neither what operators ask of them nor what the
goal does. So each plan is a way in it, and the cost of the cheapest way from a state to the goal is a lower bound
(Edelkamp, *Planning with pattern databases*, ECP 2001). An *abstract state* is one number, the sum of value * stride
over the variables:

    variables   truck at a, b or c (stride 1)     box at a, b, c or in the truck (stride 3)
    truck at b, box in the truck                  1 * 1 + 3 * 3 = 10

Operators that do the same in an abstraction share a *label*: unloading the box at b is one, with whatever fuel.

Two makers: `heuristics.saturated_costs` projects operators, `program_projections` asks the graph of values of programs
where most variables are unknown. What follows is the same for both: distances to the goal, *sums* of distances that no
step of a plan is counted in twice, the largest of which is the bound, and how a state looks it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..runtime.arrays import Ints, Longs, to_csr
from ..runtime.bitops import long
from ..runtime.kernel_calls import njit
from .index_heap import lower, take_least

# The distance of an abstract state from which no way leads to a goal, and the same where each distance is a byte.
NEVER, NOWHERE = 1 << 62, 255


class AbstractSystem(NamedTuple):
    """An abstraction with n abstract states, T transitions and L labels.

    `first` (n + 1), `source`, `label` (T): the transitions to each abstract state, those that lead nowhere else left
    out. `operators`: of label i those from `label_first[i]` to `label_first[i + 1]`. `goals`: the abstract states that
    may be those of a goal. `variables`, `strides`: see above.
    """

    first: Ints
    source: Ints
    label: Ints
    label_first: Ints
    operators: Ints
    goals: Ints
    variables: Ints
    strides: Longs


def by_target(states: int, source: Longs, target: Longs, label: Longs) -> tuple[Ints, Ints, Ints]:
    """`first`, `source` and `label` of an `AbstractSystem`, from transitions in any order."""
    order = np.argsort(target, kind="stable")
    first = np.searchsorted(target[order], np.arange(states + 1))
    return first.astype(np.int32), source[order].astype(np.int32), label[order].astype(np.int32)


# Distances in an abstraction, and the costs that they need, compiled.
#
# By definition h(s) is the least cost of a way from s to a goal (`NEVER`: there is none), and the *saturated cost* of a
# label the most by which one of its transitions lowers h:
#
#     max over its transitions s -> t of h(s) - h(t), at least 0
#
# With saturated costs in place of the given ones h is the same, as no way has become shorter than h. What is left of
# the costs is for the next abstraction, so no operator pays more than its cost in all of them together, and their
# distances add up to a lower bound (Seipp, Keller and Helmert, *Saturated cost partitioning for optimal classical
# planning*, JAIR 2020). `tests/analysis/test_cost_partitioning.py` holds both against the definitions.


@njit()
def saturate(system: AbstractSystem, left: Longs, level: Longs, needed: Longs, heap: Ints, place: Ints) -> None:
    """Write to `level` (n) the distances under the costs that are `left` (N) of the operators, and take what they need,
    the saturated costs, off these. Scratch: `needed` (L) by label, `heap`, `place` (n).
    """
    states, labels = len(system.first) - 1, len(system.label_first) - 1
    # 1. A label costs what its cheapest operator does.
    for i in range(labels):
        cost = long(NEVER)
        for k in range(system.label_first[i], system.label_first[i + 1]):
            cost = min(cost, left[system.operators[k]])
        needed[i] = cost
    # 2. Distances (Dijkstra, backward from all goals).
    for state in range(states):
        level[state], place[state] = NEVER, -1
    size = long(0)
    for i in range(len(system.goals)):
        size = lower(level, heap, place, size, long(system.goals[i]), long(0))
    while size > 0:
        target = take_least(level, heap, place, size)
        size -= 1
        for t in range(system.first[target], system.first[target + 1]):
            other = level[target] + needed[system.label[t]]
            if other < level[system.source[t]]:
                size = lower(level, heap, place, size, long(system.source[t]), other)
    # 3. Saturated costs.
    for i in range(labels):
        needed[i] = 0
    for target in range(states):
        if level[target] == NEVER:
            continue
        for t in range(system.first[target], system.first[target + 1]):
            needed[system.label[t]] = max(needed[system.label[t]], level[system.source[t]] - level[target])
    for i in range(labels):
        for k in range(system.label_first[i], system.label_first[i + 1]):
            left[system.operators[k]] -= needed[i]


def in_order(systems: Sequence[tuple[AbstractSystem, AbstractSystem]], costs: Longs) -> tuple[list[Longs], Longs]:
    """The distances in each of some abstractions, of which each leaves the next what it does not need of the costs; and
    what is left in the end. Each comes twice, the second time laid out for kernels (`laid_out`).
    """
    unspent, levels = costs.copy(), []
    scratch = np.zeros((2, max((len(system.first) for system, _ in systems), default=0)), np.int32)
    for system, tables in systems:
        level, needed = np.zeros(len(system.first) - 1, np.int64), np.zeros(len(system.label_first) - 1, np.int64)
        saturate(tables, unspent, level, needed, *scratch)
        levels.append(level)
    return levels, unspent


class Sums(NamedTuple):
    """Sums of distances in P abstractions, as a state looks them up.

    `first` (P + 1), `variables`, `strides`: the variables of each abstraction; `base` (P): what is added for the values
    that are counted from other numbers than 0. `sum_first`: of sum i the entries from there to `sum_first[i + 1]`:
    `system`, the abstraction, and `offset`, where its distances begin in `distances`, in which `never` stands for
    `NEVER`. `states` (P): scratch.
    """

    first: Ints
    variables: Ints
    strides: Longs
    base: Longs
    sum_first: Ints
    system: Ints
    offset: Longs
    distances: NDArray[Any]
    never: int
    states: Longs


def sums_of(
    patterns: Sequence[tuple[Sequence[int], Sequence[int]]],
    sums: Sequence[Sequence[tuple[int, int]]],
    distances: NDArray[Any],
    lows: Sequence[int] | None = None,
) -> Sums:
    """Sums of abstractions, given by their variables and strides. A sum is a list of abstractions, each its number with
    that of its distances; `distances`: of all of them, one after the other. `lows`: the least value of each variable,
    if that is not 0.
    """
    entries = [entry for each in sums for entry in each]
    first, variables = to_csr([of for of, _ in patterns])
    low = [sum(lows[v] * s for v, s in zip(*each, strict=True)) if lows else 0 for each in patterns]
    return Sums(
        first=first,
        variables=variables,
        strides=np.array([stride for _, of in patterns for stride in of], np.int64),
        base=-np.array(low, np.int64),
        sum_first=np.cumsum([0, *map(len, sums)]).astype(np.int32),
        system=np.array([number for number, _ in entries], np.int32),
        offset=np.cumsum([0, *(length for _, length in entries)])[:-1].astype(np.int64),
        distances=distances,
        never=NOWHERE if distances.dtype == np.uint8 else NEVER,
        states=np.zeros(len(patterns), np.int64),
    )


@njit(inner=True)
def abstract(sums: Sums, values: Longs) -> None:
    """Write to `sums.states` the abstract state in each abstraction of a state given by the values of its variables."""
    states, first, variables, strides = sums.states, sums.first, sums.variables, sums.strides
    for p in range(len(states)):
        number = sums.base[p]
        for i in range(first[p], first[p + 1]):
            number += strides[i] * values[variables[i]]
        states[p] = number


@njit(inner=True)
def largest_sum(sums: Sums, values: Longs) -> int:
    """The largest sum for a state given by the values of its variables: a lower bound; -1 if no goal can be reached."""
    abstract(sums, values)
    states, sum_first, system, offset = sums.states, sums.sum_first, sums.system, sums.offset
    distances, never, best = sums.distances, sums.never, long(0)
    for number in range(len(sum_first) - 1):
        total = long(0)
        for i in range(sum_first[number], sum_first[number + 1]):
            distance = long(distances[offset[i] + states[system[i]]])
            if distance == never:
                return long(-1)
            total += distance
        best = max(best, total)
    return best
