"""Uniform-cost search in plain Python: for small puzzles, and as the reference for testing the compiled searches.

States are expanded in the order of their cost from the initial state (Dijkstra, *A note on two problems in connexion
with graphs*, 1959); where every step costs one, that is breadth-first search. A goal that costs no more than the
cheapest state not yet expanded plus the cheapest step is a cheapest one. When no state is left, there is no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...models.errors import DisagreementError
from ...models.moves import Cost, show_cost
from ...models.plan import apply
from ...models.program import Machine, ProgramTask, by_form
from ...models.task import Operator, OperatorTask, Task, walks
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder, Status
from ..common.plain_search import PlainSearch, added
from ..common.state_space import facts_in, state_space_of


def solve(task: Task, budget: Budget, progress: Progress = silent, max_states: int | None = None) -> Outcome:
    """Solve a task, of operators or programs. Gives up when more than `max_states` states are known."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1, expanded=0)
    return record.trivial(task) or PlainSearch(task, record, max_states).run()


# A proof that can be checked: the cost of each state that a search has met, verified by an independent program.
#
# Costs c(s) of some states prove that no plan costs less than C, whoever found them, if
#
#     c(initial state) = 0
#     no state with c(s) < C is a goal
#     a step from s to t that costs k, where c(s) + k < C, has c(t) <= c(s) + k
#
# For then along any plan the cost so far is never less than c. (Put C for the c of a state that is not among them.)
# With C infinite they prove that there is no plan. The check shares nothing with the search: it takes no order, no
# queue and no bit patterns, but goes through all operators for each state, by sets, as the task defines them. Where
# actions are programs, it goes through all of them, run by the machine that defines what they do, which the search
# asks, too.

Position = tuple[frozenset[int], int]
"""The true facts and the walker's cell: 0 without a walker, the smallest of its region where walking is for nothing."""


Steps = Callable[[Any], Iterable[tuple[Cost, Any]]]
"""Gives each step from a position: what it costs, and the position after it."""


def certified(task: Task, budget: Budget, seconds: float) -> Outcome | None:
    """The outcome of plain search within `seconds` seconds, after its proof has been checked; None if it is not done by
    then, or the budget does not suffice for the check.

    Raises `DisagreementError` if the proof is wrong.
    """
    record = Recorder(budget.part(seconds), parts=len(task.metric), states=1, expanded=0)
    if done := record.trivial(task):
        return done
    search = PlainSearch(task, record, None)
    outcome = search.run()
    if not outcome.status.proven:
        return None
    least = None if outcome.status is Status.UNSOLVABLE else outcome.upper_bound
    costs: dict[Any, Cost] = {
        state if isinstance(task, ProgramTask) else (facts_in(state.facts), state.cell): way.cost
        for state, way in search.ways.items()
    }
    checked = check(task, costs, least, budget)
    if checked is None:
        return None
    by = f"{outcome.lower_bound_by}; certificate checked: {checked:,} steps from {outcome.stats['expanded']:,} states"
    if least is None:
        return record.unsolvable(by)
    return record.optimal(outcome.plan, least, by)


def check(task: Task, costs: Mapping[Any, Cost], least: Cost | None, budget: Budget) -> int | None:
    """Whether costs of states prove that no plan costs less than `least` (None: that there is no plan).

    A state is a `Position`, or the values of the variables of a program task. Gives how many steps were looked at; None
    if the budget does not allow it. Raises `DisagreementError` if they do not prove it.
    """
    start, is_goal, steps_from = by_form(task, _of_operators, _of_programs)
    if costs.get(start) != (0,) * len(task.metric):
        raise DisagreementError("the certificate of plain search is wrong: it does not begin at the initial state")
    steps = 0
    every = state_space_of(task).look_every
    for number, (state, cost) in enumerate(costs.items()):
        if number % every == 0 and budget.stopped():
            return None
        if least is not None and cost >= least:
            continue
        if is_goal(state):
            raise DisagreementError(f"the certificate of plain search is wrong: a goal costs {show_cost(cost)}")
        for price, after in steps_from(state):
            steps += 1
            total = added(cost, price)
            if least is not None and total >= least:
                continue
            if after not in costs or costs[after] > total:
                raise DisagreementError(f"the certificate of plain search lacks a state that costs {show_cost(total)}")
    return steps


def _of_programs(task: ProgramTask) -> tuple[Any, Callable[[Any], bool], Steps]:
    """The initial state of a task, what is a goal, and the steps from a state."""
    machine = Machine(task)

    def steps(state: tuple[int, ...]) -> Iterator[tuple[Cost, tuple[int, ...]]]:
        for action in task.actions:
            after = machine.after(state, action)
            if after is not None:
                yield action.cost, after

    return task.init, machine.is_goal, steps


def _of_operators(task: OperatorTask) -> tuple[Any, Callable[[Any], bool], Steps]:
    """The initial position of a task, what is a goal, and the steps from a position."""
    moving: dict[int, list[Operator]] = {}
    for op in task.operators:
        if op.displacement:
            moving.setdefault(op.displacement[0], []).append(op)
    start = _position(task, frozenset(task.init), task.walker.start if task.walker else 0)
    return start, lambda position: task.holds(position[0]), lambda position: _steps(task, position, moving)


def _position(task: OperatorTask, facts: frozenset[int], cell: int) -> Position:
    walker = task.walker
    if walker is None:
        return facts, 0
    return facts, cell if any(walker.cost) else min(walks(walker, cell, facts))


def _steps(
    task: OperatorTask, position: Position, moving: dict[int, list[Operator]]
) -> Iterator[tuple[Cost, Position]]:
    """Each step from a position, by the definition: what it costs, and the position after it.

    `moving`: the parts of compound moves, by where they find what they move.
    """
    facts, cell = position
    walker = task.walker
    ways = walks(walker, cell, facts) if walker else {}
    for op in task.operators:
        if not facts.issuperset(op.pre):
            continue
        after = apply(facts, op)
        if walker and op.walk:
            if op.walk[0] in ways:
                walked = tuple(ways[op.walk[0]] * part for part in walker.cost)
                yield added(op.cost, walked), _position(task, after, op.walk[1])
        elif op.displacement:
            reached = [(after, op.displacement[1])]
            for here, place in reached:
                if place != op.displacement[0]:
                    yield (1,), (here, 0)
                for more in moving.get(place, ()):
                    if more.displacement and here.issuperset(more.pre):
                        there = apply(here, more), more.displacement[1]
                        if there not in reached:
                            reached.append(there)
        else:
            yield op.cost, (after, 0)
