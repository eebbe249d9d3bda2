"""Plan refinement over the task: its plans replay and cost what it says; no plan only where there is none."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.relaxation import relaxation
from budge.analysis.structure import structure_of
from budge.engines.refine import tunables
from budge.engines.refine.engine import refine
from budge.engines.refine.means import UNREACHED, Means, means_of
from budge.engines.refine.refining import OPERATOR, Pile, Plans, alternatives, barring_cell, cons, nearest, pile_for
from budge.models.task import Task
from budge.models.walking import walks
from budge.runtime.arrays import Words
from budge.runtime.kernel_cache import njit
from budge.workflows.solving import solve
from hypothesis import given, settings

from .random_puzzles import cost_of, interrupted, puzzles
from .sokoban_levels import text_of


@njit()
def _nearest(means: Means, state: Words, fact: int, pile: Pile) -> int:
    return nearest(means, state, fact, pile)


@njit()
def _alternatives(task: BitsetTask, means: Means, plans: Plans, pile: Pile, state: Words, fact: int) -> int:
    return alternatives(task, means, plans, pile, state, cons(plans, fact, -1, -1))


@njit()
def _barring_cell(task: BitsetTask, state: Words, goal: int, pile: Pile) -> int:
    return barring_cell(task, state, goal, pile)


def check(puzzle: Puzzle, metric: str) -> None:
    expected = cost_of(puzzle, metric)
    found = solve(puzzle, "refine", metric).outcome
    if expected is None:
        assert found.status is Status.UNSOLVABLE
        return
    assert found.upper_bound is not None
    assert found.lower_bound is not None
    assert found.lower_bound <= expected <= found.upper_bound


@given(case=puzzles())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_random_puzzles(case: tuple[Puzzle, str]) -> None:
    check(*case)


NAMES = ["servais-93", "klotski/heng-dao-li-ma", "microban-085", "jewel-swap", "hanoi-8", "lights-out", "blocks-world"]


@pytest.mark.parametrize("name", NAMES)
def test_shipped_puzzles(name: str) -> None:
    found = solve(load(name), "refine", budget=Budget())
    assert found.outcome.status is Status.FEASIBLE
    assert int(found.outcome.stats["steps"]) <= int(found.outcome.stats["first_plan_steps"])
    assert int(found.outcome.stats["above_optimum"]) >= 0


def arrays(task: Task) -> tuple[BitsetTask, Means, Plans, Pile]:
    means = means_of(task, relaxation(task), Budget())
    assert means is not None
    packed = to_bitset_task(task)
    item, purpose, rest = (np.zeros(100, np.int32) for _ in range(3))
    pile = pile_for(len(task.facts), len(packed.free_bit), 1)
    return packed, means, Plans(item, purpose, rest, np.zeros(1, np.int64), 100), pile


@pytest.mark.parametrize("name", ["bird-1", "klotski/heng-dao-li-ma", "eight-20", "hanoi-8"])
def test_distances_are_those_of_the_transition_graph(name: str) -> None:
    puzzle = load(name)
    task = puzzle.task(puzzle.metrics[0])
    packed, means, _, pile = arrays(task)
    structure = structure_of(task)
    moves = structure.transitions_by_object()
    for number, moved in enumerate(structure.objects):
        for goal in moved.facts:
            before = {goal: 0}
            queue = deque([goal])
            while queue:
                fact = queue.popleft()
                for _, old, new in moves[number]:
                    if new == fact and old not in before:
                        before[old] = before[fact] + 1
                        queue.append(old)
            expected = min((before.get(f, UNREACHED) for f in moved.facts if f in task.init), default=UNREACHED)
            assert _nearest(means, packed.init, goal, pile) == expected


STUCK = """\
format: 1
family: rush-hour
name: Two in the way
metric: steps
board: |
  AA.BC
  ...BC
  .....
"""


def test_what_is_in_the_way_is_to_be_where_it_is_not() -> None:
    task = load_text(STUCK).task("steps")
    packed, means, plans, pile = arrays(task)
    number = {name: fact for fact, name in enumerate(task.facts)}
    count = _alternatives(packed, means, plans, pile, packed.init, number["free r1c4"])
    assert [task.facts[fact] for fact in pile.what[:count]] == ["B at r2c4"]
    count = _alternatives(packed, means, plans, pile, packed.init, number["A at r1c4"])
    assert pile.kind[:count].tolist() == [OPERATOR]
    assert [task.operators[op].name for op in pile.what[:count]] == ["A+1 from r1c1"]


def test_the_cell_that_bars_the_walker() -> None:
    """The nearest to the walker of the fewest that can be taken away to let it pass, by trying all."""
    text = text_of(["########", "#@ $   #", "#  ##$ #", "## #.  #", "# $  . #", "#.     #", "########"])
    task = load_text(text).task("pushes")
    packed, _, _, pile = arrays(task)
    assert task.walker is not None
    ways = walks(task.walker, task.walker.start, task.init)
    for cell in range(len(packed.free_bit)):
        pile.region[cell] = cell in ways
    barred = [goal for goal in range(len(packed.free_bit)) if goal not in ways]
    assert barred
    for goal in barred:
        cell = _barring_cell(packed, packed.init, goal, pile)
        assert task.walker.free[cell] not in task.init
        freed = walks(task.walker, task.walker.start, {*task.init, task.walker.free[cell]})
        assert len(freed) > len(ways)


def test_it_begins_anew_where_an_order_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunables.REFINE, "first_states", 20)
    found = solve(load("klotski/heng-dao-li-ma"), "refine", budget=Budget()).outcome
    assert found.status is Status.FEASIBLE
    assert int(found.stats["attempts"]) > 1


@pytest.mark.parametrize("name", ["no-way-out", "walled-in"])
def test_no_plan(name: str) -> None:
    walls = {"no-way-out": "  AAB.\n  ..B.\n  ..C.\n  ..C.\n", "walled-in": "  AA.#.\n  ...#.\n"}[name]
    text = f"format: 1\nfamily: rush-hour\nname: {name}\nmetric: steps\nboard: |\n{walls}"
    found = solve(load_text(text), "refine").outcome
    assert found.status is Status.UNSOLVABLE


def test_a_memory_limit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tunables.REFINE, "first_states", 10**7)
    found = solve(load("korf-01"), "refine", budget=Budget(memory_mib=8)).outcome
    assert found.status is Status.UNKNOWN
    assert found.stopped_by == "memory limit"
    assert int(found.stats["states"]) > 1000


def test_interrupted() -> None:
    outcome = refine(load("korf-01").task("moves"), interrupted())
    assert outcome.status is Status.INTERRUPTED
    assert outcome.lower_bound == (1,)
