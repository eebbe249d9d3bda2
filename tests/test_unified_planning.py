"""Budge as an engine of Unified Planning: on that library's own problems, and on random ones, whose optima its own
simulator finds.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:Name .* already defined")

up = pytest.importorskip("unified_planning.shortcuts", reason="the extra `unified-planning` is not installed")

from budge import Status  # noqa: E402
from budge.cli import main  # noqa: E402
from budge.runtime.outcome import Outcome  # noqa: E402
from budge.runtime.processes import UnguardedError  # noqa: E402
from budge.up_engine import BudgePlanner  # noqa: E402
from budge.up_engine.kinds import FEATURES  # noqa: E402
from budge.workflows.solving import Solution  # noqa: E402
from budge.workflows.streaming import Solving  # noqa: E402
from unified_planning.engines import PlanGenerationResultStatus, SequentialPlanValidator  # noqa: E402
from unified_planning.exceptions import UPUsageError  # noqa: E402
from unified_planning.plans import ActionInstance, PlanKind, SequentialPlan  # noqa: E402
from unified_planning.test.examples import get_example_problems  # noqa: E402

from .random_up import RandomProblem, optimum  # noqa: E402

EXAMPLES: dict[str, Any] = get_example_problems()
READ = [name for name, example in EXAMPLES.items() if BudgePlanner.supports(example.problem.kind)]
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


# The problems of the library


def test_which_examples_are_read() -> None:
    assert len(READ) >= 21
    assert {"basic_conditional", "safe_road", "locations_connected_cost_minimize", "hierarchical_blocks_world"} <= {
        *READ
    }
    for name in {*EXAMPLES} - {*READ}:  # each has something that PDDL's classical part cannot say
        features = EXAMPLES[name].problem.kind.features - {*FEATURES}
        assert features, name


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


# Statuses


@pytest.mark.parametrize("metric", [False, True])
def test_goals_that_are_constant(metric: bool) -> None:
    problem = switches(1 if metric else None)
    problem.add_goal(up.Not(up.TRUE()))
    assert BudgePlanner().solve(problem).status is UNSOLVABLE
    problem.clear_goals()
    problem.add_goal(up.Not(up.FALSE()))
    assert BudgePlanner().solve(problem).plan.actions == []


def test_an_unsolvable_problem() -> None:
    problem = switches(2)
    problem.set_initial_value(problem.fluent("lit")(problem.object("lamp 0")), False)
    for result in (BudgePlanner().solve(problem), *BudgePlanner().get_solutions(problem)):
        assert result.status is UNSOLVABLE
        assert result.plan is None
        assert "no plan exists" in messages(result)


def test_the_time_limit() -> None:
    result = BudgePlanner().solve(switches(), timeout=1e-9)
    assert result.status is PlanGenerationResultStatus.TIMEOUT
    assert "time" in messages(result)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome(status=Status.UNKNOWN, stopped_by="time limit"), "TIMEOUT"),
        (Outcome(status=Status.UNKNOWN, stopped_by="memory limit"), "MEMOUT"),
        (Outcome(status=Status.UNKNOWN, stopped_by="horizon limit"), "UNSOLVABLE_INCOMPLETELY"),
        (Outcome(status=Status.UNSOLVABLE, lower_bound_by="all states"), "UNSOLVABLE_PROVEN"),
        ("a plan", "SOLVED_SATISFICING"),
    ],
)
def test_what_outcomes_are_called(outcome: Any, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outcomes as they come from an engine that was ended."""

    solution: Any = vars(Solving)["solution"]

    def ended(run: Solving) -> Solution:
        found: Solution = solution.fget(run)
        if isinstance(outcome, Outcome):
            return Solution(found.puzzle, found.engine, found.metric, outcome, None)
        late = Outcome(
            status=Status.FEASIBLE, plan=found.plan, upper_bound=(3,), lower_bound=(2,), stopped_by="time limit"
        )
        return Solution(found.puzzle, found.engine, found.metric, late, found.replay)

    monkeypatch.setattr(Solving, "solution", property(ended))
    result = BudgePlanner(engine="plain").solve(switches(1))
    assert result.status.name == status
    assert (result.plan is not None) == (status == "SOLVED_SATISFICING")
    if status == "SOLVED_SATISFICING":
        assert (result.metrics["lower_bound"], result.metrics["upper_bound"]) == ("2", "3")


def test_without_a_metric_the_first_plan_is_the_answer() -> None:
    result = BudgePlanner(engine="plain").solve(switches())
    assert result.status is SOLVED_SATISFICING
    assert len(result.plan.actions) == 3


def test_the_first_plan_stops_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    stop = Solving.stop

    def noted(run: Solving) -> None:
        asked.append(run)
        stop(run)

    monkeypatch.setattr(Solving, "stop", noted)
    BudgePlanner(engine="plain").solve(switches())
    first = len(asked)
    BudgePlanner(engine="plain").solve(switches(1))
    assert first > len(asked) - first  # to leave the run stops it as well


# Modes


def test_anytime_plans_get_better() -> None:
    problem = EXAMPLES["safe_road"].problem.clone()
    problem.add_quality_metric(up.MinimizeSequentialPlanLength())
    *before, last = BudgePlanner().get_solutions(problem)
    lengths = [len(result.plan.actions) for result in before]
    assert {result.status for result in before} == {PlanGenerationResultStatus.INTERMEDIATE}
    assert lengths == sorted({*lengths}, reverse=True)
    assert last.status is SOLVED_OPTIMALLY
    assert len(last.plan.actions) == lengths[-1]


def test_an_iterator_that_is_left_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    begin = Solving.__init__

    def noted(run: Any, *arguments: Any, **named: Any) -> None:
        runs.append(run)
        begin(run, *arguments, **named)

    monkeypatch.setattr(Solving, "__init__", noted)
    found = BudgePlanner(engine="plain").get_solutions(switches(1))
    next(found)
    found.close()
    assert runs[0].ended


def test_the_modes_of_the_library(factory: Any) -> None:
    problem = EXAMPLES["locations_connected_cost_minimize"].problem
    before, factory.preference_list = factory.preference_list, ["budge"]
    try:
        with factory.OneshotPlanner(problem_kind=problem.kind, optimality_guarantee="SOLVED_OPTIMALLY") as planner:
            plan = planner.solve(problem).plan
        with factory.AnytimePlanner(problem_kind=problem.kind, anytime_guarantee="INCREASING_QUALITY") as planner:
            assert [*planner.get_solutions(problem)][-1].plan == plan
        with factory.PlanValidator(problem_kind=problem.kind, plan_kind=PlanKind.SEQUENTIAL_PLAN) as validator:
            assert validator.validate(problem, plan)
    finally:
        factory.preference_list = before
    assert not BudgePlanner.supports_plan(PlanKind.TIME_TRIGGERED_PLAN)


def test_an_engine_made_of_this_one(factory: Any) -> None:
    example = EXAMPLES["basic_oversubscription"]
    result = factory.OneshotPlanner(name="oversubscription[budge]").solve(example.problem)
    assert result.status is SOLVED_OPTIMALLY


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"engine": "a-star"}, "no engine `a-star`"),
        ({"engine": "bfs", "strategy": "linear"}, "has no option `strategy`"),
        ({"timeout": "soon"}, "a number of seconds"),
        ({"memory_limit": -1}, "-1"),
    ],
)
def test_options_that_make_no_sense(params: dict[str, Any], says: str) -> None:
    with pytest.raises(UPUsageError, match=says):
        BudgePlanner(**params)


def test_calls_that_make_no_sense(factory: Any) -> None:
    problem = switches(1)
    with pytest.raises(UPUsageError, match="timeout"):
        BudgePlanner().solve(problem, timeout=0)
    with pytest.warns(UserWarning, match="no use of `heuristic`"):
        BudgePlanner(engine="plain").solve(problem, heuristic=lambda state: 0.0)
    with (
        factory.OneshotPlanner(
            name="budge", params={"engine": "greedy"}, optimality_guarantee="SOLVED_OPTIMALLY"
        ) as planner,
        pytest.raises(UPUsageError, match="does not promise"),
    ):
        planner.solve(problem)


def test_a_script_without_a_guard_learns_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is no property of the problem: an exception, and not a status."""

    def refuse(run: Any, *arguments: Any, **named: Any) -> None:
        raise UnguardedError("put it under a guard")

    monkeypatch.setattr(Solving, "__init__", refuse)
    with pytest.raises(UPUsageError, match="under a guard"):
        BudgePlanner().solve(switches(1))


def test_progress_goes_to_the_stream() -> None:
    stream = io.StringIO()
    BudgePlanner(engine="plain").solve(switches(2), output_stream=stream)
    assert "plan of 6 cost" in stream.getvalue()


def test_a_certificate(tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    planner = BudgePlanner(certificate=str(folder))
    result = planner.solve(switches(2))
    assert result.metrics["certificate"] == str(folder)
    assert "6 cost is the optimum" in messages(result)
    assert main(["verify", str(folder)]) == 0
    result = planner.solve(switches(3))  # the folder holds another problem's
    assert result.status is SOLVED_OPTIMALLY
    assert "certificate" not in result.metrics
    assert "no certificate" in messages(result)


# Judging plans


def test_plans_that_are_none() -> None:
    problem, other = switches(1), EXAMPLES["basic"].problem
    planner = BudgePlanner(engine="plain")
    plan = planner.solve(problem).plan
    late = planner.validate(problem, SequentialPlan(plan.actions[1:]))
    assert late.reason.name == "INAPPLICABLE_ACTION"
    assert late.inapplicable_action == plan.actions[1]
    assert "precondition `(lit lamp_1)` does not hold" in messages(late)
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


# Without the library


def test_nothing_else_imports_the_library() -> None:
    code = "import sys, budge.api, budge.cli, budge.studio; assert 'unified_planning' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_message_without_the_library() -> None:
    code = "import sys; sys.modules['unified_planning'] = None; import budge.up_engine"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'budge[unified-planning]'" in done.stderr.splitlines()[-1]


# The page about it


def test_the_example_of_the_page_prints_what_the_page_shows() -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    code, shown = (
        re.findall(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0] for kind in ("python", "text")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_a_configuration_file_names_the_engine(tmp_path: Path, factory: Any) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    (tmp_path / "up.ini").write_text(re.findall(r"^```ini\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0])
    made = type(factory)(up.get_environment())
    made.configure_from_file(str(tmp_path / "up.ini"))
    assert made.engine("budge") is BudgePlanner
