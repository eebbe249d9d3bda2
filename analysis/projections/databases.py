"""Pattern databases of a program task: distances in projections to several variables, where every action is a
substitution (`analysis.substitutions`).

Then a pattern that is closed (each variable's source is in it) has one abstract state before another for each action,
and a search backward from the goals needs no edges: a byte for each abstract state is all that it keeps (Culberson and
Schaeffer, *Pattern databases*, Computational Intelligence 14, 1998). The bound is the largest distance.

    five of the twenty pieces of a cube: 24^5 = 8 million abstract states
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ...models.program import ProgramTask
from ...runtime.arrays import Bytes
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ..substitutions.build import Assignments, BothWays
from ..substitutions.kernels import NOTHING
from .database_kernels import Inverses, fill_layer
from .tables import NOWHERE, DatabaseTables

# Abstract states of a database between two looks at the budget.
STATES_A_LOOK = 1 << 19

# How many times the memory of all databases has to be there: the search needs the rest.
MEMORY_TIMES = 2.0

MOST_DISTANCE = NOWHERE - 1
"""Larger distances are stored as this one, which is still a lower bound."""


@dataclass(frozen=True, slots=True)
class Databases:
    """Tables for search, and counts."""

    tables: DatabaseTables
    count: int = 0
    states: int = 0
    """The abstract states of all of them."""


def no_databases() -> Databases:
    """The lower bound 0."""
    return Databases(_tables((), (), np.zeros(0, np.uint8)))


def patterns_of(task: ProgramTask, both_ways: BothWays, most: int) -> list[tuple[int, ...]]:
    """Closed patterns of at most `most` abstract states, which together have all variables that are in any.

    Variables that take part in the same substitutions are as a rule named one after the other (corners, then edges);
    patterns that mix them have more states, and larger distances. So the variables are dealt like cards, and what room
    is left in a pattern takes variables of the next.
    """
    sizes = {v: variable.high - variable.low + 1 for v, variable in enumerate(task.variables)}
    groups = [g for g in _closed_groups(both_ways) if prod(sizes[v] for v in g) <= most]
    everything = prod(sizes[v] for g in groups for v in g)
    number = 1
    while everything > most**number:
        number += 1
    patterns = []
    while groups:
        patterns = [_filled(groups, first, number, sizes, most) for first in range(min(number, len(groups)))]
        if {v for pattern in patterns for v in pattern} >= {v for g in groups for v in g}:
            break
        number += 1
    return list(dict.fromkeys(patterns))


def _filled(groups: list[list[int]], first: int, step: int, sizes: dict[int, int], most: int) -> tuple[int, ...]:
    """A pattern of the groups first, first + step, first + 2 step, ..., then of those behind, while there is room."""
    order = [number for shift in range(step) for number in range((first + shift) % step, len(groups), step)]
    pattern: list[int] = []
    for number in order:
        if prod(sizes[v] for v in [*pattern, *groups[number]]) > most:
            break
        pattern += groups[number]
    return tuple(sorted(pattern))


def _closed_groups(both_ways: BothWays) -> list[list[int]]:
    """The least sets of variables, of those that change, that have the source of each of their variables."""
    leader: dict[int, int] = {}

    def find(v: int) -> int:
        while leader.setdefault(v, v) != v:
            v = leader[v]
        return v

    for assignments in both_ways.ahead:
        for variable, (source, _) in assignments.items():
            leader[find(variable)] = find(source)
    groups: dict[int, list[int]] = {}
    for v in sorted(leader):
        groups.setdefault(find(v), []).append(v)
    return sorted(groups.values())


def databases_of(
    task: ProgramTask, both_ways: BothWays, goals: Sequence[tuple[int, ...]], most: int, budget: Budget
) -> Databases | None:
    """The databases of `patterns_of`; None if the budget does not allow it."""
    patterns = patterns_of(task, both_ways, most)
    sizes = [[task.variables[v].high - task.variables[v].low + 1 for v in pattern] for pattern in patterns]
    lengths = [prod(each) for each in sizes]
    if not budget.fits(int(sum(lengths) * MEMORY_TIMES)):
        return None
    distance = np.full(sum(lengths), NOWHERE, np.uint8)
    for pattern, each, part in zip(patterns, sizes, _parts(distance, lengths), strict=True):
        if not _fill(task, both_ways, goals, pattern, each, part, budget):
            return None
    lows = [[task.variables[v].low for v in pattern] for pattern in patterns]
    return Databases(_tables(patterns, sizes, distance, lows), len(patterns), len(distance))


def _parts(array: Bytes, lengths: Sequence[int]) -> Iterator[Bytes]:
    end = 0
    for length in lengths:
        yield array[end : end + length]
        end += length


def _fill(
    task: ProgramTask,
    both_ways: BothWays,
    goals: Sequence[tuple[int, ...]],
    pattern: tuple[int, ...],
    sizes: Sequence[int],
    distance: Bytes,
    budget: Budget,
) -> bool:
    """Write the distances of a pattern, layer by layer; False if the budget ended."""
    factors = [prod(sizes[:i]) for i in range(len(pattern))]
    for goal in goals:
        distance[sum(f * (goal[v] - task.variables[v].low) for f, v in zip(factors, pattern, strict=True))] = 0
    inverses = laid_out(_inverses(both_ways.back, pattern, sizes, factors))
    for depth in range(MOST_DISTANCE):
        new = 0
        for begin in range(0, len(distance), STATES_A_LOOK):
            if budget.stopped():
                return False
            end = min(len(distance), begin + STATES_A_LOOK)
            new += fill_layer(inverses, distance, depth, begin, end)
        if not new:
            return True
    distance[distance == NOWHERE] = MOST_DISTANCE
    return True


def _inverses(
    back: Sequence[Assignments], pattern: tuple[int, ...], sizes: Sequence[int], factors: Sequence[int]
) -> Inverses:
    terms = np.full((len(back), len(pattern), max(sizes)), NOTHING, np.int64)
    source = np.zeros((len(back), len(pattern)), np.int64)
    place = {v: i for i, v in enumerate(pattern)}
    for number, assignments in enumerate(back):
        for i, variable in enumerate(pattern):
            origin, function = assignments.get(variable, (variable, tuple(range(sizes[i]))))
            source[number, i] = place[origin]
            for digit, result in enumerate(function):
                if result != NOTHING:
                    terms[number, i, digit] = factors[i] * result
    return Inverses(terms, source, np.array(sizes, np.int64), np.zeros(len(pattern), np.int64))


def _tables(
    patterns: Sequence[tuple[int, ...]],
    sizes: Sequence[Sequence[int]],
    distance: Bytes,
    lows: Sequence[Sequence[int]] = (),
) -> DatabaseTables:
    lengths = [prod(each) for each in sizes]
    return DatabaseTables(
        first=np.cumsum([0, *map(len, patterns)], dtype=np.int64),
        variable=np.array([v for pattern in patterns for v in pattern], np.int64),
        factor=np.array([prod(each[:i]) for each in sizes for i in range(len(each))], np.int64),
        low=np.array([low for each in lows for low in each], np.int64),
        table=np.cumsum([0, *lengths], dtype=np.int64)[:-1],
        distance=distance,
    )
