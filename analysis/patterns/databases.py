"""Additive pattern databases, found from the task.

In the projection onto a few things the others are not there, their operators cost nothing, and the cost of the way
from each placement to the goal stands in a table (Culberson and Schaeffer, *Pattern databases*, 1998; Edelkamp,
*Planning with pattern databases*, ECP 2001). Tables of disjoint sets of things count the operators of different
things, so their sum is a lower bound (Korf and Felner, *Disjoint pattern database heuristics*, 2002). With one thing
in each set this is the sum of single distances, the Manhattan distance of an n-puzzle. Where an operator changes
several things, its cost counts for one of them.

What the things of a set cover is closed to each other: an operator does not apply if it requires a fact that
excludes the place of another thing. Where every operator also moves the one fact of a further group (the blank of
an n-puzzle), that fact is tracked while the table is filled, and minimised out.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.task import Task
from ...runtime.arrays import bit_rows
from ...runtime.budget import Budget
from ..bitset_task import Words, cost_key
from ..goal_positions import false_at_goal, goal_positions
from ..structure import structure_of
from ..transition_graphs import Arc, TransitionGraph, TransitionGraphs, transition_graphs
from .kernels import UNREACHED, flood, goal_placements, spread, spread_tracked

QUOTA = 100_000
"""Placements expanded between two looks at the clock."""

MAX_TRACKED = 31
"""Places of a tracked thing at most: they are bits of a word."""

MAX_THINGS = 24
"""Things of one table at most."""

MOST_TABLES = 8
"""All tables together have at most so many times the entries of the largest one."""

BYTES, BYTES_TRACKED = 10, 24
"""Memory for an entry of a table while it is filled, with the queue."""

TRIES, FEW_THINGS = 60, 32
"""Partitions that are compared where the things are few; otherwise one is made."""


class Patterns(NamedTuple):
    """The tables of a task with F facts, W words a state, for `pattern_kernels.patterns_value`.

    `single` (F): what a true fact adds by itself, -1 where no goal can be reached; `single_mask` (W): the bits of
    facts with such a value other than 0. `masks` (P, W): the bits that belong to each table; `step` (F): what a fact
    adds to the index of its table; `first` (P): where each table begins in `values`, whose entries are costs, 255
    where no goal can be reached.
    """

    single: NDArray[np.int64]
    single_mask: Words
    masks: Words
    step: NDArray[np.int64]
    first: NDArray[np.int64]
    values: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Table:
    """The filled table of some things: entry at the sum of place * stride over them, in the order of `things`."""

    things: tuple[TransitionGraph, ...]
    strides: tuple[int, ...]
    values: NDArray[np.uint8]


def no_patterns(task: Task) -> Patterns:
    """The heuristic that is 0 everywhere."""
    return _patterns(task, {}, [])


def additive_patterns(task: Task, entries: int = 0, budget: Budget | None = None) -> Patterns:
    """Patterns of a task: single things, and tables of at most `entries` placements where the task allows them.

    Tables need things that are moved one at a time, for one each. If the budget ends meanwhile, a table that is not
    full is left out, and its things count singly.
    """
    found = transition_graphs(task)
    tables: list[Table] = []
    if entries and found.apart and task.uniform and task.walker is None:
        budget = budget or Budget(None, None)
        for chosen in partition(task, found, entries):
            table = fill(task, found, chosen, budget)
            if table is None:
                break
            tables.append(table)
    covered = {thing.group for table in tables for thing in table.things}
    single: dict[int, int] = {}
    for thing in found.graphs:
        if thing.group not in covered and thing.has_goal:
            single.update(single_distances(task, thing))
    return _patterns(task, single, tables)


def _patterns(task: Task, single: dict[int, int], tables: list[Table]) -> Patterns:
    facts = len(task.facts)
    words = max(1, (facts + 63) // 64)
    values = np.zeros(facts, np.int64)
    values[list(single.keys())] = list(single.values())
    single_mask = bit_rows([np.flatnonzero(values).tolist()], words)[0]
    masks = bit_rows([[fact for thing in table.things for fact in thing.facts] for table in tables], words)
    step = np.zeros(facts, np.int64)
    for table in tables:
        for thing, stride in zip(table.things, table.strides, strict=True):
            step[list(thing.facts)] = np.arange(len(thing.facts)) * stride
    first = np.cumsum([0, *(len(table.values) for table in tables)])[:-1].astype(np.int64)
    entries = np.concatenate([table.values for table in tables] or [np.zeros(0, np.uint8)])
    return Patterns(values, single_mask, masks, step, first, entries)


# Single things


def single_distances(task: Task, thing: TransitionGraph) -> dict[int, int]:
    """For each fact of a thing the least cost (as a key) of its own operators to where it may end; -1 for none.

    With interchangeable things, each of them has to end in one of these facts, so that their costs add.
    """
    keys = [cost_key(op.cost) for op in task.operators]
    carry = min(keys) if task.compound_moves else None
    moved = Counter(arc.operator for arc in thing.arcs)
    entered: dict[int, list[tuple[int, int]]] = {}
    for arc in thing.arcs:
        # An operator that moves several things of one group pays for none of them.
        own = arc.operator in thing.operators and moved[arc.operator] == 1
        entered.setdefault(arc.after, []).append((arc.before, keys[arc.operator] if own else 0))
    distance: dict[int, int] = {}
    queue = [(0, fact) for fact in sorted(thing.ends)]
    while queue:
        cost, fact = heapq.heappop(queue)
        if fact in distance:
            continue
        distance[fact] = cost
        for before, key in entered.get(fact, ()):
            if before not in distance:
                heapq.heappush(queue, (cost + key if carry is None else min(cost + key, carry), before))
    return {fact: distance.get(fact, -1) for fact in thing.facts}


# Tables


def partition(task: Task, found: TransitionGraphs, entries: int) -> list[tuple[TransitionGraph, ...]]:
    """Disjoint sets of things, each with a goal among them, whose tables have at most `entries` entries each.

    Things that get into each other's way near where they end belong together: what one set does not see of them is
    lost. Of several partitions, each built greedily, the one that separates the fewest of them is taken.
    """
    things = [thing for thing in found.graphs if thing.count == 1]
    weights = _closeness(task, things)
    rng = random.Random(0)
    best: tuple[float, list[list[int]]] = (-1.0, [])
    for _ in range(TRIES if len(things) <= FEW_THINGS else 1):
        noisy = weights * np.array([[rng.uniform(0.6, 1.4) for _ in things] for _ in things])
        sets = _grow(things, noisy + noisy.T, entries)
        score = sum(float(weights[np.ix_(chosen, chosen)].sum()) for chosen in sets)
        best = max(best, (score, sets), key=lambda scored: scored[0])
    return [tuple(things[i] for i in chosen) for chosen in best[1]]


def _grow(things: list[TransitionGraph], weights: NDArray[np.float64], entries: int) -> list[list[int]]:
    left = set(range(len(things)))
    sets: list[list[int]] = []
    room = MOST_TABLES * entries
    while seeds := [i for i in left if things[i].has_goal and len(things[i].facts) <= entries]:
        others = sorted(left)
        chosen = [min(seeds, key=lambda i: (float(weights[i, others].sum()), i))]
        size = len(things[chosen[0]].facts)
        left.remove(chosen[0])
        while len(chosen) < MAX_THINGS:
            pull = weights[chosen].sum(axis=0)
            fitting = [
                i for i in left if size * len(things[i].facts) <= entries and (things[i].has_goal or pull[i] > 0)
            ]
            if not fitting:
                break
            following = max(fitting, key=lambda i: (float(pull[i]), things[i].has_goal, -i))
            chosen.append(following)
            left.remove(following)
            size *= len(things[following].facts)
        room -= size
        if room < 0:
            break
        sets.append(sorted(chosen))
    return sets


def _closeness(task: Task, things: list[TransitionGraph]) -> NDArray[np.float64]:
    """[i, j]: how many operators that bring thing i to an end or away from one thing j bars at its ends."""
    where = {fact: j for j, thing in enumerate(things) for fact in thing.facts}
    weights = np.zeros((len(things), len(things)))
    for i, thing in enumerate(things):
        for arc in thing.arcs:
            if arc.before in thing.ends or arc.after in thing.ends:
                for fact in _barred_by(task, arc.operator):
                    j = where.get(fact, i)
                    if j != i and fact in things[j].ends:
                        weights[i, j] += 1 / len(things[j].ends) / len(thing.ends)
    return weights


def _barred_by(task: Task, operator: int) -> set[int]:
    """The facts that cannot be true where an operator applies."""
    required = task.operators[operator].pre
    return {f for fact in required for f in structure_of(task).excluded_by(fact)}.difference(required)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a table's things are numbered: place p of thing i is the local place offsets[i] + p."""

    sizes: NDArray[np.int64]
    strides: NDArray[np.int64]
    offsets: NDArray[np.int64]
    local: dict[int, int]

    @staticmethod
    def of(things: Sequence[TransitionGraph]) -> _Layout:
        sizes = np.array([len(thing.facts) for thing in things], np.int64)
        ends = np.cumsum(sizes)
        strides = np.cumprod(sizes) // sizes
        facts = [fact for thing in things for fact in thing.facts]
        return _Layout(sizes, strides, ends - sizes, {fact: n for n, fact in enumerate(facts)})

    @property
    def entries(self) -> int:
        return int(np.prod(self.sizes))

    @property
    def shape(self) -> tuple[NDArray[np.int64], ...]:
        return self.sizes, self.strides, self.offsets

    def rows(self, sets: Sequence[set[int]]) -> Words:
        """Sets of facts as rows of bits, one bit a local place; other facts are left out."""
        numbers = [[self.local[fact] for fact in facts if fact in self.local] for facts in sets]
        return bit_rows(numbers, (len(self.local) + 63) // 64)


def fill(task: Task, found: TransitionGraphs, things: tuple[TransitionGraph, ...], budget: Budget) -> Table | None:
    """Fill the table of some things; None if the budget ends before."""
    layout = _Layout.of(things)
    tracked = _tracked(task, found, things)
    if not budget.fits(layout.entries * (BYTES_TRACKED if tracked else BYTES)):
        return None
    values = np.full(layout.entries, UNREACHED, np.uint8)
    queue = np.empty(layout.entries, np.int64)
    facts = sorted(layout.local, key=layout.local.__getitem__)
    allowed = np.array([fact in thing.ends for thing in things for fact in thing.facts])
    excluded = layout.rows([structure_of(task).excluded_by(fact) | {fact} for fact in facts])
    tail = goal_placements(layout.shape, allowed, excluded, values, queue)
    arcs = sorted(
        ((layout.local[arc.after], arc) for thing in things for arc in thing.arcs if arc.operator in thing.operators),
        key=lambda pair: pair[0],
    )
    first = np.searchsorted([after for after, _ in arcs], np.arange(len(facts) + 1)).astype(np.int64)
    place = {fact: n for thing in things for n, fact in enumerate(thing.facts)}
    before = np.array([place[arc.before] for _, arc in arcs], np.int64)
    if tracked is None:
        blocked = layout.rows([_barred_by(task, arc.operator).difference(_own(things, arc)) for _, arc in arcs])
        head = 0
        while head < tail:
            if budget.stopped():
                return None
            head, tail = spread(
                layout.shape, (first, before, blocked), values, queue, head, tail, task.compound_moves, QUOTA
            )
    elif not _fill_tracked(layout, tracked, (first, before), values, queue, tail, facts, budget):
        return None
    return Table(things, tuple(int(stride) for stride in layout.strides), values)


def _own(things: tuple[TransitionGraph, ...], arc: Arc) -> tuple[int, ...]:
    return next(thing.facts for thing in things if arc.operator in thing.operators)


# The tracked fact


@dataclass(frozen=True, slots=True)
class _Tracked:
    """A group whose one true fact every operator moves: its places are numbered in order.

    `covers`: for each fact of the things the place that it takes. `near`: for each place the bits of the places from
    which it is entered when other things move. `ends`: the places that it may have in a goal.
    """

    covers: dict[int, int]
    near: NDArray[np.int64]
    ends: tuple[int, ...]


def _tracked(task: Task, found: TransitionGraphs, things: tuple[TransitionGraph, ...]) -> _Tracked | None:
    """The tracked fact for a table of some things, if the task has one.

    Every operator deletes and adds one fact of the group; those of the things delete the one that excludes the thing's
    place after, and add the one that excludes its place before.
    """
    if task.compound_moves or task.walker is not None:
        return None
    structure = structure_of(task)
    moving = {thing.group for thing in found.graphs}
    for number in structure.always_changed:
        group = task.groups[number]
        if number in moving or len(group.facts) > MAX_TRACKED:
            continue
        place = {fact: n for n, fact in enumerate(group.facts)}
        moves = [
            ([place[f] for f in op.delete if f in place], [place[f] for f in op.add if f in place])
            for op in task.operators
        ]
        taken = {
            fact: [place[f] for f in structure.excluded_by(fact) if f in place]
            for thing in things
            for fact in thing.facts
        }
        if any(len(places) != 1 for places in taken.values()):
            continue
        covers = {fact: places[0] for fact, places in taken.items()}
        arcs = [arc for thing in things for arc in thing.arcs]
        if any(moves[a.operator] != ([covers[a.after]], [covers[a.before]]) for a in arcs):
            continue
        own = frozenset().union(*(thing.operators for thing in things))
        near = np.zeros(len(group.facts), np.int64)
        for operator, ((old,), (new,)) in enumerate(moves):
            if operator not in own:
                near[new] |= 1 << old
        ends = goal_positions(task, group.facts, group.count, false_at_goal(task)).allowed
        return _Tracked(covers, near, tuple(place[fact] for fact in ends))
    return None


def _fill_tracked(
    layout: _Layout,
    tracked: _Tracked,
    arcs: tuple[NDArray[np.int64], NDArray[np.int64]],
    values: NDArray[np.uint8],
    queue: NDArray[np.int64],
    goals: int,
    facts: list[int],
    budget: Budget,
) -> bool:
    covers = np.array([tracked.covers[fact] for fact in facts], np.int64)
    shape = (*layout.shape, covers)
    reached = np.zeros(layout.entries, np.uint32)
    nodes: list[int] = []
    for index in queue[:goals].tolist():
        closed = sum({1 << int(covers[o + index // s % n]) for n, s, o in zip(*layout.shape, strict=True)})
        for place in tracked.ends:
            if not (closed | int(reached[index])) >> place & 1:
                reached[index] |= flood(place, closed, tracked.near)
                nodes.append(index << 6 | place)
        if not int(reached[index]):
            values[index] = UNREACHED
    if len(nodes) >= len(queue):
        queue = np.empty(2 * len(nodes), np.int64)
    queue[: len(nodes)] = nodes
    room = len(layout.sizes) * int(np.diff(arcs[0]).max(initial=1)) + 1
    head, tail, distance = 0, len(nodes), 0
    while head < tail:
        end = tail
        while head < end:
            before = head
            span = (head, min(end, head + QUOTA), tail)
            head, tail = spread_tracked(shape, arcs, tracked.near, values, reached, queue, span, distance, room)
            if head == before:
                longer = np.empty(2 * (tail - head) + 2 * room, np.int64)
                longer[: tail - head] = queue[head:tail]
                queue, head, end, tail = longer, 0, end - head, tail - head
            if budget.stopped():
                return False
        distance += 1
    return True
