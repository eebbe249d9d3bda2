"""All positions of small n-puzzles, Sokoban levels and boards of lamps, from their texts: references as
`vehicle_positions`, each step with whose it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable

from .vehicle_positions import Positions

Cell = tuple[int, int]
Step = tuple[str, Hashable, int, Hashable]

MOST = 6_000
"""Positions at most."""

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def near(cell: Cell) -> list[Cell]:
    return [(cell[0] + r, cell[1] + c) for r, c in WAYS.values()]


def explored(
    start: Hashable, steps: Callable[[Hashable], Iterable[Step]], goal: Callable[[Hashable], bool]
) -> Positions:
    """All positions from a start. Raises `OverflowError` for too many."""
    found, waiting = Positions(start), [start]
    for here in waiting:
        if here in found.steps:
            continue
        if len(found.steps) > MOST:
            raise OverflowError
        found.steps[here] = list(steps(here))
        if goal(here):
            found.goals.add(here)
        waiting += [after for *_, after in found.steps[here] if after not in found.steps]
    return found


def of_tiles(rows: list[str]) -> Positions:
    """Of an n-puzzle with tiles of one digit; a position is the cells of all tiles, by their number."""
    at = {sign: (r, c) for r, row in enumerate(rows) for c, sign in enumerate(row)}
    cells = [*at.values()]
    done = dict(zip([*sorted(at.keys() - {"."}), "."], cells, strict=True))

    def steps(here: Hashable) -> Iterable[Step]:
        places = dict(here)  # type: ignore[call-overload]
        gap = places["."]
        for tile, cell in places.items():
            if cell in near(gap):
                yield f"tile {tile}", (tile, gap), 1, frozenset({**places, tile: gap, ".": cell}.items())

    return explored(frozenset(at.items()), steps, lambda here: here == frozenset(done.items()))


def of_boxes(rows: list[str]) -> Positions:
    """Of a Sokoban level, by pushes; a position is the player's first reachable cell and the cell of each box, by where
    it stood at first.
    """
    signs = {(r, c): sign for r, row in enumerate(rows) for c, sign in enumerate(row) if sign != "#"}
    boxes = [cell for cell, sign in signs.items() if sign in "$*"]
    ends = {cell for cell, sign in signs.items() if sign in ".*+"}
    names = [f"the box on r{r + 1}c{c + 1}" for r, c in boxes]

    def reached(player: Cell, taken: Iterable[Cell]) -> list[Cell]:
        found = [player]
        for cell in found:
            found += [other for other in near(cell) if other in signs and other not in taken and other not in found]
        return sorted(found)

    def steps(here: Hashable) -> Iterable[Step]:
        player: Cell = here[0]  # type: ignore[index]
        places: tuple[Cell, ...] = here[1]  # type: ignore[index]
        free = reached(player, places)
        for number, (r, c) in enumerate(places):
            for dr, dc in WAYS.values():
                beyond = (r + dr, c + dc)
                if (r - dr, c - dc) in free and beyond in signs and beyond not in places:
                    after = (*places[:number], beyond, *places[number + 1 :])
                    yield names[number], ((r, c), beyond), 1, (reached((r, c), after)[0], after)

    start = next(cell for cell, sign in signs.items() if sign in "@+")
    return explored((reached(start, boxes)[0], tuple(boxes)), steps, lambda here: set(here[1]) <= ends)  # type: ignore[index]


def of_lamps(rows: list[str]) -> Positions:
    """Of lamps where a press switches a lamp and its neighbours; a position is the lamps that are lit."""
    cells = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]

    def steps(here: Hashable) -> Iterable[Step]:
        for cell in cells:
            name = f"press(r{cell[0] + 1}c{cell[1] + 1})"
            yield name, name, 1, here ^ ({cell, *near(cell)} & set(cells))  # type: ignore[operator]

    lit = frozenset((r, c) for r, c in cells if rows[r][c] == "*")
    return explored(lit, steps, lambda here: not here)


def random_level(seed: int) -> list[str]:
    """A Sokoban level of one to three boxes in a small room with a wall in it."""
    chosen = random.Random(seed)
    height, width = chosen.choice([(3, 4), (4, 4), (4, 5), (3, 5)])
    inside = [(r, c) for r in range(1, height + 1) for c in range(1, width + 1)]
    middle = [(r, c) for r, c in inside if 1 < r < height and 1 < c < width]
    boxes = chosen.sample(middle, min(chosen.choice([1, 2, 2, 3]), len(middle) - 1))
    player, wall, *ends = chosen.sample([cell for cell in inside if cell not in boxes], 2 + len(boxes))
    signs = {player: "@", wall: "#"} | dict.fromkeys(ends, ".") | dict.fromkeys(boxes, "$")
    rows = [[signs.get((r, c), " " if (r, c) in inside else "#") for c in range(width + 2)] for r in range(height + 2)]
    return ["".join(row) for row in rows]


def random_lamps(seed: int) -> list[str]:
    """A board of two to nine lamps, some of them lit."""
    chosen = random.Random(seed)
    height, width = chosen.choice([(1, 2), (2, 2), (1, 5), (2, 3), (3, 3), (2, 4)])
    rows = ["".join(chosen.choice("*.") for _ in range(width)) for _ in range(height)]
    return rows if "*" in "".join(rows) else [f"*{rows[0][1:]}", *rows[1:]]
