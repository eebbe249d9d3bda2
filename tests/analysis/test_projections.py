"""Projections of program tasks: lower bounds in every reachable state, and the bounds of shipped puzzles."""

from __future__ import annotations

from functools import cache, partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from budge import PuzzleError, UsageError, load, load_text
from budge.analysis.abstractions import NEVER, Sums
from budge.analysis.program_projections import project, projections_of
from budge.analysis.value_graph import ValueGraph, run_of
from budge.models.program import Machine, ProgramTask
from budge.runtime.budget import Budget

from ..helpers.program_tasks import task_of, undoable
from ..helpers.random_definitions import Definitions

State = tuple[int, ...]

MOST = 200


def costs_to_go(task: ProgramTask) -> dict[State, int] | None:
    """What each reachable state still costs, `NEVER` if no goal can be reached; None if there are too many states."""
    machine, before = Machine(task), dict[State, list[tuple[State, int]]]()
    waiting = [task.init]
    seen = {task.init}
    for state in waiting:
        if len(waiting) > MOST:
            return None
        for action in task.actions:
            after = machine.after(state, action)
            if after is not None:
                before.setdefault(after, []).append((state, action.cost[0]))
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    costs = {state: 0 if machine.is_goal(state) else NEVER for state in waiting}
    changed = [state for state, cost in costs.items() if cost == 0]
    for state in changed:
        for other, cost in before.get(state, ()):
            if costs[state] + cost < costs[other]:
                costs[other] = costs[state] + cost
                changed.append(other)
    return costs


def bound_of(sums: Sums, state: State) -> int:
    """The largest sum of distances in a state: the definition of `largest_sum`."""
    seen = [
        base + sum(state[v] * s for v, s in zip(sums.variables[a:b].tolist(), sums.strides[a:b].tolist(), strict=True))
        for base, (a, b) in zip(sums.base.tolist(), pairwise(sums.first.tolist()), strict=True)
    ]
    distances = sums.distances[sums.offset + np.array(seen, np.int64)[sums.system]]
    return max((min(NEVER, sum(distances[a:b].tolist())) for a, b in pairwise(sums.sum_first.tolist())), default=0)


def check(task: ProgramTask) -> int:
    """Hold the bounds of a task against what its states cost; how many of them say something."""
    costs = costs_to_go(task)
    if costs is None or len(task.metric) > 1:
        return 0
    graph = ValueGraph(task, 10**6)
    run_at = cache(partial(run_of, graph))
    pairs = combinations(range(len(task.variables)), 2)
    told = 0
    for variables in [*((v,) for v in range(len(task.variables))), *list(pairs)[:5]]:
        pattern = project(graph, variables, run_at)
        if pattern is None:
            continue
        assert pattern.variables == variables
        for state, cost in costs.items():
            terms = zip(variables, pattern.strides, strict=True)
            distance = int(pattern.distance[sum((state[v] - task.variables[v].low) * s for v, s in terms)])
            assert distance <= cost, (state, variables)
            told += distance > 0
    found = projections_of(task, Budget())
    for state, cost in costs.items():
        assert bound_of(found.tables.sums, state) <= cost, state
    return told


def test_they_are_lower_bounds_on_random_definitions() -> None:
    told = 0
    for seed in range(25):
        try:
            told += check(task_of(load_text(Definitions(seed).text(), "text")))
        except (PuzzleError, UsageError):
            continue
    assert told > 200
    assert sum(check(task_of(load_text(undoable(seed)))) for seed in range(5)) > 200


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        *(("bridge-and-torch", 10), ("folding-14", 8), ("hanoi-8", 8), ("ice-maze", 17), ("knights-exchange", 8)),
        *(("labyrinth-8x8", 14), ("lights-out", 6), ("loopover-3x3", 3), ("rubiks-cube-2x2x2", 4), ("rush-hour", 4)),
        *(("snake-8", 1), ("topspin", 2), ("wolf-goat-cabbage", 3)),
    ],
)
def test_bounds_of_shipped_puzzles(name: str, bound: int) -> None:
    found = projections_of(task_of(load(f"custom/{name}")), Budget())
    assert found.stats["root_bound"] == bound


def test_what_is_said_of_the_state_after_rules_moves_out() -> None:
    """From 0 to 3 by 1 or 2, but never at 2, whatever the other variable is: two moves become three at the least."""
    text = """\
format: 1
family: custom
state:
  x: {in: 0..4, start: 0}
  y: {in: 0..1, start: 0}
always: "x != 2 and not (x == 4 and y == 1)"
actions:
  far: {set: {x: x + 2}}
  near: {set: {x: x + 1}}
  back: {set: {x: x - 1, y: 1 - y}}
goal: x == 4
"""
    assert projections_of(task_of(load_text(text)), Budget()).stats["root_bound"] == 3
