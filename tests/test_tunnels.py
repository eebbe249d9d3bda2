"""Pushes that have to go on through a tunnel, against exact distances on random boards with corridors."""

from __future__ import annotations

from collections import Counter, deque
from random import Random
from typing import Any

import pytest
from budge import Budget, Puzzle, Status
from budge.analysis import estimate as estimates
from budge.analysis.bitset_task import BitsetTask, to_bitset_task
from budge.analysis.deadlocks.corrals import pushes_only
from budge.analysis.estimate import Estimate
from budge.analysis.movable_objects import find_movable_objects
from budge.analysis.tunnels import find_tunnels, no_tunnels
from budge.engines.search.astar.engine import a_star
from budge.engines.search.fess.packing import regions
from budge.models.boxes import BoxBoard
from budge.models.task import Task

from .reference import optimal
from .sokoban_levels import level
from .test_fess import Position, numbered, pushed, reachable


def corridors(seed: int, most: int = 3) -> list[str]:
    """Two rooms and one to three ways between them, some walls and some holes in walls, boxes and goals."""
    random = Random(seed)
    length, height = random.randrange(3, 6), random.randrange(3, 5)
    columns = length + 8
    free = {(r, c) for r in range(1, height + 1) for c in (1, 2, 3, length + 4, length + 5, length + 6)}
    for r in random.sample(range(1, height + 1), random.randrange(1, 3)):
        free |= {(r, c) for c in range(4, length + 4)}
    if random.random() < 0.5:
        free.add((height + 1, random.randrange(1, columns - 1)))
    for cell in random.sample(sorted(free), random.randrange(3)):
        free.discard(cell)
    region = [random.choice(sorted(free))]
    for r, c in region:
        region += [cell for cell in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if cell in free - set(region)]
    if len(region) < 9:
        return corridors(seed + 1_000, most)
    free, boxes = set(region), random.randrange(1, most + 1)
    player, *standing = random.sample(sorted(free), 1 + boxes)
    shown = dict.fromkeys(free, " ") | dict.fromkeys(standing, "$") | {player: "@"}
    for cell in random.sample(sorted(free), len(standing)):
        shown[cell] = {" ": ".", "$": "*", "@": "+"}[shown[cell]]
    return ["".join(shown.get((r, c), "#") for c in range(columns)) for r in range(height + 3)]


def distances(before: dict[Position, list[Position]], solved: list[Position]) -> dict[Position, int]:
    """Pushes to the nearest solved position, for each from which there is one."""
    away = dict.fromkeys(solved, 0)
    queue = deque(solved)
    while queue:
        position = queue.popleft()
        for other in before[position]:
            if other not in away:
                away[other] = away[position] + 1
                queue.append(other)
    return away


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
    for seed in range(500):
        puzzle = level(corridors(seed))
        view = puzzle.view(BoxBoard, "pushes")
        if view is None or view.unsolvable_because or not (known := rules(puzzle, view)):
            continue
        board, _, boxes, goals, root = numbered(view)
        before = reachable(board, (tuple(sorted(boxes)), root), 20_000)
        if before is None:
            continue
        away = distances(before, [position for position in before if all(box in goals for box in position[0])])
        for position in away:
            for _, after in pushed(board, position):
                a, b = (set(position[0]) - set(after[0])).pop(), (set(after[0]) - set(position[0])).pop()
                c = known.get((a, b))
                if c is None or c in after[0] or away.get(after) != away[position] - 1:
                    continue
                met["rules"] += 1
                onward = tuple(sorted({*after[0], c} - {b}))
                assert away[onward, regions(board, onward)[a]] == away[after] - 1, (seed, position)
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
