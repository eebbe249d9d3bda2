"""Forced steps: searches that leave out the states between two choices find plans of the same cost, of single steps."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from budge import Status
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.astar.engine import solve as a_star
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.common.forced_steps import applicable, follow_forced, with_forced_steps
from budge.engines.common.store import facts_of
from budge.models.plan import apply
from budge.models.task import ExactlyInvariant, GroupKind, Operator, OperatorTask, operator
from budge.runtime.arrays import bit_rows
from budge.runtime.budget import Budget
from budge.runtime.kernel_calls import njit

from ..helpers.random_tasks import random_task
from ..helpers.reference import distances, optimal
from ..helpers.seeds import seeds


def programs(seed: int) -> OperatorTask:
    """A random task in which every move is followed by a program: free steps of a counter, of which one applies at a
    time; some programs end nowhere, some go round in circles, and some reach the goal before they end.
    """
    pick = random.Random(seed)
    places, steps = pick.randint(3, 6), pick.randint(2, 5)
    place = tuple(range(places))
    counter = tuple(range(places, places + steps + 1))
    operators: list[Operator] = []
    for number in range(pick.randint(6, 14)):
        before, after = pick.sample(place, 2)
        begun = pick.choice(counter[1:])
        operators.append(operator(f"move {number}", [before, counter[0]], [after, begun], [before, counter[0]], None))
    for here in place:
        for at in counter[1:]:
            if pick.random() < 0.15:
                continue
            after = pick.choice(place) if pick.random() < 0.3 else here
            on = counter[(at - places + 1) % len(counter)] if pick.random() < 0.9 else pick.choice(counter[1:])
            cost = (0,) if pick.random() < 0.8 else (pick.randint(1, 3),)
            if (after, on) != (here, at):
                operators.append(operator(f"{here} at {at}", [here, at], [after, on], [here, at], None, cost))
    facts = (*(f"place {n}" for n in place), *(f"step {n}" for n in range(len(counter))))
    groups = (
        ExactlyInvariant("place", GroupKind.OBJECT, place),
        ExactlyInvariant("step", GroupKind.OBJECT, counter),
    )
    goal: tuple[tuple[int, ...], ...] = ((place[-1],),)
    if pick.random() < 0.5:
        goal = (*goal, (pick.choice(counter),))
    task = OperatorTask(f"programs {seed}", facts, groups, tuple(operators), (0, counter[0]), goal, ("cost",))
    task.validate()
    return task


@njit(cache=False)
def follow(task, row):  # type: ignore[no-untyped-def]
    return follow_forced(task, row)


@pytest.mark.parametrize("seed", seeds(20))
def test_steps_that_are_followed(seed: int) -> None:
    """By the definition: while no goal holds and one operator applies, a free one, it is made."""
    task = programs(seed)
    packed = to_bitset_task(task)
    for state in distances(task)[0]:
        row = bit_rows([state], packed.words)[0]
        found, expected, steps = int(follow(packed, row)), state, 0
        while not task.holds(expected) and steps < 50:
            ways = [op for op in task.operators if expected.issuperset(op.pre)]
            if len(ways) != 1 or ways[0].cost != (0,):
                break
            expected, steps = apply(expected, ways[0]), steps + 1
        if steps == 50:  # a circle: the kernel has gone round it oftener
            continue
        dead = not task.holds(expected) and not any(expected.issuperset(op.pre) for op in task.operators)
        assert found == (-1 if dead else steps)
        assert facts_of(row.tolist()) == expected


@pytest.mark.parametrize("seed", seeds(60))
@pytest.mark.parametrize("late", [0.0, 1e9])
def test_optima(seed: int, late: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of plain search, from all searches that follow forced steps; plans are of single steps."""
    monkeypatch.setattr("budge.engines.astar.search.LATE_AFTER", late)
    task = programs(seed) if seed % 3 else random_task(seed, most_cost=1)
    expected = optimal(task)
    for outcome in (a_star(task, Budget()), breadth_first(task, Budget())):
        assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
        assert outcome.upper_bound == (expected and expected[0])
        assert (outcome.plan is None) == (expected is None)


@pytest.mark.parametrize("seed", seeds(20))
def test_states_left_out_come_back(seed: int) -> None:
    task = programs(seed)
    packed = to_bitset_task(task)
    for state in distances(task)[0]:
        for op in applicable(task, packed, state):
            row = bit_rows([apply(state, op)], packed.words)[0]
            if len(applicable(task, packed, state)) == 1 and op.cost == (0,) and follow(packed, row) < 0:
                continue
            way = with_forced_steps(task, packed, np.array([bit_rows([state], packed.words)[0], row]))
            for before, after in pairwise(map(facts_of, way.tolist())):
                assert any(before.issuperset(one.pre) and apply(before, one) == after for one in task.operators)
            assert (way[-1] == row).all()


def counted(steps: int) -> OperatorTask:
    """Two lamps to be switched on, each by one of two switches; after each a counter runs through many free steps."""
    facts = ["off a", "on a", "off b", "on b", *(f"step {n}" for n in range(steps + 1))]
    groups = (
        ExactlyInvariant("a", GroupKind.OBJECT, (0, 1)),
        ExactlyInvariant("b", GroupKind.OBJECT, (2, 3)),
        ExactlyInvariant("counter", GroupKind.OBJECT, tuple(range(4, 5 + steps))),
    )
    moves = [
        operator(f"{lamp} {switch}", [2 * lamp, 4], [2 * lamp + 1, 5], [2 * lamp, 4], None, (1 + switch,))
        for lamp in range(2)
        for switch in range(2)
    ]
    free = [
        operator(f"step {n}", [4 + n], [4 + (n + 1) % (steps + 1)], [4 + n], None, (0,)) for n in range(1, steps + 1)
    ]
    return OperatorTask("counted", tuple(facts), groups, (*moves, *free), (0, 2, 4), ((1,), (3,), (4,)), ("cost",))


def test_what_it_saves() -> None:
    task = counted(200)
    with_them, without = a_star(task, Budget()), a_star(task, Budget(), without="forced-steps")
    assert with_them.upper_bound == without.upper_bound == (2,)
    assert int(with_them.stats["states"]) < 20 < 400 < int(without.stats["states"])
    assert int(with_them.stats["forced_steps"]) >= 398
    assert int(breadth_first(task, Budget()).stats["states"]) < 20
