"""The bounds and dead ends of A* against their definitions: exhaustive search from many states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pytest
from budge import Budget
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.conflicts import conflicts_of
from budge.analysis.deadlocks.edges import edges, lost_by_blocks, lost_by_edges
from budge.analysis.deadlocks.tables import lost
from budge.analysis.distances import INFINITE
from budge.analysis.estimate import Estimate, bound_of, prepare_estimate, survey
from budge.analysis.matching import assignment, match, rematch
from budge.analysis.movable_objects import MovableObjects, find_movable_objects
from budge.engines.search.astar.engine import a_star
from budge.engines.search.astar.store import EstimatedStore, scratch_for
from budge.models.puzzle import Puzzle
from budge.models.task import Task
from hypothesis import given, settings
from hypothesis import strategies as st

from .reference import optimal
from .sokoban_levels import level, levels


@dataclass
class Tables:
    """A task with its tables; `bound` is the heuristic's value of the initial state, -1 for a dead end."""

    task: Task
    packed: BitsetTask
    estimate: Estimate

    @property
    def things(self) -> MovableObjects:
        return self.estimate.things

    @property
    def places(self) -> frozenset[int]:
        return frozenset(int(self.things.place[f]) for f in self.task.init if self.things.place[f] >= 0)

    @property
    def bound(self) -> int:
        store, scratch = EstimatedStore(self.packed, walks=False), scratch_for(self.packed, self.things)
        board = survey(self.packed, self.estimate, scratch.look, store.states[0], self.packed.start)
        bound = int(bound_of(self.estimate, scratch.look, board, store.states[0])) if board >= 0 else -1
        if bound < 0 or board > 0 or not self.estimate.conflicts.unit:
            return bound
        extra = int(conflicts_of(self.estimate.conflicts, scratch.look.at, self.packed.start))
        return extra if extra < 0 else bound + extra

    @property
    def holds_lost_set(self) -> bool:
        at = np.array(sorted(self.places), np.int64)
        chosen = np.zeros(4, np.int64)
        cell = self.packed.start if self.things.sides > 1 else 0
        return any(lost(self.estimate.dead, at, i, cell, chosen) for i in range(len(at)))


def tables(puzzle: Puzzle, metric: str = "pushes") -> Tables:
    task = replace(puzzle.task(metric), unsolvable_because=None)
    packed = to_bitset_task(task)
    return Tables(task, packed, prepare_estimate(task, packed, Budget()))


@given(rows=levels(max_boxes=4), metric=st.sampled_from(["pushes", "moves"]))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_bounds_never_exceed_the_optimum_and_dead_ends_are_dead(rows: tuple[str, ...], metric: str) -> None:
    known = tables(level(list(rows)), metric)
    best = optimal(known.task)
    if best is None:
        return
    assert 0 <= known.bound <= best[0][0]
    assert not known.holds_lost_set


@given(rows=levels(max_boxes=4))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_star_prunes_what_the_classic_rules_prune(rows: tuple[str, ...]) -> None:
    """Rule 1 (blocks) is contained in freezing, rule 2 (edges) in matching."""
    known = tables(level(list(rows)))
    if lost_by_blocks(known.task, known.things, known.places) or lost_by_edges(known.things, known.places):
        assert known.bound < 0
        assert optimal(known.task) is None


def test_dead_sets_of_two_are_exactly_the_lost_pairs() -> None:
    """With two boxes nothing else stands on the board: what is not lost can be solved."""
    inside = [(r, c) for r in range(1, 4) for c in range(1, 5)]
    for boxes in [((1, 2), (2, 2)), ((2, 2), (2, 3)), ((1, 3), (2, 3)), ((2, 2), (3, 3)), ((1, 1), (2, 3))]:
        for player in inside:
            if player in boxes:
                continue
            grid = [list("######"), *(list("#    #") for _ in range(3)), list("######")]
            for r, c in [(1, 4), (3, 3)]:
                grid[r][c] = "."
            for r, c in boxes:
                grid[r][c] = "*" if grid[r][c] == "." else "$"
            grid[player[0]][player[1]] = "+" if grid[player[0]][player[1]] == "." else "@"
            known = tables(level(["".join(row) for row in grid]))
            dead = any(
                not known.task.groups[0].facts or int(known.things.place[f]) < 0
                for f in known.task.init
                if known.task.facts[f].startswith("box")
            )
            assert not dead
            assert (known.holds_lost_set or known.bound < 0) == (optimal(known.task) is None)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (["########", "#. .   #", "# $$ @ #", "# $$   #", "#. .   #", "########"], "block"),
        (["#######", "#  .  #", "#$ $ @#", "#  .  #", "#######"], "edge"),
        (["########", "# #  . #", "# $$ @ #", "#  # . #", "########"], "freeze"),
    ],
)
def test_a_dead_end_is_seen_at_once(rows: list[str], why: str) -> None:
    known = tables(level(rows))
    assert known.bound < 0
    assert lost_by_blocks(known.task, known.things, known.places) == (why == "block")
    assert lost_by_edges(known.things, known.places) == (why == "edge")
    assert optimal(known.task) is None


def test_a_box_on_an_edge_stays_there() -> None:
    known = tables(level(["#######", "#  .  #", "# $ $@#", "#  .  #", "#######"]))
    sizes = sorted((len(edge.places), edge.goals) for edge in edges(known.things))
    assert (3, 1) in sizes  # the cells of an edge but its corners


def test_two_boxes_in_a_row_are_in_conflict() -> None:
    """Each box alone needs three pushes; one must first be pushed out of the other's way."""
    rows = ["#########", "#  ##   #", "#@ $$ ..#", "#  ##   #", "#########"]
    known = tables(level(rows))
    best = optimal(known.task)
    assert (known.bound < 0) == (best is None)
    if best is not None:
        assert known.bound == best[0][0]


def test_what_is_frozen_on_a_goal_is_a_wall() -> None:
    """The box on the goal in the doorway never moves: the goal behind it cannot be filled."""
    rows = ["########", "#   #  #", "# $ *. #", "# @ #  #", "#   #  #", "########"]
    known = tables(level(rows))
    assert known.bound >= 0  # the box in the doorway can still be pushed on
    walled = ["########", "#   ####", "# $ *. #", "# @ ####", "#   ####", "########"]
    known = tables(level(walled))
    assert (known.bound < 0) == (optimal(known.task) is None)


@given(st.integers(1, 5), st.data())
@settings(max_examples=100, deadline=None, derandomize=True)
def test_matching_is_the_cheapest_permutation(size: int, data: st.DataObject) -> None:
    costs = st.one_of(st.integers(0, 20), st.just(INFINITE))
    table = np.array(data.draw(st.lists(costs, min_size=2 * size * size, max_size=2 * size * size)), np.int64)
    dist = table.reshape(2 * size, size)

    def cheapest(where: list[int]) -> int:
        sums = [sum(int(dist[where[i], j]) for i, j in enumerate(p)) for p in permutations(range(size))]
        return min(sums) if min(sums) < INFINITE else -1

    before, after = assignment(size), assignment(size)
    rows = data.draw(st.lists(st.integers(0, 2 * size - 1), min_size=size, max_size=size))
    changed = [r if data.draw(st.booleans()) else data.draw(st.integers(0, 2 * size - 1)) for r in rows]
    before.where[:], after.where[:] = rows, changed
    first = match(dist, before)
    assert first == cheapest(rows)
    if first >= 0:
        assert rematch(dist, before, after) == cheapest(changed)


def test_things_of_sokoban_are_the_boxes_and_know_their_sides() -> None:
    """A box in a corridor: from the left it can be pushed to the goal on the right, from the right never."""
    task = level(["########", "#  $  .#", "#@##   #", "#  ##  #", "##  #  #", "########"]).task("pushes")
    things = find_movable_objects(task, to_bitset_task(task))
    assert things.count == 1
    assert things.sides > 1
    assert {task.facts[f].split()[0] for f in things.fact} == {"box"}


def test_corrals_leave_out_pushes_and_keep_the_optimum() -> None:
    """A fenced-off room whose boxes can only be pushed in: only these pushes are tried first."""
    rows = ["##########", "#  #     #", "# .$ $ . #", "# .# @   #", "####   $ #", "#      . #", "##########"]
    task = level(rows).task("pushes")
    outcome = a_star(task, Budget())
    best = optimal(task)
    if best is None:
        assert outcome.upper_bound is None
    else:
        assert outcome.upper_bound == best[0]
