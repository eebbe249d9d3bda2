"""The reachable states of a small task, and the best steps from its initial state, in plain Python.

The same answers as those of `engines/common/reachable.py`, which compiled kernels find; None where there are more
states than it is given time for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...models.plan import Plan
from ...models.task import Operator, Task
from ...runtime.budget import Budget
from ...runtime.events import LayerDone, Progress, silent
from ..plain.engine import STATE_BYTES, look_every
from .space import Hint, Space
from .state_space import State, StateSpace

if TYPE_CHECKING:
    from .difficulty import Features


class _Layers:
    """The states by their distance from the initial one: `layers[d]` has those that are d steps away, in order.

    `before[state]` has each state of which one step leads there, with the operators of that step.
    """

    def __init__(self, task: Task, budget: Budget) -> None:
        self.space, self.budget = StateSpace(task), budget
        self.told: list[LayerDone] = []
        self.layers = [[self.space.start]]
        self.depth = {self.space.start: 0}
        self.before: dict[State, list[tuple[State, tuple[Operator, ...]]]] = {self.space.start: []}
        self._look_every = look_every(task)
        self._expanded = 0

    def grow(self) -> bool:
        """Add the next layer; it is empty if there are no more states. False if the budget does not allow it."""
        layer: list[State] = []
        for state in self.layers[-1]:
            if self._expanded % self._look_every == 0 and (self.budget.stopped() or not self._fits()):
                return False
            self._expanded += 1
            for operators, _, after in self.space.steps(state):
                if after not in self.depth:
                    self.depth[after] = len(self.layers)
                    self.before[after] = []
                    layer.append(after)
                self.before[after].append((state, operators))
        self.layers.append(layer)
        if layer:
            seconds, depth = self.budget.elapsed, len(self.layers) - 1
            self.told.append(LayerDone(seconds=seconds, depth=depth, states=len(self.depth)))
        return True

    def tell(self, progress: Progress) -> None:
        """Tell of the layers, now that it is certain that nobody else will."""
        for event in self.told:
            progress(event)

    def _fits(self) -> bool:
        return self.budget.fits(2 * STATE_BYTES * len(self.depth))

    def plan_to(self, state: State) -> Plan:
        steps = []
        while state != self.space.start:
            state, operators = self.before[state][0]
            steps.append(operators)
        return self.space.plan(steps[::-1])


def explore(task: Task, budget: Budget, progress: Progress = silent) -> Space | None:
    """Visit every reachable state of a task in which every step costs one."""
    found = _all_states(task, budget)
    if found is None:
        return None
    found.tell(progress)
    goals = [state for state in found.depth if found.space.is_goal(state)]
    away = _away(found, goals)
    most = max(away.values(), default=-1)
    farthest = next((state for state in found.depth if away.get(state) == most), None)
    counts = [0] * (most + 1)
    for distance in away.values():
        counts[distance] += 1
    return Space(
        len(found.depth),
        tuple(map(len, found.layers[:-1])),
        len(goals),
        distances=tuple(counts),
        distance=away.get(found.space.start),
        dead_ends=len(found.depth) - len(away),
        farthest=None if farthest is None else found.plan_to(farthest),
        features=_features(task, found, goals, away) if found.space.start in away else None,
    )


def _features(task: Task, found: _Layers, goals: list[State], away: dict[State, int]) -> Features | None:
    """The features of the start, with states numbered in the order of their depth."""
    import numpy as np

    from .difficulty import features

    def facts(state: State) -> frozenset[int]:
        return frozenset(n for n in range(len(task.facts)) if state.facts >> n & 1)

    number = {state: n for n, state in enumerate(found.depth)}
    path = [goals[0]]
    while path[-1] != found.space.start:
        path.append(found.before[path[-1]][0][0])
    return features(
        task,
        [facts(state) for state in reversed(path)],
        np.cumsum([0, *(len(found.before[state]) for state in found.depth)]),
        np.array([number[one] for state in found.depth for one, _ in found.before[state]], np.int32),
        np.array([away.get(state, -1) for state in found.depth], np.int32),
    )


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Of `states` reachable ones, `goals` are goals and `dead` have no way to one; `nearest` leads to one of these that
    is fewest steps away.
    """

    states: int
    goals: int
    dead: int
    nearest: Plan | None


def dead_ends(task: Task, budget: Budget) -> DeadEnds | None:
    """The dead ends among all reachable states; None where these are too many for the budget."""
    found = _all_states(task, budget)
    if found is None:
        return None
    goals = [state for state in found.depth if found.space.is_goal(state)]
    away = _away(found, goals)
    nearest = next((state for state in found.depth if state not in away), None)
    plan = None if nearest is None or not goals else found.plan_to(nearest)
    return DeadEnds(len(found.depth), len(goals), len(found.depth) - len(away), plan)


def _all_states(task: Task, budget: Budget) -> _Layers | None:
    found = _Layers(task, budget)
    while found.layers[-1]:
        if not found.grow():
            return None
    return found


def _away(found: _Layers, goals: Iterable[State]) -> dict[State, int]:
    """How many steps each state is from a goal, for those from which there is a way."""
    away = dict.fromkeys(goals, 0)
    queue = deque(away)
    while queue:
        state = queue.popleft()
        for before, _ in found.before[state]:
            if before not in away:
                away[before] = away[state] + 1
                queue.append(before)
    return away


def hint(task: Task, budget: Budget, progress: Progress = silent) -> Hint | None:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    found = _Layers(task, budget)
    while not (at_goal := [state for state in found.layers[-1] if found.space.is_goal(state)]):
        if not found.grow():
            return None
        if not found.layers[-1]:
            found.tell(progress)
            return Hint(None, len(found.layers) - 1, (), len(found.depth))
    found.tell(progress)
    distance = len(found.layers) - 1
    leading = set(at_goal)
    """The states of a layer from which a shortest plan goes on; from the goal's layer to the first."""
    for depth in range(distance - 1, 0, -1):
        leading = {one for state in leading for one, _ in found.before[state] if found.depth[one] == depth}
    first = [state for state in found.layers[1] if state in leading] if distance else []
    return Hint(distance, distance, tuple(found.plan_to(state) for state in first), len(found.depth))
