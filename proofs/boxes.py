"""The positions of a level of Sokoban, and the moves between them, for exhaustion.

Cells are bits of one integer, row by row, each row one bit wider than the map, so that a shift by 1 or by the width is
a step and nothing wraps around. A position in `pushes` is the boxes and the lowest cell of the region that the player
can walk to; where moves count it is the boxes and the player's cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from .limits import Limits
from .pieces import FAR
from .reading import Cell, Cost
from .rules_sokoban import Level

Position = tuple[int, int]


class BoxGame:
    """A level in a way of counting, with a lower bound that holds in both: the pushes that are left."""

    def __init__(self, level: Level, count: str, limits: Limits) -> None:
        self.width = max(map(len, level.rows)) + 1
        self.floor, self.goals = self._mask(level.open), self._mask(level.goals)
        self.shifts = (1, -1, self.width, -self.width)
        self.count, self.limits, self.size = count, limits, 250
        boxes, player = self._mask(level.boxes), self._mask(frozenset((level.player,)))
        self.start = self._position(boxes, player)
        self.alone = {goal: self._pushes_to(goal) for goal in _bits(self.goals)}
        self.dead = self.floor & ~sum(
            bit for bit in _bits(self.floor) if any(bit in far for far in self.alone.values())
        )
        self.known: dict[int, int] = {}

    def _mask(self, cells: frozenset[Cell]) -> int:
        return sum(1 << ((r + 1) * self.width + c + 1) for r, c in cells)

    def solved(self, position: Position) -> bool:
        """Whether every box stands on a goal."""
        return not position[0] & ~self.goals

    def successors(self, position: Position) -> Iterator[Position]:
        """The positions after one push (`pushes`), or one step of the player (where moves count)."""
        boxes, player = position
        region = self._region(boxes, player) if self.count == "pushes" else player
        free = self.floor & ~boxes
        for by in self.shifts:
            if self.count != "pushes" and (there := _shifted(player, by)) & free:
                yield boxes, there
            # Boxes with the player on the one side and a free cell on the other.
            for box in _bits(boxes & _shifted(region, by) & _shifted(free, -by)):
                yield self._position(boxes ^ box ^ _shifted(box, by), box)

    def steps(self, position: Position) -> Iterator[tuple[Cost, Position]]:
        """The same with what it costs where pushes and moves count: a push is a move too."""
        step = tuple(int(part == "moves") for part in self.count.split(","))
        for after in self.successors(position):
            yield step if after[0] == position[0] else (1, 1), after

    def _position(self, boxes: int, player: int) -> Position:
        if self.count != "pushes":
            return boxes, player
        region = self._region(boxes, player)
        return boxes, region & -region

    def _region(self, boxes: int, player: int) -> int:
        """The cells that the player can walk to."""
        free, region, width = self.floor & ~boxes, 0, self.width
        while region != player:
            region = player
            player |= (region << 1 | region >> 1 | region << width | region >> width) & free
        return region

    # The bound

    def bound(self, position: Position) -> int:
        """No plan from here has fewer pushes: the cheapest way to give each box a goal of its own, every box alone."""
        boxes = position[0]
        if boxes not in self.known:
            self.limits.hold(120)
            self.limits.tick(16)
            self.known[boxes] = FAR if self._frozen(boxes) & ~self.goals else self._matching(boxes)
        return self.known[boxes]

    def rest(self, position: Position) -> Cost:
        """No plan from here has fewer pushes, nor fewer moves."""
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
        layer = {
            (goal, self._region(goal, _shifted(goal, by))) for by in self.shifts if _shifted(goal, by) & self.floor
        }
        seen = set(layer)
        while layer:
            depth += 1
            before: set[tuple[int, int]] = set()
            for box, region in layer:
                self.limits.tick(64)
                for by in self.shifts:
                    # It was pushed here from `was`, where the player now stands, who stood `behind` before.
                    was, behind = _shifted(box, -by), _shifted(box, -2 * by)
                    if was & region and behind & self.floor:
                        before.add((was, self._region(was, behind)))
            layer = before - seen
            seen |= layer
            for box, _ in layer:
                found.setdefault(box, depth)
        return found

    def _matching(self, boxes: int) -> int:
        """The least sum of pushes over all ways to give each box a goal of its own; FAR if there is none.

        Kuhn's method, with the potentials of Jonker and Volgenant: box by box, along a shortest augmenting path.
        """
        goals = list(self.alone)
        cost = [[self.alone[goal].get(box, FAR) for goal in goals] for box in _bits(boxes)]
        owner: list[int] = [-1] * (len(goals) + 1)  # the box of each goal; the last entry is where a path begins
        u, v = [0] * len(cost), [0] * (len(goals) + 1)
        for i in range(len(cost)):
            owner[-1], at = i, len(goals)
            least, came, used = [FAR * 4] * len(goals), [0] * len(goals), [False] * (len(goals) + 1)
            while owner[at] != -1:
                used[at] = True
                row, delta, nearest = cost[owner[at]], FAR * 4, -1
                for j in range(len(goals)):
                    if not used[j]:
                        reduced = row[j] - u[owner[at]] - v[j]
                        if reduced < least[j]:
                            least[j], came[j] = reduced, at
                        if least[j] < delta:
                            delta, nearest = least[j], j
                for j in range(len(goals) + 1):
                    if used[j]:
                        u[owner[j]] += delta
                        v[j] -= delta
                    elif j < len(goals):
                        least[j] -= delta
                at = nearest
            while at != len(goals):
                owner[at] = owner[came[at]]
                at = came[at]
        total = sum(cost[box][goal] for goal, box in enumerate(owner[:-1]) if box != -1)
        return min(total, FAR)


def _shifted(mask: int, by: int) -> int:
    return mask << by if by > 0 else mask >> -by


def _bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest
        mask ^= lowest
