"""Conflicts of two to five boxes against their definition: exhaustive search on random boards."""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pytest
from budge import Budget, Outcome, load
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.conflicts.conflicts import LOST, Conflicts, excess, find_conflicts, no_conflicts, unit_of
from budge.analysis.conflicts.entry import entry_places, find_entry_conflicts
from budge.analysis.conflicts.larger import ConflictScratch, conflict_scratch, larger_conflicts_of
from budge.analysis.estimate import prepare_estimate
from budge.analysis.heuristic import Estimate
from budge.analysis.matching import assignment, match
from budge.analysis.tunables import TUNABLES
from budge.engines.astar.engine import a_star
from budge.engines.astar.larger_conflicts import ConflictTables
from budge.models.task import Task
from budge.runtime.arrays import Longs
from budge.runtime.kernel_cache import njit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .reference import optimal
from .sokoban_levels import level, levels

FEW = settings(max_examples=100, deadline=None, derandomize=True)


@njit()
def chosen(found: ConflictTables, at: Longs, cell: int, choice: ConflictScratch) -> int:
    return larger_conflicts_of((found.pairs, found.triples, found.fours, found.fives), at, cell, choice)


def towards_goals(task: Task, estimate: Estimate) -> tuple[Conflicts, Conflicts]:
    """The conflicts of pairs and of three."""
    packed, objects, boards = to_bitset_task(task), estimate.objects, estimate.boards
    pairs = find_conflicts(packed, objects, boards, 2, Budget())
    return pairs, find_conflicts(packed, objects, boards, 3, Budget(), fewer=pairs)


def towards_entries(task: Task, estimate: Estimate, size: int) -> Conflicts:
    packed, objects, boards = to_bitset_task(task), estimate.objects, estimate.boards
    places = entry_places(packed, objects, boards, size)
    return find_entry_conflicts(packed, objects, boards, size, places, Budget()) if len(places) else no_conflicts()


def bound_of(task: Task) -> int:
    """Matching and conflicts of up to five boxes in the initial state; -1 for a lost set or no matching."""
    packed = to_bitset_task(task)
    estimate = prepare_estimate(task, packed, Budget())
    objects = estimate.objects
    at = np.array([int(objects.place[f]) for f in task.init if objects.place[f] >= 0], np.int64)
    pairs, triples = towards_goals(task, estimate)
    tables = ConflictTables(pairs, triples, towards_entries(task, estimate, 4), towards_entries(task, estimate, 5))
    extra = int(chosen(tables, at, packed.start, conflict_scratch(tables, len(at)))) if triples.size else 0
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


@given(rows=levels(max_boxes=4, min_boxes=3, size=(3, 5)))
@FEW
def test_a_set_of_all_boxes_is_lost_if_and_only_if_there_is_no_plan(rows: tuple[str, ...]) -> None:
    task = replace(level(list(rows)).task("pushes"), unsolvable_because=None)
    best = optimal(task, 50_000)
    assert (bound_of(task) < 0) == (best is None)


def way_into(task: Task, estimate: Estimate, zone: set[int], at: tuple[int, ...], cell: int) -> int:
    """The conflict towards the entries by Dijkstra's algorithm over sets of places and the walker's cell: pushes that
    bring all boxes at places `at` into the zone, where they are taken off; LOST if there are none.
    """
    packed, objects, boards = to_bitset_task(task), estimate.objects, estimate.boards
    weight, covers = excess(packed, objects, boards, unit_of(objects)), objects.covers
    queue, done = [(0, tuple(sorted(at)), cell)], set()
    while queue:
        paid, boxes, here = heapq.heappop(queue)
        if not boxes:
            return paid
        if (boxes, here) in done:
            continue
        done.add((boxes, here))
        walls = {int(c) for p in boxes for c in covers[objects.covers_first[p] : objects.covers_first[p + 1]]}
        near = packed.near[packed.near_first[here] : packed.near_first[here + 1]].tolist()
        for there in set(near) - walls:
            heapq.heappush(queue, (paid, boxes, there))
        for o, (before, after) in enumerate(objects.moves.tolist()):
            others = set(boxes) - {before}
            if before not in boxes or not boards.useful[o] or packed.walk[o, 0] != here or after in others:
                continue
            if others.isdisjoint(objects.bars[objects.bars_first[o] : objects.bars_first[o + 1]].tolist()):
                left = tuple(sorted(others | ({after} - zone)))
                heapq.heappush(queue, (paid + int(weight[o]), left, int(packed.walk[o, 1])))
    return LOST


@given(rows=levels(max_boxes=5, min_boxes=3, size=(3, 5)), size=st.sampled_from([1, 2, 3]), few=st.booleans())
@FEW
def test_towards_entries_is_the_least_excess_into_the_zone(rows: tuple[str, ...], size: int, few: bool) -> None:
    task = replace(level(list(rows)).task("pushes"), unsolvable_because=None)
    packed, estimate = to_bitset_task(task), prepare_estimate(task, to_bitset_task(task), Budget())
    objects, boards = estimate.objects, estimate.boards
    places = entry_places(packed, objects, boards, size)[: 4 if few else None]
    assume(len(places) >= size and unit_of(objects) and objects.walkable.all())
    found = find_entry_conflicts(packed, objects, boards, size, places, Budget())
    zone = set(range(len(objects.fact))) - set(places.tolist())
    for number, chosen_ones in enumerate(sorted(combinations(range(len(places)), size), key=lambda one: one[::-1])):
        at = tuple(int(places[i]) for i in chosen_ones)
        covered = {
            int(c) for p in at for c in objects.covers[objects.covers_first[p] : objects.covers_first[p + 1]].tolist()
        }
        for cell in range(0, found.extra.shape[1], 3):
            if cell not in covered:
                whole = way_into(task, estimate, zone, at, cell)
                parts = [way_into(task, estimate, zone, part, cell) for part in combinations(at, size - 1)]
                assert found.extra[number, cell] == (whole if whole > max(parts) else 0)


@given(rows=levels(max_boxes=5, min_boxes=3, size=(4, 5)))
@FEW
def test_towards_entries_is_at_most_towards_goals(rows: tuple[str, ...]) -> None:
    task = replace(level(list(rows)).task("pushes"), unsolvable_because=None)
    estimate = prepare_estimate(task, to_bitset_task(task), Budget())
    entries = towards_entries(task, estimate, 3)
    goals = find_conflicts(to_bitset_task(task), estimate.objects, estimate.boards, 3, Budget())
    assume(entries.size and goals.size)
    for places in combinations(np.flatnonzero(entries.number >= 0).tolist(), 3):
        number = sum(int(goals.choose[p, i + 1]) for i, p in enumerate(places))
        other = sum(int(entries.choose[p, i + 1]) for i, p in enumerate(sorted(entries.number[list(places)])))
        assert (entries.extra[other] <= goals.extra[number]).all()


def test_sets_that_begin_as_none_in_conflict_are_the_only_ones_left_out() -> None:
    task = load("sokoban/xsokoban-38").task("pushes")
    estimate = prepare_estimate(task, to_bitset_task(task), Budget())
    for table in (towards_goals(task, estimate)[1], towards_entries(task, estimate, 4)):
        begins: set[tuple[int, ...]] = set()
        sets = sorted(combinations(range(int((table.number >= 0).sum())), table.size), key=lambda one: one[::-1])
        for number, places in enumerate(sets):
            if table.extra[number].any():
                begins.update(places[:j] for j in range(1, table.size))
        for j in range(1, table.size):
            for places in combinations(range(int((table.number >= 0).sum())), j):
                rank = sum(comb(p, i + 1) for i, p in enumerate(places))
                assert table.begins[table.first[j] + rank] == (places in begins)


def test_only_what_is_affordable_has_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load("sokoban/xsokoban-38").task("pushes")
    packed, estimate = to_bitset_task(task), prepare_estimate(task, to_bitset_task(task), Budget())
    all_places = entry_places(packed, estimate.objects, estimate.boards, 4)
    monkeypatch.setattr(TUNABLES, "entry_entries", 100_000)
    places = entry_places(packed, estimate.objects, estimate.boards, 4)
    assert 4 <= len(places) < len(all_places) == len(estimate.objects.fact) - int(estimate.objects.target.sum())
    assert comb(len(places), 4) * len(packed.free_bit) <= 100_000
    assert places.tolist() == all_places[: len(places)].tolist()  # the farthest ones
    monkeypatch.setattr(TUNABLES, "conflict_lookups", 1)
    assert not len(entry_places(packed, estimate.objects, estimate.boards, 4))
    found = find_entry_conflicts(packed, estimate.objects, estimate.boards, 4, all_places, Budget(None, 1))
    assert not found.size


@pytest.mark.parametrize("size", [3, 4, 5])
def test_larger_sets_save_states(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sets of up to so many boxes, and of one fewer."""
    task = load("sokoban/xsokoban-38").task("pushes")

    def proof(largest: int) -> Outcome:  # the cost of a plan being known: how many states the last bound takes is luck
        budget = Budget()
        budget.hear((81,))
        return a_star(task, budget, without=",".join(f"conflicts-{n}" for n in range(largest + 1, 6)))

    monkeypatch.setattr(TUNABLES, "conflict_patience", 10**9)
    whole, part = proof(size), proof(size - 1)
    assert whole.lower_bound == part.lower_bound == (81,)
    assert int(whole.stats["expanded"]) < int(part.stats["expanded"])
    assert f"conflicts of up to {size}" in whole.lower_bound_by
