"""What a task's things alone tell, against exhaustive distances: bounds hold in every state, lost sets never occur."""

from __future__ import annotations

import pytest
from budge import Budget, PuzzleError, load, load_text
from budge.analysis.plan_invariants import find_invariants
from budge.analysis.transforms.strips import to_strips
from budge.analysis.transforms.unit_cost import with_unit_cost
from budge.models.task import Task
from hypothesis import given, settings

from .random_boards import n_puzzle, rush_hour, sliding_block
from .reference import distances
from .sokoban_levels import levels, text_of


def check(task: Task) -> None:
    stepwise = with_unit_cost(task)
    if stepwise is None or stepwise.compound_moves or stepwise.unsolvable_because:
        return
    found = find_invariants(stepwise, Budget())
    whole = to_strips(stepwise)
    ahead, back = distances(whole)
    start = frozenset(whole.init)
    if start in back:
        assert found.lower_bound(stepwise.init) <= back[start]
        assert found.parity in (None, back[start] % 2)
    dead = [set(facts) for facts in found.dead]
    for state in back:
        facts = tuple(sorted(f for f in state if f < len(stepwise.facts)))
        assert all(bound.value(facts) <= back[state] for bound in found.to_goal)
        assert all(not lost <= state for lost in dead)
        if start in back and state in ahead:
            assert all(bound.value(facts) <= ahead[state] for bound in found.from_start)
            assert all(found.colour is None or found.colour.get(f, ahead[state] % 2) == ahead[state] % 2 for f in facts)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_random_rush_hour(seed: int, metric: str) -> None:
    check(load_text(rush_hour(seed)).task(metric))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("metric", ["moves", "slides", "steps"])
def test_random_sliding_blocks(seed: int, metric: str) -> None:
    try:
        task = load_text(sliding_block(seed, cells=9).text).task(metric)
    except PuzzleError:
        return
    check(task)


@pytest.mark.parametrize("seed", range(12))
def test_random_n_puzzles(seed: int) -> None:
    check(load_text(n_puzzle(seed)).task("moves"))


@pytest.mark.parametrize("metric", ["pushes", "moves"])
@given(rows=levels(max_boxes=3))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_sokoban(metric: str, rows: tuple[str, ...]) -> None:
    check(load_text(text_of(list(rows))).task(metric))


@pytest.mark.parametrize(
    ("name", "metric", "bound", "parity"),
    [
        ("eight-31-a", "moves", 21, 1),
        ("korf-12", "moves", 35, 1),
        ("xsokoban-01", "pushes", 95, 1),
        ("microban-065", "pushes", 37, 1),
        ("bird-1", "slides", 3, None),
    ],
)
def test_known_boards(name: str, metric: str, bound: int, parity: int | None) -> None:
    task = load(name).task(metric)
    found = find_invariants(task, Budget())
    assert found.lower_bound(task.init) == bound
    assert found.parity == parity
