"""N-puzzles as planning tasks.

Solvability is decided by the parity of the permutation (W. W. Johnson and W. E. Story, *Notes on the "15"
puzzle*, 1879): every move is a transposition and moves the blank by one cell. On a board with a single row
or column the tiles can never change their order. A board that passes these tests is solvable.
"""

from __future__ import annotations

from collections import Counter

from ...cells import DIRECTIONS, Cell, rc, shift
from ...cost import Metric
from ...errors import UsageError
from ...moves import Slide
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Operator, Task, TaskBuilder, operator
from .puzzle import BLANK, NPuzzle, cells_of


def ground(puzzle: NPuzzle, metric: Metric) -> Task:
    """The task: a fact for each tile at each cell (equal tiles share theirs), and one for each free cell."""
    start, goal = cells_of(puzzle.start), cells_of(puzzle.goal)
    counts = Counter(tile for tile in start.values() if tile)
    edges = [
        (cell, letter, neighbour)
        for cell in start
        for letter in DIRECTIONS
        if (neighbour := shift(cell, letter)) in start
    ]
    if len(counts) * len(edges) > MAX_OPERATORS:
        raise UsageError(
            f"{len(puzzle.start)} by {len(puzzle.start[0])} cells are too many: "
            f"{len(counts) * len(edges):,} operators, at most {MAX_OPERATORS:,} are made"
        )
    builder = TaskBuilder()
    at = {(tile, cell): builder.fact(f"{tile} at {rc(cell)}") for tile in sorted(counts) for cell in start}
    free = {cell: builder.fact(f"free {rc(cell)}") for cell in start}
    # n equal tiles are at n cells; on a cell is one tile, or it is free; one cell is free, and that is the blank.
    groups = [
        ExactlyInvariant(f"tile {tile}", GroupKind.OBJECT, tuple(at[tile, cell] for cell in start), count)
        for tile, count in sorted(counts.items())
    ]
    groups += [
        ExactlyInvariant(f"cell {rc(cell)}", GroupKind.CELL, (*(at[tile, cell] for tile in sorted(counts)), free[cell]))
        for cell in start
    ]
    groups.append(ExactlyInvariant("blank", GroupKind.OBJECT, tuple(free.values())))
    # A tile changes places with the blank: it needs its own cell and the free neighbour, and leaves its cell free.
    operators: list[Operator] = [
        operator(
            f"{tile}{letter} from {rc(here)}",
            pre=(at[tile, here], free[there]),
            add=(at[tile, there], free[here]),
            delete=(at[tile, here], free[there]),
            move=Slide(here, letter),
        )
        for tile in sorted(counts)
        for here, letter, there in edges
    ]
    return Task(
        name="",
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(at[tile, cell] if tile else free[cell] for cell, tile in start.items())),
        goal=tuple((at[tile, cell] if tile else free[cell],) for cell, tile in goal.items()),
        metric=metric.components,
        unsolvable_because=unsolvable_because(puzzle),
    )


def unsolvable_because(puzzle: NPuzzle) -> str | None:
    """The invariant that start and goal do not share, in a sentence; None if the puzzle can be solved."""
    start, goal = cells_of(puzzle.start), cells_of(puzzle.goal)
    if len(puzzle.start) == 1 or len(puzzle.start[0]) == 1:
        if [t for t in start.values() if t] == [t for t in goal.values() if t]:
            return None
        line = "row" if len(puzzle.start) == 1 else "column"
        return f"on a single {line} the tiles never change their order, and start and goal differ in it"
    if max(Counter(start.values()).values()) > 1:
        return None  # two equal tiles make either parity possible
    where = {tile: cell for cell, tile in goal.items()}
    tiles = "odd" if _odd([where[tile] for tile in start.values()]) else "even"
    blank = next(cell for cell, tile in start.items() if tile == BLANK)
    distance = abs(blank[0] - where[BLANK][0]) + abs(blank[1] - where[BLANK][1])
    if (tiles == "odd") == bool(distance % 2):
        return None
    return (
        f"permutation parity: start and goal differ by an {tiles} permutation of tiles and blank, "
        f"but the blank needs an {'odd' if distance % 2 else 'even'} number of moves to its place"
    )


def _odd(cells: list[Cell]) -> bool:
    """Whether a permutation, given as the images of its sorted domain, is odd: by its cycles."""
    image = dict(zip(sorted(cells), cells, strict=True))
    odd = False
    while image:
        first, here = image.popitem()
        while here != first:
            here = image.pop(here)
            odd = not odd
    return odd
