"""Landmark cut against exhaustive distances, and its h^max against the definition; A* with it against plain search."""

from __future__ import annotations

import pytest
from budge import Status, load
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.heuristics.landmark_cut import (
    NEVER,
    CutScratch,
    RelaxedTask,
    cut_scratch,
    landmark_cut,
    relaxed_task,
)
from budge.engines.astar import search
from budge.engines.astar.engine import solve as a_star
from budge.engines.astar.search import Given, Search
from budge.models.task import OperatorTask, operator
from budge.runtime.arrays import Words, bit_rows, from_csr
from budge.runtime.budget import Budget
from budge.runtime.kernel_calls import njit
from budge.runtime.outcome import Outcome

from ..helpers.random_tasks import random_task
from ..helpers.reference import distances, optimal
from ..helpers.seeds import seeds


@njit()
def landmark_cut_of(task: RelaxedTask, work: CutScratch, row: Words) -> int:
    value: int = landmark_cut(task, work, row)
    return value


class Cut:
    """Landmark cut of a task, called from Python."""

    def __init__(self, task: OperatorTask) -> None:
        self.words = to_bitset_task(task).words
        self.relaxed: RelaxedTask = relaxed_task(task, self.words)
        self.work: CutScratch = cut_scratch(self.relaxed)

    def value(self, state: frozenset[int]) -> int:
        return int(landmark_cut_of(self.relaxed, self.work, bit_rows([state], self.words)[0]))


def operators_of(relaxed: RelaxedTask) -> list[tuple[list[int], list[int]]]:
    pre = from_csr(relaxed.pre, relaxed.pre_first[1:] - relaxed.pre_first[:-1])
    add = from_csr(relaxed.add, relaxed.add_first[1:] - relaxed.add_first[:-1])
    return list(zip(pre, add, strict=True))


def levels(relaxed: RelaxedTask, cost: list[int], state: frozenset[int]) -> list[int]:
    """h^max of every fact by its definition, the least fixpoint: an operator's dearest precondition, plus its cost."""
    level = [NEVER] * (len(relaxed.asking_first) - 1)
    for fact in [relaxed.always, *(int(relaxed.number[f]) for f in state if relaxed.number[f] >= 0)]:
        level[fact] = 0
    changed = True
    while changed:
        changed = False
        for (pre, add), price in zip(operators_of(relaxed), cost, strict=True):
            value = max(level[fact] for fact in pre) + price
            for fact in add:
                if value < level[fact]:
                    level[fact], changed = value, True
    return [min(value, NEVER) for value in level]


@pytest.mark.parametrize("seed", seeds(60))
def test_no_value_is_above_the_distance_or_below_h_max(seed: int) -> None:
    task = random_task(seed)
    cut = Cut(task)
    ahead, back = distances(task)
    for state in ahead:
        value, cost = cut.value(state), cut.relaxed.cost.tolist()
        first = levels(cut.relaxed, cost, state)[cut.relaxed.goal]
        assert (value < 0) == (first == NEVER)
        if value < 0:
            assert state not in back
            continue
        assert first <= value
        assert value <= back.get(state, NEVER)


@pytest.mark.parametrize("seed", seeds(60))
def test_what_is_left_when_the_last_cut_is_made(seed: int) -> None:
    """Found step by step, h^max and the supporters are those of the costs that are left, by which the goal is free; and
    what was taken off the operators of the cheapest way to the goal without deletes pays for the value.
    """
    task = random_task(seed, most_cost=1 + seed % 9)
    cut = Cut(task)
    for state in list(distances(task)[0])[:20]:
        value, relaxed, work = cut.value(state), cut.relaxed, cut.work
        if value < 0:
            continue
        left = work.left.tolist()
        expected = levels(relaxed, left, state)
        assert work.level.tolist() == expected
        assert expected[relaxed.goal] == 0
        for (pre, _), supporter, support in zip(
            operators_of(relaxed), work.supporter.tolist(), work.support.tolist(), strict=True
        ):
            if supporter < 0:
                assert max(expected[fact] for fact in pre) == NEVER
            else:
                assert supporter in pre
                assert expected[supporter] == support == max(expected[fact] for fact in pre)
        assert all(0 <= rest <= cost for rest, cost in zip(left, relaxed.cost.tolist(), strict=True))


def test_operators_count_together_where_h_max_takes_the_dearest() -> None:
    """Three switches, each with an operator of its own, at 2, 3 and 4."""
    facts = ("off 1", "on 1", "off 2", "on 2", "off 3", "on 3")
    operators = tuple(operator(f"o{n}", [2 * n], [2 * n + 1], [2 * n], None, (2 + n,)) for n in range(3))
    task = OperatorTask("switches", facts, (), operators, (0, 2, 4), ((1,), (3,), (5,)), ("cost",))
    cut = Cut(task)
    start = frozenset(task.init)
    assert levels(cut.relaxed, cut.relaxed.cost.tolist(), start)[cut.relaxed.goal] == 4
    assert cut.value(start) == 9
    assert cut.value(frozenset({1, 2, 5})) == 3


def test_a_goal_of_several_facts_is_met_by_the_cheapest() -> None:
    operators = tuple(operator(f"o{n}", [0], [n], [0], None, (n,)) for n in (1, 2, 3))
    task = OperatorTask("one of them", ("a", "b", "c", "d"), (), operators, (0,), ((2, 3),), ("cost",))
    assert Cut(task).value(frozenset(task.init)) == 2


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("components", [1, 2])
def test_a_star_with_late_bounds(seed: int, components: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimum is that of plain search, from the search with late bounds as from the one without."""
    monkeypatch.setattr("budge.engines.astar.search.LATE_AFTER", 0.0)
    monkeypatch.setattr("budge.engines.astar.search.BEHIND", 1 + seed % 4)
    task = random_task(seed, components=components)
    expected = optimal(task)
    outcome = a_star(task, Budget(), without="patterns" if seed % 2 else None)
    assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
    assert outcome.upper_bound == (expected and expected[0])


def test_late_bounds_save_expansions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search with late bounds, run by itself: how the two searches share the time is not what is compared."""
    task = load("lorries-1").task("weight")
    monkeypatch.setattr("budge.engines.astar.search.LATE_AFTER", 1e9)
    plain = a_star(task, Budget())
    monkeypatch.setattr("budge.engines.astar.search._alone", lambda first, goes_on: None)
    monkeypatch.setattr("budge.engines.astar.search._in_turns", _second_alone)
    with_late_bounds = a_star(task, Budget())
    assert "late_bounds" in with_late_bounds.stats
    assert with_late_bounds.upper_bound == plain.upper_bound
    assert int(with_late_bounds.stats["expanded"]) < 0.6 * int(plain.stats["expanded"])


def _second_alone(first: Search, given: Given) -> Outcome:
    second = search._with_late_bounds(first, given)
    assert second is not None
    outcome = second.begin()
    while outcome is None:
        outcome = second.go_on()
    return outcome
