"""Outcomes: made in one place, never changed, with times that add up."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import pytest
from budge import Budget, Outcome, Plan, Status, load
from budge.cli import main
from budge.engines.cp_sat.horizon_run import Companion, HorizonRun
from budge.engines.cp_sat.strategies import STRATEGIES
from budge.engines.engine import Engine, Option
from budge.engines.table import ENGINES, engine_for, options_by_name
from budge.models.errors import UsageError
from budge.models.task import OperatorTask
from budge.runtime.events import Progress, silent
from budge.runtime.outcome import Clock, Recorder, Times
from budge.workflows import solving
from budge.workflows.solving import solve
from budge.workflows.verification import verifiers

PLAN = Plan(())


def of(record: Recorder, reason: str | None = None) -> tuple[Status, str | None]:
    outcome = record.stopped(reason)
    return outcome.status, outcome.stopped_by


# How a run ends


def test_the_status_follows_from_bounds_and_reason() -> None:
    record = Recorder(Budget())
    assert of(record, "time limit") == (Status.UNKNOWN, "time limit")
    assert of(record, "interrupted") == (Status.INTERRUPTED, "interrupted")
    record.raise_bound(7, "a proof")
    record.found(PLAN, (9,))
    assert of(record, "memory limit") == (Status.FEASIBLE, "memory limit")
    assert of(record) == (Status.FEASIBLE, None)
    assert of(record, "interrupted") == (Status.INTERRUPTED, "interrupted")
    record.raise_bound(9, "a better proof")
    assert of(record, "interrupted") == (Status.OPTIMAL, None)
    outcome = record.unsolvable("a third proof")
    assert (outcome.status, outcome.plan, outcome.lower_bound) == (Status.UNSOLVABLE, None, None)


def test_worse_bounds_and_plans_change_nothing() -> None:
    record = Recorder(Budget())
    assert record.raise_bound(7, "first")
    assert not record.raise_bound(7, "second")
    assert record.found(PLAN, (9,))
    assert not record.found(PLAN, (9,))
    assert record.bounds.lower_bound_by == "first"
    assert [point[1:] for point in record.bounds.history] == [((7,), None), ((7,), (9,))]


def test_in_two_components() -> None:
    record = Recorder(Budget(), parts=2)
    record.raise_bound(3, "three pushes at least")
    assert record.bounds.lower_bound == (3, 0)
    outcome = record.stopped("time limit", unpriced=PLAN)
    assert (outcome.status, outcome.plan, outcome.upper_bound) == (Status.FEASIBLE, PLAN, None)


def test_a_plan_outlives_the_engine() -> None:
    """One that runs out of memory leaves what it has proven and found."""
    best = solve(load("bird-2"), "bfs")
    assert best.outcome.plan

    def exhausted(task: OperatorTask, budget: Budget, progress: Progress = silent) -> Outcome:
        record = Recorder(budget, progress)
        record.raise_bound(4, "a proof")
        assert best.outcome.plan
        record.found(best.outcome.plan, (10,))
        raise MemoryError

    budget = Budget()
    solution = solve(load("bird-2"), Engine(name="exhausted", solve=exhausted), budget=budget)
    outcome = solution.outcome
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "memory limit")
    assert (outcome.lower_bound, solution.cost) == ((4,), 10)
    assert budget.plan is None
    assert budget.incumbent is None  # the next puzzle begins anew


def test_budgets_keep_the_best_plan() -> None:
    budget = Budget()
    budget.offer(PLAN, (9,))
    budget.hear((9,))
    budget.offer(Plan(()), (12,))
    assert (budget.incumbent, budget.plan) == ((9,), PLAN)
    budget.hear((8,))
    assert (budget.incumbent, budget.plan) == ((8,), None)


# A finished outcome


def test_it_is_not_changed() -> None:
    record = Recorder(Budget(), states=1)
    outcome = record.stopped(None)
    record.stats["states"] = 2
    assert outcome.stats == {"states": 1}
    with pytest.raises(FrozenInstanceError):
        outcome.status = Status.OPTIMAL  # type: ignore[misc]
    more = outcome.with_stats(operators=5)
    assert (dict(outcome.stats), dict(more.stats)) == ({"states": 1}, {"states": 1, "operators": 5})
    assert pickle.loads(pickle.dumps(more)) == more


# Times


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets some seconds pass; no others do."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    return pass_by


def test_a_clock_knows_two_parts(later: Callable[[float], None]) -> None:
    clock = Clock()
    with clock.encoding():
        later(1)
    clock.encoded()
    later(2)
    with clock.encoding():
        later(4)
    times = clock.times()
    assert (times.encode, times.solve) == (5, 2)
    assert Times(ground=1.0, encode=2.0, solve=3.0, other=4.0, prepare=5.0).total == 10.0


def test_compiling_is_neither_part(later: Callable[[float], None]) -> None:
    clock, budget = Clock(), Budget(10)
    later(1)
    with budget.paused():
        later(20)
        assert budget.elapsed == 1
    clock.prepared(20)
    times = clock.times()
    assert (times.prepare, times.encode, times.solve) == (20, 1, 0)
    assert (budget.elapsed, budget.remaining) == (1, 9)


@pytest.mark.weekly
@pytest.mark.parametrize("engine", ENGINES)
def test_the_parts_of_the_time_are_the_whole(
    engine: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an answer reports is the wall-clock time that has passed, whatever threads and processes did meanwhile."""
    name = {"fess": "microban-001", "bidirectional": "pancakes-6"}.get(engine, "bird-2")
    looked: list[float] = []  # at the clock, by `solve`: first when it begins, and last when it ends

    def monotonic() -> float:
        looked.append(time.monotonic())
        return looked[-1]

    with monkeypatch.context() as patch:
        patch.setattr(solving, "time", SimpleNamespace(monotonic=monotonic))
        began = time.monotonic()
        solution = solve(load(name), engine, hard_limits=True, budget=Budget())
        passed = time.monotonic() - began
    times = solution.outcome.times
    assert min(times.ground, times.encode, times.solve, times.other) >= 0
    assert times.total == solution.seconds == pytest.approx(looked[-1] - looked[0] - times.prepare, abs=1e-6)
    assert times.total + times.prepare <= passed
    main(["solve", name, "--engine", engine, "--json", "--quiet"])
    seconds = json.loads(capsys.readouterr().out.splitlines()[-1])["seconds"]
    assert seconds["total"] == pytest.approx(
        sum(seconds[part] for part in ("ground", "encode", "solve", "other")), abs=0.001
    )


@pytest.mark.weekly
def test_waiting_for_companions_counts_as_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they prove the optimum, that is what the time went into; also what their end takes."""

    waited: list[float] = []

    def left_alone(run: HorizonRun) -> str:
        began = time.monotonic()
        run.companions = [Companion(run, "by activity")]
        why = run.left_to_companions()
        waited.append(time.monotonic() - began)
        return why

    monkeypatch.setitem(STRATEGIES, "linear", left_alone)
    task = load("bird-2").task("slides")
    began = time.monotonic()
    outcome = ENGINES["cp-sat"].run(task, budget=Budget(), strategy="linear")
    passed = time.monotonic() - began
    assert outcome.status is Status.OPTIMAL
    assert outcome.times.solve >= waited[0] > 0
    assert outcome.times.total <= passed


# Options


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (Option("limit", int, None, "", least=0), "12", 12),
        (Option("weight", float, 1.0, "", least=0.5), "2", 2.0),
        (Option("name", str, "a", "", choices=("a", "b")), "b", "b"),
        (Option("word", str, None, ""), "any", "any"),
    ],
)
def test_options_read_texts(option: Option, text: str, value: object) -> None:
    assert option.parse(text) == value


@pytest.mark.parametrize(
    ("option", "text", "words"),
    [
        (Option("most_steps", int, None, "", least=0), "-1", "--most-steps needs a whole number from 0 on (got `-1`)"),
        (Option("limit", int, None, ""), "soon", "--limit needs a whole number (got `soon`)"),
        (Option("limit", int, None, ""), "1.5", "needs a whole number (got `1.5`)"),
        (Option("weight", float, 1.0, "", least=0.5), "nan", "needs a number from 0.5 on (got `nan`)"),
        (Option("name", str, "one", "", choices=("one", "two")), "tow", "no name `tow`; did you mean `two`?"),
    ],
)
def test_options_refuse_with_a_reason(option: Option, text: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        option.parse(text)
    assert words in str(error.value)


@pytest.mark.parametrize("value", [True, 1.5, "3", -1])
def test_options_from_python_are_checked(value: object) -> None:
    with pytest.raises(UsageError, match="--horizon-limit"):
        solve(load("bird-2"), "cp-sat", horizon_limit=value)


def test_options_choose_the_engine() -> None:
    assert engine_for([]).name == "auto"
    assert engine_for(["strategy"]).name == engine_for(["horizon_limit"]).name == "cp-sat"
    with pytest.raises(UsageError, match="`--heuristic` and `--strategy` together"):
        engine_for(["strategy", "heuristic"])


def test_the_choices_of_the_records_are_those_of_the_engines() -> None:
    options = options_by_name()
    assert options["strategy"]["cp-sat"].choices == tuple(STRATEGIES)


# Records


def test_records_say_what_other_rooms_need() -> None:
    assert all(engine.title and engine.sentence for engine in ENGINES.values())
    looks = [(engine.style.colour, engine.style.marker) for engine in ENGINES.values()]
    assert len(set(looks)) == len(looks)
    assert [engine.name for engine in ENGINES.values() if engine.style.duel == "solver"] == ["cp-sat"]
    assert all(engine.promises_optimum for engine in ENGINES.values() if engine.style.duel)
    assert verifiers() == ("astar", "cp-sat")
