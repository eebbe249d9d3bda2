"""Packed states of A*: what is left out is found again, in states of all families; and a store that grows in place."""

from __future__ import annotations

import numpy as np
import pytest
from budge import Budget, load
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.astar.packed_states import (
    PackedStates,
    Packing,
    find_packed,
    pack_row,
    packing_for,
    set_value,
    unpack_row,
    value_of,
)
from budge.engines.astar.store import EstimatedStore
from budge.engines.common.store import StateStore
from budge.models.task import OperatorTask
from budge.runtime.arrays import Words
from budge.runtime.kernel_calls import njit


@njit()
def slot_of(packing: Packing, nodes: PackedStates, key: Words) -> int:
    return find_packed(packing, nodes, key)


@njit()
def put(nodes: PackedStates, column: int, index: int, value: int) -> int:
    set_value(nodes, column, index, value)
    return value_of(nodes, column, index)


def reachable(task: OperatorTask, states: int) -> Words:
    """The first states that breadth-first search meets."""
    store = StateStore(task, to_goal=False)
    while store.count < states and store.expanded < store.count:
        store.search()
        if store.full and not store.grow(Budget()):
            break
    return store.states[: store.count]


def packed_rows(packing: Packing, rows: Words) -> Words:
    made = np.zeros((len(rows), packing.words), np.uint64)
    for row, into in zip(rows, made, strict=True):
        pack_row(packing, row, into)
    return made


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "words", "before"),
    [
        ("sokoban/xsokoban-38", "pushes", 1, 3),
        ("sokoban/xsokoban-78", "pushes", 2, 4),
        ("sokoban/xsokoban-01", "moves", 1, 3),
        ("rush_hour/level-20", "slides", 1, 2),
        ("klotski/heng-dao-li-ma", "moves", 2, 2),
        ("eight-31-a", "moves", 2, 2),
    ],
)
def test_nothing_is_lost(name: str, metric: str, words: int, before: int) -> None:
    task = load(name).task(metric)
    packed = to_bitset_task(task)
    packing, rows = packing_for(task, packed), reachable(task, 2_000)
    assert (packing.words, packed.row) == (words, before)
    again = np.ones(packed.row, np.uint64)
    keys = packed_rows(packing, rows)
    for key, row in zip(keys, rows, strict=True):
        unpack_row(packing, key, again)
        assert again.tolist() == row.tolist()
    assert len(np.unique(keys, axis=0)) == len(rows)


def fill(store: EstimatedStore, keys: Words) -> None:
    """Enter states until there is no room for one more."""
    while store.count < min(len(keys), len(store.nodes.rows)):
        slot = slot_of(store.packing, store.nodes, keys[store.count])
        assert store.nodes.table[slot] == -1
        store.nodes.rows[store.count], store.nodes.table[slot] = keys[store.count], store.count
        store.nodes.parent[store.count] = store.count - 1
        store.count += 1


@pytest.mark.slow
def test_a_store_grows_to_what_the_limit_allows() -> None:
    task = load("sokoban/xsokoban-78").task("pushes")
    packed = to_bitset_task(task)
    store, limit = EstimatedStore(task, packed, walks=False), Budget(memory_mib=2)
    keys = np.arange(200_000, dtype=np.uint64).reshape(-1, store.packing.words) * np.uint64(0x9E3779B97F4A7C15)
    keys[0] = store.nodes.rows[0]
    sizes = []
    fill(store, keys)
    while store.grow(limit):
        sizes.append(len(store.nodes.rows))
        assert store.size <= 2 << 20
        fill(store, keys)
    assert sizes[-1] < 2 * sizes[-2]
    assert store.size / sizes[-1] < 44
    for index in range(store.count):
        assert store.nodes.table[slot_of(store.packing, store.nodes, keys[index])] == index
    assert store.nodes.parent[: store.count].tolist() == list(range(-1, store.count - 1))


@pytest.mark.weekly
def test_ranks_are_given_up_for_states() -> None:
    task = load("sokoban/xsokoban-78").task("pushes")
    packed = to_bitset_task(task)
    store, limit = EstimatedStore(task, packed, walks=False, ranks=True), Budget(memory_mib=1)
    keys = np.arange(100_000, dtype=np.uint64).reshape(-1, store.packing.words) * np.uint64(0x9E3779B97F4A7C15)
    keys[0] = store.nodes.rows[0]
    fill(store, keys)
    assert len(store.rank) == len(store.nodes.rows)
    while store.grow(limit):
        assert store.size <= 1 << 20
        fill(store, keys)
    assert not len(store.rank)
    assert store.size / store.count < 44


@pytest.mark.parametrize(("metric", "large"), [("pushes", 1 << 30), ("pushes,moves", (3 << 40) + (1 << 31) + 5)])
def test_costs_of_both_sizes(metric: str, large: int) -> None:
    task = load("sokoban/microban-001").task(metric)
    store = EstimatedStore(task, to_bitset_task(task), walks=metric != "pushes")
    for column in (0, 1):
        for value in (0, 1, -1, large):
            assert put(store.nodes, column, 3, value) == value
