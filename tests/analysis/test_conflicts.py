"""Conflicts of two and three boxes against their definition: exhaustive search on random boards."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest
from budge import Budget, Outcome, load
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.box_conflicts import (
    Conflicts,
    ConflictScratch,
    conflict_scratch,
    conflicts_of,
    find_conflicts,
)
from budge.analysis.estimate import prepare_estimate
from budge.analysis.heuristic import Estimate
from budge.analysis.matching import assignment, match
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.recheck_before_expansion import ConflictTables
from budge.models.task import OperatorTask
from budge.runtime.arrays import Longs
from budge.runtime.kernel_calls import njit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels

FEW = settings(max_examples=examples(100))


@njit()
def chosen(found: ConflictTables, at: Longs, cell: int, choice: ConflictScratch) -> int:
    return conflicts_of((found.pairs, found.triples), at, cell, choice)


def towards_goals(task: OperatorTask, estimate: Estimate) -> tuple[Conflicts, Conflicts]:
    """The conflicts of pairs and of three."""
    packed, objects, boards = to_bitset_task(task), estimate.objects, estimate.boards
    pairs = find_conflicts(packed, objects, boards, 2, Budget())
    return pairs, find_conflicts(packed, objects, boards, 3, Budget(), fewer=pairs)


def bound_of(task: OperatorTask) -> int:
    """Matching and conflicts of up to three boxes in the initial state; -1 for a lost set or no matching."""
    packed = to_bitset_task(task)
    estimate = prepare_estimate(task, packed, Budget())
    objects = estimate.objects
    at = np.array([int(objects.place[f]) for f in task.init if objects.place[f] >= 0], np.int64)
    pairs, triples = towards_goals(task, estimate)
    tables = ConflictTables(pairs, triples)
    extra = int(chosen(tables, at, packed.start, conflict_scratch(len(at), 3))) if triples.size else 0
    work = assignment(objects.rows)
    spare = np.arange(objects.rows - len(at))
    sides = estimate.boards.side[0, at, packed.start]
    work.where[:] = np.concatenate((at * objects.sides + sides, len(objects.fact) * objects.sides + spare))
    matched = int(match(estimate.boards.dist[0], work))
    return -1 if min(matched, extra) < 0 else matched + extra * pairs.unit


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


@given(rows=levels(max_boxes=3, min_boxes=3, size=(3, 5)))
@FEW
def test_a_set_of_all_boxes_is_lost_if_and_only_if_there_is_no_plan(rows: tuple[str, ...]) -> None:
    task = replace(level(list(rows)).task("pushes"), unsolvable_because=None)
    best = optimal(task, 50_000)
    assert (bound_of(task) < 0) == (best is None)


def test_sets_that_begin_as_none_in_conflict_are_the_only_ones_left_out() -> None:
    task = load("sokoban/xsokoban-38").task("pushes")
    estimate = prepare_estimate(task, to_bitset_task(task), Budget())
    table = towards_goals(task, estimate)[1]
    begins: set[tuple[int, ...]] = set()
    sets = sorted(combinations(range(len(table.choose) - 1), table.size), key=lambda one: one[::-1])
    for number, places in enumerate(sets):
        if table.extra[number].any():
            begins.update(places[:j] for j in range(1, table.size + 1))
    for j in range(1, table.size + 1):
        for places in combinations(range(len(table.choose) - 1), j):
            rank = sum(comb(p, i + 1) for i, p in enumerate(places))
            assert table.begins[table.first[j] + rank] == (places in begins)


@pytest.mark.weekly
def test_triples_save_states() -> None:
    task = load("sokoban/xsokoban-38").task("pushes")

    def proof(without: str | None) -> Outcome:  # the cost of a plan being known: what the last bound takes is luck
        budget = Budget()
        budget.hear((81,))
        return a_star(task, budget, without=without)

    whole, part = proof(None), proof("conflicts-3")
    assert whole.lower_bound == part.lower_bound == (81,)
    assert int(whole.stats["expanded"]) < int(part.stats["expanded"])
    assert "conflicts of up to 3" in whole.lower_bound_by
