"""Budge as an engine of Unified Planning: on that library's own problems, on random ones, whose optima its own
simulator finds, and on what a kind of problem does not say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ..helpers.up_support import (
    EXAMPLES,
    SOLVED_OPTIMALLY,
    SOLVED_SATISFICING,
    UNSOLVABLE,
    UNSUPPORTED,
    messages,
    switches,
    up,
)
from ..helpers.up_support import factory as factory  # isort: split

from budge.up_engine import BudgePlanner
from budge.up_engine.translation import FEATURES
from unified_planning.engines import SequentialPlanValidator
from unified_planning.exceptions import UPUsageError
from unified_planning.plans import ActionInstance, SequentialPlan

from ..helpers.random_up import RandomProblem, optimum

pytestmark = pytest.mark.filterwarnings("ignore:Name .* already defined")

READ = [name for name, example in EXAMPLES.items() if BudgePlanner.supports(example.problem.kind)]


# The problems of the library


def test_which_examples_are_read() -> None:
    assert len(READ) >= 21
    assert {"basic_conditional", "safe_road", "locations_connected_cost_minimize", "hierarchical_blocks_world"} <= {
        *READ
    }
    for name in {*EXAMPLES} - {*READ}:  # each has something that PDDL's classical part cannot say
        features = EXAMPLES[name].problem.kind.features - {*FEATURES}
        assert features, name


@pytest.mark.weekly
@pytest.mark.parametrize("name", READ)
def test_examples(name: str) -> None:
    example = EXAMPLES[name]
    result = BudgePlanner().solve(example.problem)
    assert example.solvable
    assert result.status is (SOLVED_OPTIMALLY if example.problem.quality_metrics else SOLVED_SATISFICING)
    judged = SequentialPlanValidator().validate(example.problem, result.plan)
    assert judged
    if judged.metric_evaluations:
        assert [*judged.metric_evaluations.values()] == [optimum(example.problem)]
        assert int(result.metrics["upper_bound"]) == optimum(example.problem) == int(result.metrics["lower_bound"])
    for expected, plans in ((True, [result.plan, *example.valid_plans]), (False, example.invalid_plans)):
        for plan in plans:
            assert bool(BudgePlanner().validate(example.problem, plan)) is expected


@pytest.mark.weekly
@pytest.mark.parametrize("name", sorted({*EXAMPLES} - {*READ}))
def test_examples_that_are_refused(name: str, factory: Any) -> None:
    problem = EXAMPLES[name].problem
    with pytest.raises(UPUsageError):
        BudgePlanner().solve(problem)
    with pytest.warns(UserWarning, match="cannot establish"):  # an engine that is asked for by its name only warns
        result = factory.OneshotPlanner(name="budge").solve(problem)
    assert result.status is UNSUPPORTED
    assert "not read" in messages(result)


def compared(seed: int) -> None:
    """Solve and judge a random problem, and compare with the library's simulator and validator."""
    problem = RandomProblem(seed).made()
    planner, expected = BudgePlanner(engine="plain"), optimum(problem)
    assert planner.supports(problem.kind)
    result = planner.solve(problem)
    if expected == "large":
        return
    if expected is None:
        assert result.status is UNSOLVABLE, seed
        return
    assert result.status is (SOLVED_OPTIMALLY if problem.quality_metrics else SOLVED_SATISFICING), (seed, result)
    theirs = SequentialPlanValidator().validate(problem, result.plan)
    ours = planner.validate(problem, result.plan)
    assert theirs, seed
    assert ours, seed
    assert theirs.metric_evaluations == ours.metric_evaluations
    if problem.quality_metrics:
        assert [*theirs.metric_evaluations.values()] == [expected], seed
    # The plan without one of its actions, too.
    for left_out in range(len(result.plan.actions)):
        shorter = SequentialPlan([*result.plan.actions[:left_out], *result.plan.actions[left_out + 1 :]])
        theirs = SequentialPlanValidator().validate(problem, shorter)
        ours = planner.validate(problem, shorter)
        assert (theirs.status, theirs.reason) == (ours.status, ours.reason), seed
        assert theirs.inapplicable_action == ours.inapplicable_action


@pytest.mark.weekly
@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_problems(first: int) -> None:
    for seed in range(first, first + 10):
        compared(seed)


@pytest.mark.slow
def test_many_random_problems() -> None:
    for seed in range(40, 1_000):
        compared(seed)


# What a kind does not say


@pytest.mark.parametrize(
    ("cost", "says"),
    [
        (-1, "cannot be negative"),
        (Fraction(1, 2), "multiply all costs by the same number"),
        (Fraction(12345678901), "at most 1,000,000,000"),
    ],
)
def test_costs_that_are_refused(cost: Any, says: str) -> None:
    result = BudgePlanner().solve(switches(cost))
    assert result.status is UNSUPPORTED
    assert says in messages(result)


def test_costs_of_functions_that_are_refused() -> None:
    price = up.Fluent("price", up.RealType())
    problem = switches(up.FluentExp(price))
    problem.add_fluent(price, default_initial_value=Fraction(1, 3))
    assert "`price`, a number in costs, is 1/3" in messages(BudgePlanner().solve(problem))
    problem.set_initial_value(price, 2)
    assert BudgePlanner().solve(problem).metrics["upper_bound"] == "6"


def test_costs_with_arithmetic_are_refused() -> None:
    price = up.Fluent("price", up.IntType())
    problem = switches(up.Plus(price, 1))
    problem.add_fluent(price, default_initial_value=1)
    result = BudgePlanner().solve(problem)
    assert result.status is UNSUPPORTED
    assert "domain.pddl" in messages(result)


def test_an_action_without_a_cost() -> None:
    problem = switches()
    problem.add_quality_metric(up.MinimizeActionCosts({}))
    assert "`switch` has no cost" in messages(BudgePlanner().solve(problem))


def test_two_metrics() -> None:
    problem = switches(1)
    problem.add_quality_metric(up.MinimizeSequentialPlanLength())
    assert "more than one quality metric" in messages(BudgePlanner().solve(problem))


def test_a_type_called_object() -> None:
    problem = switches()
    problem.add_object("one", up.UserType("object"))
    result = BudgePlanner().solve(problem)
    assert result.status is UNSUPPORTED
    assert "rename it" in messages(result)


def test_costs_of_actions_without_effects_count_in_plans() -> None:
    problem = switches(1)
    problem.clear_quality_metrics()
    wait = up.InstantaneousAction("wait")
    problem.add_action(wait)
    problem.add_quality_metric(up.MinimizeActionCosts({wait: 5}, default=1))
    plan = BudgePlanner().solve(problem).plan
    longer = SequentialPlan([ActionInstance(wait), *plan.actions])
    assert [*BudgePlanner().validate(problem, longer).metric_evaluations.values()] == [8]


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["total-cost", "assign", "decrease", "change", "oneof", "preference", "at", "Ünï (1)"])
def test_names_that_mean_something(name: str) -> None:
    problem = switches(1)
    done = up.Fluent(name)
    action = up.InstantaneousAction(name)
    action.add_precondition(problem.goals[0])
    action.add_effect(done, True)
    problem.add_fluent(done, default_initial_value=False)
    problem.add_action(action)
    problem.add_goal(done)
    problem.clear_quality_metrics()
    problem.add_quality_metric(up.MinimizeActionCosts({}, default=1))
    result = BudgePlanner(engine="plain").solve(problem)
    assert result.status is SOLVED_OPTIMALLY, messages(result)
    assert result.plan.actions[-1].action is action
    assert SequentialPlanValidator().validate(problem, result.plan)


# Judging plans


def test_plans_that_are_none() -> None:
    problem, other = switches(1), EXAMPLES["basic"].problem
    planner = BudgePlanner(engine="plain")
    plan = planner.solve(problem).plan
    late = planner.validate(problem, SequentialPlan(plan.actions[1:]))
    assert late.reason.name == "INAPPLICABLE_ACTION"
    assert late.inapplicable_action == plan.actions[1]
    assert "`(lit lamp_1)` is false" in messages(late)
    short = planner.validate(problem, SequentialPlan(plan.actions[:2]))
    assert (short.reason.name, short.inapplicable_action) == ("UNSATISFIED_GOALS", None)
    strange = SequentialPlan([*plan.actions, ActionInstance(other.actions[0])])
    assert planner.validate(problem, strange).inapplicable_action == strange.actions[-1]


def test_problems_and_plans_that_cannot_be_judged(factory: Any) -> None:
    problem = switches(1)
    plan = BudgePlanner(engine="plain").solve(problem).plan
    for wrong in (switches(-1), EXAMPLES["robot"].problem):
        validator = BudgePlanner()
        validator.error_on_failed_checks = False
        validator.skip_checks = True
        assert validator.validate(wrong, plan).status.name == "UNKNOWN"
