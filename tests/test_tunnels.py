"""Pushes that have to go on through a tunnel, against exact distances on random boards with corridors."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from budge import Budget, Puzzle, Status
from budge.analysis import estimate as estimates
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.deadlocks.corrals import pushes_only
from budge.analysis.estimate import Estimate
from budge.analysis.movable_objects import find_movable_objects
from budge.analysis.tunnels import find_tunnels, no_tunnels
from budge.engines.astar.engine import a_star
from budge.engines.fess.packing import regions
from budge.models.boxes import BoxBoard
from budge.models.task import Task

from .corridor_levels import corridors, levels_with_distances
from .reference import optimal
from .sokoban_levels import level
from .test_fess import pushed


def rules(puzzle: Puzzle, view: BoxBoard) -> dict[tuple[int, int], int]:
    """(a, b) -> c for each push that has to go on, as cells of the board."""
    task = puzzle.task("pushes")
    packed = to_bitset_task(task)
    objects = find_movable_objects(task)
    if not pushes_only(task, objects):
        return {}
    tunnels, cells = find_tunnels(task, packed, objects), {cell: i for i, cell in enumerate(view.cells)}
    assert task.walker is not None
    place = [cells[task.walker.cells[cell]] for cell in objects.covers.tolist()]
    moves = objects.moves.tolist()
    return {
        (place[moves[op][0]], place[moves[op][1]]): place[moves[onward][1]]
        for op, onward in enumerate(tunnels.onward.tolist())
        if onward >= 0
    }


def test_on_an_optimal_plan_the_next_push_can_come_first() -> None:
    met = Counter[str]()
    for puzzle, view, board, away in levels_with_distances(range(500), 3, 20_000):
        known = rules(puzzle, view)
        for position in away:
            for _, after in pushed(board, position):
                a, b = (set(position[0]) - set(after[0])).pop(), (set(after[0]) - set(position[0])).pop()
                c = known.get((a, b))
                if c is None or c in after[0] or away.get(after) != away[position] - 1:
                    continue
                met["rules"] += 1
                onward = tuple(sorted({*after[0], c} - {b}))
                assert away[onward, regions(board, onward)[a]] == away[after] - 1, (puzzle.to_yaml(), position)
                met["others"] += sum(1 for _ in pushed(board, after)) > 1
    assert met["rules"] > 900, met
    assert met["others"] > 300, met


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_a_star_keeps_the_optimum(first: int) -> None:
    for seed in range(first, first + 100):
        task = level(corridors(seed)).task("pushes")
        try:
            expected = optimal(task, 5_000)
        except OverflowError:
            continue
        outcome = a_star(task, Budget())
        assert outcome.upper_bound == (None if expected is None else expected[0])
        assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)


def test_they_save_states(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare, tunnels = estimates.prepare_estimate, True

    def bare(task: Task, packed: BitsetTask, *arguments: Any) -> Estimate:
        made = prepare(task, packed, *arguments)._replace(corrals=0)
        return made if tunnels else made._replace(tunnels=no_tunnels(packed))

    monkeypatch.setattr(estimates, "prepare_estimate", bare)
    generated = Counter[bool]()
    for seed in range(200):
        task = level(corridors(seed, 4)).task("pushes")
        for tunnels in (True, False):
            generated[tunnels] += int(a_star(task, Budget()).stats.get("generated", 0))
    assert 0 < generated[True] < generated[False], generated
