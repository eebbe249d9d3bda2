"""Lower bounds on walks and pushes together, against the true costs of all states of small levels."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.deadlocks.freeze import boards
from budge.analysis.estimate import prepare_estimate, tables_of
from budge.analysis.movable_objects import find_movable_objects
from budge.analysis.walk_potentials import (
    SCALE,
    WalkPotentials,
    as_integers,
    greatest_fall,
    program_of,
    room_of,
    walk_potentials,
    walk_value,
)
from budge.engines.astar.engine import solve as a_star
from budge.models.plan import apply
from budge.models.task import OperatorTask, walks
from budge.runtime.arrays import Longs
from budge.runtime.kernel_calls import njit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of

State = tuple[frozenset[int], int]
"""The true facts, and the walker's cell."""


@njit()
def walked(potentials: WalkPotentials, at: Longs, cell: int) -> int:
    return walk_value(potentials, at, cell)


def costs_to_goal(task: OperatorTask, most: int = 4_000) -> dict[State, int]:
    """The walker's steps from each state (after a push, or the initial one) to the goal; without dead ends.

    Dijkstra's algorithm backward over edges "walk, then push". Raises `OverflowError` beyond `most` states.
    """
    assert task.walker is not None
    start = (frozenset(task.init), task.walker.start)
    into: dict[State, list[tuple[State, int]]] = {start: []}
    queue = [start]
    for state in queue:
        ways = walks(task.walker, state[1], state[0])
        for op in task.operators:
            assert op.walk is not None
            if op.walk[0] in ways and state[0].issuperset(op.pre):
                child = (apply(state[0], op), op.walk[1])
                if child not in into:
                    into[child] = []
                    queue.append(child)
                into[child].append((state, ways[op.walk[0]] + 1))
        if len(queue) > most:
            raise OverflowError
    best = {state: 0 for state in queue if task.holds(state[0])}
    layers: dict[int, list[State]] = {0: list(best)}
    while layers:
        cost = min(layers)
        for state in layers.pop(cost):
            for before, steps in into[state] if best[state] == cost else ():
                if cost + steps < best.get(before, 1 << 30):
                    best[before] = cost + steps
                    layers.setdefault(cost + steps, []).append(before)
    return best


@given(rows=levels(max_boxes=4), most=st.sampled_from([60, 400, 15_000]), seed=st.integers(0, 99))
@settings(max_examples=examples(600))
def test_no_state_has_more_than_its_true_cost(rows: tuple[str, ...], most: int, seed: int) -> None:
    task = load_text(text_of(list(rows))).task("moves")
    try:
        true = {} if task.holds(task.init) else costs_to_goal(task)
    except OverflowError:
        return
    packed = to_bitset_task(task)
    objects = find_movable_objects(task)
    made = boards(packed, objects)
    room = room_of(packed, objects, made.useful, made.side[0], made.dist[0])
    program = program_of(packed, objects, made, most)
    if not true or room is None or program is None:
        return
    places = {state: [int(p) for p in objects.place[sorted(state[0])] if p >= 0] for state in true}
    chance = np.random.default_rng(seed)
    listed = list(true)
    for _ in range(3):
        asked = listed[chance.integers(len(listed))]
        found = program.maximise(places[asked], asked[1], 10.0)
        assert found
        whole = as_integers(room, *found)
        assert whole
        potentials = WalkPotentials(whole[0].astype(np.int32), whole[1], 1)
        for state, cost in true.items():
            value = walked(potentials, np.array(places[state], np.int64), state[1])
            assert value <= cost, (rows, state)


@given(rows=levels(max_boxes=4))
@settings(max_examples=examples(60))
def test_any_weights_become_a_lower_bound(rows: tuple[str, ...]) -> None:
    """Whatever the solver of linear programs returns: the integers are checked, not the program."""
    task = load_text(text_of(list(rows))).task("moves")
    packed = to_bitset_task(task)
    objects = find_movable_objects(task)
    made = boards(packed, objects)
    room = room_of(packed, objects, made.useful, made.side[0], made.dist[0])
    assume(room is not None and not task.holds(task.init))
    assert room is not None
    chance = np.random.default_rng(len(rows))
    weight, cell = (np.asarray(chance.normal(size=shape)) for shape in (room.possible.shape, room.possible.shape[1]))
    found = as_integers(room, weight, cell)
    if found is None:
        return
    assert greatest_fall(room, *found) <= SCALE
    try:
        best = optimal(task, 4_000)
    except OverflowError:
        assume(False)
    at = np.array([int(p) for p in objects.place[list(task.init)] if p >= 0], np.int64)
    potentials = WalkPotentials(found[0].astype(np.int32), found[1], 1)
    assert best is None or walked(potentials, at, packed.start) <= best[0][0]


def root_value(rows: list[str]) -> int:
    task = load_text(text_of(rows)).task("moves")
    packed = to_bitset_task(task)
    objects = find_movable_objects(task)
    potentials = walk_potentials(task, packed, objects, boards(packed, objects), Budget())
    at = np.array([int(p) for p in objects.place[list(task.init)] if p >= 0], np.int64)
    return int(walked(potentials, at, packed.start))


def test_the_walk_back_for_the_next_box_counts() -> None:
    """Each box takes three pushes. The way back to the next one counts too; here the bounds are the true costs."""
    assert root_value(["########", "#   #  #", "#.  $ @#", "########"]) == 4
    assert root_value(["########", "#.  $  #", "#.  $ @#", "#      #", "########"]) == 11
    assert root_value(["########", "#.  $  #", "#.  $  #", "#.  $ @#", "########"]) == 18


def test_no_bound_where_walking_is_not_what_is_counted() -> None:
    for metric, known in (("moves", True), ("moves,pushes", True), ("pushes", False), ("pushes,moves", False)):
        task = load("sokoban/microban-001").task(metric)
        found = tables_of(prepare_estimate(task, to_bitset_task(task), Budget()), WalkPotentials)
        assert found
        assert (found[0], found[1].unit > 0) == ("walks", known)


@pytest.mark.parametrize("number", [61, 73])
def test_fewer_states_are_expanded(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.astar.search.LEAN_EXPANSIONS", 0)
    task = load(f"sokoban/microban-{number:03}").task("moves")
    bounded = a_star(task, Budget())
    plain = a_star(task, Budget(), without="walks")
    assert bounded.upper_bound == plain.upper_bound == bounded.lower_bound
    assert 3 * int(bounded.stats["expanded"]) < 2 * int(plain.stats["expanded"])
    assert "potentials of walks" in bounded.lower_bound_by
    assert "potentials of walks" not in plain.lower_bound_by


def test_without_a_time_limit() -> None:
    outcome = a_star(load("sokoban/microban-001").task("moves"), Budget(None, None))
    assert outcome.upper_bound == outcome.lower_bound == (33,)


@given(rows=levels(max_boxes=5, min_boxes=2, size=(4, 5)), metric=st.sampled_from(["moves", "moves,pushes"]))
@settings(max_examples=examples(200))
def test_searches_with_all_of_it_from_the_start(rows: tuple[str, ...], metric: str) -> None:
    """Deadlock searches are given up at once."""
    task = load_text(text_of(list(rows))).task(metric)
    try:
        expected = optimal(task, 5_000)
    except OverflowError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("budge.engines.astar.recheck_before_expansion.LOOKS_TRIED", 1)
        outcome = a_star(task, Budget())
    assert outcome.upper_bound == (None if expected is None else expected[0])
    assert outcome.status.proven
