"""Conditions on plans: those that avoid, or pass, positions of pieces and moves.

The states with what has been passed so far are a graph again: s with the set m of the passed conditions. A step from
(s, m) to a state t leads to (t, m + those that t or the step fulfils); the goals are those with all. So whatever is
asked of the plans of a puzzle can be asked of those that keep conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

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
    """The edges that move something as the last of some moves does, which are played from the start."""
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
