"""The reachable states of a small task, and the best steps from its initial state, in plain Python.

The same answers as those of `engines/common/reachable.py`, which compiled kernels find; None where there are more
states than it is given time for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import LayerDone, Progress, silent
from .difficulty import Hint, Space
from .state_space import state_space_of

if TYPE_CHECKING:  # numpy is loaded when it is needed
    from .difficulty import Column
from .state_space import STATE_BYTES


class _States:
    """The reachable states by number, in the order of their depth: `ends[d]` is how many are at most d steps away.

    `before[n]` has each state of which one step leads to state n, with that step as the state space gives it; the first
    of them is on a shortest way.
    """

    def __init__(self, task: Task | ProgramTask, budget: Budget) -> None:
        self.task, self.space, self.budget = task, state_space_of(task), budget
        self.told: list[LayerDone] = []
        self.states: list[Any] = [self.space.start]
        self.ends = [1]
        self.before: list[list[tuple[int, Any]]] = [[]]
        self._number = {self.space.start: 0}

    def grow(self) -> bool:
        """Visit the states one step from the last layer; without any, no layer is added. False if the budget does
        not allow it.
        """
        end = len(self.states)
        for here in range(self.ends[-2] if len(self.ends) > 1 else 0, end):
            if here % self.space.look_every == 0 and (self.budget.stopped() or not self._fits()):
                return False
            for step, _, after in self.space.steps(self.states[here]):
                number = self._number.setdefault(after, len(self.states))
                if number == len(self.states):
                    self.states.append(after)
                    self.before.append([])
                self.before[number].append((here, step))
        if len(self.states) > end:
            self.ends.append(len(self.states))
            depth = len(self.ends) - 1
            self.told.append(LayerDone(seconds=self.budget.elapsed, depth=depth, states=len(self.states)))
        return True

    def grow_all(self) -> bool:
        """Visit all states. False if the budget does not allow it."""
        depth = 0
        while len(self.ends) > depth:
            depth = len(self.ends)
            if not self.grow():
                return False
        return True

    def tell(self, progress: Progress) -> None:
        """Report the layers, which were held back until it is certain that no other search reports them."""
        for event in self.told:
            progress(event)

    def _fits(self) -> bool:
        return self.budget.fits(2 * STATE_BYTES * len(self.states))

    def goals(self, start: int = 0) -> list[bool]:
        """For each state from `start` on whether it is a goal."""
        solvable = not self.task.unsolvable_because  # else its goal may be empty
        return [solvable and self.space.is_goal(state) for state in self.states[start:]]

    def away(self, at_goal: list[bool]) -> list[int]:
        """For each state the least number of steps to a goal, -1 where no way leads to one."""
        away = [0 if goal else -1 for goal in at_goal]
        queue = deque(number for number, goal in enumerate(at_goal) if goal)
        while queue:
            here = queue.popleft()
            for before, _ in self.before[here]:
                if away[before] < 0:
                    away[before] = away[here] + 1
                    queue.append(before)
        return away

    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""
        way = [number]
        while way[-1]:
            way.append(self.before[way[-1]][0][0])
        return way[::-1]

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return self.space.plan(self.before[state][0][1] for state in self.way_to(number)[1:])

    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""
        facts: int = self.states[number].facts
        return frozenset(fact for fact in range(facts.bit_length()) if facts >> fact & 1)

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        from .difficulty import column_of

        for v, variable in enumerate(self.task.variables if isinstance(self.task, ProgramTask) else ()):
            yield column_of(variable, [state[v] for state in self.states])


def explore(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Space | None:
    """Visit every reachable state of a task in which every step costs one."""
    found = _States(task, budget)
    if not found.grow_all():
        return None
    found.tell(progress)
    import numpy as np

    from .difficulty import space_of

    at_goal = found.goals()
    first = np.cumsum([0, *map(len, found.before)])
    sources = np.array([here for before in found.before for here, _ in before], np.int32)
    away = np.array(found.away(at_goal), np.int32)
    return space_of(found, np.array(at_goal), (first, sources), away)


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Of `states` reachable ones, `goals` are goals and `dead` have no way to one; `nearest` leads to one of these that
    is fewest steps away.

    Of a program task, `applied`: the names of the actions that change a state; `changed`: the numbers of the variables
    that have several values.
    """

    states: int
    goals: int
    dead: int
    nearest: Plan | None
    applied: frozenset[str] = frozenset()
    changed: frozenset[int] = frozenset()


def dead_ends(task: Task | ProgramTask, budget: Budget) -> DeadEnds | None:
    """The dead ends among all reachable states; None where these are too many for the budget."""
    found = _States(task, budget)
    if not found.grow_all():
        return None
    at_goal = found.goals()
    away = found.away(at_goal)
    dead = away.count(-1)
    plan = found.plan_to(away.index(-1)) if dead and any(at_goal) else None
    if not isinstance(task, ProgramTask):
        return DeadEnds(len(away), sum(at_goal), dead, plan)
    applied = frozenset(step.name for before in found.before for _, step in before)
    changed = frozenset(v for v, value in enumerate(task.init) if any(state[v] != value for state in found.states))
    return DeadEnds(len(away), sum(at_goal), dead, plan, applied, changed)


def hint(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Hint | None:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    found = _States(task, budget)
    start = 0
    while not any(at_goal := found.goals(start)):
        start = len(found.states)
        if not found.grow():
            return None
        if len(found.states) == start:
            found.tell(progress)
            return Hint(None, len(found.ends), (), start)
    found.tell(progress)
    distance = len(found.ends) - 1
    # The states of a layer from which a shortest plan goes on, from the layer of the goal back to the first.
    leading = {start + number for number, goal in enumerate(at_goal) if goal}
    for depth in range(distance - 1, 0, -1):
        layer = range(found.ends[depth - 1], found.ends[depth])
        leading = {here for state in leading for here, _ in found.before[state] if here in layer}
    steps = tuple(map(found.plan_to, sorted(leading))) if distance else ()
    return Hint(distance, distance, steps, len(found.states))
