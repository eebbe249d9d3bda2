"""Bounds of a program task from variables that change together, as headings of the links of a chain do.

    fold(3)    heading[3], heading[4], heading[5], ... turn by one

`heading[4]` alone is at its goal if any joint up to the fourth has turned. But of the pair heading[3], heading[4] only
the fourth joint changes the difference. So each variable is paired with one that fewer actions change, all of which
change it, too. Patterns that fewer actions change come first, and leave the others what they do not need of the costs
(saturated cost partitioning, `abstractions`): heading[1] takes the first joint's, heading[1] and heading[2] the
second's, and so on. What the pairs do not say (no two links in one place) is left out: the sum is a lower bound.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from math import prod

from ..models.errors import UsageError
from ..models.program import ProgramTask
from ..runtime.budget import Budget
from .program_projections import Projections, abstract_system, patterns_in_order, projections_of, put_together
from .value_graph import TooManyStepsError, ValueGraph, run_of, variables_of

MOST_STATES = 400
"""The most abstract states of a pattern."""

MOST_STEPS = 200_000
"""Steps on the graph of values: about a second."""


def linked_or_single(task: ProgramTask, budget: Budget) -> Projections:
    """Projections to the pairs where variables change together; else those that `projections_of` finds."""
    chosen = task.computed(pairs_of)
    if not chosen:
        return projections_of(task, budget)
    graph = ValueGraph(task, MOST_STEPS)
    run_at = cache(partial(run_of, graph))
    try:
        systems = [abstract_system(graph, pattern, run_at, alone=True) for pattern in chosen]
    except (TooManyStepsError, RecursionError, UsageError):
        return projections_of(task, budget)
    patterns = patterns_in_order(task, [system for system in systems if system is not None])
    linked = put_together(patterns, [variable.low for variable in task.variables])
    return replace(linked, words=f"{linked.words} that change together")


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
