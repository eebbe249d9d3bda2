"""IDA*: it agrees with the search that is too simple to be wrong, keeps its limits, and proves what it says."""

from __future__ import annotations

from functools import partial

import pytest
from budge import Budget, Status, load
from budge.analysis.pattern_databases import additive_patterns, no_patterns
from budge.analysis.transformed_tasks import to_strips
from budge.engines.common.work_quota import WorkQuota
from budge.engines.idastar import engine as idastar_rounds
from budge.engines.idastar.engine import solve as iterative_deepening
from budge.models.families import load_text
from budge.runtime.events import Event, LowerBound
from budge.runtime.outcome import Outcome
from budge.workflows.solving import solve
from hypothesis import HealthCheck, given, settings

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal
from ..helpers.seeds import examples, seeds
from ..helpers.sokoban_levels import level, levels


def agree(text: str) -> None:
    """The engine and the reference say the same of a puzzle, in every metric; the plan replays."""
    puzzle = load_text(text)
    for metric in puzzle.metrics:
        found = optimal(puzzle.task(metric))
        solution = solve(puzzle, "idastar", metric, Budget())
        compare(solution.outcome, found[0] if found else None)
        assert solution.outcome.upper_bound == (found[0] if found else None)


def compare(outcome: Outcome, cost: tuple[int, ...] | None) -> None:
    assert outcome.status is (Status.UNSOLVABLE if cost is None else Status.OPTIMAL)
    if cost is not None:
        assert outcome.lower_bound == outcome.upper_bound == cost


@pytest.mark.parametrize("seed", seeds(40))
def test_agrees_on_random_boards(seed: int) -> None:
    agree(rush_hour(seed))
    agree(sliding_block(seed).text)
    agree(n_puzzle(seed))


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(levels())
def test_agrees_on_random_sokoban_levels(rows: tuple[str, ...]) -> None:
    puzzle = level(list(rows))
    for metric in puzzle.metrics:
        found = optimal(puzzle.task(metric))
        solution = solve(puzzle, "idastar", metric, Budget())
        compare(solution.outcome, found[0] if found else None)


@pytest.mark.parametrize("seed", seeds(12))
def test_agrees_on_tasks_with_operators_that_cost_nothing(seed: int) -> None:
    """Picking up costs one, carrying and putting down nothing."""
    task = to_strips(load_text(sliding_block(seed).text).task("moves"))
    found = optimal(task)
    compare(iterative_deepening(task, Budget()), found[0] if found else None)


def test_steps_that_are_free_in_what_counts_first() -> None:
    """To walk in a circle costs nothing of what counts first: below any limit there are endless ways."""
    agree("""\
format: 1
family: custom
state:
  n: {in: 0..5, start: 0}
actions:
  walk:
    with: {k: 0..2}
    when: n == k
    set:
      n: (k + 1) % 3
  leap:
    when: n == 1
    set:
      n: 4
  on:
    when: n == 4
    set:
      n: 5
metrics:
  leaps: [leap, on]
  moves: cost
goal: n == 5
""")


@pytest.mark.parametrize("metric", ["pushes", "moves", "pushes,moves", "moves,pushes"])
def test_a_walker_made_explicit_changes_nothing(metric: str) -> None:
    task = load("sokoban/microban-003").task(metric)
    one, other = iterative_deepening(task, Budget()), iterative_deepening(to_strips(task), Budget())
    assert one.status is other.status is Status.OPTIMAL
    assert one.lower_bound == other.lower_bound


@pytest.mark.parametrize("fixed", [False, True])
def test_a_small_table_only_costs_time(monkeypatch: pytest.MonkeyPatch, fixed: bool) -> None:
    """A table that grows from 32 entries, and one that stays there and loses most states."""
    monkeypatch.setattr("budge.engines.idastar.engine.FIRST_TABLE", 32)
    if fixed:
        grow, no_room = idastar_rounds.RowsRounds.grow, Budget(None, 0)
        monkeypatch.setattr(idastar_rounds.RowsRounds, "grow", lambda self, _, status: grow(self, no_room, status))
    for name, metric in (("rush_hour/level-01", "slides"), ("sliding_block/simplicity", "moves")):
        solution = solve(load(name), "idastar", metric, Budget(memory_mib=1024))
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.contradicts is None
        assert (solution.outcome.stats["table_lost"] != 0) == fixed


@pytest.mark.weekly
@pytest.mark.parametrize("rungs", [((100, 50), (1000, 5_000)), ((1, 1 << 20),)])
def test_larger_tables_in_the_middle_change_nothing(
    monkeypatch: pytest.MonkeyPatch, rungs: tuple[tuple[int, int], ...]
) -> None:
    for name in ("LOOKUP_LADDER", "STATE_LADDER"):
        monkeypatch.setattr(f"budge.engines.idastar.engine.{name}", rungs)
    monkeypatch.setattr("budge.engines.idastar.engine.LOOKUP_QUOTA", 100)
    monkeypatch.setattr(idastar_rounds, "WorkQuota", partial(WorkQuota, 100, 100))
    for seed in range(40, 60):
        agree(rush_hour(seed))
        agree(n_puzzle(seed))
    for name in ("n_puzzle/eight-25", "rush_hour/bird-2", "rush_hour/unsolvable"):
        assert solve(load(name), "idastar").contradicts is None


def test_a_task_without_a_plan_that_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its invariant an unsolvable n-puzzle is refuted by meeting every state."""
    monkeypatch.setattr("budge.engines.idastar.engine.CHECK", 1000)
    monkeypatch.setattr("budge.engines.idastar.engine.LOOKUP_QUOTA", 100)
    task = load_text("format: 1\nfamily: n-puzzle\nstart: |\n  2 1 3\n  4 5 .\n").task("moves")
    outcome = iterative_deepening(task, Budget(), patterns=additive_patterns(task))
    assert outcome.status is Status.UNSOLVABLE
    assert "360" in outcome.lower_bound_by


@pytest.mark.parametrize(
    "name",
    [
        "n_puzzle/eight-31-a",
        "n_puzzle/eight-31-b",
        "n_puzzle/equal-tiles",
        "rush_hour/level-40",
        "rush_hour/servais-93",
        "klotski/bing-lin-cao-ying",
        pytest.param("klotski/heng-dao-li-ma", marks=pytest.mark.slow),
        "rush_hour/unsolvable",
        "rush_hour/unsolvable-deep",
        "rush_hour/unsolvable-lane",
    ],
)
def test_shipped_puzzles(name: str) -> None:
    puzzle = load(name)
    for metric in puzzle.metrics:
        solution = solve(puzzle, "idastar", metric, Budget())
        assert solution.contradicts is None
        unsolvable = puzzle.header.expect.unsolvable
        assert solution.outcome.status is (Status.UNSOLVABLE if unsolvable else Status.OPTIMAL)


@pytest.mark.weekly
@pytest.mark.parametrize("number", ["001", "003", "005", "007", "009", "011"])
def test_microban(number: str) -> None:
    puzzle = load(f"sokoban/microban-{number}")
    for metric in puzzle.metrics:
        solution = solve(puzzle, "idastar", metric, Budget())
        assert solution.outcome.status is Status.OPTIMAL
        assert solution.contradicts is None


@pytest.mark.weekly
@pytest.mark.parametrize(
    "name",
    [
        "korf-12",
        "korf-42",
        "korf-09",
        "korf-16",
        "korf-01",
        pytest.param("korf-17", marks=pytest.mark.slow),
    ],
)
def test_korf(name: str) -> None:
    solution = solve(load(f"n_puzzle/{name}"), "idastar", budget=Budget(600.0))
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.contradicts is None


def test_bounds_rise_and_end_at_the_optimum() -> None:
    events: list[Event] = []
    task = load("rush_hour/bird-1").task("steps")
    outcome = iterative_deepening(task, Budget(), events.append)
    bounds = [event.lower_bound for event in events if isinstance(event, LowerBound)]
    assert bounds == sorted(bounds)
    assert bounds[-1] == (34,) == outcome.lower_bound
    assert int(outcome.stats["iterations"]) >= len(bounds) - 1
    assert int(outcome.stats["nodes"]) >= int(outcome.stats["expanded"]) > 0


def test_counts_of_a_search_by_manhattan_distance() -> None:
    """Without a table and with single tiles only, a round is the textbook's (Korf counts the root too)."""
    task = load("n_puzzle/korf-12").task("moves")
    outcome = iterative_deepening(task, Budget(), patterns=additive_patterns(task))
    assert outcome.lower_bound == (45,)
    assert outcome.stats["nodes"] == 546343


def test_limits_keep_the_bound() -> None:
    for name, metric in (("n_puzzle/korf-17", "moves"), ("klotski/heng-dao-li-ma", "steps")):
        puzzle = load(name)
        outcome = solve(puzzle, "idastar", metric, Budget(0.0)).outcome
        assert outcome.status is Status.UNKNOWN
        assert outcome.stopped_by == "time limit"
        assert outcome.lower_bound is not None
        budget = Budget()
        budget.interrupted.set()
        outcome = solve(puzzle, "idastar", metric, budget).outcome
        assert outcome.status is Status.INTERRUPTED


class Patience(Budget):
    """A budget that ends after so many looks at it."""

    def __init__(self, looks: int) -> None:
        super().__init__(None)
        self.looks = looks

    def stopped(self, held: int = 0) -> str | None:
        self.looks -= 1
        return "time limit" if self.looks < 0 else None


@pytest.mark.weekly
def test_whenever_it_stops_the_bounds_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan found above the bound is kept, as feasible, with a bound below its cost."""
    seen = set()
    for name, metric in (("sokoban/microban-003", "moves"), ("rush_hour/level-30", "steps")):
        puzzle = load(name)
        (optimum,) = puzzle.header.expect.costs[metric]
        quota = 20 if puzzle.family == "sokoban" else 200
        monkeypatch.setattr(idastar_rounds, "WorkQuota", partial(WorkQuota, quota, quota, quota))
        for looks in [*range(0, 40, 4), *range(40, 1000, 60)]:
            outcome = solve(puzzle, "idastar", metric, Patience(looks)).outcome
            assert outcome.lower_bound is not None
            assert outcome.lower_bound[0] <= optimum
            assert (outcome.upper_bound is not None) == (outcome.status is not Status.UNKNOWN)
            assert outcome.upper_bound is None or optimum <= outcome.upper_bound[0]
            seen.add(outcome.status)
    assert seen == {Status.UNKNOWN, Status.FEASIBLE, Status.OPTIMAL}


def test_no_heuristic_is_right_too() -> None:
    task = load("rush_hour/level-01").task("slides")
    outcome = iterative_deepening(task, Budget(), patterns=no_patterns(task))
    assert outcome.lower_bound == (9,)


def test_a_five_by_five_board() -> None:
    """A 24-puzzle, eighteen moves from its goal."""
    rows = " 1  6  2  3  4 /  5  7  8 13  9 / 10 11 12  . 14 / 15 16 17 18 19 / 20 21 22 23 24"
    goal = " .  1  2  3  4 /  5  6  7  8  9 / 10 11 12 13 14 / 15 16 17 18 19 / 20 21 22 23 24"
    puzzle = load_text(f'format: 1\nfamily: n-puzzle\nstart: "{rows}"\ngoal: "{goal}"\n')
    solution = solve(puzzle, "idastar", budget=Budget())
    assert solution.outcome.status is Status.OPTIMAL
