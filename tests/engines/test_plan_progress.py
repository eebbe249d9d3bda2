"""The order of A*'s open states by their progress in a packing plan: ranks by definition, and that they are kept."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.boxes.box_board import find_box_board
from budge.analysis.movable_objects import MovableObjects, find_movable_objects
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.packed_states import OUT
from budge.engines.astar.store import EstimatedStore
from budge.engines.astar.tables import (
    MISSING,
    MOST,
    MOST_CHANGES,
    OUT_OF_PLAN,
    REGIONS,
    PlanProgress,
    progress_for,
    rank_after,
)
from budge.models.task import OperatorTask
from budge.runtime.arrays import Words
from budge.runtime.kernel_calls import njit
from hypothesis import given, settings

from ..helpers.pushes import regions
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of


@njit()
def rank(progress: PlanProgress, objects: MovableObjects, row: Words, changes: int) -> int:
    return rank_after(progress, objects, row, changes)


def boxes_of(task: OperatorTask, row: Words) -> set[int]:
    """The cells of the boxes in a row, by their numbers among the walker's cells."""
    objects = find_movable_objects(task)
    return {int(c) for f, c in zip(objects.fact, objects.covers, strict=True) if int(row[f >> 6]) >> (int(f) & 63) & 1}


def expected(progress: PlanProgress, boxes: set[int], changes: int) -> int:
    """A rank by its definition. Of plans without initial entries that are moved on later."""
    plan, goals = progress.plan, np.flatnonzero(progress.board.goal)
    to, until = plan.to.tolist(), plan.until.tolist()
    packed = sum(cell in boxes for cell in goals)
    if to:
        # The longest prefix that the boxes do not contradict: no box is lacking where one stays beyond it.
        packed = max(n for n in range(len(to) + 1) if all(to[i] in boxes or until[i] < n for i in range(n)))
    missing = max(len(to), len(boxes)) - packed
    apart = min(len(set(regions(progress.board, sorted(boxes)).values())), MOST)
    out = min(sum(int(plan.zone[packed, box]) for box in boxes), MOST) if to else 0
    return missing << MISSING | apart << REGIONS | out << OUT_OF_PLAN | min(changes, MOST_CHANGES)


class Kept:
    """The tables of the searches that begin while it is installed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stores: list[tuple[EstimatedStore, PlanProgress]] = []
        search = EstimatedStore.search

        def kept(store: EstimatedStore, scratch, control, progress, *more):  # type: ignore[no-untyped-def]
            self.stores.append((store, progress))
            return search(store, scratch, control, progress, *more)

        monkeypatch.setattr(EstimatedStore, "search", kept)


@given(rows=levels(max_boxes=4))
@settings(max_examples=examples(100))
def test_ranks_of_all_states_met(rows: tuple[str, ...]) -> None:
    task = load_text(text_of(list(rows))).task("pushes")
    with pytest.MonkeyPatch.context() as patch:
        kept = Kept(patch)
        a_star(task, Budget())
    if not kept.stores or not len(kept.stores[-1][0].rank):
        return  # a dead end from the start
    store, progress = kept.stores[-1]
    objects = find_movable_objects(task)
    plain = progress.plan.initial == 0
    walks = [boxes_of(task, store.row(0))]
    for index in range(1, store.count):
        boxes, parent = boxes_of(task, store.row(index)), int(store.nodes.parent[index])
        walks.append(boxes)
        grand = int(store.nodes.parent[parent])
        (moved,) = walks[parent] - boxes
        changes = int(store.rank[parent] & MOST_CHANGES)
        changes += moved in (walks[grand] if grand >= 0 else walks[parent])
        found = int(store.rank[index])
        assert rank(progress, objects, store.row(index), 7) == found - (found & MOST_CHANGES) + 7
        if plain:
            assert found - (found & MOST_CHANGES) == expected(progress, boxes, 0)
        # A parent to which a cheaper way was found later may have another number of changes now.
        assert found & MOST_CHANGES == changes or not _consistent(store, index)


def _consistent(store: EstimatedStore, index: int) -> bool:
    """Whether a state's cost is that of its parent and a push: the parent was not reopened after it."""
    parent = int(store.nodes.parent[index])
    costs = store.nodes.values[:, 0]
    return int(costs[index]) == int(costs[parent]) + 1


def test_both_lists_hold_the_same_states(monkeypatch: pytest.MonkeyPatch) -> None:
    class Soon(Budget):
        looks = 0

        def stopped(self, held: int = 0) -> str | None:
            self.looks += 1
            return "interrupted" if self.looks > 40 else None

    kept = Kept(monkeypatch)
    outcome = a_star(load("sokoban/xsokoban-78").task("pushes"), Soon())
    store = kept.stores[-1][0]
    assert outcome.stats["states"] == store.count
    opened, ranked = (states.below[: store.count] != OUT for states in (store.opened, store.ranked))
    assert (opened == ranked).all()
    assert opened.sum() == outcome.stats["open"]


@pytest.mark.parametrize("metric", ["moves", "pushes,moves"])
def test_only_where_walking_is_free(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept(monkeypatch)
    assert a_star(load("microban-001").task(metric), Budget()).status is Status.OPTIMAL
    assert not len(kept.stores[-1][0].rank)


def test_no_progress_without_a_board() -> None:
    task = load("bird-1").task("slides")
    progress = progress_for(find_box_board(task), find_movable_objects(task), Budget(), ranks=True, prunes=True)
    assert not progress.prunes
    assert not len(progress.plan.to)
    assert to_bitset_task(task).has_walker is False


def test_a_plan_is_found_with_fewer_expansions() -> None:
    task = load("sokoban/xsokoban-78").task("pushes")
    with_ranks = a_star(task, Budget())
    without = a_star(task, Budget(), without="ranks")
    assert with_ranks.upper_bound == with_ranks.lower_bound == without.upper_bound == (136,)
    assert int(with_ranks.stats["expanded"]) < int(without.stats["expanded"])
