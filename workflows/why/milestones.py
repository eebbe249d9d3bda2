"""Milestones: facts that become true in every plan, short or long; they are hints, and a table of contents of a plan.

A fact is a milestone (a *landmark*: Hoffmann, Porteous and Sebastia, *Ordered landmarks in planning*, JAIR 2004) if no
goal can be reached without the states in which it is true. f comes before g if g is not true in any state that can be
reached without f. Found by visiting the graph once without the states of each fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...models.cells import Cell, Rows
from ...models.moves import Slide
from ...models.puzzle import Puzzle
from ...models.task import Operator
from ...runtime.budget import Budget
from .shares import Shares, steps_of_owners

START = np.zeros(1, np.int32)
"""The initial state, as a root."""


@dataclass(frozen=True)
class Milestone:
    """A fact that is true at some time in every plan. `earliest`: the least cost after which it can be."""

    fact: int
    text: str
    earliest: int


@dataclass(frozen=True)
class Milestones:
    """`chain`: milestones each of which comes before the next one; `others`: those beside. By the time of the earliest.

    `complete`: all facts were tried.
    """

    chain: tuple[Milestone, ...]
    others: tuple[Milestone, ...]
    complete: bool


def milestones_of(graph: StateGraph, budget: Budget) -> Milestones:
    """The milestones of a graph with a plan, among the places of objects where these are not at first."""
    milestones: list[Milestone] = []
    without: dict[int, np.ndarray] = {}
    complete = True
    for fact in _candidates(graph):
        if budget.stopped():
            complete = False
            break
        there = graph.holds(fact)
        seen = graph.reached(START, allowed=~there)
        if not (seen & graph.goal).any():
            milestones.append(Milestone(fact, graph.facts[fact], int(graph.depth[there].min())))
            without[fact] = seen
    milestones.sort(key=lambda milestone: (milestone.earliest, milestone.fact))
    before = {
        (f.fact, g.fact)
        for f in milestones
        for g in milestones
        if f is not g and not (without[f.fact] & graph.holds(g.fact)).any()
    }
    chain = _longest(milestones, before)
    return Milestones(tuple(chain), tuple(milestone for milestone in milestones if milestone not in chain), complete)


def _candidates(graph: StateGraph) -> list[int]:
    """Facts that may be milestones: of objects with steps of their own (of all, where steps are actions' own), not true
    at first, true in some state of one shortest plan (where steps are free, of any).
    """
    if graph.weight.all():
        seen = np.zeros(graph.states, np.bool_)
        seen[graph.edges[1][graph.shortest()]] = True
    else:
        seen = graph.depth + graph.away == graph.optimum
    owners = steps_of_owners(graph)
    candidates = []
    moving = [facts for name, facts, _ in graph.objects if name in owners] or [facts for _, facts, _ in graph.objects]
    for fact in (fact for facts in moving for fact in facts):
        there = graph.holds(fact)
        if not there[0] and (there & seen).any():
            candidates.append(fact)
    return candidates


def _longest(milestones: list[Milestone], before: set[tuple[int, int]]) -> list[Milestone]:
    """A longest chain in the order `before`."""
    best: dict[int, list[Milestone]] = {}
    for last in milestones:
        chains = [best[other.fact] for other in milestones if other.fact in best and (other.fact, last.fact) in before]
        best[last.fact] = [*max(chains, key=len, default=[]), last]
    return max(best.values(), key=len, default=[])


# Where the things of an explanation are on the board, for pictures of it.

_CELL = re.compile(r"r(\d+)c(\d+)$")


@dataclass(frozen=True)
class Pictured:
    """`stops`: for each owner whose only route is on a board, where its first cell is at first and after each move.

    `strip`: for each milestone of the chain, the board of one shortest plan when it is first true; empty where some
    step is free.
    """

    stops: dict[str, tuple[Cell, ...]]
    strip: tuple[Rows, ...]


def cell_in(text: str) -> Cell | None:
    """The cell that the text of a fact or an owner ends with: `A at r2c3`; None without one."""
    match = _CELL.search(text)
    return (int(match[1]) - 1, int(match[2]) - 1) if match else None


def pictured(puzzle: Puzzle, graph: StateGraph, shares: Shares, milestones: Milestones) -> Pictured:
    """Find the stops of routes and the boards of milestones."""
    stops = {
        share.owners[0]: cells
        for share in shares.single
        if share.route and (cells := _stops(graph, share.route)) is not None
    }
    return Pictured(stops, _strip(puzzle, graph, milestones))


def _stops(graph: StateGraph, route: tuple[int, ...]) -> tuple[Cell, ...] | None:
    """The first cell of a piece along its route; None if its steps are not from cell to cell."""
    cells: list[Cell] = []
    for number in route:
        step = graph.steps[number]
        if not isinstance(step, Operator):
            return None
        if step.displacement:
            ends = [cell_in(graph.facts[fact]) for fact in step.displacement]
        else:
            ends = [step.move.cell, step.move.end] if isinstance(step.move, Slide) else [None]
        if cells and ends[0] != cells[-1]:
            return None  # another one of its kind
        cells += [cell for cell in ends[bool(cells) :] if cell is not None]
    return tuple(cells) if len(cells) == len(route) + 1 else None


def _strip(puzzle: Puzzle, graph: StateGraph, milestones: Milestones) -> tuple[Rows, ...]:
    if not graph.weight.all():
        return ()
    way = graph.shortest()
    boards = [puzzle.board(), *(step.board for step in puzzle.replay(graph.plan(way)).steps)]
    states = np.array([0, *graph.edges[1][way]])
    if len(boards) != len(states):
        return ()
    return tuple(boards[int(np.argmax(graph.holds(milestone.fact)[states]))] for milestone in milestones.chain)
