"""All shortest plans of a puzzle: how many, which are the same up to order, what all of them have in common.

The states and steps of shortest plans are a graph without circles, whose paths are the plans; counting them is adding
up from the goals. *Up to order*: two steps that touch nothing of each other may be swapped, and plans that become equal
by swapping are one (traces: Mazurkiewicz, *Trace theory*, 1986). Each class has one plan that is first in the order of
the dictionary; these are counted, by states with the set of steps that may not come next (Anisimov and Knuth,
*Inhomogeneous sorting*, 1979).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.puzzle import Puzzle
from ...models.task import OperatorTask
from ...runtime.budget import Budget
from .conditions import edges_of

MOST_NODES = 2_000_000
"""Nodes up to which plans up to order are counted: states with the steps that may not come next."""

LONGER = 2
"""Plans are counted that cost up to this much more than a shortest one."""

MOST_EDGES = 1_000_000
"""Edges near shortest plans up to which longer plans are counted."""


@dataclass(frozen=True)
class Counted:
    """What is known of all shortest plans.

    `number`: how many; `up_to_order`: how many if steps that do not touch may swap, None where that was not counted.
    `forced`: steps that all of them have, counted as often as all have them. `first`: the edges with which they can
    begin, of `first_possible` first moves. `part_after`: the cost after which they part; None if there is one.
    `states`: of shortest plans. `longer`: how many plans cost one and two more, moves back and forth among them; None
    where there are too many states near shortest plans.
    """

    number: int
    up_to_order: int | None
    forced: int
    length: int
    first: tuple[int, ...]
    first_possible: int
    part_after: int | None
    states: int
    longer: tuple[int, int] | None


class ShortestPlans:
    """The graph of all shortest plans."""

    def __init__(self, graph: StateGraph) -> None:
        assert graph.optimum is not None
        self.graph = graph
        _, targets, steps = graph.edges
        on = graph.depth + graph.away == graph.optimum
        start = np.flatnonzero(~graph.goal[:1]).astype(np.int32)  # no plan goes on from a goal
        before = graph.reached(start, allowed=on & ~graph.goal)
        ahead = before[graph.sources] & on[targets]
        ahead &= graph.away[graph.sources] == graph.away[targets] + graph.weight[steps]
        self.free = bool((graph.weight[steps[ahead]] == 0).any())
        self.edges = frozenset(np.flatnonzero(ahead).tolist())
        # Operators that do the same, from one state to another, are one step: `letters` has those of each number.
        self.letters: list[list[int]] = []
        numbers: dict[object, int] = {}
        ways = set[tuple[int, int, int]]()
        for edge in sorted(self.edges):
            step = int(steps[edge])
            letter = numbers.setdefault(graph.doing(edge), len(numbers))
            if letter == len(self.letters):
                self.letters.append([])
            self.letters[letter].append(step)
            ways.add((int(graph.sources[edge]), letter, int(targets[edge])))
        self.out: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for source, letter, target in sorted(ways):
            self.out[source].append((letter, target))
        self.goals = set(np.flatnonzero(on & graph.goal).tolist())
        self.order = sorted({0, *self.out, *(t for out in self.out.values() for _, t in out)}, key=self._away)

    def _away(self, state: int) -> int:
        return int(self.graph.away[state])

    def count(self) -> dict[int, int]:
        """For each state the number of ways on to a goal."""
        ways: dict[int, int] = {}
        for state in self.order:
            ways[state] = int(state in self.goals) + sum(ways[target] for _, target in self.out.get(state, ()))
        return ways

    def least_uses(self, letter: int) -> int:
        """How often every shortest plan has a step."""
        least: dict[int, int] = {}
        for state in self.order:
            on = [least[target] + (other == letter) for other, target in self.out.get(state, ())]
            least[state] = 0 if state in self.goals else min(on)
        return least[0]

    def classes(self, budget: Budget) -> int | None:
        """The number of plans up to swapping steps that do not touch; None where there are too many nodes, or what
        touches is not known.
        """
        task = self.graph.task
        if not isinstance(task, OperatorTask) or task.walker or task.compound_moves:
            return None
        touched = [_touched(task, set(steps)) for steps in self.letters]
        apart = [sum(1 << n for n, other in enumerate(touched) if _apart(facts, other)) for facts in touched]
        later: dict[int, int] = {}
        for state in self.order:
            out = self.out.get(state, ())
            later[state] = 0
            for letter, target in out:
                later[state] |= 1 << letter | later[target]
        # From the start on: how many plans in normal form lead to a state with the steps barred next.
        layers: dict[int, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
        layers[self._away(0)][0, 0] = 1
        plans = nodes = 0
        for away in sorted({self._away(state) for state in self.order}, reverse=True):
            here = layers.pop(away, {})
            nodes += len(here)
            if nodes > MOST_NODES or budget.stopped():
                return None
            for (state, barred), ways in here.items():
                if state in self.goals:
                    plans += ways
                    continue
                for letter, target in self.out[state]:
                    if not barred >> letter & 1:
                        # What may come before this step, and is smaller, should have come before it.
                        next_barred = (barred | (1 << letter) - 1) & apart[letter] & later[target]
                        layers[self._away(target)][target, next_barred] += ways
        return plans


def _touched(task: OperatorTask, steps: Iterable[int]) -> tuple[set[int], set[int]]:
    """The facts that some operators change, and those that they need or change."""
    changed, all_of_them = set[int](), set[int]()
    for step in steps:
        op = task.operators[step]
        changed.update(op.add, op.delete)
        all_of_them.update(op.pre, op.add)
    return changed, all_of_them


def _apart(one: tuple[set[int], set[int]], other: tuple[set[int], set[int]]) -> bool:
    """Whether two steps touch nothing of each other: neither changes what the other needs or changes."""
    return one[0].isdisjoint(other[1]) and other[0].isdisjoint(one[1])


def counted_plans(graph: StateGraph, budget: Budget, *, swaps: bool = True) -> Counted | None:
    """What all shortest plans have in common; None where steps of them are free, as they may then be repeated, or are
    several actions, which may be ordered in several ways. `swaps`:
    whether a shortest plan remains one if two of its steps that do not touch are swapped, so that classes are counted.
    """
    plans = ShortestPlans(graph)
    if plans.free or (isinstance(graph.task, ProgramTask) and graph.task.rows):
        return None
    ways = plans.count()
    leaving = range(int(graph.edges[0][1]))
    after = {edge: (graph.doing(edge), int(graph.edges[1][edge])) for edge in leaving}
    right = {after[edge]: edge for edge in leaving if edge in plans.edges}
    forced = sum(map(plans.least_uses, range(len(plans.letters))))
    return Counted(
        number=ways[0],
        up_to_order=1 if ways[0] == 1 else plans.classes(budget) if swaps else None,
        forced=forced,
        length=_length(plans),
        first=tuple(right.values()),
        first_possible=len(set(after.values())),
        part_after=_part(plans),
        states=len(plans.order),
        longer=_longer(graph, budget),
    )


def _longer(graph: StateGraph, budget: Budget) -> tuple[int, int] | None:
    """The number of plans that cost one and two more than the optimum; a plan ends where it first meets a goal.

    A step from s to t costs w + away(t) - away(s) more than a shortest one. So the plans that cost k more from s are
    those of k from t over steps that lose nothing, of k - 1 over steps that lose one, and so on.
    """
    assert graph.optimum is not None
    _, targets, steps = graph.edges
    if not graph.weight.all():
        return None
    on = graph.depth + graph.away <= graph.optimum + LONGER
    loses = graph.weight[steps] + graph.away[targets] - graph.away[graph.sources]
    near = np.flatnonzero(on[graph.sources] & on[targets] & ~graph.goal[graph.sources] & (loses <= LONGER))
    if len(near) > MOST_EDGES:
        return None
    out: dict[int, set[tuple[object, int, int]]] = defaultdict(set)
    for count, edge in enumerate(near.tolist()):
        if count % 10_000 == 0 and budget.stopped():
            return None
        out[int(graph.sources[edge])].add((graph.doing(edge), int(targets[edge]), int(loses[edge])))
    order = sorted(np.flatnonzero(on).tolist(), key=lambda state: int(graph.away[state]))
    ways: list[dict[int, int]] = []
    for more in range(LONGER + 1):
        here: dict[int, int] = {}
        ways.append(here)
        for state in order:
            if graph.goal[state]:
                here[state] = int(more == 0)
                continue
            here[state] = sum(ways[more - lost].get(there, 0) for _, there, lost in out.get(state, ()) if lost <= more)
    return ways[1][0], ways[2][0]


def _length(plans: ShortestPlans) -> int:
    """The steps of a shortest plan, of those with fewest."""
    least: dict[int, int] = {}
    for state in plans.order:
        least[state] = 0 if state in plans.goals else 1 + min(least[target] for _, target in plans.out[state])
    return least[0]


def _part(plans: ShortestPlans) -> int | None:
    """The cost after which shortest plans part for the first time; None if there is only one."""
    state = 0
    while state not in plans.goals:
        out = plans.out[state]
        if len(out) > 1:
            return int(plans.graph.depth[state])
        state = out[0][1]
    return None


@dataclass(frozen=True)
class Intended:
    """An author's plan that solves the puzzle. `cost`: in the metric that is asked; `detours`: moves after which the
    rest is longer than it could be, as (number of the move, its text, what it loses); None where the plan's positions
    are not states of the graph.
    """

    cost: int
    detours: tuple[tuple[int, str, int], ...] | None


def follow(puzzle: Puzzle, metric: str, graph: StateGraph, plan: Plan) -> Intended:
    """Follow a plan through the graph. Raises `ReplayError` for a plan that is wrong, and `UsageError` for one that
    does not solve the puzzle.
    """
    replay = puzzle.replay(plan)
    if not replay.solved:
        raise UsageError(f"the intended plan stops after {len(replay.steps):,} moves and the goal is not reached")
    edges, here, detours = edges_of(graph, plan), 0, list[tuple[int, str, int]]()
    for number, edge in edges or ():
        there = int(graph.edges[1][edge])
        loses = int(graph.weight[graph.edges[2][edge]] + graph.away[there] - graph.away[here])
        if loses:
            detours.append((number, replay.notation[number - 1], loses))
        here = there
    # A plan that ends in a goal of the graph was never in a state without a goal ahead, so `away` was a number.
    return Intended(replay.costs[metric], tuple(detours) if edges is not None and graph.goal[here] else None)
