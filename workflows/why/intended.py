"""An author's solution held against all shortest plans: whether it is one, and where it is longer than it has to be."""

from __future__ import annotations

from dataclasses import dataclass

from ...engines.common.state_graph import StateGraph
from ...engines.common.weighted_kernels import FAR
from ...models.errors import UsageError
from ...models.moves import Move, alike
from ...models.plan import Plan, Replay
from ...models.program import ProgramTask
from ...models.puzzle import Puzzle
from ...models.task import Task


@dataclass(frozen=True)
class Detour:
    """A move of a plan after which the rest is no shorter than before, or not by as much as the move costs: the move
    with its number (from 1), and what it loses.
    """

    number: int
    move: str
    loses: int


@dataclass(frozen=True)
class Intended:
    """A plan that solves the puzzle. `cost`: in the metric that is asked; `detours`: where it loses something, None
    where its positions could not be followed.
    """

    cost: int
    detours: tuple[Detour, ...] | None


def follow(puzzle: Puzzle, metric: str, graph: StateGraph, plan: Plan) -> Intended:
    """Follow a plan through the graph. Raises `ReplayError` for a plan that is wrong, and `UsageError` for one that
    does not solve the puzzle.
    """
    replay = puzzle.replay(plan)
    if not replay.solved:
        raise UsageError(f"the intended plan stops after {len(replay.steps):,} moves and the goal is not reached")
    return Intended(replay.costs[metric], _detours(graph, plan, replay))


def _detours(graph: StateGraph, plan: Plan, replay: Replay) -> tuple[Detour, ...] | None:
    edges, found = edges_of(graph, plan), list[Detour]()
    if edges is None:
        return None
    here = 0
    for number, edge in edges:
        step, there = int(graph.edges[2][edge]), int(graph.edges[1][edge])
        if graph.away[there] == FAR:
            return None
        loses = int(graph.weight[step] + graph.away[there] - graph.away[here])
        if loses:
            found.append(Detour(number, replay.notation[number - 1], loses))
        here = there
    return tuple(found) if graph.goal[here] else None


def edges_of(graph: StateGraph, plan: Plan) -> list[tuple[int, int]] | None:
    """The edges of a plan from the start, each with the number of its move, from 1: walks between pushes have none.
    None for a plan that cannot be followed.
    """
    here, found = 0, list[tuple[int, int]]()
    for number, move in enumerate(plan.moves, 1):
        edge = _edge(graph, here, move)
        if edge is not None:
            found.append((number, edge))
            here = int(graph.edges[1][edge])
        elif not (isinstance(graph.task, Task) and graph.task.walker):
            return None
    return found


def _edge(graph: StateGraph, state: int, move: Move) -> int | None:
    """The edge by which a move leaves a state; None if it cannot be told."""
    first = graph.edges[0]
    for edge in range(int(first[state]), int(first[state + 1])):
        if alike(graph.move(edge), str(move) if isinstance(graph.task, ProgramTask) else move):
            return edge
    return None
