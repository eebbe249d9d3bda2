"""Budge as an engine of Unified Planning: statuses, modes, options, what it prints, and the page about it."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..helpers.up_support import EXAMPLES, SOLVED_OPTIMALLY, SOLVED_SATISFICING, UNSOLVABLE, messages, switches, up
from ..helpers.up_support import factory as factory  # isort: split

from budge import Status
from budge.cli import main
from budge.runtime.outcome import Outcome
from budge.runtime.processes import UnguardedError
from budge.up_engine import BudgePlanner
from budge.workflows.jobs import Solving
from budge.workflows.solving import Solution
from unified_planning.engines import PlanGenerationResultStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.plans import PlanKind

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
    assert "plan of cost 6" in stream.getvalue()


def test_a_certificate(tmp_path: Path) -> None:
    folder = tmp_path / "proof"
    planner = BudgePlanner(certificate=str(folder))
    result = planner.solve(switches(2))
    assert result.metrics["certificate"] == str(folder)
    assert "cost 6 is the optimum" in messages(result)
    assert main(["verify", str(folder)]) == 0
    result = planner.solve(switches(3))  # the folder holds another problem's
    assert result.status is SOLVED_OPTIMALLY
    assert "certificate" not in result.metrics
    assert "no certificate" in messages(result)


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
    page = (Path(__file__).resolve().parents[2] / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    code, shown = (
        re.findall(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0] for kind in ("python", "text")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_a_configuration_file_names_the_engine(tmp_path: Path, factory: Any) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "unified-planning.md").read_text(encoding="utf-8")
    (tmp_path / "up.ini").write_text(re.findall(r"^```ini\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0])
    made = type(factory)(up.get_environment())
    made.configure_from_file(str(tmp_path / "up.ini"))
    assert made.engine("budge") is BudgePlanner
