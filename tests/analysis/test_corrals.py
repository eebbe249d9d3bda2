"""Corrals against exact distances: from every position of a plan, some push of the corral is one of an optimal plan."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from budge import Budget, Outcome, load
from budge.analysis.bitset_kernels import walk_region
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.deadlocks.corrals import PLAIN, STRONG, find_corral
from budge.analysis.estimate import prepare_estimate
from budge.analysis.heuristic import Estimate
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.packed_states import packing_for
from budge.engines.astar.store import scratch_for
from budge.engines.astar.tables import ExpansionScratch, corral_arrays
from budge.runtime.arrays import Words
from budge.runtime.kernel_calls import njit

from ..helpers.corridor_levels import levels_with_distances
from ..helpers.pushes import pushed


@njit()
def corral_of(task: BitsetTask, estimate: Estimate, scratch: ExpansionScratch, row: Words, cell: int) -> int:
    walk_region(task, row, cell, scratch.reached, scratch.stack)
    around = corral_arrays(scratch)
    return find_corral(task, estimate.objects, estimate.boards.useful, estimate.dead, estimate.corrals, cell, around)


@pytest.mark.weekly
def test_some_push_of_a_corral_is_on_an_optimal_plan() -> None:
    met = Counter[str]()
    for puzzle, view, board, away in levels_with_distances(range(120), 4, 6_000):
        if len(view.boxes) < 3 or len(away) < 2:
            continue
        task = puzzle.task("pushes")
        packed = to_bitset_task(task)
        estimate = prepare_estimate(task, packed, Budget())
        if not estimate.corrals:
            continue
        objects, scratch = estimate.objects, scratch_for(packed, estimate.objects, packing_for(task, packed))
        place_at = {int(cell): place for place, cell in enumerate(objects.covers)}
        for position in away:
            # 1. The position as a state, and its corral.
            row = np.zeros(packed.row, np.uint64)
            scratch.look.at[:] = [place_at[box] for box in position[0]]
            scratch.look.occupied[:] = 0
            scratch.look.occupied[scratch.look.at] = 1
            free = [int(bit) for cell, bit in enumerate(packed.free_bit) if cell not in position[0]]
            for fact in [*objects.fact[scratch.look.at].tolist(), *free]:
                row[fact >> 6] |= np.uint64(1 << (fact & 63))
            if away[position] == 0 or corral_of(packed, estimate, scratch, row, position[1]) < 0:
                continue
            # 2. Some push of a member is one push nearer.
            members = {int(objects.covers[place]) for place in np.flatnonzero(scratch.chosen)}
            met["left out"] += any(box not in members for box, _ in pushed(board, position))
            best = {box for box, after in pushed(board, position) if away.get(after, -2) == away[position] - 1}
            assert best & members, (puzzle.to_yaml(), position, members)
    assert met["left out"] > 100, met


@pytest.mark.weekly
def test_what_is_dead_makes_more_corrals(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, strength = prepare_estimate, STRONG

    def changed(*arguments: Any) -> Estimate:
        return prepare(*arguments)._replace(corrals=strength)

    monkeypatch.setattr("budge.engines.astar.search.prepare_estimate", changed)
    task = load("sokoban/xsokoban-38").task("pushes")

    def proof() -> Outcome:
        """Without the luck with which a plan is found: only the proof that there is none of fewer pushes."""
        budget = Budget()
        budget.hear((81,))
        return a_star(task, budget)

    strong, strength = proof(), PLAIN
    plain = proof()
    assert strong.lower_bound == plain.lower_bound == (81,)
    assert int(strong.stats["expanded"]) < int(plain.stats["expanded"])
