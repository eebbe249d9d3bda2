"""How many successors a state may have: no search may expand a state without room for all of them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from budge import Budget, PuzzleError, Status, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.engines.common import store
from budge.engines.common.store import facts_of
from budge.engines.common.successors import workspace
from budge.models.plan import apply
from budge.models.task import OperatorTask, walks
from budge.workflows import exploration
from budge.workflows.exploration import explore
from budge.workflows.solving import solve

from ..helpers.random_boards import sliding_block
from ..helpers.seeds import seeds
from ..helpers.successor_counts import count, packed_row, written

ENGINES = "bfs", "astar", "idastar", "greedy"


def roomy(height: int, width: int, pieces: int) -> str:
    """Interchangeable pieces of one cell on an empty board, and one that has to get to the opposite corner."""
    cells = sorted(((r, c) for r in range(height) for c in range(width)), key=lambda cell: (sum(cell) % 2, cell))
    names = dict(zip(cells, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:pieces], strict=False))
    rows = ["".join(names.get((r, c), ".") for c in range(width)) for r in range(height)]
    goal = ["." * width] * (height - 1) + ["." * (width - 1) + "A"]
    maps = {"board": rows, "goal": goal}
    lines = [f"{key}: |\n" + "".join(f"  {row}\n" for row in map_) for key, map_ in maps.items()]
    return "format: 1\nfamily: sliding-block\n" + "".join(lines)


def children(task: OperatorTask, state: frozenset[int]) -> set[tuple[frozenset[int], int]]:
    """The definition: each state one operator or one compound move away, and the first cell of the walker's region."""
    found = set()
    starts = [-1]
    if task.compound_moves:
        starts = sorted({op.displacement[0] for op in task.operators if op.displacement} & state)
    for start in starts:
        seen, waiting = {start}, [(start, state)]
        while waiting:
            here, held = waiting.pop()
            for op in task.operators:
                before, after = op.displacement if task.compound_moves and op.displacement else (-1, -1)
                if before != here or not held.issuperset(op.pre) or (after in seen and task.compound_moves):
                    continue
                reached, cell = apply(held, op), -1
                if task.walker:
                    assert op.walk
                    if op.walk[0] not in walks(task.walker, task.walker.start, set(held)):
                        continue
                    cell = min(walks(task.walker, op.walk[1], set(reached)))
                found.add((reached, cell))
                if task.compound_moves:
                    seen.add(after)
                    waiting.append((after, reached))
    return found


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric"),
    [("bird-1", "steps"), ("klotski/heng-dao-li-ma", "moves"), ("simplicity", "moves"), ("microban-005", "pushes")],
)
def test_successors_are_those_of_the_definition(name: str, metric: str) -> None:
    task = load(name).task(metric)
    packed, state, rng = to_bitset_task(task), frozenset(task.init), random.Random(1)
    for _ in range(20):
        work = workspace(packed)
        n = written(packed, packed_row(task, state), work, -1)
        rows = [(facts_of(row[: packed.words].tolist()), int(row[-1]) if task.walker else -1) for row in work.rows[:n]]
        assert len(rows) == len(set(rows))
        assert set(rows) == children(task, state)
        for (reached, _), op in zip(rows, work.steps, strict=False):
            assert set(task.operators[op].add) <= reached
        if task.walker:  # `children` has it at its start
            return
        state = rng.choice(sorted(reached for reached, _ in rows))


def test_what_has_just_moved_may_be_barred() -> None:
    task = load("klotski/heng-dao-li-ma").task("moves")
    state = frozenset(task.init)
    starts = [f for f in state if count(task, state) > count(task, state, f)]
    assert starts
    assert sum(count(task, state) - count(task, state, f) for f in starts) == count(task, state)


@pytest.mark.parametrize("seed", seeds(20))
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
        state = apply(state, rng.choice(ways))


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

    def small(self: store.StateStore, task: OperatorTask, capacity: int = 1, **options: Any) -> None:
        make(self, task, 1, **options)

    def growing(self: store.StateStore, budget: Budget, others: int = 0) -> bool:
        grown.append(len(self.states))
        return grow(self, budget, others)

    monkeypatch.setattr(store.StateStore, "__init__", small)
    monkeypatch.setattr(store.StateStore, "grow", growing)
    monkeypatch.setattr(exploration, "_plainly", lambda *_: None)  # it needs no store, and would be quick enough
    puzzle = load_text(roomy(3, 4, 5))
    solution = solve(puzzle, engine, "moves", Budget())
    assert solution.outcome.status in (Status.OPTIMAL, Status.FEASIBLE)
    space = explore(puzzle, "moves").space
    assert space
    assert space.states == 12 * 330
    assert grown
    cost = solve(load("sliding_block/simplicity"), engine, "moves").cost
    assert cost
    assert cost >= 18
