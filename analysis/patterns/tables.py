"""Filling the table of a pattern database: a breadth-first search backward from the goal over the placements.

The places that the objects of a table cover are closed to each other: an operator does not apply if it requires a fact
that excludes the place of another one. Where every operator also moves the one fact of a further group (the blank of
an n-puzzle), that fact is tracked while the table is filled, and minimised out: the entry of a placement is the least
over the places of the blank (Korf and Felner 2002, section 3.2).

    1 . x      Tiles 1 and 2, and x for tiles that are not in the table: the blank moves among the x for nothing, but
    x x 2      to move tile 1 it has to get beside it past tile 2, or move tile 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Bytes, Longs, Words, bit_rows
from ...runtime.budget import Budget
from ..goal_positions import false_at_goal, goal_positions
from ..structure import structure_of
from ..transition_graphs import Arc, TransitionGraph, TransitionGraphs
from .kernels import UNREACHED, Arcs, Blank, Shape, flood, goal_placements, spread, spread_tracked
from .partition import barred_by

# Placements expanded between two looks at the clock.
PLACEMENTS_A_LOOK = 100_000

BLANK_PLACES = 31
"""Places of the blank at most: they are bits of a word."""

BYTES, BYTES_TRACKED = 10, 24
"""Memory for an entry of a table while it is filled, with the queue, which is twice as long with a blank."""

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


def fill(task: Task, transitions: TransitionGraphs, objects: Objects, budget: Budget) -> PatternTable | None:
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


def _arcs(task: Task, layout: _Layout, objects: Objects) -> Arcs:
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


def _tracked(task: Task, transitions: TransitionGraphs, objects: Objects) -> _Tracked | None:
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
