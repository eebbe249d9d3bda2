"""Deadlock searches of A* and what they learn, against exhaustive search on random boards."""

from __future__ import annotations

from typing import Any

import pytest
from budge import Budget, Status, load
from budge.analysis.boxes.box_board import BoxBoard, find_box_board
from budge.analysis.deadlocks.freeze import SETS, LearnedSets
from budge.analysis.estimate import prepare_estimate
from budge.analysis.heuristic import Estimate
from budge.engines.astar import recheck_before_expansion
from budge.engines.astar.engine import solve as a_star
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ..helpers.pushes import numbered, reachable, solvable
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels

FEW = settings(
    max_examples=examples(150),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Estimate]:
    """The estimates that are made, without all else that finds dead ends but the matching."""
    found: list[Estimate] = []
    prepare = prepare_estimate

    def without(task: Any, packed: Any, budget: Any, *_: Any) -> Estimate:
        names = frozenset({"conflicts", "corrals", "freeze"})
        found.append(prepare(task, packed, budget, without=names))
        return found[-1]

    monkeypatch.setattr("budge.engines.astar.search.prepare_estimate", without)
    return found


def sets_of(learned: LearnedSets) -> list[tuple[set[int], set[int]]]:
    """(facts, walker's cells) of each set."""

    def bits(row: Any) -> set[int]:
        return {64 * w + bit for w, word in enumerate(row.tolist()) for bit in range(64) if word >> bit & 1}

    return [(bits(learned.facts[i]), bits(learned.cells[i])) for i in range(int(learned.known[SETS]))]


@given(rows=levels(max_boxes=5, min_boxes=4, size=(4, 6)), metric=st.sampled_from(["pushes", "moves"]))
@FEW
def test_they_keep_the_optimum_and_learn_what_is_dead(made: list[Estimate], rows: tuple[str, ...], metric: str) -> None:
    puzzle = level(list(rows))
    view = find_box_board(puzzle.task(metric))
    assume(isinstance(view, BoxBoard) and len(view.boxes) > 1)
    assert isinstance(view, BoxBoard)
    try:
        expected = optimal(puzzle.task(metric), 5_000)
    except OverflowError:
        assume(False)
    made.clear()
    outcome = a_star(puzzle.task(metric), Budget())
    assert outcome.upper_bound == (None if expected is None else expected[0])
    assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
    board = numbered(view)[0]
    for estimate in made:
        cell_of = {int(f): int(c) for f, c in zip(estimate.objects.fact, estimate.objects.covers, strict=True)}
        for facts, cells in sets_of(estimate.learned):
            before = reachable(board, (tuple(sorted(cell_of[fact] for fact in facts)), min(cells)), 50_000)
            assert before is not None
            assert not solvable(board, before)


@pytest.mark.weekly
def test_they_save_states(made: list[Estimate], monkeypatch: pytest.MonkeyPatch) -> None:
    task = load("sokoban/xsokoban-38").task("pushes")
    with_them = a_star(task, Budget())
    monkeypatch.setattr(recheck_before_expansion, "searches_for", lambda *arguments: None)
    without = a_star(task, Budget())
    assert with_them.upper_bound == without.upper_bound == (81,)
    assert int(with_them.stats["learned_sets"]) > 0
    assert int(with_them.stats["states"]) < int(without.stats["states"])
    assert "deadlock searches" in with_them.lower_bound_by
