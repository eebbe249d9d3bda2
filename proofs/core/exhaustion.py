"""Exhaustion: every state that can be on a plan cheaper than the claim is visited, and none is a goal.

The least cost first (Dijkstra 1959); costs of two counts are compared from the first on. A state is left out if its
cost and the bound of the tables together are not below the claim. Nothing is read but tables: it is recomputed.

A state is one integer here, with a bit for each value of each variable. So a clause is a mask that has to meet it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import heappop, heappush
from itertools import accumulate, count
from math import inf
from typing import Any

from .claim import Table, bound
from .limits import Invalid, Limits, Unsupported
from .problem import PAIR_BYTES, Action, Cost, Literal, Problem

VALUES = 1 << 17
"""Bits that a state may have."""

EACH = 250
"""Bytes of a state in the tables, not counting the integer: entries of a dictionary and of the queue, and a cost."""


Compiled = tuple[Cost, list[int], list[tuple[list[int], int, int]]]
"""An action: cost, needs, and effects: masks that all have to meet the state, bits to take away, bits to set."""


class PackedProblem:
    """A problem with each state packed into one integer."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.first = list(accumulate(map(len, problem.domains), initial=0))
        self.start = self.mask((x, 1 << i) for x, i in enumerate(problem.start))
        self.goal = [self.mask(part) for part in problem.goal]

    def mask(self, literals: Iterable[Literal]) -> int:
        """The bits of the values that literals list."""
        return sum(mask << self.first[x] for x, mask in literals)

    def action(self, action: Action) -> Compiled:
        """An action as masks; effects without a condition are put together."""
        self.limits.hold((action.size() + 2) * 3 * (self.first[-1] // 8 + PAIR_BYTES))
        self.limits.tick(action.size())
        keep = add = 0
        effects = []
        for x, several in action.effects.items():
            whole = self.problem.full(x) << self.first[x]
            for when, i in several:
                bit = 1 << self.first[x] + i
                if when:
                    effects.append(([self.mask([part]) for part in when], whole, bit))
                else:
                    keep, add = keep | whole, add | bit
        return action.cost, list(map(self.mask, action.needs)), [([], keep, add), *effects]

    def value(self, state: int, x: int) -> int:
        """The number of the value of a variable."""
        return (state >> self.first[x] & self.problem.full(x)).bit_length() - 1

    def results(self, lists: Iterable[list[Compiled]], state: int) -> Iterator[tuple[Cost, int]]:
        """Of those actions in some lists that are possible in a state, the costs, and the states after them: an action
        is possible where all its needs hold, and each of its effects takes place whose condition holds.
        """
        for actions in lists:
            self.limits.tick(1 + len(actions) // 8)
            for cost, needs, effects in actions:
                for mask in needs:
                    if not state & mask:
                        break
                else:
                    then = state
                    for when, gone, come in effects:
                        for mask in when:
                            if not state & mask:
                                break
                        else:
                            then = then & ~gone | come
                    yield cost, then


class Successors(PackedProblem):
    """All actions of a problem by a value that they need: in a state only those of its values are tried."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        super().__init__(problem, limits)
        if self.first[-1] > VALUES:
            raise Unsupported(f"states are visited where all variables together have at most {VALUES} values")
        self.nothing: Cost = (0,) * len(problem.counts)
        self.size = sys.getsizeof(1 << self.first[-1])
        self.bound: Callable[[Any], float] | None = None
        self.by_value: list[list[list[Compiled]]] = [[[] for _ in domain] for domain in problem.domains]
        for action in problem.actions:
            # That variable counts of whose values the action needs the smallest part; without one, the first counts.
            units = [part[0] for part in action.needs if len(part) == 1] or [(0, problem.full(0))]
            x, mask = min(units, key=lambda one: one[1].bit_count() / len(problem.domains[one[0]]))
            limits.hold(8 * mask.bit_count())
            compiled = self.action(action)
            for i, actions in enumerate(self.by_value[x]):
                if mask >> i & 1:
                    actions.append(compiled)
        self.tried = [x for x, lists in enumerate(self.by_value) if any(lists)]

    def successors(self, state: int) -> Iterator[tuple[Cost, int]]:
        """The states after one action, each with what it costs."""
        return self.results([self.by_value[x][self.value(state, x)] for x in self.tried], state)

    def solved(self, state: int) -> bool:
        """Whether every part of the goal holds in a state."""
        return all(state & mask for mask in self.goal)


def replay(problem: Problem, plan: list[str], file: str, limits: Limits) -> Cost:
    """Play a plan, an action's name on each line, and give its cost. Raises `Invalid`."""
    bits, cost = PackedProblem(problem, limits), (0,) * len(problem.counts)
    actions, state = {action.name: action for action in problem.actions}, bits.start
    for number, name in enumerate(plan, 1):
        made = [bits.action(actions[name])] if name in actions else []
        more, state = next(bits.results([made], state), (None, state))
        if more is None:
            raise Invalid(f"no action that is possible here: {name[:60]}", file, number)
        cost = tuple(map(sum, zip(cost, more, strict=True)))
    if not all(state & mask for mask in bits.goal):
        raise Invalid("the plan does not end at the goal", file)
    return cost


def exhaust(problem: Problem, below: Cost | None, tables: list[Table], limits: Limits) -> tuple[int, Cost | None]:
    """Visit all states that can be on a plan that costs less than `below` (None: on any plan), until one is a goal: how
    many they are, and the cost of the cheapest plan if there is one. Raises `Stopped` at a limit.
    """
    bits = Successors(problem, limits)

    def left_out(state: int, cost: Cost) -> bool:
        limits.tick(len(tables))
        rest = bound(tables, partial(bits.value, state))
        return rest == inf or (below is not None and (cost[0] + max(rest, 0), *cost[1:]) >= below)

    return visit(bits, left_out, limits)


def visit(graph: Any, left_out: Callable[[Any, Cost], bool], limits: Limits) -> tuple[int, Cost | None]:
    """Visit the states of a graph (as `Successors` is one) by their cost, without those that are left out, until one is
    a goal: how many they are, and the cost of a cheapest plan if there is one. Raises `Stopped` at a limit.
    """
    best: dict[Any, Cost] = {graph.start: graph.nothing}
    number, states = count(), 0  # states of equal cost come in the order in which they were found
    queue = [] if left_out(graph.start, graph.nothing) else [(graph.nothing, next(number), graph.start)]
    while queue:
        cost, _, state = heappop(queue)
        if cost > best[state]:
            continue
        states += 1
        limits.tick()
        if graph.solved(state):
            return states, cost
        for more, then in graph.successors(state):
            limits.tick()
            total = tuple(map(int.__add__, cost, more))
            if (then not in best or total < best[then]) and not left_out(then, total):
                limits.hold(EACH + graph.size)
                best[then] = total
                heappush(queue, (total, next(number), then))
    return states, None
