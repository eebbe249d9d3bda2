"""Limits that hold on large boards, and bounds that are told before anything slow is begun."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from budge import Budget, Status, load
from budge.analysis.movable_objects import MovableObjects, _Candidates, find_movable_objects
from budge.analysis.plan_invariants import MATCHING, root_bounds
from budge.engines.auto import portfolio
from budge.engines.auto.portfolio import Portfolio
from budge.engines.common.root_bound import RootBound
from budge.engines.engine import Engine
from budge.engines.plain.engine import solve as plain
from budge.models.plan import Plan
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.runtime.budget import LOADING
from budge.runtime.events import Event, LowerBound, Progress, Stage
from budge.runtime.outcome import INITIAL, Outcome, Recorder, StoppedError
from budge.runtime.processes import Child, wait
from budge.runtime.worker import Apart
from budge.workflows.solving import LARGE_BOARD, solve
from hypothesis import given, settings

from ..helpers.patience import PATIENCE, until_bound
from ..helpers.random_puzzles import cost_of, puzzles
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level


def room(size: int, boxes: int) -> Puzzle:
    """A room without inner walls, boxes in the middle, goals in a corner: each box has far to go."""
    inside = [[" "] * size for _ in range(size)]
    inside[0][0] = "@"
    for box in range(boxes):
        inside[size // 2][2 + 2 * box] = "$"
        inside[size - 1][box] = "."
    return level(["#" * (size + 2), *(f"#{''.join(row)}#" for row in inside), "#" * (size + 2)])


def preparing(task: OperatorTask, budget: Budget, progress: Progress) -> Outcome:
    """An engine that tells its bound, and then fills tables for longer than it may."""
    record = Recorder(budget, progress)
    with budget.paused():  # also on a machine that is busy with other tests
        record.raise_bound(3, "a proof")
    time.sleep(PATIENCE)
    return record.optimal(Plan(()), (3,), "too late")


def test_tables_on_a_large_board_do_not_outlast_the_limit() -> None:
    puzzle = room(12, 2)
    assert sum(map(len, puzzle.board())) >= LARGE_BOARD
    solution = solve(puzzle, Engine(name="slow", solve=preparing), budget=Budget(0.5), hard_limits=True)
    assert (solution.status, solution.outcome.stopped_by) == (Status.UNKNOWN, "time limit")
    assert solution.lower_bound == 3


def test_a_task_whose_bits_do_not_fit_is_not_begun() -> None:
    solution = solve(room(30, 1), "astar", budget=Budget(memory_mib=1))
    assert (solution.status, solution.outcome.stopped_by) == (Status.UNKNOWN, "memory limit")
    assert solution.outcome.stats["operators"] == len(room(30, 1).task("pushes").operators)


def test_what_the_parts_of_the_time_are_in_a_process_of_its_own() -> None:
    solution = solve(room(8, 1), Engine(name="own", solve=plain), budget=Budget(), hard_limits=True)
    times = solution.outcome.times
    assert int(solution.outcome.stats["facts"]) > 60
    assert 0 < times.ground < times.total == solution.seconds


@pytest.mark.parametrize("engine", ["astar", "idastar", "bfs", "greedy", "cp-sat", "csp"])
@pytest.mark.parametrize("metric", ["pushes", "pushes,moves"])
def test_every_engine_tells_the_matching(engine: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.common.root_bound.LARGE_TASK", 0)
    puzzle, events = room(9, 3), list[Event]()
    least, budget = max(bound for bound, _ in root_bounds(puzzle.task("pushes"))), Budget()
    enough = until_bound(budget, least)

    def tell(event: Event) -> None:
        events.append(event)
        enough(event)

    solve(puzzle, engine, metric, budget, tell)
    first = next(event for event in events if isinstance(event, LowerBound) and event.lower_bound[0] >= least)
    assert least == 3 * 4 + (2 + 3 + 4)  # down, and to the left
    assert first.by in (MATCHING, INITIAL)  # not by the search itself


def test_the_bound_is_told_once_at_once_or_later(monkeypatch: pytest.MonkeyPatch) -> None:
    task, told = room(6, 1).task("pushes"), list[Event]()
    record = Recorder(Budget(), told.append)
    monkeypatch.setattr("budge.engines.common.root_bound.BOUND_AFTER", PATIENCE)
    bound = RootBound(task, record)
    bound.look()
    assert told == []
    monkeypatch.setattr("budge.engines.common.root_bound.BOUND_AFTER", 0.0)
    bound = RootBound(task, record)
    bound.look()
    (event,) = told
    assert isinstance(event, LowerBound)
    assert event.by.endswith("each at its distance alone")


@settings(max_examples=examples(60))
@given(puzzles())
def test_no_plan_is_shorter(drawn: tuple[Puzzle, str]) -> None:
    puzzle, metric = drawn
    best = cost_of(puzzle, metric)
    found = list(root_bounds(puzzle.task(metric)))
    assert best is None or all(0 <= bound <= best[0] for bound, _ in found)


def test_arrays_are_made_once_for_all_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of each tile of a 10x10 board alone took 23 s, on a machine where all of them together take 1."""
    calls, arrays = [], _Candidates.arrays

    def counted(self: _Candidates, chosen: Sequence[int]) -> MovableObjects:
        calls.append(chosen)
        return arrays(self, chosen)

    monkeypatch.setattr(_Candidates, "arrays", counted)
    task = load("eight-31-a").task("moves")
    objects = find_movable_objects(task)
    assert (len(calls), objects.count) == (1, len(calls[0]))
    assert objects.count > 1


@pytest.fixture
def slow_to_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module during whose import, which happens once, all time limits of the tests pass."""
    clock, ahead = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock() + ahead[0])
    monkeypatch.setattr(time, "passed", lambda seconds: ahead.append(ahead.pop() + seconds), raising=False)
    (tmp_path / "slow_to_load.py").write_text(f"import time\ntime.passed({10 * PATIENCE})\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "slow_to_load", raising=False)
    return "slow_to_load"


@pytest.mark.parametrize("hard_limits", [False, True])
def test_no_limit_counts_the_code_that_an_answer_needs(hard_limits: bool, slow_to_load: str) -> None:
    heavy = Engine(name="heavy", solve=plain, also_loads=(slow_to_load,))
    solution = solve(load("bird-1"), heavy, budget=Budget(PATIENCE), hard_limits=hard_limits)
    assert solution.status is Status.OPTIMAL


def test_the_time_of_a_portfolio_begins_when_a_member_has_loaded_its_code(
    slow_to_load: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = list[bool]()

    def slow(children: Sequence[Child], seconds: float) -> None:
        loading.append(all(child.loading for child in children))
        if loading[-1]:
            time.passed(10 * PATIENCE)  # type: ignore[attr-defined]
        wait(children, seconds)

    monkeypatch.setattr(portfolio, "wait", slow)
    known = Portfolio(load("bird-1").task("slides"), Recorder(Budget(PATIENCE)))
    heavy = Engine(name="heavy", solve=plain, also_loads=(slow_to_load,))
    with portfolio._lined_up(known, [[heavy]]) as sides:
        assert portfolio._side_by_side(known, sides) is None
    assert loading[0]
    assert known.solved


def loads(budget: Budget, progress: Progress) -> None:
    progress(Stage(seconds=budget.elapsed, text="counting"))
    with budget.paused(LOADING):
        while not budget.interrupted.is_set():
            time.sleep(0.01)
        time.sleep(PATIENCE)


def test_what_is_done_when_it_is_interrupted_is_named() -> None:
    budget = Budget()

    def interrupt(event: Event) -> None:
        budget.interrupted.set()

    with Apart() as apart, pytest.raises(StoppedError, match="interrupted while loading code"):
        apart.run(loads, budget, interrupt)
