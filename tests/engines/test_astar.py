"""A* against the definition of an optimal plan, on random puzzles of all families and on shipped ones."""

from __future__ import annotations

import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.engines.astar import search
from budge.engines.astar.engine import solve as a_star
from budge.models.errors import PuzzleError
from budge.runtime.events import Event, LowerBound
from budge.runtime.outcome import Outcome
from budge.workflows.solving import solve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of

METRICS = ["pushes", "moves", "pushes,moves", "moves,pushes"]


def check(puzzle: Puzzle, metric: str, max_states: int = 5_000) -> None:
    task = puzzle.task(metric)
    try:
        expected = optimal(task, max_states)
    except OverflowError:
        assume(False)
    outcome = solve(puzzle, "astar", metric).outcome
    if expected is None:
        assert outcome.status is Status.UNSOLVABLE
        assert outcome.plan is None
        assert outcome.lower_bound_by
    else:
        assert outcome.status is Status.OPTIMAL
        assert outcome.upper_bound == outcome.lower_bound == expected[0]


LEAN = st.sampled_from([0, 3, 50, search.LEAN_EXPANSIONS])
"""Expansions of the first search where walks are paid for: on small boards the second begins only if they are few."""


@given(rows=levels(max_boxes=4), metric=st.sampled_from(METRICS), lean=LEAN)
@settings(max_examples=examples(200))
def test_sokoban(rows: tuple[str, ...], metric: str, lean: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "LEAN_EXPANSIONS", lean)
        check(load_text(text_of(list(rows))), metric)


@pytest.mark.slow
@given(rows=levels(max_boxes=5), metric=st.sampled_from(METRICS), lean=LEAN)
@settings(max_examples=2000)
def test_sokoban_at_length(rows: tuple[str, ...], metric: str, lean: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "LEAN_EXPANSIONS", lean)
        check(load_text(text_of(list(rows))), metric, 50_000)


def test_the_potentials_of_walks_are_made_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = load("sokoban/microban-001")
    assert "potentials" not in str(solve(puzzle, "astar", "moves").outcome.lower_bound_by)
    monkeypatch.setattr(search, "LEAN_EXPANSIONS", 5)
    outcome = solve(puzzle, "astar", "moves").outcome
    assert "potentials of walks" in str(outcome.lower_bound_by)
    assert outcome.upper_bound == outcome.lower_bound == (33,)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=examples(40))
def test_rush_hour(seed: int, metric: str) -> None:
    check(load_text(rush_hour(seed)), metric)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["moves", "slides", "steps"]))
@settings(max_examples=examples(60))
def test_sliding_blocks(seed: int, metric: str) -> None:
    try:
        puzzle = load_text(sliding_block(seed).text)
    except PuzzleError:  # a goal piece that may not move, for example
        assume(False)
    check(puzzle, metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=12)
def test_n_puzzles(seed: int) -> None:
    check(load_text(n_puzzle(seed)), "moves")


GOAL_ROOM = ["##########", "#   #    #", "# $ # ...#", "# $$  ...#", "# $@######", "##########"]
FROZEN = ["########", "##.#   #", "#  * $.#", "# $@   #", "########"]
MORE_GOALS = ["########", "#. .   #", "#  $ $ #", "# .@ . #", "########"]
CORRAL = ["##########", "#.   #   #", "#.   $   #", "#.   # @ #", "###$##$  #", "  #      #", "  ########"]


@pytest.mark.weekly
@pytest.mark.parametrize("rows", [GOAL_ROOM, FROZEN, MORE_GOALS, CORRAL])
@pytest.mark.parametrize("metric", METRICS)
def test_hand_made_sokoban(rows: list[str], metric: str) -> None:
    puzzle = load_text(text_of(rows))
    expected = optimal(puzzle.task(metric), 2_000_000)
    outcome = solve(puzzle, "astar", metric).outcome
    assert outcome.upper_bound == (None if expected is None else expected[0])


@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("sokoban/microban-001", "pushes", 8),
        ("sokoban/microban-001", "moves", 33),
        ("sokoban/xsokoban-01", "pushes", 97),
        ("rush_hour/level-20", "slides", 27),
        ("servais-93", "steps", 93),
        ("bird-1", "slides", 24),
        ("eight-31-a", "moves", 31),
        ("klotski/heng-dao-li-ma", "moves", 81),
    ],
)
def test_shipped_puzzles(name: str, metric: str, cost: int) -> None:
    solution = solve(load(name), "astar", metric)
    assert solution.outcome.status is Status.OPTIMAL
    assert (solution.cost,) == solution.outcome.lower_bound == (cost,)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cost"), [("xsokoban-38", 81), ("xsokoban-78", 136)])
def test_xsokoban(name: str, cost: int) -> None:
    solution = solve(load(f"sokoban/{name}"), "astar", "pushes")
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.cost == cost


@pytest.mark.parametrize("name", ["rush_hour/unsolvable-lane", "rush_hour/unsolvable"])
def test_unsolvable_by_exhaustion(name: str) -> None:
    outcome = solve(load(name), "astar").outcome
    assert outcome.status is Status.UNSOLVABLE
    assert "A*" in outcome.lower_bound_by


def test_a_lost_level_is_a_dead_end_from_the_start() -> None:
    task = load_text(text_of(["########", "# #  . #", "# $$ @ #", "#  # . #", "########"])).task("pushes")
    outcome = a_star(task, Budget())
    assert outcome.status is Status.UNSOLVABLE


def test_the_bound_rises_and_is_kept_at_a_limit() -> None:
    events: list[Event] = []
    task = load("sokoban/xsokoban-78").task("moves")

    class Patience(Budget):
        """Stops when some bounds have been reported."""

        def stopped(self, held: int = 0) -> str | None:
            return "interrupted" if sum(isinstance(event, LowerBound) for event in events) > 4 else None

    outcome: Outcome = a_star(task, Patience(), events.append)
    bounds = [event.lower_bound for event in events if isinstance(event, LowerBound)]
    assert bounds == sorted(bounds)
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == bounds[-1]
    assert bounds[0] <= bounds[-1]
    assert "A*" in outcome.lower_bound_by


def test_memory_limit_leaves_the_proven_bound() -> None:
    outcome = solve(load("sokoban/xsokoban-78"), "astar", "pushes", Budget(memory_mib=4)).outcome
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound is not None
    assert (100,) < outcome.lower_bound <= (136,)


def test_a_solved_board_needs_no_moves() -> None:
    solution = solve(load_text("format: 1\nfamily: rush-hour\nboard: |\n  ..AA\n  ....\n"), "astar")
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.cost == 0
