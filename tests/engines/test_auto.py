"""The engine `auto`: what several engines prove and find is put together, and the first proof ends the rest."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import psutil
import pytest
from budge import Budget, Status, load
from budge.cli import main
from budge.engines.auto import portfolio
from budge.engines.auto.portfolio import Portfolio, within
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.engine import Engine, PortfolioRole, TaskKind
from budge.engines.table import DEFAULT_ENGINE, ENGINES, kind_of, line_up, members
from budge.models.errors import DisagreementError, FaultError, UsageError
from budge.models.library import shipped
from budge.models.plan import Plan
from budge.models.task import OperatorTask
from budge.runtime.events import Event, LayerDone, LowerBound, PlanFound, Progress, Working, silent
from budge.runtime.outcome import INITIAL, Outcome, Recorder
from budge.workflows.solving import solve

from ..helpers.patience import PATIENCE, run_out, until, until_bound

BY = "a proof of the test"
Solve = Callable[[OperatorTask, Budget, Progress], Outcome]


def wait_for_the_end(budget: Budget) -> Outcome:
    until(budget.stopped)
    return Recorder(budget).stopped(budget.stopped())


def finds(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    """Makes a shortest plan known, but proves nothing and never ends."""
    best = breadth_first(task, Budget())
    assert best.plan
    assert best.upper_bound
    Recorder(budget, progress).found(best.plan, best.upper_bound)
    return wait_for_the_end(budget)


def proves(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    """Proves that nothing is cheaper than the plan that it hears of, and never ends."""
    until(lambda: budget.incumbent or budget.stopped())
    if budget.incumbent:
        Recorder(budget, progress).raise_bound(budget.incumbent, BY)
    return wait_for_the_end(budget)


def proves_too_much(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    return Recorder(budget, lower_bound=(1000,), by=BY).stopped("it has enough")


def proves_a_little(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    Recorder(budget, progress).raise_bound(5, BY)
    return wait_for_the_end(budget)


def denies(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    until(lambda: budget.incumbent or budget.stopped())
    return Recorder(budget).unsolvable(BY)


def dies(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    os._exit(3)


def cannot(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    raise UsageError("not this task")


def no_slice(*_: object) -> Outcome:
    return Recorder(Budget()).stopped("time limit")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process, in which no compiled code is loaded."""
    monkeypatch.setattr("budge.runtime.kernels.loaded", lambda: False)


@pytest.fixture
def team(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replaces the engines of `auto` by others, in queues, and leaves out the first slice."""

    def build(*queues: tuple[Solve, ...]) -> None:
        role = PortfolioRole("search")
        line_up = [[Engine(name=each.__name__, solve=each, role=role) for each in queue] for queue in queues]
        monkeypatch.setattr(portfolio, "line_up", lambda kind, engines: line_up)
        monkeypatch.setattr(portfolio, "_slice", no_slice)

    return build


def answer(progress: Progress = silent, budget: Budget | None = None, puzzle: str = "bird-2") -> Any:
    solution = solve(load(puzzle), "auto", budget=budget or Budget(), progress=progress)
    assert not multiprocessing.active_children()
    return solution


def test_it_is_the_default() -> None:
    assert DEFAULT_ENGINE == "auto"
    assert solve(load("bird-2")).engine == "auto"


@pytest.mark.usefixtures("unhurried")
def test_a_large_task_with_few_states_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many operators do not mean many states: plain search begins, unless there are too many to make rules of."""
    monkeypatch.setattr("budge.engines.common.root_bound.LARGE_TASK", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portfolio, "Child", None)
        assert solve(load("bird-2"), "auto").outcome.stats["bound_by"] == "plain"
    monkeypatch.setattr(portfolio, "MOST_OPERATORS", 10)
    assert solve(load("bird-2"), "auto").outcome.stats["bound_by"] != "plain"


def test_small_puzzles_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one core, where nothing begins beside: it does not depend on how quick plain search is."""
    monkeypatch.setattr(portfolio, "Child", None)
    for each in ("SLICE", "SHORT_SLICE"):
        monkeypatch.setattr(portfolio, each, PATIENCE)
    monkeypatch.setattr(portfolio, "cores", lambda: 1)
    for name in ("bird-2", "microban-001", "eight-15", "rush_hour/unsolvable", "fourteen-fifteen"):
        found, searched = solve(load(name), "auto"), solve(load(name), "bfs")
        assert found.outcome.status is searched.outcome.status
        assert found.cost == searched.cost
        assert found.outcome.lower_bound == searched.outcome.lower_bound


def test_a_plan_of_one_and_the_bound_of_another_are_a_proof(team: Callable[..., None]) -> None:
    team((finds,), (proves,))
    solution = answer()
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.cost == 10
    assert solution.outcome.lower_bound_by == BY
    assert (solution.outcome.stats["plan_by"], solution.outcome.stats["bound_by"]) == ("finds", "proves")


def counts(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    """Knows the start's value at once, and then has the whole answer, with what it counted."""
    record = Recorder(budget, progress)
    record.raise_bound(4, INITIAL)
    record.stats.update(expanded=7, generated=11)
    best = breadth_first(task, Budget())
    assert best.plan
    return record.optimal(best.plan, best.upper_bound or (0,), BY)


def test_what_the_engine_that_has_the_proof_counted_is_known(
    team: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portfolio, "LAST_WORDS", PATIENCE)
    team((proves_a_little,), (counts,))
    stats = answer().outcome.stats
    assert (stats["counts_h_start"], stats["counts_expanded"], stats["counts_generated"]) == (4, 7, 11)
    assert stats["bound_by"] == "counts"
    assert 0 < float(stats["processor_seconds"]) < 1000 * PATIENCE
    assert float(stats["memory_mib"]) >= 0
    assert not any(key.startswith("proves_a_little") for key in stats)


@pytest.mark.parametrize(("engine", "least"), [("astar", 1), ("idastar", 1), ("bfs", None)])
def test_the_heuristic_value_of_the_start(engine: str, least: int | None) -> None:
    """Where an engine has one: it is no more than the optimum."""
    solution = solve(load("eight-15"), engine)
    value = solution.outcome.stats.get("h_start")
    assert value is None if least is None else least <= int(value or 0) <= 15
    assert "processor_seconds" in solution.outcome.stats


def test_the_next_of_the_queue_takes_over(team: Callable[..., None]) -> None:
    team((dies, cannot, finds), (cannot, proves))
    solution = answer()
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.outcome.stats["cannot_error"] == "not this task"


@pytest.mark.parametrize("liar", [proves_too_much, denies])
def test_a_contradiction_is_an_error(liar: Solve, team: Callable[..., None]) -> None:
    team((finds,), (liar, proves_a_little))
    with pytest.raises(DisagreementError) as error:
        answer()
    assert BY in str(error.value)
    assert not multiprocessing.active_children()


def test_interrupting_keeps_plan_and_bound(team: Callable[..., None]) -> None:
    team((finds,), (proves_a_little,))
    budget = Budget()
    seen: list[Event] = []

    def interrupt(event: Event) -> None:
        seen.append(event)
        if isinstance(event, LowerBound):
            budget.interrupted.set()

    outcome = answer(interrupt, budget).outcome
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == (5,)
    assert any(isinstance(event, LowerBound) and event.engine == "proves_a_little" for event in seen)


def over_when(enough: Callable[[set[type[Event]], Event], bool]) -> tuple[Budget, Progress]:
    """A budget whose time is over when enough has been told, however slow the machine is."""
    budget, told = Budget(), set[type[Event]]()

    def tell(event: Event) -> None:
        told.add(type(event))
        if enough(told, event):
            run_out(budget)

    return budget, tell


def test_the_time_limit_keeps_plan_and_bound(team: Callable[..., None]) -> None:
    team((finds,), (proves_a_little,))
    budget, tell = over_when(lambda told, event: {LowerBound, PlanFound} <= told)
    outcome = answer(tell, budget).outcome
    assert outcome.stopped_by == "time limit"
    assert outcome.status is Status.FEASIBLE
    assert (outcome.lower_bound, outcome.upper_bound) == ((5,), (10,))


def test_counts_of_an_engine_that_died_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had counted in its first moment would contradict the bound that it proved later."""
    role = PortfolioRole("search")
    line_up = [
        [Engine(name="bfs", solve=dies, role=role)],
        [Engine(name="little", solve=proves_a_little, role=role)],
    ]
    monkeypatch.setattr(portfolio, "line_up", lambda kind, engines: line_up)
    monkeypatch.setattr(portfolio, "_slice", lambda *_: Recorder(Budget(), states=18).stopped("time limit"))
    budget = Budget()
    outcome = answer(until_bound(budget, 5), budget).outcome
    assert outcome.lower_bound == (5,)
    assert not [key for key in outcome.stats if key.startswith("bfs_")]


def test_when_no_engine_can_do_more_because_one_has_died_there_is_no_answer(team: Callable[..., None]) -> None:
    team((cannot,), (dies,))
    with pytest.raises(FaultError, match=r"engine died \(exit code 3\)") as raised:
        answer()
    assert raised.value.solution.status is Status.ERROR


def test_the_end_of_a_quick_engines_own_time_is_not_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    hurried = replace(ENGINES["greedy"], role=PortfolioRole("quick plan", seconds=1e-9))
    monkeypatch.setattr(portfolio, "line_up", lambda kind, engines: [[hurried]])
    monkeypatch.setattr(portfolio, "_slice", no_slice)
    outcome = solve(load("xsokoban-78"), "auto", budget=Budget()).outcome
    assert outcome.stopped_by == "no engine can do more"


@pytest.mark.parametrize(
    ("queue", "plan_after", "steps"),
    [
        ("search", 9.0, [(0.0, 5)]),
        ("quick plan", 0.5, [(0.5, 5), (4.0, 14)]),
        ("quick plan", 4.0, [(2.0, 5), (4.0, 14)]),
        ("quick plan", 99.0, [(2.0, 5), (21.0, 14)]),
    ],
)
def test_who_looks_for_a_quick_plan_stands_back_by_and_by(
    queue: Literal["search", "quick plan"],
    plan_after: float,
    steps: list[tuple[float, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, nice = 0.0, list[tuple[float, int]]()
    monkeypatch.setattr(os, "nice", lambda more: nice.append((now, more)), raising=False)
    monkeypatch.setattr(time, "process_time", lambda: now)

    def works(_task: OperatorTask, budget: Budget, progress: Progress, *, to_the_limit: bool) -> Outcome:
        nonlocal now
        assert to_the_limit
        for now in (0.5, 2.0, 4.0, 9.0, 21.0, 99.0):
            progress(PlanFound(seconds=now, plan=Plan(()), cost=(1,)) if now == plan_after else Working(seconds=now))
        return Recorder(budget).stopped(None)

    engine = Engine(name="works", solve=works, role=PortfolioRole(queue, to_the_limit=True))
    portfolio._solve(engine, 5, load("bird-2").task("slides"), Budget(), silent)
    assert nice == steps


def test_real_engines_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "_slice", no_slice)
    for name, metric, cost in (("bird-1", "steps", 34), ("microban-001", "pushes", 8), ("microban-001", "moves", 33)):
        solution = solve(load(name), "auto", metric, Budget())
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.cost == cost
        assert solution.outcome.stats["bound_by"] in ENGINES


def test_memory_is_shared_and_the_largest_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    class Fake:
        def __init__(self, held: int) -> None:
            self.held, self.ended = held, None

        def end(self, how: str) -> None:
            ended.append((self.held, how))

    together = Portfolio(load("bird-1").task("slides"), Recorder(Budget(memory_mib=100)))
    portfolio._ease([Fake(40 << 20), Fake(50 << 20)], together)  # type: ignore[list-item]
    assert ended == []
    portfolio._ease([Fake(40 << 20), Fake(60 << 20)], together)  # type: ignore[list-item]
    assert ended == [(60 << 20, "memory limit")]
    assert 99 << 20 <= together.peak < 1000 << 20


@pytest.mark.usefixtures("unhurried")
def test_solve_without_an_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["engine"], result["cost"], result["stats"]["bound_by"]) == ("auto", 10, "plain")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupting_the_command_line_leaves_no_process() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", "solve", "korf-16", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    assert "lower_bound" in process.stdout.readline()
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # a terminal signals the whole group
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    result = json.loads(out.splitlines()[-1])
    assert result["status"] == "interrupted"
    assert result["lower_bound"] > 0
    assert not any(child.is_running() for child in children)


def first_in_line(name: str, metric: str | None = None) -> str:
    puzzle = load(name)
    kind = kind_of(puzzle.task(metric or puzzle.header.metric))
    return line_up(kind, members())[0][0].name


def test_which_search_comes_first() -> None:
    assert first_in_line("korf-16") == first_in_line("seven-36") == "idastar"
    assert first_in_line("xsokoban-01") == first_in_line("jewel-swap", "steps") == "astar"
    assert first_in_line("microban-001", "moves") == "astar"
    assert first_in_line("uva-9x9") == first_in_line("heng-dao-li-ma", "moves") == "bfs"


SEARCHES = {
    TaskKind.PROGRAMS: ["bidirectional", "astar", "idastar", "bfs"],
    TaskKind.COSTS_DIFFER: ["astar", "bfs"],
    TaskKind.ONE_OBJECT: ["idastar", "astar"],
    TaskKind.SEVERAL_GOALS: ["astar", "idastar"],
    TaskKind.ONE_GOAL: ["bfs", "idastar"],
}


@pytest.mark.parametrize("kind", TaskKind)
def test_the_engines_of_each_kind_of_task(kind: TaskKind) -> None:
    search, solver, quick = line_up(kind, members())
    assert [engine.name for engine in search] == SEARCHES[kind]
    assert [engine.name for engine in solver] == ["cp-sat"]
    assert [engine.name for engine in quick] == ["fess", "greedy"]


FROM_BOTH_ENDS = frozenset(
    f"custom/{name}"
    for name in (
        *("folding-5", "folding-9", "folding-14", "lights-out", "loopover-3x3", "pancakes-6"),
        *("rubiks-cube-2x2x2", "rubiks-cube-six-spots", "rubiks-cube-six-turns", "topspin"),
    )
)
"""The shipped puzzles that `auto` begins from both ends."""


@pytest.mark.weekly
@pytest.mark.parametrize("name", shipped())
def test_which_shipped_puzzles_begin_from_both_ends(name: str) -> None:
    puzzle = load(name)
    first = set()
    for task in map(puzzle.form, puzzle.metrics):
        first.add(line_up(kind_of(task), [one for one in portfolio.able(task) if one.refusal(task) is None])[0][0].name)
    assert ("bidirectional" in first) is (name in FROM_BOTH_ENDS)


def test_layers_of_both_ends_are_not_judged_as_those_of_one(team: Callable[..., None]) -> None:
    """A search that is not blind forward search goes on, although its layers would be hopeless for that one."""

    def both(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
        for layer in layers(1, 31, 931):
            progress(layer)
        until(lambda: budget.incumbent or budget.stopped())
        time.sleep(5 * portfolio.POLL)  # the portfolio looks at it a few times
        return Recorder(budget).stopped(budget.stopped()) if budget.stopped() else breadth_first(task, budget)

    def finds_with_a_bound(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
        Recorder(budget, progress).raise_bound(9, BY)
        return finds(task, budget, progress)

    team((both,), (finds_with_a_bound,))
    stats = answer(budget=Budget(PATIENCE)).outcome.stats
    assert stats["bound_by"] == "both"
    assert "both_ended" not in stats


def layers(*states: int) -> list[LayerDone]:
    return [LayerDone(depth=depth, states=count, seconds=0.0) for depth, count in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "bound", "hopeless"),
    [
        ((1, 31, 931), 10, True),  # 900 * 30^8 states
        ((1, 31, 931), 6, False),
        ((10**6, 10**6 + 2000, 10**6 + 3000), 500, False),  # the layers grow smaller
        ((1, 31), 10, False),  # two layers tell nothing of growth
    ],
)
def test_a_search_that_would_meet_too_many_states_is_hopeless(
    states: tuple[int, ...], bound: int, hopeless: bool
) -> None:
    known = Portfolio(load("bird-1").task("slides"), Recorder(Budget()))
    for layer in layers(*states):
        known.hear("bfs", layer)
    assert not known.hopeless("bfs")
    known.learn_bound("cp-sat", (bound,), BY)
    assert known.hopeless("bfs") is hopeless
    assert not known.hopeless("cp-sat")
    known.learn_bound("bfs", (bound,), BY)  # it has been there before, in its first moment
    assert not known.hopeless("bfs")


@pytest.mark.parametrize("name", ["bird-1", "microban-001", "eight-25", "rush_hour/unsolvable", "three-6"])
@pytest.mark.parametrize("seconds", [0.0, PATIENCE])
def test_plain_search_or_the_others(name: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain search has all the time that it needs, or none."""
    plain = ENGINES["plain"]
    assert plain.role
    monkeypatch.setitem(ENGINES, "plain", replace(plain, role=replace(plain.role, seconds=seconds)))
    events: list[Event] = []
    found = answer(events.append, puzzle=name).outcome
    expected = solve(load(name), "bfs").outcome
    assert (found.status, found.upper_bound) == (expected.status, expected.upper_bound)
    assert found.status is Status.UNSOLVABLE or found.lower_bound == expected.lower_bound
    assert found.stats["bound_by"] in ENGINES
    plans = [event.cost for event in events if isinstance(event, PlanFound)]
    assert plans[-1:] == ([found.upper_bound] if found.plan else [])


def test_a_limit_leaves_what_the_engines_know() -> None:
    budget = Budget()
    outcome = answer(until_bound(budget, 100), budget, puzzle="xsokoban-78").outcome
    assert outcome.stopped_by in ("time limit", None)
    assert outcome.lower_bound is not None
    assert outcome.lower_bound >= (100,)


def test_an_interrupt_leaves_what_the_engines_know() -> None:
    budget = Budget()

    def tell(event: Event) -> None:
        if event.engine not in ("", "plain", "auto"):
            budget.interrupted.set()

    outcome = answer(tell, budget, puzzle="korf-16").outcome
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound is not None


# Compiled code that is loaded already


def test_what_is_loaded_is_used_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without plain search, and without a process."""
    solve(load("bird-1"), "bfs")  # loads it
    monkeypatch.undo()
    monkeypatch.setattr(portfolio, "Child", None)
    for name in ("bird-2", "eight-15", "rush_hour/unsolvable"):
        found, searched = solve(load(name), "auto").outcome, solve(load(name), "bfs").outcome
        assert (found.status, found.lower_bound) == (searched.status, searched.lower_bound)
        assert found.stats["bound_by"] == "bfs"
        assert not [key for key in found.stats if key.startswith("plain")]


def test_the_moment_of_an_engine_is_processor_time() -> None:
    """Waiting is not counted: a busy machine takes nothing away."""
    ended = within(0.2)
    time.sleep(0.3)
    assert ended() is None
    while not ended():
        pass


@pytest.mark.parametrize(("name", "more"), [("rubiks-cube-six-turns", ["astar"]), ("labyrinth-4x4", [])])
def test_a_search_for_all_programs_needs_no_moment_behind_another(name: str, more: list[str]) -> None:
    """Where the first in line is for some tasks only, the one behind it has a moment; behind A* nothing has."""
    puzzle = load(name)
    task = puzzle.form(puzzle.header.metric)
    engines = [engine for engine in portfolio.able(task) if engine.refusal(task) is None]
    queues = line_up(kind_of(task), engines)
    assert [engine.name for engine in portfolio._with_a_moment(task, engines, queues)] == ["plain", "bfs", *more]
