"""Bounds of a program task from variables that change together, as headings of the links of a chain do.

    fold(3)    heading[3], heading[4], heading[5], ... turn by one

`heading[4]` alone is at its goal if any joint up to the fourth has turned. But of the pair heading[3], heading[4] only
the fourth joint changes the difference. So each variable is paired with one that fewer actions change, all of which
change it, too. Patterns that fewer actions change come first, and leave the others what they do not need of the costs
(saturated cost partitioning, `abstractions`): heading[1] takes the first joint's, heading[1] and heading[2] the
second's, and so on. What the pairs do not say (no two links in one place) is left out: the sum is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from ..models.errors import UsageError
from ..models.program import ProgramTask
from ..runtime.budget import Budget
from ..runtime.kernel_calls import laid_out
from .abstractions import NEVER, AbstractSystem, by_target, in_order, sums_of
from .bitset_task import cost_keys
from .program_projections import LARGEST_COST, Projections, no_projections, projections_of
from .value_graph import Box, Node, TooManyStepsError, ValueGraph, run_of, variables_of

MOST_STATES = 400
"""The most abstract states of a pattern."""

MOST_STEPS = 200_000
"""Steps on the graph of values: about a second."""


def linked_or_single(task: ProgramTask, budget: Budget) -> Projections:
    """Projections to the pairs where variables change together; else those that `projections_of` finds."""
    chosen = task.computed(pairs_of)
    if not chosen:
        return projections_of(task, budget)
    cost = np.minimum(cost_keys(action.cost for action in task.actions), LARGEST_COST)
    try:
        systems = list(_systems(ValueGraph(task, MOST_STEPS), chosen))
    except (TooManyStepsError, RecursionError, UsageError):
        return projections_of(task, budget)
    levels, _ = in_order([(system, laid_out(system)) for system in systems], cost)
    patterns = [(system.variables.tolist(), system.strides.tolist()) for system in systems]
    sums = [[(number, len(level)) for number, level in enumerate(levels)]]
    lows = [variable.low for variable in task.variables]
    linked = sums_of(patterns, sums, np.concatenate([*levels, np.zeros(0, np.int64)]), lows)
    starts = [sum((task.init[v] - lows[v]) * stride for v, stride in zip(*each, strict=True)) for each in patterns]
    bound = sum(int(level[start]) for level, start in zip(levels, starts, strict=True))
    stats = {"projections": len(patterns), "root_bound": bound if bound < NEVER else -1}
    words = f"projections to {len(patterns):,} variables that change together"
    return Projections(no_projections().tables._replace(sums=linked), words, stats)


def pairs_of(task: ProgramTask) -> list[tuple[int, ...]]:
    """Each variable that changes, behind the one that is paired with it, if there is one; fewest actions first. None if
    most have no such partner, or take values from others, as the pieces of a cube do.
    """
    writers = {
        v: frozenset(number for number, action in enumerate(task.actions) if v in action.writes and any(action.cost))
        for v in range(len(task.variables))
    }
    chosen: list[tuple[int, ...]] = []
    for v in sorted((v for v in writers if writers[v]), key=lambda v: len(writers[v])):
        fewer = [other for other in writers if writers[other] and writers[other] < writers[v]]
        pair = (max(fewer, key=lambda other: len(writers[other])), v) if fewer else (v,)
        if prod(len(task.variables[v].values) for v in pair) <= MOST_STATES:
            chosen.append(pair)
    most = 2 * sum(len(pair) > 1 for pair in chosen) > len(chosen)
    return chosen if most and _turn_in_place(task) else []


def _turn_in_place(task: ProgramTask) -> bool:
    """Whether what each variable becomes depends on itself alone."""
    graph = ValueGraph(task, MOST_STEPS)
    try:
        runs = [run_of(graph, action.entry) for action in task.actions]
    except (TooManyStepsError, RecursionError, UsageError):
        return False
    return all(not variables_of(node) & ~(1 << v) for run in runs for v, node in run.become.items())


def _systems(graph: ValueGraph, chosen: Sequence[tuple[int, ...]]) -> Iterator[AbstractSystem]:
    """The abstract transition systems of patterns, as far as programs say something of their variables alone."""
    task = graph.task
    goal, runs = run_of(graph, task.goal), [run_of(graph, action.entry) for action in task.actions]
    for pattern in chosen:
        own = sum(1 << v for v in pattern)
        strides = [prod(task.variables[v].high - task.variables[v].low + 1 for v in pattern[:n]) for n in (0, 1)]
        terms = [
            {value: (value - task.variables[v].low) * stride for value in task.variables[v].values}
            for v, stride in zip(pattern, strides, strict=False)
        ]
        places = product(*(range(len(task.variables[v].values)) for v in pattern))
        numbers = map(sum, product(*(each.values() for each in terms)))
        boxes: list[tuple[int, Box]] = [
            (number, {v: frozenset((place,)) for v, place in zip(pattern, known, strict=True)})
            for number, known in zip(numbers, places, strict=True)
        ]

        def where(conditions: Sequence[Node], boxes: list[tuple[int, Box]] = boxes, own: int = own) -> list[int]:
            told = [each for each in conditions if not variables_of(each) & ~own]
            return [n for n, (_, box) in enumerate(boxes) if all(graph.possible(each, box) != (0,) for each in told)]

        edges = set[tuple[int, int, int]]()
        for number, (action, run) in enumerate(zip(task.actions, runs, strict=True)):
            for n in where(run.demands) if not action.writes.isdisjoint(pattern) else ():
                state, box = boxes[n]
                options = []
                for v, each in zip(pattern, terms, strict=True):
                    values = graph.possible(run.become.get(v, graph.variables[v]), box)
                    options.append([each[value] for value in (each if values is None else values) if value in each])
                edges.update((state, after, number) for after in map(sum, product(*options)) if after != state)
                graph.count(prod(map(len, options)))
        size = prod(task.variables[v].high - task.variables[v].low + 1 for v in pattern)
        source, target, label = np.array(sorted(edges), np.int64).reshape(-1, 3).T
        yield AbstractSystem(
            *by_target(size, source, target, label),
            label_first=np.arange(len(task.actions) + 1, dtype=np.int32),
            operators=np.arange(len(task.actions), dtype=np.int32),
            goals=np.array([boxes[n][0] for n in where(goal.demands)], np.int32),
            variables=np.array(pattern, np.int32),
            strides=np.array(strides[: len(pattern)], np.int64),
        )
