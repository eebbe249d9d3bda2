"""The search from both ends, against the definition and breadth-first search."""

from __future__ import annotations

from itertools import combinations

import pytest
from budge import Budget, Status, load, load_text, solve
from budge.errors import PuzzleError
from budge.search.bidirectional import bidirectional
from budge.search.goal_states import goal_states, inverse
from budge.search.packed import pack
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.random_boards import n_puzzle, rush_hour, sliding_block
from tests.reference import optimal
from tests.sokoban_levels import levels, text_of


def check(text: str, metric: str) -> None:
    puzzle = load_text(text)
    expected = optimal(puzzle.task(metric))
    found = solve(puzzle, "bidirectional", metric)
    if expected is None:
        assert found.outcome.status is Status.UNSOLVABLE
    else:
        assert found.outcome.status is Status.OPTIMAL
        assert found.cost == found.outcome.lower_bound == expected[0]


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_rush_hour(seed: int, metric: str) -> None:
    check(rush_hour(seed), metric)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["moves", "slides", "steps"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_sliding_blocks(seed: int, metric: str) -> None:
    try:
        text = sliding_block(seed).text
        load_text(text)
    except PuzzleError:
        assume(False)
    check(text, metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_random_n_puzzles(seed: int) -> None:
    check(n_puzzle(seed), "moves")


@given(rows=levels(), metric=st.sampled_from(["pushes", "moves", "pushes,moves"]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_sokoban(rows: tuple[str, ...], metric: str) -> None:
    check(text_of(list(rows)), metric)


@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("eight-31-a", "moves", 31),
        ("jewel-swap", "moves", 61),
        ("microban-005", "pushes", 6),
        ("seven-36", "moves", 36),
    ],
)
def test_fewer_states_than_forward_alone(name: str, metric: str, cost: int) -> None:
    puzzle = load(name)
    both, forward = (solve(puzzle, engine, metric) for engine in ("bidirectional", "bfs"))
    assert both.cost == forward.cost == (cost,)
    assert int(both.outcome.stats["states"]) < int(forward.outcome.stats["states"])
    assert int(both.outcome.stats["layers_backward"]) > 0


def test_goal_states_are_those_that_the_groups_allow() -> None:
    task = load_text("format: 1\nfamily: n-puzzle\nstart: |\n  2 1\n  3 .\n").task("moves")
    task = task.__class__(**{**{f: getattr(task, f) for f in task.__dataclass_fields__}, "goal": ((task.init[0],),)})
    packed = pack(task)
    found = goal_states(task, packed, 1000)
    assert found is not None
    expected = set()
    for facts in combinations(range(len(task.facts)), len(task.init)):
        true = set(facts)
        if task.init[0] in true and all(len(true.intersection(g.facts)) == g.count for g in task.groups):
            expected.add(sum(1 << f for f in facts))
    assert {int(row[0]) for row in found} == expected
    assert len(found) == 6
    assert goal_states(task, packed, 5) is None


def test_the_inverse_task_goes_back() -> None:
    task = load("bird-2").task("slides")
    undone = inverse(task)
    assert undone is not None
    state = set(task.init)
    for op, back in zip(task.operators, undone.operators, strict=True):
        if state.issuperset(op.pre):
            after = state.difference(op.delete).union(op.add)
            assert after.issuperset(back.pre)
            assert after.difference(back.delete).union(back.add) == state


def test_too_many_goal_states_go_forward_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.search.bidirectional.MOST_GOALS", 10)
    outcome = bidirectional(load("bird-2").task("slides"), Budget())
    assert outcome.status is Status.OPTIMAL
    assert outcome.stats["backward"] == "too many goal states"
    assert "forward only" in outcome.lower_bound_by


def test_limits_leave_the_bound() -> None:
    budget = Budget()
    budget.interrupted.set()
    outcome = bidirectional(load("eight-31-a").task("moves"), budget)
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == (1,)
    outcome = bidirectional(load("korf-01").task("moves"), Budget(memory_mib=8))
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound is not None
    assert 20 < outcome.lower_bound[0] <= 57
