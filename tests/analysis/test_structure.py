"""The structure of a task: what moves in puzzles of every family, and every part of it against its definition."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace

import pytest
from budge import Puzzle, load, load_text
from budge.analysis.structure import NONE_OF_THOSE, TaskStructure, structure_of
from budge.analysis.transformed_tasks import CompoundMoves, to_strips, with_explicit_walker
from budge.engines.table import kind_of, line_up, members
from budge.models.plan import apply
from budge.models.task import ExactlyInvariant, GroupKind, OperatorTask
from hypothesis import given, settings

from ..helpers.random_puzzles import n_puzzles, rush_hours, sliding_blocks, sokobans
from ..helpers.seeds import examples

TWO_ROOMS = "format: 1\nfamily: sliding-block\nboard: |\n  A.#B.#C.\ngoal: |\n  ..#..#.C\n"
"""A and B are interchangeable, and never in the same room."""

ONE_FREE_CELL = "format: 1\nfamily: sliding-block\nboard: |\n  ABC\n  DE.\ngoal: |\n  ...\n  ..A\n"

CASES = [
    ("bird-1", "steps"),
    ("level-20", "slides"),
    ("unsolvable", "slides"),
    ("eight-10", "moves"),
    ("equal-tiles", "moves"),
    ("heng-dao-li-ma", "moves"),
    ("jewel-swap", "slides"),
    ("simplicity", "steps"),
    ("microban-001", "pushes"),
    ("microban-003", "moves,pushes"),
]


def states(task: OperatorTask, steps: int = 30) -> Iterator[frozenset[int]]:
    """States of a random walk by single operators."""
    rng = random.Random(0)
    state = frozenset(task.init)
    for _ in range(steps):
        yield state
        ways = [op for op in task.operators if state.issuperset(op.pre)]
        if not ways:
            return
        state = apply(state, rng.choice(ways))


def check(task: OperatorTask) -> None:
    task.validate()
    found = structure_of(task)
    check_moves(task, found)
    for state in states(with_explicit_walker(task)):
        check_state(task, found, frozenset(f for f in state if f < len(task.facts)))


def check_moves(task: OperatorTask, found: TaskStructure) -> None:
    """Objects, transitions and owners against the operators."""
    every = {(op, g) for op, operator in enumerate(task.operators) for g, group in enumerate(task.groups)
             if group.kind == GroupKind.OBJECT and set(group.facts) & {*operator.add, *operator.delete}}  # fmt: skip
    moves = set(zip(*(column.tolist() for column in found.transitions), strict=True))
    assert {(op, found.objects[number].group) for op, number, _, _ in moves} == every
    assert [movable.group for movable in found.objects] == sorted({g for _, g in every})
    for op, number, before, after in moves:
        assert before in task.operators[op].delete
        assert after in task.operators[op].add
        assert {before, after} <= set(found.objects[number].facts)
        assert found.component[before] == found.component[after] >= 0
    for op, number in enumerate(found.owner.tolist()):
        own = [found.objects.index(movable) for movable in found.objects if (op, movable.group) in every]
        assert number == min(own, default=-1)
    by_group = found.transitions_by_group()
    assert {
        (op, found.object_of[a], a, b) for movable in found.objects for op, a, b in by_group[movable.group]
    } == moves
    assert all(
        before in task.operators[op].delete and after in task.operators[op].add and {before, after} <= set(group.facts)
        for group, changes in zip(task.groups, by_group, strict=True)
        for op, before, after in changes
    )
    assert set(found.always_changed) == {
        g
        for g, group in enumerate(task.groups)
        if group.count == 1 and task.operators and len({op for op, _, _ in by_group[g]}) == len(task.operators)
    }


def check_state(task: OperatorTask, found: TaskStructure, state: frozenset[int]) -> None:
    """Facts, variables, derived facts and covers in one state."""
    assert state >= found.constant
    assert state.isdisjoint(found.never_true)
    assert all(state.isdisjoint(found.excluded_by(fact)) for fact in state)
    assert all(len(state & variable.values) == 1 for variable in found.variables)
    for keep in (frozenset(), frozenset(list(found.changing)[:3])):
        derived = found.derived_facts(keep)
        assert derived.keys() <= found.changing - keep
        assert all((fact in state) == state.isdisjoint(others) for fact, others in derived.items())
        assert all(derived.keys().isdisjoint(others) for others in derived.values())
    values = [state.intersection(values) for values in found.cover]
    assert all(
        len(true) == 1 or (not true and NONE_OF_THOSE in of) for true, of in zip(values, found.cover, strict=True)
    )
    known, valued = set(found.constant).union(*values), set[int]().union(*found.cover)
    for fact in found.changing - valued:  # it is true where none of the others of a group is, which are values
        others = (set(task.groups[g].facts) - {fact} - found.never_true for g in task.groups_of[fact])
        known |= {fact} if known.isdisjoint(next(facts for facts in others if facts <= valued)) else set()
    assert known == state


@pytest.mark.parametrize(("name", "metric"), CASES)
def test_shipped_puzzles(name: str, metric: str) -> None:
    task = load(name).task(metric)
    check(task)
    assert (structure_of(task).owner >= 0).all()


@given(case=rush_hours())
@settings(max_examples=examples(40))
def test_random_rush_hour(case: tuple[Puzzle, str]) -> None:
    check(case[0].task(case[1]))


@given(case=sliding_blocks())
@settings(max_examples=examples(40))
def test_random_sliding_blocks(case: tuple[Puzzle, str]) -> None:
    check(case[0].task(case[1]))


@given(case=n_puzzles())
@settings(max_examples=12)
def test_random_n_puzzles(case: tuple[Puzzle, str]) -> None:
    check(case[0].task(case[1]))


@given(case=sokobans())
@settings(max_examples=examples(40))
def test_random_sokoban(case: tuple[Puzzle, str]) -> None:
    check(case[0].task(case[1]))


# What moves


@pytest.mark.parametrize(
    ("name", "metric", "objects", "owners", "always"),
    [
        ("bird-2", "steps", "ABCDEFGHIX", "ABCDEFGHIX", []),
        ("eight-10", "moves", "12345678b", "12345678", ["blank"]),
        ("microban-001", "pushes", "b", "b", []),
    ],
)
def test_what_moves(name: str, metric: str, objects: str, owners: str, always: list[str]) -> None:
    """Vehicles; tiles and the blank, where each move counts for its tile; boxes."""
    task = load(name).task(metric)
    found = structure_of(task)
    short = [movable.name.removeprefix("tile ")[0] for movable in found.objects]
    assert "".join(sorted(short)) == "".join(sorted(objects))
    assert "".join(sorted(short[number] for number in found.owners)) == "".join(sorted(owners))
    assert [task.groups[g].name for g in found.always_changed] == always


def test_a_vehicle_that_is_walled_in_is_no_movable_object() -> None:
    task = load_text("format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  BB#.\n").task("steps")
    assert [group.name for group in task.groups if group.kind == GroupKind.OBJECT] == ["A", "B"]
    assert [movable.name for movable in structure_of(task).objects] == ["A"]


def test_interchangeable_pieces_share_positions_and_count() -> None:
    found = structure_of(load("heng-dao-li-ma").task("moves"))
    assert {movable.name: movable.count for movable in found.objects}["1x1"] == 4


def test_what_is_in_separate_rooms_is_in_separate_components() -> None:
    task = load_text(TWO_ROOMS).task("moves")
    found = structure_of(task)
    (pair,) = (movable for movable in found.objects if movable.count == 2)
    assert len({int(found.component[fact]) for fact in pair.facts}) == 2
    assert len({int(found.component[fact]) for movable in found.objects for fact in movable.facts}) == 3
    starts = {task.facts[before]: needs for before, _, needs in CompoundMoves.of(task).arcs}
    assert all(len(places) == 1 for needs in starts.values() for _, places in needs)


def test_a_push_counts_for_the_box_and_a_walk_for_the_walker() -> None:
    task = with_explicit_walker(load("microban-001").task("moves"))
    found = structure_of(task)
    assert [movable.name for movable in found.objects] == ["boxes", "walker"]
    for op, number in zip(task.operators, found.owner.tolist(), strict=True):
        assert found.objects[number].name == ("boxes" if op.name.startswith("push") else "walker")
    assert [task.groups[g].name for g in found.always_changed] == ["walker"]


def test_what_is_carried_is_an_object() -> None:
    task = to_strips(load("heng-dao-li-ma").task("moves"))
    task.validate()
    assert (structure_of(task).owner >= 0).all()


@pytest.mark.parametrize(
    ("source", "metric", "first"),
    [
        ("eight-10", "moves", "idastar"),
        (ONE_FREE_CELL, "steps", "idastar"),
        ("bird-1", "slides", "bfs"),
        ("microban-003", "pushes", "astar"),
        ("microban-003", "moves", "astar"),
    ],
)
def test_the_portfolio_begins_with_the_search_that_fits(source: str, metric: str, first: str) -> None:
    puzzle = load_text(source) if "\n" in source else load(source)
    assert line_up(kind_of(puzzle.task(metric)), members())[0][0].name == first


# Once for a task


def test_computed_once_and_not_sent_along() -> None:
    task = load("bird-1").task("steps")
    found = structure_of(task)
    assert structure_of(task) is found
    assert found.transitions is found.transitions
    there = pickle.loads(pickle.dumps(task))
    assert there == task
    assert vars(there).keys() == {field.name for field in fields(OperatorTask)}
    assert structure_of(there) is not found
    fewer = replace(task, operators=task.operators[:3])
    assert len(structure_of(fewer).owner) == 3


# What a task must be


def changed(
    groups: Callable[[tuple[ExactlyInvariant, ...]], tuple[ExactlyInvariant, ...]], metric: str = "steps"
) -> OperatorTask:
    task = load("bird-2").task(metric)
    return replace(task, groups=groups(task.groups))


def test_a_position_belongs_to_one_object() -> None:
    task = changed(lambda groups: (*groups, groups[0]))
    with pytest.raises(
        ValueError, match=f"is a position of two objects, {task.groups[0].name} and {task.groups[0].name}"
    ):
        task.validate()


def test_some_group_has_to_be_an_object() -> None:
    task = changed(lambda groups: tuple(replace(group, kind=GroupKind.RESOURCE) for group in groups))
    with pytest.raises(ValueError, match="none of these is of kind `object`"):
        task.validate()


def test_a_cell_holds_one_thing() -> None:
    task = changed(lambda groups: (*groups[:-1], replace(groups[-1], kind=GroupKind.CELL)))
    with pytest.raises(ValueError, match=r"group free cells is a cell, and \d+ of its facts are true"):
        task.validate()


def test_a_displacement_is_a_move_of_an_object() -> None:
    task = load("heng-dao-li-ma").task("moves")
    first = task.operators[0]
    free = next(f for f in first.add if task.facts[f].startswith("free"))
    assert first.displacement
    wrong = replace(first, displacement=(first.displacement[0], free))
    task = replace(task, operators=(wrong, *task.operators[1:]))
    with pytest.raises(ValueError, match="a displacement that is not from position to position of one object"):
        task.validate()
