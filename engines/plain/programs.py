"""Uniform-cost search in plain Python over actions as programs."""

from __future__ import annotations

import heapq

from ...models.cost import Cost, show_cost
from ...models.program import Machine, ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.tunables import STATES
from .engine import added

Values = tuple[int, ...]

LOOK_EVERY = 20
"""States that are expanded between two looks at the budget."""


def plain(task: ProgramTask, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task: states in the order of their cost (Dijkstra 1959). What the compiled searches are held against."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1, expanded=0)
    if task.unsolvable_because:
        return record.unsolvable(task.unsolvable_because)
    record.encoded()
    machine, zero = Machine(task), (0,) * len(task.metric)
    ways: dict[Values, tuple[Cost, Values, int]] = {task.init: (zero, task.init, -1)}
    waiting: list[tuple[Cost, Values]] = [(zero, task.init)]
    expanded = 0
    while waiting:
        cost, state = heapq.heappop(waiting)
        if ways[state][0] < cost:
            continue
        proof = f"plain search: no goal costs less than {show_cost(cost)}"
        if machine.is_goal(state):
            return record.optimal(task.plan(_actions_to(ways, state)), cost, proof)
        record.raise_bound(cost, proof, states=len(ways))
        expanded += 1
        record.stats.update(states=len(ways), expanded=expanded)
        if expanded % LOOK_EVERY == 1:
            fits = budget.fits(STATES.plain_bytes * len(ways))
            if reason := budget.stopped() or (None if fits else "memory limit"):
                return record.stopped(reason)
        for number, action in enumerate(task.actions):
            after = machine.after(state, action)
            total = added(cost, action.cost)
            if after is not None and (after not in ways or ways[after][0] > total):
                ways[after] = total, state, number
                heapq.heappush(waiting, (total, after))
    return record.unsolvable(f"plain search: none of the {len(ways):,} reachable states is a goal")


def _actions_to(ways: dict[Values, tuple[Cost, Values, int]], state: Values) -> list[int]:
    """The numbers of the actions on the cheapest way to a state, in order."""
    numbers = []
    while ways[state][2] >= 0:
        _, before, number = ways[state]
        numbers.append(number)
        state = before
    return numbers[::-1]
