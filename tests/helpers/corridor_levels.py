"""Random Sokoban levels with corridors, and how far each of their positions is from solved."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from random import Random

from budge import Puzzle
from budge.analysis.boxes.board import Board
from budge.analysis.boxes.box_board import BoxBoard, find_box_board

from .pushes import Position, numbered, reachable
from .sokoban_levels import level


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


def levels_with_distances(
    seeds: Iterable[int], boxes: int, most: int
) -> Iterator[tuple[Puzzle, BoxBoard, Board, dict[Position, int]]]:
    """Levels of up to so many boxes and `most` positions, each with the pushes that its positions need."""
    for seed in seeds:
        puzzle = level(corridors(seed, boxes))
        task = puzzle.task("pushes")
        view = find_box_board(task)
        if not isinstance(view, BoxBoard) or task.unsolvable_because:
            continue
        board, _, start, goals, root = numbered(view)
        before = reachable(board, (tuple(sorted(start)), root), most)
        if before is not None:
            solved = [position for position in before if all(box in goals for box in position[0])]
            yield puzzle, view, board, distances(before, solved)
