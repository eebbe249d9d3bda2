"""How many successors a state may have: no search may expand a state without room for all of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from budge import Budget, PuzzleError, Status, load, load_text
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.engines.search.states import store
from budge.engines.search.states.graph_kernels import enter, scratch, successors
from budge.models.plan import apply
from budge.models.task import Task
from budge.workflows.exploration import explore
from budge.workflows.solving import solve

from .random_boards import sliding_block

ENGINES = "bfs", "bidirectional", "astar", "idastar", "greedy"


def roomy(height: int, width: int, pieces: int) -> str:
    """Interchangeable pieces of one cell on an empty board, and one that has to get to the opposite corner."""
    cells = sorted(((r, c) for r in range(height) for c in range(width)), key=lambda cell: (sum(cell) % 2, cell))
    names = dict(zip(cells, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:pieces], strict=False))
    rows = ["".join(names.get((r, c), ".") for c in range(width)) for r in range(height)]
    goal = ["." * width] * (height - 1) + ["." * (width - 1) + "A"]
    maps = {"board": rows, "goal": goal}
    lines = [f"{key}: |\n" + "".join(f"  {row}\n" for row in map_) for key, map_ in maps.items()]
    return "format: 1\nfamily: sliding-block\n" + "".join(lines)


def count(task: Task, state: frozenset[int]) -> int:
    """The successors of a state, by the kernel that all searches but breadth-first search use."""
    packed = to_bitset_task(task)
    row = np.zeros(packed.row, np.uint64)
    for fact in state:
        row[fact >> 6] |= np.uint64(1 << (fact & 63))
    work = scratch(packed)
    enter(packed, row, work)
    starts = [f for f in state if packed.watched[f >> 6] >> np.uint64(f & 63) & np.uint64(1)]
    return sum(successors(packed, row, fact, work) - 1 for fact in starts)


@pytest.mark.parametrize("seed", range(20))
def test_no_state_has_more(seed: int) -> None:
    rng = random.Random(seed)
    text = roomy(rng.randint(2, 6), rng.randint(3, 6), rng.randint(2, 8)) if seed % 2 else sliding_block(seed).text
    try:
        task = load_text(text).task("moves")
    except PuzzleError:  # a goal piece that may not move, for example
        return
    state = frozenset(task.init)
    for _ in range(30):
        assert count(task, state) <= to_bitset_task(task).most
        ways = [op for op in task.operators if state.issuperset(op.pre)]
        if not ways:
            return
        state = apply(task, state, rng.choice(ways))


def test_things_that_are_carried_have_more_successors_than_operators() -> None:
    """Ten pieces around an empty field: each can be carried to nearly all of 26 cells."""
    rows = ["A.B.C.", ".....D", "E.....", ".....F", "G.....", ".H.I.J"]
    goal = ["......"] * 5 + [".....A"]
    maps = [f"{key}: |\n" + "".join(f"  {row}\n" for row in map_) for key, map_ in (("board", rows), ("goal", goal))]
    puzzle = load_text("format: 1\nfamily: sliding-block\n" + "".join(maps))
    task, steps = puzzle.task("moves"), puzzle.task("steps")
    assert task.compound_moves
    assert (len(task.operators), count(task, frozenset(task.init))) == (240, 244)
    assert to_bitset_task(task).most == 350
    assert to_bitset_task(steps).most == len(steps.operators) == 240


@pytest.mark.parametrize("engine", ENGINES)
def test_stores_that_are_as_small_as_can_be(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that begins with room for the successors of one state has to grow before it is written beyond."""
    grown = []
    make, grow = store.StateStore.__init__, store.StateStore.grow

    def small(self: store.StateStore, task: BitsetTask, capacity: int = 1, **options: Any) -> None:
        make(self, task, 1, **options)

    def growing(self: store.StateStore, budget: Budget, others: int = 0) -> bool:
        grown.append(len(self.states))
        return grow(self, budget, others)

    monkeypatch.setattr(store.StateStore, "__init__", small)
    monkeypatch.setattr(store.StateStore, "grow", growing)
    puzzle = load_text(roomy(3, 4, 5))
    solution = solve(puzzle, engine, "moves", Budget(60))
    assert solution.outcome.status in (Status.OPTIMAL, Status.FEASIBLE)
    space = explore(puzzle, "moves").space
    assert space
    assert space.states == 12 * 330
    assert grown
    cost = solve(load("sliding_block/simplicity"), engine, "moves").cost
    assert cost
    assert cost >= 18
