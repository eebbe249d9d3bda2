"""The positions of a level of Sokoban, and the moves between them, for exhaustion.

Cells are bits of one integer, row by row, each row one bit wider than the map, so that a shift by 1 or by the width is
a step and nothing wraps around. A position in `pushes` is the boxes and the lowest cell of the region that the player
can walk to; where moves count it is the boxes and the player's cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.limits import Limits
from .pieces import FAR
from .reading import Cell, Cost
from .rules_sokoban import Level

Position = tuple[int, int]


class BoxGame:
    """A level in one metric; its lower bound counts the pushes that are needed at least, which also holds for moves."""

    def __init__(self, level: Level, count: str, limits: Limits) -> None:
        self.width = max(map(len, level.rows)) + 1
        self.floor, self.goals = self.mask(level.open), self.mask(level.goals)
        self.shifts = (1, -1, self.width, -self.width)
        self.count, self.limits = count, limits
        self.size = 120 + 2 * self.width * (len(level.rows) + 2) // 7
        self.boxes, self.player = self.mask(level.boxes), self.mask(frozenset((level.player,)))
        self.start = self._position(self.boxes, self.player)
        self.alone = {goal: self._pushes_to(goal) for goal in bits(self.goals)}
        self.dead = self.floor & ~sum(bit for bit in bits(self.floor) if any(bit in far for far in self.alone.values()))
        self.known: dict[int, int] = {}

    def mask(self, cells: frozenset[Cell]) -> int:
        """Cells as one integer, with a bit for each."""
        return sum(1 << ((r + 1) * self.width + c + 1) for r, c in cells)

    def solved(self, position: Position) -> bool:
        """Whether every box stands on a goal."""
        return not position[0] & ~self.goals

    def successors(self, position: Position) -> Iterator[Position]:
        """The positions after one push (`pushes`), or one step of the player (where moves count)."""
        boxes, player = position
        region = self.region(boxes, player) if self.count == "pushes" else player
        free = self.floor & ~boxes
        for by in self.shifts:
            if self.count != "pushes" and (there := moved(player, by)) & free:
                yield boxes, there
            # Boxes with the player on the one side and a free cell on the other.
            for box in bits(boxes & moved(region, by) & moved(free, -by)):
                self.limits.tick(16)
                yield self._position(boxes ^ box ^ moved(box, by), box)

    def steps(self, position: Position) -> Iterator[tuple[Cost, Position]]:
        """The positions after one push or step, each with its cost in pushes and moves; a push also counts as a
        move.
        """
        step = tuple(int(part == "moves") for part in self.count.split(","))
        for after in self.successors(position):
            yield step if after[0] == position[0] else (1, 1), after

    def _position(self, boxes: int, player: int) -> Position:
        if self.count != "pushes":
            return boxes, player
        region = self.region(boxes, player)
        return boxes, region & -region

    def region(self, boxes: int, player: int) -> int:
        """The cells that the player can walk to."""
        free, region, width = self.floor & ~boxes, 0, self.width
        while region != player:
            region = player
            player |= (region << 1 | region >> 1 | region << width | region >> width) & free
        return region

    # The bound

    def bound(self, position: Position) -> int:
        """A lower bound on pushes: the cheapest way to push each box, as if alone, to a goal of its own."""
        boxes = position[0]
        if boxes not in self.known:
            self.limits.hold(self.size)
            self.limits.tick(16)
            self.known[boxes] = FAR if self._frozen(boxes) & ~self.goals else self._matching(boxes)
        return self.known[boxes]

    def rest(self, position: Position) -> Cost:
        """Lower bounds on pushes and on moves."""
        return (self.bound(position),) * 2

    def _frozen(self, boxes: int) -> int:
        """The largest set F of boxes such that each of them, along both axes, has a wall or a box of F on a side, or
        dead cells on both sides. The first box of F that is pushed comes to a dead cell; so a plan pushes none of them.
        """
        frozen, before, stuck = boxes, 0, ~self.floor | self.dead
        while frozen != before:
            before = frozen
            for by in (1, self.width):
                fixed = ~self.floor | frozen
                frozen &= (fixed << by) | (fixed >> by) | ((stuck << by) & (stuck >> by))
        return frozen

    def _pushes_to(self, goal: int) -> dict[int, int]:
        """The pushes that a box alone on the map needs to a goal, by its cell; cells from which it cannot get there are
        left out. Backwards from the goal, over pairs of the box's cell and the player's region beside it.
        """
        found, depth = {goal: 0}, 0
        layer = {(goal, self.region(goal, moved(goal, by))) for by in self.shifts if moved(goal, by) & self.floor}
        seen = set(layer)
        while layer:
            depth += 1
            before: set[tuple[int, int]] = set()
            for box, region in layer:
                self.limits.tick(64)
                for by in self.shifts:
                    # It was pushed here from `was`, where the player now stands, who stood `behind` before.
                    was, behind = moved(box, -by), moved(box, -2 * by)
                    if was & region and behind & self.floor:
                        before.add((was, self.region(was, behind)))
            layer = before - seen
            seen |= layer
            self.limits.hold(self.size * len(layer))
            for box, _ in layer:
                found.setdefault(box, depth)
        self.limits.hold(self.size * (len(found) - len(seen)))
        return found

    def _matching(self, boxes: int) -> int:
        """The least sum of pushes over all ways of giving each box a goal of its own; FAR if there is none."""
        cost = [[pushes.get(box, FAR) for pushes in self.alone.values()] for box in bits(boxes)]
        return min(assigned(cost, self.limits)[0], FAR)


def assigned(cost: list[list[int]], limits: Limits) -> tuple[int, list[int]]:
    """The least sum over all ways to give each row a column of its own, and a price v of each column: what a row would
    pay besides is least, over all columns, in the column that it has been given.

    Kuhn's method, with the potentials of Jonker and Volgenant: row by row, along a shortest augmenting path.
    """
    columns = range(len(cost[0]))
    free = len(columns)  # stands for no column: where a path begins
    owner = [-1] * (free + 1)  # the row of each column
    u, v = [0] * len(cost), [0] * (free + 1)
    for i in range(len(cost)):
        owner[free], at = i, free
        least, came, used = [FAR * 4] * free, [0] * free, [False] * (free + 1)
        while owner[at] != -1:
            limits.tick(len(columns) // 4)
            used[at] = True
            row, delta, nearest = cost[owner[at]], FAR * 4, -1
            for j in columns:
                if not used[j]:
                    reduced = row[j] - u[owner[at]] - v[j]
                    if reduced < least[j]:
                        least[j], came[j] = reduced, at
                    if least[j] < delta:
                        delta, nearest = least[j], j
            for j in (*columns, free):
                if used[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                elif j < free:
                    least[j] -= delta
            at = nearest
        while at != free:
            owner[at] = owner[came[at]]
            at = came[at]
    return sum(cost[row][j] for j, row in enumerate(owner[:-1]) if row != -1), v[:-1]


def moved(mask: int, by: int) -> int:
    """The cells of a mask, moved by one step in the direction of `by`."""
    return mask << by if by > 0 else mask >> -by


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest
        mask ^= lowest
