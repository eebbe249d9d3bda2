"""Milestones: facts that become true in every plan, short or long; they are hints, and a table of contents of a plan.

A fact is a milestone (a *landmark*: Hoffmann, Porteous and Sebastia, *Ordered landmarks in planning*, JAIR 2004) if no
goal can be reached without the states in which it is true. f comes before g if g is not true in any state that can be
reached without f. Found by visiting the graph once without the states of each fact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...runtime.budget import Budget
from .shares import steps_of_owners

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
    found: list[Milestone] = []
    without: dict[int, np.ndarray] = {}
    complete = True
    for fact in _candidates(graph):
        if budget.stopped():
            complete = False
            break
        there = graph.holds(fact)
        seen = graph.reached(START, allowed=~there)
        if not (seen & graph.goal).any():
            found.append(Milestone(fact, graph.facts[fact], int(graph.depth[there].min())))
            without[fact] = seen
    found.sort(key=lambda one: (one.earliest, one.fact))
    before = {
        (f.fact, g.fact)
        for f in found
        for g in found
        if f is not g and not (without[f.fact] & graph.holds(g.fact)).any()
    }
    chain = _longest(found, before)
    return Milestones(tuple(chain), tuple(one for one in found if one not in chain), complete)


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
    found = []
    moving = [facts for name, facts, _ in graph.objects if name in owners] or [facts for _, facts, _ in graph.objects]
    for fact in (fact for facts in moving for fact in facts):
        there = graph.holds(fact)
        if not there[0] and (there & seen).any():
            found.append(fact)
    return found


def _longest(found: list[Milestone], before: set[tuple[int, int]]) -> list[Milestone]:
    """A longest chain in the order `before`."""
    best: dict[int, list[Milestone]] = {}
    for one in found:
        chains = [best[other.fact] for other in found if other.fact in best and (other.fact, one.fact) in before]
        best[one.fact] = [*max(chains, key=len, default=[]), one]
    return max(best.values(), key=len, default=[])
