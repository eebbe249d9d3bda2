"""States that others dominate, where walks are paid for: the optimum stays, and fewer states are met."""

from __future__ import annotations

import dataclasses

import pytest
from budge import Budget, load
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.astar import store
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.kernels import walks_back
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels


@given(rows=levels(max_boxes=3, size=(4, 5)), metric=st.sampled_from(["moves", "moves,pushes", "pushes,moves"]))
@settings(max_examples=examples(150))
def test_the_optimum_stays(rows: tuple[str, ...], metric: str) -> None:
    task = level(list(rows)).task(metric)
    try:
        expected = optimal(task, 10_000)
    except OverflowError:
        return
    outcome = a_star(task, Budget())
    assert outcome.status.proven
    assert outcome.upper_bound == (None if expected is None else expected[0])


@pytest.mark.weekly
def test_fewer_states(monkeypatch: pytest.MonkeyPatch) -> None:
    task = load("sokoban/microban-099").task("moves")
    with_it = a_star(task, Budget())
    monkeypatch.setattr(store, "walks_back", lambda packed: False)
    without = a_star(task, Budget())
    assert with_it.upper_bound == without.upper_bound == (349,)
    assert without.stats["dominated"] == 0
    assert int(with_it.stats["states"]) < 0.8 * int(without.stats["states"])


def test_only_where_walks_can_be_walked_back() -> None:
    task = load("sokoban/microban-001").task("moves")
    assert walks_back(to_bitset_task(task))
    assert task.walker is not None
    first, *rest = task.walker.neighbours
    one_way = dataclasses.replace(task.walker, neighbours=(first[1:], *rest))
    assert not walks_back(to_bitset_task(dataclasses.replace(task, walker=one_way)))
