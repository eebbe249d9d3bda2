"""A proof that can be checked: the cost of each state that a search has met, verified by an independent program.

Costs c(s) of some states prove that no plan costs less than C, whoever found them, if

    c(initial state) = 0
    no state with c(s) < C is a goal
    a step from s to t that costs k, where c(s) + k < C, has c(t) <= c(s) + k

For then along any plan the cost so far is never less than c. (Put C for the c of a state that is not among them.) With
C infinite they prove that there is no plan. The check shares nothing with the search: it takes no order, no queue and
no bit patterns, but goes through all operators for each state, by sets, as the task defines them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...models.cost import Cost, show_cost
from ...models.errors import DisagreementError
from ...models.plan import apply
from ...models.task import Operator, Task
from ...models.walking import walks
from ...runtime.budget import Budget
from ...runtime.outcome import Outcome, Recorder, Status
from ..common.state_space import look_every
from .engine import PlainSearch, added

Position = tuple[frozenset[int], int]
"""The true facts and the walker's cell: 0 without a walker, the smallest of its region where walking is for nothing."""


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
    facts = range(len(task.facts))
    costs = {
        (frozenset(fact for fact in facts if state.facts >> fact & 1), state.cell): way.cost
        for state, way in search.ways.items()
    }
    checked = check(task, costs, least, budget)
    if checked is None:
        return None
    by = f"{outcome.lower_bound_by}; certificate checked: {checked:,} steps from {outcome.stats['expanded']:,} states"
    if least is None:
        return record.unsolvable(by)
    return record.optimal(outcome.plan, least, by)


def check(task: Task, costs: dict[Position, Cost], least: Cost | None, budget: Budget) -> int | None:
    """Whether costs of states prove that no plan costs less than `least` (None: that there is no plan).

    Gives how many steps were looked at; None if the budget does not allow it. Raises `DisagreementError` if they do not
    prove it.
    """
    start = _position(task, frozenset(task.init), task.walker.start if task.walker else 0)
    if costs.get(start) != (0,) * len(task.metric):
        raise DisagreementError("the certificate of plain search is wrong: it does not begin at the initial state")
    steps = 0
    moving: dict[int, list[Operator]] = {}
    for op in task.operators:
        if op.displacement:
            moving.setdefault(op.displacement[0], []).append(op)
    every = look_every(task)
    for number, (position, cost) in enumerate(costs.items()):
        if number % every == 0 and budget.stopped():
            return None
        if least is not None and cost >= least:
            continue
        if task.holds(position[0]):
            raise DisagreementError(f"the certificate of plain search is wrong: a goal costs {show_cost(cost)}")
        for price, after in _steps(task, position, moving):
            steps += 1
            total = added(cost, price)
            if least is not None and total >= least:
                continue
            if after not in costs or costs[after] > total:
                raise DisagreementError(f"the certificate of plain search lacks a state that costs {show_cost(total)}")
    return steps


def _position(task: Task, facts: frozenset[int], cell: int) -> Position:
    walker = task.walker
    if walker is None:
        return facts, 0
    return facts, cell if any(walker.cost) else min(walks(walker, cell, facts))


def _steps(task: Task, position: Position, moving: dict[int, list[Operator]]) -> Iterator[tuple[Cost, Position]]:
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
