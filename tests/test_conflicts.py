"""Conflicts of two, three and four boxes against their definition: exhaustive search on random boards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from budge import Budget, load
from budge.analysis import estimate as estimates
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.conflicts import Choice, choice_for, find_conflicts, larger_conflicts_of, no_conflicts
from budge.analysis.estimate import Estimate, prepare_estimate
from budge.analysis.matching import assignment, match
from budge.analysis.tunables import TUNABLES
from budge.engines.search.astar.engine import a_star
from budge.models.task import Task
from budge.runtime.arrays import Longs
from budge.runtime.kernel_cache import njit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .reference import optimal
from .sokoban_levels import level, levels

FEW = settings(max_examples=100, deadline=None, derandomize=True)


@njit()
def chosen(estimate: Estimate, at: Longs, cell: int, choice: Choice) -> int:
    return larger_conflicts_of(estimate.conflicts, estimate.triples, estimate.fours, at, cell, choice)


def bound_of(task: Task) -> int:
    """Matching and conflicts of up to four boxes in the initial state; -1 for a lost set or no matching."""
    packed = to_bitset_task(task)
    estimate = prepare_estimate(task, packed, Budget())
    objects = estimate.objects
    at = np.array([int(objects.place[f]) for f in task.init if objects.place[f] >= 0], np.int64)
    estimate = estimate._replace(fours=find_conflicts(packed, objects, estimate.boards, 4, Budget()))
    tables = (estimate.conflicts, estimate.triples, estimate.fours)
    extra = int(chosen(estimate, at, packed.start, choice_for(tables, len(at)))) if estimate.triples.size else 0
    work = assignment(objects.rows)
    spare = np.arange(objects.rows - len(at))
    sides = estimate.boards.side[0, at, packed.start]
    work.where[:] = np.concatenate((at * objects.sides + sides, len(objects.fact) * objects.sides + spare))
    matched = int(match(estimate.boards.dist[0], work))
    return -1 if min(matched, extra) < 0 else matched + extra * estimate.conflicts.unit


@given(rows=levels(max_boxes=6, min_boxes=3, size=(4, 5)), metric=st.sampled_from(["pushes", "moves"]))
@FEW
def test_they_add_to_the_matching(rows: tuple[str, ...], metric: str) -> None:
    task = replace(level(list(rows)).task(metric), unsolvable_because=None)
    try:
        best = optimal(task, 5_000)
    except OverflowError:
        assume(False)
    bound = bound_of(task)
    if best is not None:
        assert 0 <= bound <= best[0][0]


@given(rows=levels(max_boxes=4, min_boxes=3, size=(3, 5)))
@FEW
def test_a_set_of_all_boxes_is_lost_if_and_only_if_there_is_no_plan(rows: tuple[str, ...]) -> None:
    task = replace(level(list(rows)).task("pushes"), unsolvable_because=None)
    best = optimal(task, 50_000)
    assert (bound_of(task) < 0) == (best is None)


@pytest.mark.parametrize("field", ["triples", "fours"])
def test_larger_sets_save_states(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task, prepare = load("sokoban/xsokoban-38").task("pushes"), estimates.prepare_estimate

    def without(*arguments: Any) -> Estimate:
        return prepare(*arguments)._replace(triples=no_conflicts())

    monkeypatch.setattr(TUNABLES, "conflict_patience", 10**9)
    whole = a_star(task, Budget())
    if field == "triples":
        monkeypatch.setattr(estimates, "prepare_estimate", without)
    monkeypatch.setattr(TUNABLES, "conflict_patience", 1)
    part = a_star(task, Budget())
    assert whole.upper_bound == part.upper_bound == (81,)
    assert int(whole.stats["expanded"]) < int(part.stats["expanded"])
    assert "conflicts of up to 4" in whole.lower_bound_by
