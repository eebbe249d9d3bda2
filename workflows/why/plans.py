"""All shortest plans of a puzzle, or of those that keep conditions: how many, which are the same up to order, what all
of them have in common.

The states and steps of shortest plans are a graph without circles, whose paths are the plans; counting them is adding
up from the goals. *Up to order*: two steps that touch nothing of each other may be swapped, and plans that become equal
by swapping are one (traces: Mazurkiewicz, *Trace theory*, 1986). Each class has one plan that is first in the order of
the dictionary; these are counted, by states with the set of steps that may not come next (Anisimov and Knuth,
*Inhomogeneous sorting*, 1979).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...models.errors import ReplayError, UsageError
from ...models.moves import Move, alike
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.puzzle import Puzzle
from ...models.task import Operator, OperatorTask
from ...models.text import closest
from ...runtime.arrays import Flags
from ...runtime.budget import Budget
from ...runtime.outcome import StoppedError

MOST_NODES = 2_000_000
"""Nodes up to which plans up to order are counted: states with the steps that may not come next."""

LONGER = 2
"""Plans are counted that cost up to this much more than a shortest one."""

MOST_EDGES = 1_000_000
"""Edges near shortest plans up to which longer plans are counted."""


Numbers = dict[int, int]
"""A number for each state, by the state's number: how many shortest plans lead on from it, for example."""


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

    def from_goals(self, at_goals: int, joined: Callable[[Numbers, list[tuple[int, int]]], int]) -> Numbers:
        """A number for each state: that of goals, else what `joined` makes of the numbers found so far and of the steps
        from there, which lead to states that have theirs.
        """
        found: Numbers = {}
        for state in self.order:
            found[state] = at_goals if state in self.goals else joined(found, self.out[state])
        return found

    def count(self) -> int:
        """The number of plans."""
        return self.from_goals(1, lambda ways, out: sum(ways[target] for _, target in out))[0]

    def length(self) -> int:
        """The steps of a shortest plan, of those with fewest."""
        return self.from_goals(0, lambda least, out: 1 + min(least[target] for _, target in out))[0]

    def least_uses(self, letter: int) -> int:
        """How often every shortest plan has a step."""
        return self.from_goals(0, lambda least, out: min(least[to] + (other == letter) for other, to in out))[0]

    def classes(self, budget: Budget) -> int | None:
        """The number of plans up to swapping steps that do not touch; None where there are too many nodes, or what
        touches is not known.
        """
        task = self.graph.task
        if not isinstance(task, OperatorTask) or task.walker or task.compound_moves:
            return None
        touched = [_touched(task, set(steps)) for steps in self.letters]
        apart = [sum(1 << n for n, other in enumerate(touched) if _apart(facts, other)) for facts in touched]
        later = self.from_goals(0, lambda later, out: reduce(or_, (1 << letter | later[to] for letter, to in out)))
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
    number = plans.count()
    leaving = range(int(graph.edges[0][1]))
    after = {edge: (graph.doing(edge), int(graph.edges[1][edge])) for edge in leaving}
    right = {after[edge]: edge for edge in leaving if edge in plans.edges}
    forced = sum(map(plans.least_uses, range(len(plans.letters))))
    return Counted(
        number=number,
        up_to_order=1 if number == 1 else plans.classes(budget) if swaps else None,
        forced=forced,
        length=plans.length(),
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


# Conditions on plans: those that avoid, or pass, positions of pieces and moves.
#
# The states with what has been passed so far are a graph again: s with the set m of the passed conditions. A step from
# (s, m) to a state t leads to (t, m + those that t or the step fulfils); the goals are those with all. So whatever is
# asked of the plans of a puzzle can be asked of those that keep conditions.

MOST_PASSED = 6
"""Conditions that plans have to pass, at most: each doubles the graph."""


@dataclass(frozen=True)
class Condition:
    """A position of a piece or a move: in which states it holds, and which edges make it."""

    text: str
    states: Flags
    edges: Flags


def condition(puzzle: Puzzle, graph: StateGraph, text: str) -> Condition:
    """Read a position as explanations write it (`A at r3c1`, `at goat right`) or a move as plans write it (`B+3`).
    Where a move by itself does not say what moves from where (`rrD`, `G:D`), it is written after those that lead to it
    from the start, and is that of the same piece or kind, from the same place to the same place, by any way.

    Raises `UsageError` for anything else.
    """
    wanted = " ".join(text.split())
    places = {graph.facts[fact]: fact for _, facts, _ in graph.objects for fact in facts}
    states = np.zeros(graph.states, np.bool_)
    if wanted in places:
        return Condition(wanted, graph.holds(places[wanted]), np.zeros(len(graph.edges[1]), np.bool_))
    moves: dict[str, list[int]] = {}
    for number, step in enumerate(graph.steps):
        if not (isinstance(step, Operator) and (step.displacement or step.walk)):
            moves.setdefault(graph.text(number), []).append(number)
    numbers = moves.get(wanted, [])
    with suppress(ReplayError):
        numbers = numbers or moves.get(" ".join(map(str, puzzle.parse_plan(text))), [])  # `(load a b)` is `load(a,b)`
    if numbers:
        steps = np.zeros(len(graph.steps), np.bool_)
        steps[numbers] = True
        return Condition(wanted, states, steps[graph.edges[2]])
    if (alike := _last_move(puzzle, graph, wanted)) is not None:
        return Condition(wanted, states, alike)
    kinds = "neither a position nor a move" if places else "no move"
    examples = " and ".join(f"`{next(iter(names))}`" for names in (places, moves) if names)
    near = closest(wanted, [*places, *moves])
    hint = f"; did you mean `{near}`?" if near else "" if moves else "; write a move after those that lead to it"
    raise UsageError(f"`{text}` is {kinds} that this puzzle has, as {examples}{hint}")


def _last_move(puzzle: Puzzle, graph: StateGraph, text: str) -> Flags | None:
    """Edges that move what the last move of a text moves: for `A+1 B-2`, B two back from where it is after `A+1`."""
    try:
        plan = puzzle.parse_plan(text)
        puzzle.replay(plan)
    except ReplayError:
        return None
    edges = edges_of(graph, plan)
    if not edges or edges[-1][0] != len(plan.moves):
        return None
    sources, targets = graph.sources, graph.edges[1]
    before, after = (graph.facts_of(int(ends[edges[-1][1]])) for ends in (sources, targets))
    alike_edges = np.ones(len(targets), np.bool_)
    for fact in {fact for _, facts, _ in graph.objects for fact in facts} & (before ^ after):
        there = graph.holds(fact)
        alike_edges &= (there[sources] & ~there[targets]) if fact in before else (there[targets] & ~there[sources])
    return alike_edges


def edges_of(graph: StateGraph, plan: Plan) -> list[tuple[int, int]] | None:
    """The edges of a plan from the start, each with the number of its move, from 1: walks between pushes have none.
    None for a plan that cannot be followed.
    """
    here, edges = 0, list[tuple[int, int]]()
    for number, move in enumerate(plan.moves, 1):
        edge = _edge(graph, here, move)
        if edge is not None:
            edges.append((number, edge))
            here = int(graph.edges[1][edge])
        elif not (isinstance(graph.task, OperatorTask) and graph.task.walker):
            return None
    return edges


def _edge(graph: StateGraph, state: int, move: Move) -> int | None:
    """The edge by which a move leaves a state; None if it cannot be told."""
    first = graph.edges[0]
    for edge in range(int(first[state]), int(first[state + 1])):
        if alike(graph.move(edge), str(move) if isinstance(graph.task, ProgramTask) else move):
            return edge
    return None


def under_conditions(
    graph: StateGraph, avoid: Sequence[Condition], through: Sequence[Condition], budget: Budget
) -> StateGraph:
    """The graph whose plans are those that avoid all of some conditions and fulfil all of others at some time.

    Raises `UsageError` for a condition that the start decides.
    """
    for avoided in avoid:
        if avoided.states[0]:
            raise UsageError(f"no plan avoids `{avoided.text}`: it is so at the start")
    if len(through) > MOST_PASSED:
        raise UsageError(f"at most {MOST_PASSED} conditions can be passed at once, and {len(through)} are named")
    masks = 1 << len(through)
    _, targets, steps = graph.edges
    if not budget.fits(masks * (20 * len(targets) + 40 * graph.states)):
        raise StoppedError("memory limit", "following conditions")
    # 1. What each state and each edge fulfils, as bits; node s * masks + m is state s with the set m, in which the bits
    # of the initial state are turned over, so that node 0 is the start.
    passed, by_edge = np.zeros(graph.states, np.int64), np.zeros(len(targets), np.int64)
    for bit, wanted in enumerate(through):
        passed |= wanted.states.astype(np.int64) << bit
        by_edge |= wanted.edges.astype(np.int64) << bit
    at_first = int(passed[0])
    by_edge |= passed[targets]
    # 2. Edges that are allowed: no plan goes on from a goal.
    allowed = ~graph.goal[graph.sources]
    for avoided in avoid:
        allowed &= ~(avoided.states[targets] | avoided.edges)
    edges = np.flatnonzero(allowed)
    # 3. Each of them once for each set that may have been passed before it, in the order of the nodes.
    sets = np.arange(masks)
    before = (graph.sources[edges].astype(np.int64)[:, None] * masks + (sets ^ at_first)).ravel()
    after = (targets[edges].astype(np.int64)[:, None] * masks + ((sets | by_edge[edges][:, None]) ^ at_first)).ravel()
    order = np.argsort(before, kind="stable")
    offsets = np.zeros(graph.states * masks + 1, np.int64)
    np.cumsum(np.bincount(before, minlength=graph.states * masks), out=offsets[1:])
    goal = np.zeros((graph.states, masks), np.bool_)
    goal[graph.goal, (masks - 1) ^ at_first] = True
    return replace(
        graph,
        edges=(offsets, after[order].astype(np.int32), np.repeat(steps[edges], masks)[order]),
        goal=goal.ravel(),
        holds=lambda fact: np.repeat(graph.holds(fact), masks),
        facts_of=lambda node: graph.facts_of(node // masks),
    )
