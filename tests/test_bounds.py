"""The reachability layers against exhaustive distances: bounds must hold in every state, mutexes never meet."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from budge import load, load_text
from budge.bounds.h2 import NEVER, reachability_layers
from budge.models.plan import apply
from budge.models.task import Task

from tests.random_boards import rush_hour


def distances(task: Task) -> tuple[dict[frozenset[int], int], dict[frozenset[int], int]]:
    """Steps from the initial state and to the nearest goal, for every reachable state (no walkers)."""
    start = frozenset(task.init)
    ahead = {start: 0}
    before: dict[frozenset[int], list[frozenset[int]]] = {start: []}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for op in task.operators:
            if state.issuperset(op.pre):
                child = apply(task, state, op)
                before.setdefault(child, []).append(state)
                if child not in ahead:
                    ahead[child] = ahead[state] + 1
                    queue.append(child)
    back = {state: 0 for state in ahead if task.holds(state)}
    queue = deque(back)
    while queue:
        state = queue.popleft()
        for parent in before[state]:
            if parent not in back:
                back[parent] = back[state] + 1
                queue.append(parent)
    return ahead, back


def check_layers(task: Task) -> None:
    layers = reachability_layers(task)
    ahead, back = distances(task)
    start = frozenset(task.init)
    if layers.lower_bound is None:
        assert start not in back
        return
    if start in back:
        assert layers.lower_bound <= back[start]
    on_plans = set(back)
    for state in on_plans:
        pairs = np.ix_(sorted(state), sorted(state))
        assert layers.forward[pairs].max() <= ahead[state]
        assert layers.backward[pairs].max() <= back[state]
        assert layers.forward[pairs].max() < NEVER


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_layers_hold_on_random_rush_hour(seed: int, metric: str) -> None:
    check_layers(load_text(rush_hour(seed)).task(metric))


@pytest.mark.parametrize(("metric", "bound"), [("slides", 21), ("steps", 28)])
def test_bound_on_birds_first_grid(metric: str, bound: int) -> None:
    assert reachability_layers(load("bird-1").task(metric)).lower_bound == bound


def test_layers_are_symmetric() -> None:
    layers = reachability_layers(load("bird-1").task("slides"))
    assert (layers.forward == layers.forward.T).all()
    assert (layers.backward == layers.backward.T).all()
