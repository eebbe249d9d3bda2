"""Goal sets, places that the goal wants filled together, against exhaustive distances."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, Puzzle, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.deadlocks.freeze import boards
from budge.analysis.heuristic import Preparation
from budge.analysis.heuristics.goal_sets import HEURISTIC, GoalSets, cheapest_partition, goal_sets
from budge.analysis.movable_objects import movable_group, no_movable_objects
from budge.analysis.transformed_tasks import with_explicit_walker
from budge.analysis.transition_graphs import false_at_goal
from budge.engines.astar.engine import solve as a_star
from budge.engines.bfs.engine import solve as bfs
from budge.models.task import OperatorTask
from budge.runtime.arrays import Words
from budge.runtime.kernel_calls import njit

from ..helpers.reference import distances

SNOWY = ("#######", "#'..''#", "#'11'.#", "#''1'q#", "#''''##", "#######")
GIVEN = ("######", "#''''#", "#'12'#", "#.4.q#", "#''''#", "######")
STACKED = ("#######", "#''.''#", "#'3'4q#", "#'''''#", "#######")
TIGHT = ("######", "#.''.#", "#'11'#", "#'1'q#", "#.''.#", "######")
TWO = ("#######", "#'1'2'#", "#''4''#", "#'1q2'#", "#''4''#", "#'..''#", "#######")


def level(rows: tuple[str, ...]) -> Puzzle:
    grid = "".join(f"  {row}\n" for row in rows)
    return load_text(f"format: 1\nfamily: snowman.family.yaml\nname: level\ngrid: |\n{grid}")


def tables_of(task: OperatorTask) -> GoalSets:
    packed = to_bitset_task(task)
    objects = no_movable_objects(task, packed)
    tables = HEURISTIC.prepare(Preparation(task, packed, objects, boards(packed, objects), Budget()))
    assert isinstance(tables, GoalSets)
    return tables


@njit()
def partition(sets: GoalSets, row: Words, cell: int) -> int:
    return cheapest_partition(sets, row, cell)


def value(task: OperatorTask, tables: GoalSets, state: frozenset[int]) -> int:
    """The bound of a state that has the walker's cell as a fact behind the others."""
    packed = to_bitset_task(task)
    row = np.zeros(packed.row, np.uint64)
    for fact in state:
        if fact < len(task.facts):
            row[fact >> 6] |= np.uint64(1 << (fact & 63))
        else:
            row[packed.words] = fact - len(task.facts)
    return int(partition(tables, row, int(row[packed.words])))


@pytest.mark.parametrize(("rows", "metric"), [(GIVEN, "pushes"), (GIVEN, "moves"), (STACKED, "pushes")])
def test_no_bound_is_above_the_distance(rows: tuple[str, ...], metric: str) -> None:
    task = level(rows).task(metric)
    tables = tables_of(task)
    assert tables.size == 3
    _, back = distances(whole := with_explicit_walker(task))
    values = {state: value(task, tables, state) for state in [*back][::5]}
    assert all(0 <= values[state] <= back[state] for state in values)
    assert value(task, tables, frozenset(whole.init)) > 0


def test_dead_ends_have_no_partition() -> None:
    """Three large balls are too many for two snowmen."""
    task = level(TWO).task("pushes")
    start = {*with_explicit_walker(task).init}
    assert task.facts.index("ball r4c5 medium") in start
    for size in ("medium", "large"):  # one ball of medium size is a large one
        start ^= {task.facts.index(f"ball r4c5 {size}"), task.facts.index(f"not ball r4c5 {size}")}
    assert value(task, tables_of(task), frozenset(start)) == -1


def test_of_six_objects_the_cheapest_partition_counts() -> None:
    task = level(TWO).task("pushes")
    tables = tables_of(task)
    assert (tables.size, len(tables.at), len(tables.member)) == (3, 6, 20)
    assert value(task, tables, frozenset(with_explicit_walker(task).init)) == 6


def test_a_set_is_the_balls_of_a_cell() -> None:
    task = level(SNOWY).task("pushes")
    (number,) = (n for n, group in enumerate(task.groups) if group.count == 3)
    for each in goal_sets(task, task.groups[number], false_at_goal(task)):
        cells = {task.facts[fact].split()[1] for fact in each}
        assert (len(cells), len(each)) == (1, 3)
    # Where a ball is nobody walks, though the file has "free" as a table of its own.
    covers = movable_group(task, to_bitset_task(task), number).covers_first
    assert set(np.diff(covers).tolist()) == {1}


@pytest.mark.parametrize("name", ["sokoban/microban-001", "custom/sokoban-on-ice", "rush_hour/bird-1"])
def test_goals_that_name_places_have_none(name: str) -> None:
    assert tables_of(load(name).task(load(name).header.metric)).size == 0


@pytest.mark.parametrize(("rows", "pushes"), [(SNOWY, 11), (GIVEN, 4), (STACKED, 6), (TIGHT, None)])
def test_searches_agree(rows: tuple[str, ...], pushes: int | None) -> None:
    task = level(rows).task("pushes")
    for solve in (a_star, bfs):
        assert solve(task, Budget()).upper_bound == (pushes and (pushes,))
