"""The two deadlock rules of a classic student's solver, found from the task; A*'s own rules contain both.

1. *Blocks*: objects and walls that fill a square of 2x2 cells are lost, unless every object stands on a goal; so is
   one in a corner of walls that is no goal. Each object of the square is barred by another one or by a wall along
   both axes: it is frozen, which `freeze` finds for sets of any shape. A corner is a place of infinite distance.
2. *Edges*: places that an object cannot leave (along an edge of the board, say) with more objects on them than goals.
   Their objects have no columns but those goals: no perfect matching exists, which `matching` finds for all such sets
   at once (Hall, *On representatives of subsets*, 1935).

They are kept as plain definitions, as the oracle of the tests that show A* to prune all that they prune.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from budge.analysis.movable_objects import MovableObjects
from budge.models.task import OperatorTask


@dataclass(frozen=True, slots=True)
class Edge:
    """Places that an object never leaves, and how many of them may be occupied in a goal state."""

    places: frozenset[int]
    goals: int


def edges(objects: MovableObjects) -> tuple[Edge, ...]:
    """For each place the places that an object alone can be moved to from it; each such set once."""
    after: dict[int, set[int]] = {}
    for place, there in objects.moves.tolist():
        if place >= 0:
            after.setdefault(place, set()).add(there)
    found: set[frozenset[int]] = set()
    for place in range(len(objects.fact)):
        reached, waiting = {place}, [place]
        for here in waiting:
            for there in after.get(here, set()) - reached:
                reached.add(there)
                waiting.append(there)
        found.add(frozenset(reached))
    return tuple(
        Edge(places, sum(int(objects.target[p]) for p in places)) for places in sorted(found, key=lambda s: sorted(s))
    )


def squares(task: OperatorTask, objects: MovableObjects) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The squares of 2x2 cells that may fill up: for each cell that is no wall the places that take it."""
    if task.walker is None:
        return
    takes: dict[int, list[int]] = {}
    for place in range(len(objects.fact)):
        for cell in objects.covers[objects.covers_first[place] : objects.covers_first[place + 1]].tolist():
            takes.setdefault(cell, []).append(place)
    index = {cell: i for i, cell in enumerate(task.walker.cells)}
    for row, column in sorted({(r - i, c - j) for r, c in index for i in (0, 1) for j in (0, 1)}):
        corner = [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
        inside = [index[cell] for cell in corner if cell in index]
        if all(cell in takes for cell in inside):
            yield tuple(tuple(takes[cell]) for cell in inside)


def lost_by_blocks(task: OperatorTask, objects: MovableObjects, places: frozenset[int]) -> bool:
    """Rule 1 for objects that stand at `places`."""
    for square in squares(task, objects):
        standing = [place for cell in square for place in cell if place in places]
        if len(standing) == len(square) and any(not objects.target[place] for place in standing):
            return True
    return False


def lost_by_edges(objects: MovableObjects, places: frozenset[int]) -> bool:
    """Rule 2 for objects that stand at `places`."""
    return any(len(edge.places & places) > edge.goals for edge in edges(objects))
