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

import heapq
from collections import Counter

import numpy as np

from ...models.task import Task
from ...runtime.arrays import bit_rows
from ...runtime.budget import Budget
from ..bitset_task import cost_key, to_bitset_task
from ..transition_graphs import TransitionGraph, transition_graphs
from .kernels import Patterns as Patterns
from .kernels import patterns_value
from .partition import partition
from .tables import PatternTable, fill


def no_patterns(task: Task) -> Patterns:
    """Pattern databases without a table: a heuristic that is 0 in every state."""
    return _patterns(task, {}, [])


def additive_patterns(task: Task, entries: int = 0, budget: Budget | None = None) -> Patterns:
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


def root_value(task: Task) -> int:
    """The bound of single objects on the cost from the initial state, as a key: the cheapest of all bounds to have.

    -1 if an object cannot get to where it may end.
    """
    return int(patterns_value(additive_patterns(task), to_bitset_task(task).init))


def _patterns(task: Task, single: dict[int, int], tables: list[PatternTable]) -> Patterns:
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


def single_distances(task: Task, graph: TransitionGraph) -> dict[int, int]:
    """For each fact of an object the least cost (as a key) of its own operators to where it may end; -1 for none.

    With interchangeable objects, each of them has to end in one of these facts, so that their costs add.
    """
    keys = [cost_key(op.cost) for op in task.operators]
    compound = min(keys) if task.compound_moves else None
    moved = Counter(arc.operator for arc in graph.arcs)
    entered: dict[int, list[tuple[int, int]]] = {}
    for arc in graph.arcs:
        # An operator that moves several objects of one group pays for none of them.
        own = arc.operator in graph.operators and moved[arc.operator] == 1
        entered.setdefault(arc.after, []).append((arc.before, keys[arc.operator] if own else 0))
    distance: dict[int, int] = {}
    queue = [(0, fact) for fact in sorted(graph.ends)]
    while queue:
        cost, fact = heapq.heappop(queue)
        if fact in distance:
            continue
        distance[fact] = cost
        for before, key in entered.get(fact, ()):
            if before not in distance:
                heapq.heappush(queue, (cost + key if compound is None else min(cost + key, compound), before))
    return {fact: distance.get(fact, -1) for fact in graph.facts}
