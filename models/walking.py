"""Where a walker can go in a state, by plain sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from .task import Walker


def walks(walker: Walker, start: int, true: Container[int]) -> dict[int, int]:
    """How far each cell is from the cell `start` for the walker, in a state given by its true facts."""
    steps = {start: 0}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for other in walker.neighbours[cell]:
            if other not in steps and walker.free[other] in true:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps
