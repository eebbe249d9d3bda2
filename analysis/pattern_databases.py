"""Additive pattern databases, found from the task.

In the projection onto a few objects the others are not there, their operators cost nothing, and the cost of the way
from each placement to the goal stands in a table (Culberson and Schaeffer, *Pattern databases*, 1998; Edelkamp,
*Planning with pattern databases*, ECP 2001). Each table is a lower bound, as leaving out objects only removes
preconditions and costs. Tables of disjoint sets of objects count the operators of different objects, so their sum is a
lower bound, too (Korf and Felner, *Disjoint pattern database heuristics*, 2002). With one object in each set this is
the sum of single distances, the Manhattan distance of an n-puzzle. Where an operator changes several objects, its cost
counts for one of them.

    1 2 3        The 8-puzzle in two tables, {1, 2, 3, 4} and {5, 6, 7, 8}: a move of tile 2 counts in the first table
    4 5 6        only. Its entry for the places of 1, 2, 3 and 4 is the least number of moves of these tiles, all ways
    7 8 .        of the others being free.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import OperatorTask
from ..runtime.arrays import Bytes, Flags, Int, Longs, Words, bit_rows
from ..runtime.bitops import long, trailing_zeros
from ..runtime.budget import Budget
from ..runtime.kernel_calls import njit
from .bitset_kernels import ONE, has_bit
from .structure import structure_of
from .transition_graphs import (
    Arc,
    TransitionGraph,
    TransitionGraphs,
    false_at_goal,
    goal_positions,
    single_distances,
    transition_graphs,
)

# Which movable objects share a pattern database.
#
# The value of a table over the sum of its objects' distances is what the objects cost each other. So those that get
# into each other's way near where they end belong together; what one table does not see of them is lost.

# All tables together have at most this many times the entries of the largest one.
TABLES = 8

# The most objects of one table.
MOST_OBJECTS = 24

# Partitions of the objects that are compared, the first at random like the others.
TRIES = 60

# Of more objects than this, only one partition is made.
FEW_OBJECTS = 32

# The share by which the weights between objects are changed at random, up or down, in each try (0: all alike).
NOISE = 0.4

Weights = NDArray[np.float64]


def partition(task: OperatorTask, transitions: TransitionGraphs, entries: int) -> list[tuple[TransitionGraph, ...]]:
    """Disjoint sets of objects, each with a goal among them, whose tables have at most `entries` entries each.

    Several partitions are built greedily, each with the weights between objects changed a little at random (always the
    same way). The one that separates the objects with the smallest sum of weights is taken.
    """
    objects = [graph for graph in transitions.graphs if graph.count == 1]
    weights = _closeness(task, objects)
    rng, noise = random.Random(0), NOISE
    best: tuple[float, list[list[int]]] = (-1.0, [])
    for _ in range(TRIES if len(objects) <= FEW_OBJECTS else 1):
        noisy = weights * np.array([[rng.uniform(1 - noise, 1 + noise) for _ in objects] for _ in objects])
        sets = _grow(objects, noisy + noisy.T, entries)
        score = sum(float(weights[np.ix_(chosen, chosen)].sum()) for chosen in sets)
        best = max(best, (score, sets), key=lambda scored: scored[0])
    return [tuple(objects[i] for i in chosen) for chosen in best[1]]


def _grow(objects: list[TransitionGraph], weights: Weights, entries: int) -> list[list[int]]:
    """Build sets greedily: begin with the object least tied to the others, then add the one most closely tied to the
    set.
    """
    remaining = set(range(len(objects)))
    sets: list[list[int]] = []
    room = TABLES * entries
    while seeds := [i for i in remaining if objects[i].has_goal and len(objects[i].facts) <= entries]:
        others = sorted(remaining)
        chosen = [min(seeds, key=lambda i: (float(weights[i, others].sum()), i))]
        size = len(objects[chosen[0]].facts)
        remaining.remove(chosen[0])
        while len(chosen) < MOST_OBJECTS:
            pull = weights[chosen].sum(axis=0)
            fitting = [
                i for i in remaining if size * len(objects[i].facts) <= entries and (objects[i].has_goal or pull[i] > 0)
            ]
            if not fitting:
                break
            following = max(fitting, key=lambda i: (float(pull[i]), objects[i].has_goal, -i))
            chosen.append(following)
            remaining.remove(following)
            size *= len(objects[following].facts)
        room -= size
        if room < 0:
            break
        sets.append(sorted(chosen))
    return sets


def _closeness(task: OperatorTask, objects: list[TransitionGraph]) -> Weights:
    """[i, j]: how many operators move object i to or from one of its goal positions and are barred by j on its own
    goal.
    """
    where = {fact: j for j, graph in enumerate(objects) for fact in graph.facts}
    weights = np.zeros((len(objects), len(objects)))
    for i, graph in enumerate(objects):
        for arc in graph.arcs:
            if arc.before in graph.ends or arc.after in graph.ends:
                for fact in barred_by(task, arc.operator):
                    j = where.get(fact, i)
                    if j != i and fact in objects[j].ends:
                        weights[i, j] += 1 / len(objects[j].ends) / len(graph.ends)
    return weights


def barred_by(task: OperatorTask, operator: int) -> set[int]:
    """The facts that are false in every state in which an operator is applicable."""
    required = task.operators[operator].pre
    return {f for fact in required for f in structure_of(task).excluded_by(fact)}.difference(required)


# Compiled kernels of pattern databases: filling them backward from the goal, and looking a state up.
#
# A *placement* of a table's objects is one number: the sum of place * stride over them, where the stride of an object
# is the product of the numbers of places before it. All places of all objects are numbered one after the other, too:
# the *local places*. Two tiles on a board of 2x2 cells, of four places each:
#
#                    sizes    4    4            tile A on place 2, tile B on place 1:
#                    strides  1    4            placement 2 * 1 + 1 * 4 = 6
#                    offsets  0    4            local places 0 + 2 = 2 and 4 + 1 = 5

# An entry of a table from which the goal cannot be reached.
UNREACHED = 255


class Patterns(NamedTuple):
    """The tables of a task with F facts, W words a state, for `patterns_value`.

    `single` (F): what a true fact adds by itself, -1 where no goal can be reached; `single_mask` (W): the bits of
    facts with such a value other than 0. `masks` (P, W): the bits that belong to each table; `step` (F): what a fact
    adds to the index of its table (place * stride); `first` (P): where each table begins in `values`, whose entries
    are costs, `UNREACHED` where no goal can be reached.
    """

    single: Longs
    single_mask: Words
    masks: Words
    step: Longs
    first: Longs
    values: Bytes


class Shape(NamedTuple):
    """How placements of a table's objects are numbered, by object: see above."""

    sizes: Longs
    strides: Longs
    offsets: Longs


class Arcs(NamedTuple):
    """Moves of a table's objects, by the local place that they lead to: those to place l are first[l] to first[l + 1].

    `before`: the place of the same object that each comes from. `blocked` (arcs, words): the local places, as bits, at
    which another object of the table bars it.
    """

    first: Longs
    before: Longs
    blocked: Words


class Blank(NamedTuple):
    """An object that is tracked while a table is filled, into whose place the others move (the blank of an n-puzzle).

    `covers`: for each local place that of the blank which an object there takes. `near`: for each place of the blank
    the bits of those from which it is entered when an object moves that is not in the table.
    """

    covers: Longs
    near: Longs


@njit()
def patterns_value(patterns: Patterns, row: Words) -> int:
    """A lower bound on the cost from a packed state to the goal; -1 if the goal cannot be reached.

    Definition: the sum of `single[f]` over the true facts, plus, for each table, its entry at the sum of `step[f]`
    over the true facts that belong to it.
    """
    single, single_mask, masks, step = patterns.single, patterns.single_mask, patterns.masks, patterns.step
    first, values = patterns.first, patterns.values
    total = long(0)
    for w in range(len(single_mask)):
        # Only facts with a value other than 0 cost a turn.
        bits = row[w] & single_mask[w]
        while bits:
            value = single[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            if value < 0:
                return -1
            total += value
    for p in range(len(first)):
        # The steps of the true facts add up to the placement, sum of place * stride, and that is the entry's number.
        index = first[p]
        for w in range(masks.shape[1]):
            bits = row[w] & masks[p, w]
            while bits:
                index += step[(w << 6) + long(trailing_zeros(bits))]
                bits &= bits - ONE
        if values[index] == UNREACHED:
            return -1
        total += long(values[index])
    return total


@njit()
def goal_placements(shape: Shape, allowed: Flags, excluded: Words, values: Bytes, queue: Longs) -> int:
    """Enter the placements of a table's objects in which each is where it may end; gives their number.

    `allowed`: for each local place whether an object may end there; `excluded`: for each the local places, as bit rows,
    that another object cannot have meanwhile.
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    objects, words = len(sizes), excluded.shape[1]
    barred = np.empty(words, np.uint64)
    tail = 0
    for index in range(len(values)):
        for w in range(words):
            barred[w] = 0
        good = True
        for i in range(objects):
            # The digit of object i in the mixed-radix number `index`; `barred` is the union of what the objects before
            # it exclude.
            local = offsets[i] + index // strides[i] % sizes[i]
            if not allowed[local] or has_bit(barred, local):
                good = False
                break
            for w in range(words):
                barred[w] |= excluded[local, w]
        if good:
            values[index] = 0
            queue[tail] = index
            tail += 1
    return tail


@njit()
def spread(
    shape: Shape, arcs: Arcs, values: Bytes, queue: Longs, span: tuple[int, int, int], compound: bool
) -> tuple[int, int]:
    """Breadth-first search backward over the placements of a table's objects, as if there were no other objects.

    `span` (head, tail, quota): entries head to tail of `queue` wait, and at most `quota` of them are expanded. With
    `compound`, all arcs of one object in a row count one. Gives (head, tail).
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    first, before, blocked = arcs.first, arcs.before, arcs.blocked
    objects, words = len(sizes), blocked.shape[1]
    place = np.empty(objects, np.int64)
    taken = np.empty(words, np.uint64)
    widest = long(0)
    for i in range(objects):
        if sizes[i] > widest:
            widest = sizes[i]
    seen = np.empty(widest, np.int64)
    for p in range(widest):
        seen[p] = -1
    way = np.empty(widest, np.int64)
    # seen[p] = stamp: place p was met for the object and the placement at work now. A new stamp makes all places
    # unseen.
    stamp = 0
    head, tail, quota = span
    end = head + quota
    while head < tail and head < end:
        # 1. The places of the objects, apart and as bits.
        index = queue[head]
        head += 1
        # An entry is one byte. Distances that do not fit count as the largest that does: still a lower bound.
        distance = values[index] + 1 if values[index] + 1 < UNREACHED else UNREACHED - 1
        for w in range(words):
            taken[w] = 0
        for i in range(objects):
            place[i] = index // strides[i] % sizes[i]
            local = offsets[i] + place[i]
            taken[local >> 6] |= ONE << np.uint64(local & 63)
        # 2. For each object the places that it can have come from: by one arc, or (`compound`) by any number of them.
        for i in range(objects):
            stamp += 1
            way[0] = place[i]
            seen[place[i]] = stamp
            done, reached = 0, 1
            while done < reached:
                here = way[done]
                done += 1
                for arc in range(first[offsets[i] + here], first[offsets[i] + here + 1]):
                    there = before[arc]
                    if seen[there] == stamp:
                        continue
                    clear = True
                    for w in range(words):
                        if blocked[arc, w] & taken[w]:
                            clear = False
                            break
                    if not clear:
                        continue
                    seen[there] = stamp
                    if compound:
                        way[reached] = there
                        reached += 1
                    # 3. The placement with this object there is one move farther, if it is new.
                    other = index + (there - place[i]) * strides[i]
                    if values[other] == UNREACHED:
                        values[other] = distance
                        queue[tail] = other
                        tail += 1
    return head, tail


@njit()
def flood(start: int, closed: int, near: Longs) -> int:
    """The places of the blank, as bits, that lead to place `start` without one of the places `closed`."""
    region = long(1) << start
    fresh = region
    # A wave at a time: the inner loop joins the neighbours of all places of the last wave; places are bits of one word.
    while fresh:
        more = long(0)
        while fresh:
            more |= near[long(trailing_zeros(np.uint64(fresh)))]
            fresh &= fresh - 1
        fresh = more & ~closed & ~region
        region |= fresh
    return region


@njit()
def spread_tracked(
    shape: Shape,
    arcs: tuple[Longs, Longs],
    blank: Blank,
    table: tuple[Bytes, NDArray[np.uint32], Longs],
    span: tuple[int, int, int],
    distance: Int,
) -> tuple[int, int]:
    """Like `spread`, for objects that move into the one place of the blank and leave it theirs.

    A node is a placement with a region of the blank's places: the blank moves for nothing where no object of the table
    is. `arcs`: `first` and `before` of `Arcs`. `table`: (values, reached, queue), where `reached` holds for each
    placement the bits of the blank's places met, and `queue` placement * 64 + place of the blank. Of its nodes from
    span[0], those before span[1], at this distance from the goal, are expanded while there is room for what one of them
    can add; span[2] is its end. Gives (head, tail).
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    covers, near = blank.covers, blank.near
    first, before = arcs
    values, reached, queue = table
    objects = len(sizes)
    place = np.empty(objects, np.int64)
    head, end, tail = span
    room = 1 + len(before)
    further = distance + 1 if distance + 1 < UNREACHED else UNREACHED - 1
    while head < end and tail + room < len(queue):
        # 1. The places of the objects, and those of the blank that it reaches while they stay.
        # An entry of the queue is placement << 6 | place of the blank.
        index, here = queue[head] >> 6, queue[head] & 63
        head += 1
        closed = long(0)
        for i in range(objects):
            place[i] = index // strides[i] % sizes[i]
            closed |= long(1) << covers[offsets[i] + place[i]]
        region = flood(here, closed, near)
        # 2. Each object comes from a place that the blank reaches. Before that move the blank was where it is now.
        for i in range(objects):
            local = offsets[i] + place[i]
            left = covers[local]
            for arc in range(first[local], first[local + 1]):
                there = before[arc]
                entered = covers[offsets[i] + there]
                if not (region >> entered) & 1:
                    continue
                other = index + (there - place[i]) * strides[i]
                if (long(reached[other]) >> left) & 1:
                    continue
                # 3. A new region of the blank: all of it is met at once.
                # The object stood at `entered` before, so that is closed to the blank now and `left` is open.
                now = closed ^ (long(1) << left) ^ (long(1) << entered)
                reached[other] |= flood(left, now, near)
                if values[other] == UNREACHED:
                    values[other] = further
                queue[tail] = other << 6 | left
                tail += 1
    return head, tail


# Filling the table of a pattern database: a breadth-first search backward from the goal over the placements.
#
# The places that the objects of a table cover are closed to each other: an operator does not apply if it requires a
# fact that excludes the place of another one. Where every operator also moves the one fact of a further group (the
# blank of an n-puzzle), that fact is tracked while the table is filled, and minimised out: the entry of a placement
# is the least over the places of the blank (Korf and Felner 2002, section 3.2).
#
#     1 . x      Tiles 1 and 2, and x for tiles that are not in the table: the blank moves among the x for nothing, but
#     x x 2      to move tile 1 it has to get beside it past tile 2, or move tile 2.

# Placements expanded between two looks at the clock.
PLACEMENTS_A_LOOK = 100_000

# Places of the blank at most: they are bits of a word.
BLANK_PLACES = 31

# Memory for an entry of a table while it is filled, with the queue, which is twice as long with a blank.
BYTES, BYTES_TRACKED = 10, 24

Objects = tuple[TransitionGraph, ...]


@dataclass(frozen=True, slots=True)
class PatternTable:
    """The filled table of some objects: entry at the sum of place * stride over them, in their order."""

    objects: Objects
    strides: tuple[int, ...]
    values: Bytes


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a table's objects are numbered, see `kernels`; `local`: the local place of each fact."""

    shape: Shape
    local: dict[int, int]

    @staticmethod
    def of(objects: Objects) -> _Layout:
        sizes = np.array([len(graph.facts) for graph in objects], np.int64)
        facts = [fact for graph in objects for fact in graph.facts]
        return _Layout(
            shape=Shape(sizes=sizes, strides=np.cumprod(sizes) // sizes, offsets=np.cumsum(sizes) - sizes),
            local={fact: n for n, fact in enumerate(facts)},
        )

    @property
    def entries(self) -> int:
        return int(np.prod(self.shape.sizes))

    def rows(self, sets: Sequence[set[int]]) -> Words:
        """Sets of facts as rows of bits, one bit a local place; other facts are left out."""
        numbers = [[self.local[fact] for fact in facts if fact in self.local] for facts in sets]
        return bit_rows(numbers, (len(self.local) + 63) // 64)


def fill(task: OperatorTask, transitions: TransitionGraphs, objects: Objects, budget: Budget) -> PatternTable | None:
    """Fill the table of some objects; None if the budget ends before."""
    layout = _Layout.of(objects)
    tracked = _tracked(task, transitions, objects)
    if not budget.fits(layout.entries * (BYTES_TRACKED if tracked else BYTES)):
        return None
    values = np.full(layout.entries, UNREACHED, np.uint8)
    queue = np.empty(layout.entries, np.int64)
    allowed = np.array([fact in graph.ends for graph in objects for fact in graph.facts])
    excluded = layout.rows([structure_of(task).excluded_by(fact) | {fact} for fact in layout.local])
    tail = goal_placements(layout.shape, allowed, excluded, values, queue)
    arcs = _arcs(task, layout, objects)
    if tracked is not None:
        if not _fill_tracked(layout, tracked, arcs, values, queue[:tail], budget):
            return None
    else:
        head, end = 0, int(tail)
        while head < end:
            if budget.stopped():
                return None
            span = (head, end, PLACEMENTS_A_LOOK)
            head, end = spread(layout.shape, arcs, values, queue, span, task.compound_moves)
    return PatternTable(objects=objects, strides=tuple(layout.shape.strides.tolist()), values=values)


def _arcs(task: OperatorTask, layout: _Layout, objects: Objects) -> Arcs:
    """The moves of a table's objects, those of all other objects left out."""
    place = {fact: n for graph in objects for n, fact in enumerate(graph.facts)}
    arcs = [arc for graph in objects for arc in graph.arcs if arc.operator in graph.operators]
    arcs.sort(key=lambda arc: layout.local[arc.after])
    after = [layout.local[arc.after] for arc in arcs]
    return Arcs(
        first=np.searchsorted(after, np.arange(len(layout.local) + 1)).astype(np.int64),
        before=np.array([place[arc.before] for arc in arcs], np.int64),
        blocked=layout.rows([barred_by(task, arc.operator).difference(_own(objects, arc)) for arc in arcs]),
    )


def _own(objects: Objects, arc: Arc) -> tuple[int, ...]:
    return next(graph.facts for graph in objects if arc.operator in graph.operators)


# The blank


@dataclass(frozen=True, slots=True)
class _Tracked:
    """A group whose one true fact every operator moves: its places are numbered in order.

    `covers`: for each fact of the objects the place that it takes. `near`: for each place the bits of the places from
    which it is entered when other objects move. `ends`: the places that it may have in a goal.
    """

    covers: dict[int, int]
    near: Longs
    ends: tuple[int, ...]


def _tracked(task: OperatorTask, transitions: TransitionGraphs, objects: Objects) -> _Tracked | None:
    """The blank for a table of some objects, if the task has one.

    Every operator deletes and adds one fact of the group; those of the objects delete the one that excludes the
    object's place after, and add the one that excludes its place before.
    """
    if task.compound_moves or task.walker is not None:
        return None
    structure = structure_of(task)
    moving = {graph.group for graph in transitions.graphs}
    for number in structure.always_changed:
        group = task.groups[number]
        if number in moving or len(group.facts) > BLANK_PLACES:
            continue
        place = {fact: n for n, fact in enumerate(group.facts)}
        moves = [
            ([place[f] for f in op.delete if f in place], [place[f] for f in op.add if f in place])
            for op in task.operators
        ]
        taken = {
            fact: [place[f] for f in structure.excluded_by(fact) if f in place]
            for graph in objects
            for fact in graph.facts
        }
        if any(len(places) != 1 for places in taken.values()):
            continue
        covers = {fact: places[0] for fact, places in taken.items()}
        arcs = [arc for graph in objects for arc in graph.arcs]
        if any(moves[a.operator] != ([covers[a.after]], [covers[a.before]]) for a in arcs):
            continue
        own = frozenset().union(*(graph.operators for graph in objects))
        near = np.zeros(len(group.facts), np.int64)
        for operator, ((old,), (new,)) in enumerate(moves):
            if operator not in own:
                near[new] |= 1 << old
        ends = goal_positions(task, group.facts, group.count, false_at_goal(task)).allowed
        return _Tracked(covers=covers, near=near, ends=tuple(place[fact] for fact in ends))
    return None


def _fill_tracked(layout: _Layout, tracked: _Tracked, arcs: Arcs, values: Bytes, goals: Longs, budget: Budget) -> bool:
    """Fill `values` from the placements `goals`, distance by distance; False if the budget ends before."""
    blank = Blank(covers=np.array([tracked.covers[fact] for fact in layout.local], np.int64), near=tracked.near)
    reached = np.zeros(layout.entries, np.uint32)
    nodes: list[int] = []
    for index in goals.tolist():
        closed = sum({1 << int(blank.covers[o + index // s % n]) for n, s, o in zip(*layout.shape, strict=True)})
        for place in tracked.ends:
            if not (closed | int(reached[index])) >> place & 1:
                reached[index] |= flood(place, closed, tracked.near)
                nodes.append(index << 6 | place)
        if not int(reached[index]):
            values[index] = UNREACHED
    room = len(arcs.before) + 2
    queue = np.empty(max(layout.entries, 2 * len(nodes)) + room, np.int64)
    queue[: len(nodes)] = nodes
    head, tail, distance = 0, len(nodes), 0
    while head < tail:
        end = tail
        while head < end:
            before, span = head, (head, min(end, head + PLACEMENTS_A_LOOK), tail)
            head, tail = spread_tracked(
                layout.shape, (arcs.first, arcs.before), blank, (values, reached, queue), span, distance
            )
            if head == before:  # no room: what waits moves into a longer queue
                longer = np.empty(2 * (tail - head) + 2 * room, np.int64)
                longer[: tail - head] = queue[head:tail]
                queue, head, end, tail = longer, 0, end - head, tail - head
            if budget.stopped():
                return False
        distance += 1
    return True


def no_patterns(task: OperatorTask) -> Patterns:
    """Pattern databases without a table: a heuristic that is 0 in every state."""
    return _patterns(task, {}, [])


def additive_patterns(task: OperatorTask, entries: int = 0, budget: Budget | None = None) -> Patterns:
    """Patterns of a task: single objects, and tables of at most `entries` placements where the task allows them.

    Tables need objects that are moved one at a time, for one each. If the budget ends meanwhile, a table that is not
    full is left out, and its objects count singly.
    """
    transitions = transition_graphs(task)
    tables: list[PatternTable] = []
    if entries and transitions.apart and task.uniform and task.walker is None:
        budget = budget or Budget(None, None)
        for chosen in partition(task, transitions, entries):
            table = fill(task, transitions, chosen, budget)
            if table is None:
                break
            tables.append(table)
    covered = {graph.group for table in tables for graph in table.objects}
    single: dict[int, int] = {}
    for graph in transitions.graphs:
        if graph.group not in covered and graph.has_goal:
            single.update(single_distances(task, graph))
    return _patterns(task, single, tables)


def _patterns(task: OperatorTask, single: dict[int, int], tables: list[PatternTable]) -> Patterns:
    facts = len(task.facts)
    words = max(1, (facts + 63) // 64)
    values = np.zeros(facts, np.int64)
    values[list(single.keys())] = list(single.values())
    step = np.zeros(facts, np.int64)
    for table in tables:
        for graph, stride in zip(table.objects, table.strides, strict=True):
            step[list(graph.facts)] = np.arange(len(graph.facts)) * stride
    return Patterns(
        single=values,
        single_mask=bit_rows([np.flatnonzero(values).tolist()], words)[0],
        masks=bit_rows([[fact for graph in table.objects for fact in graph.facts] for table in tables], words),
        step=step,
        first=np.cumsum([0, *(len(table.values) for table in tables)])[:-1].astype(np.int64),
        values=np.concatenate([table.values for table in tables] or [np.zeros(0, np.uint8)]),
    )
