"""What tests of the engine of Unified Planning share; they are skipped where that library is missing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

up = pytest.importorskip("unified_planning.shortcuts", reason="the extra `unified-planning` is not installed")

from unified_planning.engines import PlanGenerationResultStatus  # noqa: E402
from unified_planning.test.examples import get_example_problems  # noqa: E402

EXAMPLES: dict[str, Any] = get_example_problems()
SOLVED_OPTIMALLY = PlanGenerationResultStatus.SOLVED_OPTIMALLY
SOLVED_SATISFICING = PlanGenerationResultStatus.SOLVED_SATISFICING
UNSUPPORTED = PlanGenerationResultStatus.UNSUPPORTED_PROBLEM
UNSOLVABLE = PlanGenerationResultStatus.UNSOLVABLE_PROVEN


@pytest.fixture(autouse=True)
def factory(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The library with Budge among its engines, and no names that are used up."""
    environment = up.get_environment()
    monkeypatch.setattr(environment, "_credits_stream", None)
    monkeypatch.setattr(environment, "error_used_name", False)
    if "budge" not in environment.factory.engines:
        environment.factory.add_engine("budge", "budge.up_engine", "BudgePlanner")
    return environment.factory


def messages(result: Any) -> str:
    return "\n".join(message.message for message in result.log_messages)


def switches(cost: Any = None, *, parts: int = 3) -> Any:
    """Lamps to be switched on, one after the other; with a cost, that of each action."""
    lamp = up.UserType("Lamp")
    lit, next_to = up.Fluent("lit", x=lamp), up.Fluent("next to", x=lamp, y=lamp)
    switch = up.InstantaneousAction("switch", x=lamp, y=lamp)
    x, y = switch.parameters
    switch.add_precondition(up.And(lit(x), next_to(x, y)))
    switch.add_effect(lit(y), True)
    problem = up.Problem("lamps", initial_defaults={up.BoolType(): False})
    problem.add_fluents([lit, next_to])
    problem.add_action(switch)
    lamps = [up.Object(f"lamp {n}", lamp) for n in range(parts + 1)]
    problem.add_objects(lamps)
    problem.set_initial_value(lit(lamps[0]), True)
    for one, other in pairwise(lamps):
        problem.set_initial_value(next_to(one, other), True)
    problem.add_goal(lit(lamps[-1]))
    if cost is not None:
        problem.add_quality_metric(up.MinimizeActionCosts({switch: cost}))
    return problem
