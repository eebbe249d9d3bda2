"""The bounds and dead ends of A* against their definitions: exhaustive search from many states."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pytest
from budge import Budget, Outcome, load
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.box_conflicts import Conflicts, ConflictScratch, conflict_scratch, conflicts_of, no_conflicts
from budge.analysis.estimate import prepare_estimate, root_value, survey_state, tables_of
from budge.analysis.heuristic import Estimate, Survey
from budge.analysis.matching import Assignment, assignment, match, rematch
from budge.analysis.movable_objects import INFINITE, MovableObjects, find_movable_objects
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.store import EstimatedStore, scratch_for
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.runtime.arrays import Longs, Words
from budge.runtime.kernel_calls import njit
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.classic_rules import edges, lost_by_blocks, lost_by_edges
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels


@njit()
def conflict_sum(conflicts: Conflicts, at: Longs, cell: int, choice: ConflictScratch) -> int:
    return conflicts_of((conflicts,), at, cell, choice)


@njit()
def rematched(dist: Longs, before: Assignment, work: Assignment) -> int:
    return rematch(dist, before, work, True)


@njit()
def surveyed(estimate: Estimate, look: Survey, row: Words, cell: int) -> int:
    return survey_state(estimate, look, row, cell)


@dataclass
class Tables:
    """A task with its tables; `bound` is the heuristic's value of the initial state, -1 for a dead end."""

    task: OperatorTask
    packed: BitsetTask
    estimate: Estimate
    conflicts: Conflicts

    def moved(self, before: str, after: str) -> Tables:
        """The same with a box elsewhere, and the walker where the box was."""
        names = {name: fact for fact, name in enumerate(self.task.facts)}
        true = set(self.task.init) - {names[f"box at {before}"], names[f"free {after}"]}
        true |= {names[f"box at {after}"], names[f"free {before}"]}
        assert self.task.walker is not None
        cell = self.task.walker.free.index(names[f"free {before}"])
        task = replace(self.task, init=tuple(sorted(true)), walker=replace(self.task.walker, start=cell))
        return replace(self, task=task, packed=to_bitset_task(task))

    def without(self, freezes: int) -> Tables:
        """The same without conflicts, and with freezing only if `freezes`."""
        boards = self.estimate.boards._replace(freezes=freezes)
        return replace(self, estimate=self.estimate._replace(boards=boards, adds=0), conflicts=no_conflicts())

    @property
    def objects(self) -> MovableObjects:
        return self.estimate.objects

    @property
    def places(self) -> frozenset[int]:
        return frozenset(int(self.objects.place[f]) for f in self.task.init if self.objects.place[f] >= 0)

    @property
    def bound(self) -> int:
        bound = root_value(self.packed, self.estimate)
        if bound < 0 or not self.conflicts.unit:
            return bound
        store = EstimatedStore(self.task, self.packed, walks=bool(self.task.walker and self.task.walker.cost[0]))
        scratch, row = scratch_for(self.packed, self.objects, store.packing), store.row(0)
        if surveyed(self.estimate, scratch.look, row, self.packed.start) > 0:
            return bound
        extra = self.conflict
        return extra if extra < 0 else bound + extra

    @property
    def conflict(self) -> int:
        """The sum of the initial state's conflicts, or -1 for a lost pair."""
        at = np.array(sorted(self.places), np.int64)
        extra = int(conflict_sum(self.conflicts, at, self.packed.start, conflict_scratch(len(at), 2)))
        return extra * self.conflicts.unit if extra > 0 else extra


def tables(puzzle: Puzzle, metric: str = "pushes") -> Tables:
    task = replace(puzzle.task(metric), unsolvable_because=None)
    packed = to_bitset_task(task)
    estimate = prepare_estimate(task, packed, Budget())
    found = tables_of(estimate, Conflicts)
    assert found
    return Tables(task, packed, estimate, found[1])


def test_bounds_never_exceed_the_optimum_and_dead_ends_are_dead() -> None:
    solvable = Counter[str]()

    @given(rows=levels(max_boxes=4), metric=st.sampled_from(["pushes", "moves"]))
    @settings(max_examples=60, derandomize=True)  # as many as the last line counts on
    def check(rows: tuple[str, ...], metric: str) -> None:
        known = tables(level(list(rows)), metric)
        best = optimal(known.task)
        if best is not None:
            solvable[metric] += 1
            assert 0 <= known.bound <= best[0][0]

    check()
    assert min(solvable["pushes"], solvable["moves"]) > 3


@pytest.mark.parametrize("metric", ["pushes", "moves"])
def test_a_level_that_begins_solved_has_the_bound_0(metric: str) -> None:
    assert tables(level(["#######", "#*  *@#", "#######"]), metric).bound == 0


@pytest.mark.weekly
def test_a_star_prunes_what_the_classic_rules_prune() -> None:
    """Rule 1 (blocks) is contained in freezing, rule 2 (edges) in matching."""
    met = Counter[str]()

    @given(rows=levels(max_boxes=4))
    @settings(max_examples=60, derandomize=True)  # as many as the last line counts on
    def check(rows: tuple[str, ...]) -> None:
        known = tables(level(list(rows)))
        blocks = lost_by_blocks(known.task, known.objects, known.places)
        edge = lost_by_edges(known.objects, known.places)
        met.update({"blocks": blocks, "edges": edge})
        if blocks or edge:
            assert known.bound < 0
            assert optimal(known.task) is None

    check()
    assert min(met["blocks"], met["edges"]) > 3


@pytest.mark.weekly
def test_lost_pairs_are_exactly_those_without_a_plan() -> None:
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
                not known.task.groups[0].facts or int(known.objects.place[f]) < 0
                for f in known.task.init
                if known.task.facts[f].startswith("box")
            )
            assert not dead
            assert (known.bound < 0) == (optimal(known.task) is None)


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
    assert lost_by_blocks(known.task, known.objects, known.places) == (why == "block")
    assert lost_by_edges(known.objects, known.places) == (why == "edge")
    assert optimal(known.task) is None


def test_a_box_on_an_edge_stays_there() -> None:
    known = tables(level(["#######", "#  .  #", "# $ $@#", "#  .  #", "#######"]))
    sizes = sorted((len(edge.places), edge.goals) for edge in edges(known.objects))
    assert (3, 1) in sizes  # the cells of an edge but its corners


CONFLICT = ["#########", "#   $ + #", "#   $.  #", "#  #    #", "#########"]


def test_two_boxes_that_fence_the_walker_out_are_in_conflict() -> None:
    """Alone the boxes need two pushes and one. Together they keep the walker on their right: one must go back first."""
    known = tables(level(CONFLICT))
    best = optimal(known.task)
    assert best is not None
    assert best[0] == (7,)
    assert known.conflict == 4
    assert known.bound == 7
    assert known.without(freezes=1).bound == 3


def test_two_boxes_of_which_none_can_move_first_are_lost() -> None:
    """Each box alone gets to a goal; side by side in a corridor none does."""
    rows = ["#########", "#  ##   #", "#@ $$ ..#", "#  ##   #", "#########"]
    known, walking = tables(level(rows)), tables(level(rows), "moves")
    assert known.conflict == walking.conflict == -1
    assert (known.conflicts.unit > 0, walking.conflicts.unit) == (True, 0)
    assert known.bound < 0
    assert optimal(known.task) is None


def test_what_is_frozen_on_a_goal_is_a_wall() -> None:
    """The box that is pushed into the bend of the corridor stands there for ever, on a goal: the walker, who is left of
    it, never gets to the other box. On the empty board that box is one push from its goal."""
    rows = ["########", "#   ####", "# $ .###", "#@ # ###", "####  ##", "#### $.#", "########"]
    known = tables(level(rows))
    best = optimal(known.task)
    assert best is not None
    assert best[0] == (known.bound,) == (3,)
    pushed = known.moved("r3c3", "r3c5")
    assert pushed.bound < 0
    assert optimal(pushed.task) is None
    assert pushed.without(freezes=0).bound == 1


@given(st.integers(1, 5), st.data())
@settings(max_examples=examples(100))
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
        assert rematched(dist, before, after) == cheapest(changed)


def test_movable_objects_of_sokoban_are_the_boxes_and_know_their_sides() -> None:
    """A box in a corridor: from the left it can be pushed to the goal on the right, from the right never."""
    task = level(["########", "#  $  .#", "#@##   #", "#  ##  #", "##  #  #", "########"]).task("pushes")
    objects = find_movable_objects(task)
    assert objects.count == 1
    assert objects.sides > 1
    assert {task.facts[f].split()[0] for f in objects.fact} == {"box"}


# What each technique is good for: A* expands fewer states with it than without, and finds the same.

CORRAL = ["########", "#@.   .#", "# $ $$ #", "## $  .#", "#   $  #", "#. .   #", "########"]
FREEZE = ["#######", "#..  ##", "#   $##", "##  $.#", "# $ $@#", "#.$   #", "#    .#", "#######"]
PAIRS = ["#########", "#   # # #", "#   .$  #", "# ## $@ #", "#    #$ #", "#   .. ##", "#########"]

EFFECTS = [(CORRAL, "corrals"), (FREEZE, "freeze"), (PAIRS, "conflicts")]


def expanded(task: OperatorTask, *without: str) -> tuple[Outcome, int]:
    """A* without some of its parts: the outcome, and how many states it expanded. Deadlock searches and conflicts of
    larger sets are left out: they find much of the same. So is the order by a packing plan: with it a plan of such a
    small level is found before there is anything to prune.
    """
    outcome = a_star(task, Budget(), without=",".join(("conflicts-3", "deadlock-searches", "ranks", *without)))
    return outcome, int(outcome.stats["expanded"])


@pytest.mark.weekly
@pytest.mark.parametrize(("rows", "without"), EFFECTS, ids=[name for _, name in EFFECTS])
def test_each_technique_saves_states_and_keeps_the_optimum(rows: list[str], without: str) -> None:
    task = level(rows).task("pushes")
    best = optimal(task)
    assert best is not None
    whole, few = expanded(task)
    part, many = expanded(task, without)
    assert whole.upper_bound == part.upper_bound == best[0]
    assert few < many


def test_pattern_databases_save_states() -> None:
    task = load("n_puzzle/eight-10").task("moves")
    whole, few = expanded(task)
    part, many = expanded(task, "patterns")
    assert whole.upper_bound == part.upper_bound == (10,)
    assert 10 * few < many


@pytest.mark.parametrize("rows", [CORRAL, ["########", "#. $@  #", "###  $.#", "########"]])
def test_corrals_leave_out_pushes(rows: list[str]) -> None:
    """A part of the board that boxes fence off, whose boxes can only be pushed in: these pushes are tried first."""
    task = level(rows).task("pushes")
    whole, _ = expanded(task)
    part, _ = expanded(task, "corrals")
    assert int(whole.stats["corrals"]) > 0
    assert int(part.stats["corrals"]) == 0
    assert int(whole.stats["generated"]) < int(part.stats["generated"])


def test_conflicts_count_beside_a_frozen_box() -> None:
    """The pair of `CONFLICT`, and a third box that freezes on its goal when it is pushed down."""
    rows = [*CONFLICT[:4], "#### $ ##", "   # .#", "   ####"]
    task = level(rows).task("pushes")
    best = optimal(task)
    assert best is not None
    whole, few = expanded(task)
    part, many = expanded(task, "conflicts")
    assert whole.upper_bound == part.upper_bound == best[0]
    assert int(whole.stats["boards"]) > 1
    assert few < many
