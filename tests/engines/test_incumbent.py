"""Another engine's plan is known: only cheaper ones are looked for, and that there is none is a bound, no answer."""

from __future__ import annotations

import pytest
from budge import Budget, Plan, Status, load
from budge.engines.table import ENGINES
from budge.models.moves import Cost

PUZZLES = [
    ("bird-2", "steps"),
    ("eight-15", "moves"),
    ("microban-001", "pushes"),
    ("microban-001", "moves"),
    ("microban-001", "pushes,moves"),
    ("sliding_block/simplicity", "moves"),
]
ENGINE_NAMES = "astar", "idastar"


class Told(Budget):
    """A budget that keeps the plans that it is offered."""

    def __init__(self, incumbent: Cost | None = None) -> None:
        super().__init__(60)
        self.incumbent = incumbent
        self.offers: list[tuple[Plan, Cost]] = []

    def offer(self, plan: Plan, cost: Cost) -> None:
        self.offers.append((plan, cost))
        super().offer(plan, cost)


@pytest.mark.parametrize("engine", ENGINE_NAMES)
@pytest.mark.parametrize(("name", "metric"), PUZZLES)
def test_a_plan_that_is_known(engine: str, name: str, metric: str) -> None:
    task = load(name).task(metric)
    optimum = ENGINES["bfs"].run(task, budget=Budget()).upper_bound
    assert optimum
    outcome = ENGINES[engine].run(task, budget=Told(optimum))
    assert (outcome.status, outcome.plan, outcome.lower_bound) == (Status.UNKNOWN, None, optimum)
    dearer = (optimum[0] + 1, *optimum[1:])
    outcome = ENGINES[engine].run(task, budget=Told(dearer))
    assert (outcome.status, outcome.lower_bound, outcome.upper_bound) == (Status.OPTIMAL, optimum, optimum)


@pytest.mark.parametrize("engine", [*ENGINE_NAMES, "greedy"])
@pytest.mark.parametrize(("name", "metric"), PUZZLES)
def test_plans_are_offered(engine: str, name: str, metric: str) -> None:
    """Whatever is offered replays at the cost that is said, and gets cheaper."""
    puzzle, budget = load(name), Told()
    outcome = ENGINES[engine].run(puzzle.task(metric), budget=budget)
    assert outcome.plan
    costs = [cost for _, cost in budget.offers]
    assert costs == sorted(costs, reverse=True)
    for plan, cost in budget.offers:
        replay = puzzle.replay(plan)
        assert replay.solved
        assert tuple(replay.costs[part] for part in metric.split(",")) == cost
    if engine == "greedy":
        assert costs
