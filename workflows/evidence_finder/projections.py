"""Tables of pairs of variables: how much a plan costs at least that asks for these two alone.

    go:red:north 1    step 0    step 0    stop-at-wall 0        as PDDL has a move of ricochet robots

Alone, the variable `at.red` says nothing: each step changes it for nothing. With the variable that says who is moving
where, it says how often red still has to go. The number of a pair of values is the least cost from there to where the
goal may hold, if actions need and change nothing else, and `-` if none leads there: a *pattern database* (Culberson and
Schaeffer 1998; for planning, Edelkamp 2001).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import product
from math import inf

from ...proofs.core.claim import Table, entries, values_after
from ...proofs.core.limits import Limits
from ...proofs.core.problem import Action, Problem

LARGEST = 10_000
"""Numbers that a table may have."""


def pairs(problem: Problem) -> list[tuple[int, int]]:
    """Pairs of a variable that the goal asks for and one that an action needs or changes which changes the first, the
    largest first."""
    sizes = [len(domain) for domain in problem.domains]
    goals = {x for part in problem.goal for x, _ in part}
    near = defaultdict[int, set[int]](set)
    for action in problem.actions:
        asked = {*action.effects, *(x for part in action.needs for x, _ in part)}
        for x in goals & action.effects.keys():
            near[x] |= asked
    found = {(min(x, y), max(x, y)) for x, others in near.items() for y in others if x != y}
    return sorted((one for one in found if _size(sizes, one) <= LARGEST), key=lambda one: (-_size(sizes, one), one))


def _size(sizes: list[int], pair: tuple[int, int]) -> int:
    return sizes[pair[0]] * sizes[pair[1]]


def projection(problem: Problem, pair: tuple[int, int], limits: Limits) -> Table:
    """The table of a pair of variables. Raises `Stopped`."""
    values = [range(len(problem.domains[x])) for x in pair]
    numbers = dict[tuple[int, ...], float].fromkeys(product(*values), inf)
    table = pair, numbers
    before = defaultdict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]](list)
    for action in _different(problem, pair, limits):
        for at in entries(problem, table, action.needs, limits):
            for end in product(*(values_after(action, x, at, limits) for x in pair)):
                before[end].append((action.cost[0], (*at.values(),)))
    waiting = [(0, (*at.values(),)) for at in entries(problem, table, problem.goal, limits)]
    while waiting:
        cost, end = heappop(waiting)
        if numbers[end] <= cost:
            continue
        numbers[end] = cost
        limits.tick(1 + len(before[end]))
        for more, start in before[end]:
            if numbers[start] > cost + more:
                heappush(waiting, (cost + more, start))
    return table


def _different(problem: Problem, pair: tuple[int, int], limits: Limits) -> Iterator[Action]:
    """One of the actions that change a variable of a pair, of those that are the same as far as the pair tells."""
    seen = set[object]()
    for action in problem.actions:
        limits.tick()
        if action.effects.keys() & pair:
            needs = tuple(part for part in action.needs if all(x in pair for x, _ in part))
            key = action.cost[0], needs, tuple(tuple(action.effects.get(x, ())) for x in pair)
            if key not in seen:
                seen.add(key)
                yield action
