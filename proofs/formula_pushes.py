"""The clauses that say "there is a plan of at most H pushes", for a level of Sokoban.

Each is one sentence that is true of every legal play that reaches the goal (the numbers are those of
`docs/certificates.md`). So if they cannot all be true, there is no plan.

*Areas.* Nothing is said of the player's walks but for areas, which the certificate lists: each is a cell and some
boxes, and means what the player can walk to from the cell if these boxes are all there is. Whatever the list holds, it
is true that a player who is in an area while boxes stand on all its cells makes the next push from within the area. So
a list that is too short makes the refutation impossible, not wrong.

    #######     The cell @ and boxes on the cells A: the area is @ and the three dots. A player on one of them, with
    #@.A  #     boxes on both A, makes no push from the cells on the right.
    #..A  #
    #######

*Waste.* Each cell c has a weight w(c), and a push from c to d wastes 1 - w(c) + w(d). Let S be the sum of the weights
of all boxes at the start, E at the end, and G the largest sum that as many goals have. Then a plan of n pushes wastes
n - S + E in all, which is at most H - S + G. That is arithmetic, and holds for all weights. Those here (potentials of
the matching of boxes and goals at the start) make the bound small, and no push wastes less than 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from .boxes import BoxGame, assigned, bits, moved
from .core.formula import Clause, not_both
from .core.limits import Invalid, Limits
from .folder import MANIFEST
from .layers import Layers
from .pieces import FAR
from .rules_sokoban import Level

Push = tuple[int, int]
"""The cell of a box, as a bit, and the shift that leads to the cell that it is pushed to."""


class PushFormula(Layers):
    """The clauses of a level. Cells are bits, as in `boxes`; the clauses speak of boxes on the cells from which a box
    alone in the level can be pushed to a goal (`live`).

    Variables of a layer: `box` by cell; `stands`, where the player stands after the last push, by cell; `wasted` by k:
    the pushes so far have wasted at least k. Variables of a step: `push` by cell and direction (up, down, left, right);
    `pushed`, a box is pushed from the cell, by cell; `idle`; `shut` by area, in the order of the list.
    """

    def __init__(self, level: Level, at_most: int, areas: Sequence[str], limits: Limits) -> None:
        game = self.game = BoxGame(level, "pushes", limits)
        self.level, self.at_most, self.limits = level, at_most, limits
        self.live, walked = game.floor & ~game.dead, game.region(0, game.player)
        pushes = [
            (cell, by)
            for cell in bits(self.live)
            for by in (-game.width, game.width, -1, 1)
            if moved(cell, by) & self.live and moved(cell, -by) & walked
        ]
        left = sorted({cell for cell, _ in pushes})
        self.areas = [self._area(text) for text in areas]
        self.weight = self._weights(pushes)
        self.spare = self._spare()
        limits.hold(100 * max(0, self.spare))
        number = count(1)
        self.box = {cell: next(number) for cell in bits(self.live)}
        self.stands = {cell: next(number) for cell in sorted({*left, game.player})}
        self.wasted = {k: next(number) for k in range(1, self.spare + 1)}
        self.facts = next(number) - 1
        number = count(self.facts + 1)
        self.push = {push: next(number) for push in pushes}
        self.pushed = {cell: next(number) for cell in left}
        self.idle = next(number)
        self.shut = [next(number) for _ in self.areas]
        self.stride = next(number) - 1

    def _area(self, text: str) -> tuple[int, int]:
        """The cells of an area, and its boxes: `3 4 3 6 5 4` is a cell in row 3, column 4 and boxes on two others."""
        self.limits.tick(64)
        self.limits.hold(self.game.size)
        numbers = [int(word) - 1 for word in text.split()]
        inside, *around = zip(numbers[::2], numbers[1::2], strict=True)
        boxes = self.game.mask(frozenset(around))
        if not {inside, *around} <= self.level.open or inside in around or boxes & ~self.live:
            raise Invalid(f"an area with a cell that the player, or a box, cannot be on: `{text[:40]}`", MANIFEST)
        return self.game.region(boxes, self.game.mask(frozenset((inside,)))), boxes

    def _weights(self, pushes: list[Push]) -> dict[int, int]:
        """The weight of each cell: the least, over all goals, of the pushes to it on a board without a player, less the
        price of the goal. A push brings a box nearer to any goal by one at most, so none wastes less than 0."""
        into: dict[int, list[int]] = {}
        for cell, by in pushes:
            into.setdefault(moved(cell, by), []).append(cell)
        away = []
        for goal in bits(self.game.goals & self.live):
            far = {goal: 0}
            for here in (queue := [goal]):  # grows while it is read
                self.limits.tick()
                for cell in into.get(here, ()):
                    if cell not in far:
                        far[cell] = far[here] + 1
                        queue.append(cell)
            self.limits.hold(100 * len(far))
            away.append(far)
        prices = assigned([[far.get(box, FAR) for far in away] for box in bits(self.game.boxes)], self.limits)[1]
        return {
            cell: min(far.get(cell, FAR) - price for far, price in zip(away, prices, strict=True))
            for cell in bits(self.live)
        }

    def _spare(self) -> int:
        """The waste that a plan of `at_most` pushes can afford (see above); below 0 if there is no such plan."""
        game, weight = self.game, self.weight
        if game.boxes & ~self.live:
            return -1
        ends = sorted((weight[goal] for goal in bits(game.goals)), reverse=True)[: game.boxes.bit_count()]
        return self.at_most - sum(weight[box] for box in bits(game.boxes)) + sum(ends)

    def _start(self) -> Iterator[Clause]:
        """21: layer 0 is the start, and nothing has been wasted."""
        for cell, x in self.box.items():
            yield (x,) if cell & self.game.boxes else (-x,)
        for cell, x in self.stands.items():
            yield (x,) if cell == self.game.player else (-x,)
        for x in self.wasted.values():
            yield (-x,)

    def _layer(self) -> Iterator[Clause]:
        if self.spare < 0:
            yield ()  # 27: a plan cannot waste less than 0
        for k in range(2, self.spare + 1):
            yield (-self.wasted[k], self.wasted[k - 1])  # 27: what is at least k is at least k - 1

    def _step(self) -> Iterator[Clause]:
        after = self.stride
        of_cell: dict[int, list[int]] = {cell: [] for cell in self.pushed}
        onto: dict[int, list[int]] = {}
        for (cell, by), x in self.push.items():
            end = moved(cell, by)
            yield (-x, self.pushed[cell])  # 22: a push from a cell is one from there,
            yield (-x, self.box[cell])  # 23: before it a box is on its cell,
            yield (-x, -self.box[end])  # 23: and none on the cell that it comes to
            yield (-x, self.box[end] + after)  # 24: after it a box is there,
            yield (-x, -self.box[cell] - after)  # 24: none where it was,
            yield (-x, self.stands[cell] + after)  # 24: but the player
            yield from self._waste(x, 1 - self.weight[cell] + self.weight[end])
            of_cell[cell].append(x)
            onto.setdefault(end, []).append(x)
        for cell, ways in of_cell.items():
            yield (-self.pushed[cell], *ways)  # 22: and what is pushed from there goes in some direction,
            yield from not_both(ways)  # 22: and in one only
        yield from not_both([*self.pushed.values(), self.idle])  # 25: one box is pushed, or the step is idle,
        yield (*self.pushed.values(), self.idle)  # 25: and there is no third
        for cell, x in self.box.items():
            yield (-x - after, x, *onto.get(cell, ()))  # 26: a box that was not there was pushed there;
            yield (-x, x + after, *self._if_pushed(cell))  # 26: one that is not there any more was pushed from there
        for cell, x in self.stands.items():
            yield (-x - after, self.idle, *self._if_pushed(cell))  # 26: the player stands where a box was pushed from,
            yield (-x - after, -self.idle, x)  # 26: or, after an idle step, where it stood,
            yield (-x, -self.idle, x + after)  # 26: and there it stays
        for x in self.wasted.values():
            yield (-x, x + after)  # 28: what is wasted stays so
        for (area, boxes), shut in zip(self.areas, self.shut, strict=True):
            self.limits.tick(len(self.stands) + len(self.push))
            there = [-self.box[box] for box in bits(boxes)]
            for cell, x in self.stands.items():
                if cell & area:
                    yield (shut, -x, *there)  # 29: an area is shut if its boxes are there and the player is within
            for (cell, by), x in self.push.items():
                if not moved(cell, -by) & area:
                    yield (-shut, -x)  # 30: while it is, no push is made from without

    def _if_pushed(self, cell: int) -> list[int]:
        return [self.pushed[cell]] if cell in self.pushed else []

    def _waste(self, push: int, waste: int) -> Iterator[Clause]:
        """28: a push adds its waste to the sum of all before it, and the sum is never more than a plan can afford."""
        if waste > self.spare:
            yield (-push,)
        elif waste:
            yield (-push, self.wasted[waste] + self.stride)
            for k, x in self.wasted.items():
                more = [self.wasted[k + waste] + self.stride] if k + waste <= self.spare else []
                yield (-push, -x, *more)

    def goal(self) -> Iterator[Clause]:
        """31: in the last layer no box is beside a goal; where there are no more goals than boxes, each has a box."""
        full = self.game.goals.bit_count() == self.game.boxes.bit_count()
        for cell, x in self.box.items():
            if not cell & self.game.goals:
                yield (-x,)
            elif full:
                yield (x,)

    def model(self, plan: list[Push]) -> set[int]:
        """The variables that a plan makes true."""
        boxes, player, wasted, true = self.game.boxes, self.game.player, 0, set[int]()
        for t in range(self.at_most + 1):
            shift = t * self.stride
            true |= {self.box[box] + shift for box in bits(boxes)} | {self.stands[player] + shift}
            true |= {x + shift for k, x in self.wasted.items() if k <= wasted}
            if t == self.at_most:
                break
            shut = zip(self.areas, self.shut, strict=True)
            true |= {x + shift for (area, around), x in shut if player & area and not around & ~boxes}
            if t < len(plan):
                cell, by = plan[t]
                true |= {self.push[cell, by] + shift, self.pushed[cell] + shift}
                wasted += 1 - self.weight[cell] + self.weight[moved(cell, by)]
                boxes, player = boxes ^ cell ^ moved(cell, by), cell
            else:
                true.add(self.idle + shift)
        return true
