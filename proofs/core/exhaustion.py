"""Exhaustion: every state that can be on a plan cheaper than the claim is visited, and none is a goal.

The least cost first (Dijkstra 1959); costs of two counts are compared from the first on. A state is left out if its
cost and the bound of the tables together are not below the claim. Nothing is read but tables: it is recomputed.

A state is one integer here, with a bit for each value of each variable. So a clause is a mask that has to meet it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate

from .bounds import Table
from .limits import Limits, Unsupported
from .problem import PAIR_BYTES, Action, Cost, Literals, Problem

VALUES = 1 << 17
"""Bits that a state may have."""

EACH = 250
"""Bytes of a state in the tables, not counting the integer: entries of a dictionary and of the queue, and a cost."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What was found: how many states were visited, and the cost of the cheapest plan if one is below the claim."""

    states: int
    plan: Cost | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """An action as masks. `effects`: masks that all have to meet the state, bits to take away, bits to set."""

    cost: Cost
    needs: tuple[int, ...]
    effects: tuple[tuple[tuple[int, ...], int, int], ...]


class Bits:
    """A problem whose states are integers."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.first = list(accumulate((len(domain) for domain in problem.domains), initial=0))
        if self.first[-1] > VALUES:
            raise Unsupported(f"states are visited where all variables together have at most {VALUES} values")
        whole = self.first[-1] // 8 + PAIR_BYTES
        self.start = self.state(problem.start)
        self.goal = tuple(map(self.clause, problem.goal))
        self.always: list[Compiled] = []
        self.by_value: list[list[Compiled]] = [[] for _ in range(self.first[-1])]
        for action in problem.actions:
            # An action is tried only where one variable has a value that it needs: that which it needs most narrowly.
            units = [part[0] for part in action.needs if len(part) == 1]
            limits.hold((action.size() + 2) * 3 * whole)
            limits.tick(action.size())
            compiled = self.action(action)
            if not units:
                self.always.append(compiled)
                continue
            x, mask = min(units, key=lambda unit: unit[1].bit_count() / len(problem.domains[unit[0]]))
            limits.hold(8 * mask.bit_count())
            for i in range(len(problem.domains[x])):
                if mask >> i & 1:
                    self.by_value[self.first[x] + i].append(compiled)
        self.tried = [x for x in range(len(problem.names)) if any(self.by_value[self.first[x] : self.first[x + 1]])]

    def state(self, values: tuple[int, ...]) -> int:
        """A state of the problem as an integer."""
        return sum(1 << first + i for first, i in zip(self.first, values, strict=False))

    def clause(self, literals: Literals) -> int:
        """A clause, or one literal, as a mask."""
        return sum(mask << self.first[x] for x, mask in literals)

    def action(self, action: Action) -> Compiled:
        """An action as masks; effects without a condition are put together."""
        keep = add = 0
        effects = []
        for x, several in action.effects.items():
            whole = self.problem.full(x) << self.first[x]
            for when, i in several:
                bit = 1 << self.first[x] + i
                if when:
                    effects.append((tuple(self.clause((part,)) for part in when), whole, bit))
                else:
                    keep, add = keep | whole, add | bit
        effects.insert(0, ((), keep, add))
        return Compiled(action.cost, tuple(map(self.clause, action.needs)), tuple(effects))

    def value(self, state: int, x: int) -> int:
        """The number of the value of a variable."""
        return (state >> self.first[x] & self.problem.full(x)).bit_length() - 1

    def successors(self, state: int) -> Iterator[tuple[Cost, int]]:
        """The states after one action, each with what it costs."""
        lists = [self.by_value[self.first[x] + self.value(state, x)] for x in self.tried]
        for actions in (self.always, *lists):
            self.limits.tick(1 + len(actions) // 8)
            for action in actions:
                for mask in action.needs:
                    if not state & mask:
                        break
                else:
                    then = state
                    for when, gone, come in action.effects:
                        for mask in when:
                            if not state & mask:
                                break
                        else:
                            then = then & ~gone | come
                    yield action.cost, then


def exhaust(problem: Problem, below: Cost | None, tables: list[Table], limits: Limits) -> Exhausted:
    """Visit all states that can be on a plan that costs less than `below` (None: on any plan), until one is a goal.

    Raises `Stopped` at a limit.
    """
    bits = Bits(problem, limits)

    def left_out(state: int, cost: Cost) -> bool:
        rest = 0
        for one in tables:
            number = one.numbers[
                sum(bits.value(state, x) * stride for x, stride in zip(one.variables, one.strides, strict=True))
            ]
            if number is None:
                return True
            rest += number
        return below is not None and (cost[0] + max(rest, 0), *cost[1:]) >= below

    zero = (0,) * len(problem.counts)
    best: dict[int, Cost] = {bits.start: zero}
    queue = [(zero, bits.start)] if not left_out(bits.start, zero) else []
    each, states = EACH + sys.getsizeof(1 << bits.first[-1]), 0
    while queue:
        cost, state = heappop(queue)
        if cost > best[state]:
            continue
        states += 1
        limits.tick(1 + len(bits.goal) // 8)
        if all(state & mask for mask in bits.goal):
            return Exhausted(states, cost)
        for more, then in bits.successors(state):
            limits.tick(1 + len(tables))
            total = tuple([a + b for a, b in zip(cost, more, strict=True)])
            if (then not in best or total < best[then]) and not left_out(then, total):
                limits.hold(each)
                best[then] = total
                heappush(queue, (total, then))
    return Exhausted(states, None)
