"""The buckets of A* against a plain list of what is open."""

from __future__ import annotations

import numpy as np
import pytest
from budge.engines.astar.packed_states import (
    BUCKETS,
    NOWHERE,
    OUT,
    OpenStates,
    begin,
    beside,
    enter,
    least,
    leave,
    longer,
    open_states,
)
from budge.runtime.kernel_calls import njit
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.seeds import examples


@njit()
def put(opened: OpenStates, key: tuple[int, int], state: int) -> None:
    enter(opened, key[0], key[1], state)


@njit()
def take(opened: OpenStates, key: tuple[int, int], state: int) -> None:
    leave(opened, key[0], key[1], state)


@njit()
def first(opened: OpenStates) -> int:
    return least(opened)


@njit()
def of_key(opened: OpenStates, key: tuple[int, int]) -> int:
    return beside(opened, key[0], key[1])


def states_in(opened: OpenStates, bucket: int) -> list[int]:
    """The states of a bucket, the oldest first; the links are followed both ways."""
    down, state = [], int(opened.top[bucket])
    while state != NOWHERE:
        down.append(state)
        state = int(opened.below[state])
    up, state = [], int(opened.bottom[bucket])
    while state != NOWHERE:
        up.append(state)
        state = int(opened.above[state])
    assert up == down[::-1]
    return up


KEYS = st.sampled_from([(f, h) for f in (3, 4, 300) for h in (0, 1, 2)])


@given(steps=st.lists(st.tuples(st.sampled_from(["enter", "leave", "grow", "newest", "oldest"]), KEYS), max_size=60))
@settings(max_examples=examples(150))
def test_buckets_hold_what_was_entered_and_has_not_left(steps: list[tuple[str, tuple[int, int]]]) -> None:
    opened, known, count = open_states(1, 16), dict[tuple[int, int], list[int]](), 1
    begin(opened, 7, 0)
    known[7, 0] = [0]
    for what, key in steps:
        if what == "enter":
            if count == len(opened.below):
                opened = longer(opened, 2 * count)
            put(opened, key, count)
            known.setdefault(key, []).append(count)
            count += 1
        elif what == "leave" and known.get(key):
            state = known[key].pop(len(known[key]) // 2)
            take(opened, key, state)
            assert opened.below[state] == OUT
        elif what == "grow":
            opened = longer(opened, len(opened.below))
        elif what in ("newest", "oldest"):
            bucket = first(opened)
            waiting = [key for key, states in known.items() if states]
            if bucket < 0:
                assert not waiting
                continue
            smallest = min(waiting)
            assert (opened.total[bucket], opened.second[bucket]) == smallest
            state = int(opened.top[bucket] if what == "newest" else opened.bottom[bucket])
            assert state == known[smallest].pop(-1 if what == "newest" else 0)
            take(opened, smallest, state)
    for key, states in known.items():
        bucket = of_key(opened, key)
        assert (states_in(opened, bucket) if bucket >= 0 else []) == states


def test_more_buckets_when_most_are_in_use() -> None:
    opened = open_states(40, 16)
    for state in range(16):
        put(opened, (state, 0), state)
    assert opened.sizes[BUCKETS] == 16
    larger = longer(opened, 40)
    assert len(larger.total) == 32
    put(larger, (99, 0), 16)
    assert states_in(larger, of_key(larger, (99, 0))) == [16]
    assert [int(larger.top[of_key(larger, (state, 0))]) for state in range(16)] == list(range(16))


@pytest.mark.parametrize("key", [(0, 0), ((1 << 62) - 1, (1 << 62) - 1)])
def test_keys_of_any_size(key: tuple[int, int]) -> None:
    opened = open_states(2, 16)
    put(opened, key, 1)
    assert opened.top[first(opened)] == 1
    assert np.count_nonzero(opened.slot != NOWHERE) == 1
