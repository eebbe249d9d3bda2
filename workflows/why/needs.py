"""Why a piece needs its share: where it has to be when others reach milestones for the first time.

    A 4 slides: it starts at r3c2, is at r3c1 when H first gets to r5c2, at r3c4 when I first gets to r1c6, ...

Let g1, g2, ... be milestones each of which comes before the next. Every plan has a first time of each, in this order,
and then the piece is in one of the places P(g1), P(g2), ... that are found in the graph: those of it in states with g
that are one step from a state that is reached without g. Its way through these sets, from its start to where it is in
goals, costs at least what the cheapest such way costs if it may make any of its moves at any time. Where that is the
whole share, the sets are a reason for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from ...engines.common.state_graph import StateGraph
from ...engines.common.weighted_kernels import FAR
from ...runtime.arrays import Flags, Ints, Longs
from ...runtime.budget import Budget
from .milestones import START, Milestones
from .owners import steps_of_owners
from .shares import Share

MOST_TIMES = 4
"""Milestones in one reason at most."""

MOST_PLACES = 4
"""Places up to which a milestone says where a piece has to be."""


@dataclass(frozen=True)
class Stay:
    """When a milestone is first reached, a piece is at one of some places. `when`: the milestone, None for the end;
    `own`: it is one of the piece's own.
    """

    when: str | None
    places: tuple[str, ...]
    own: bool = False


def needs_of(
    graph: StateGraph, shares: Sequence[Share], found: Milestones, budget: Budget
) -> dict[str, tuple[Stay, ...]]:
    """For owners that are one object, the fewest stays that make its share necessary; nothing for those of whom no few
    stays do.
    """
    times = sorted((*found.chain, *found.others), key=lambda one: one.earliest)
    alive = (graph.depth < FAR) & (graph.away < FAR)
    first: list[Flags] = []
    without: list[Flags] = []
    for one in times:
        there = graph.holds(one.fact)
        seen = graph.reached(START, allowed=~there)
        reached = np.zeros(graph.states, np.bool_)
        reached[graph.edges[1][seen[graph.sources]]] = True
        first.append(reached & there & alive)
        without.append(seen)
    later = [[bool(not (without[i] & first[j]).any() and i != j) for j in range(len(times))] for i in range(len(times))]
    owned, needs = steps_of_owners(graph), {}
    for name, facts, number in graph.objects:
        share = next((one for one in shares if one.owners[0] == name.removeprefix("at ")), None)
        named = len({graph.facts[fact].split()[-1] for fact in facts}) == len(facts)  # not `peg r1c3`, `not peg r1c3`
        if number != 1 or not named or share is None or not share.least or budget.stopped():
            continue
        walk = _Walk.of(graph, facts, owned.get(name, []), alive)
        places, end = [walk.places(states) for states in first], walk.places(graph.goal & alive)
        for chosen in _chains(later, [n for n, some in enumerate(places) if len(some) <= MOST_PLACES]):
            sets = [places[n] for n in chosen]
            if walk.least([*sets, end]) == share.least:
                stays = [Stay(times[n].text, walk.texts(places[n]), times[n].fact in facts) for n in chosen]
                if walk.least(sets) < share.least:
                    stays.append(Stay(None, walk.texts(end)))
                needs[share.owners[0]] = tuple(stays)
                break
    return needs


def _chains(later: list[list[bool]], usable: list[int]) -> Iterator[tuple[int, ...]]:
    """Milestones that come one after the other, the shortest chains first."""
    for many in range(MOST_TIMES + 1):
        for chosen in combinations(usable, many):
            if all(later[a][b] for a, b in pairwise(chosen)):
                yield chosen


@dataclass(frozen=True)
class _Walk:
    """The places of one object by name, where it is in each state, and what it costs to get from place to place."""

    names: list[str]
    at: Ints
    costs: Longs

    @classmethod
    def of(cls, graph: StateGraph, facts: Sequence[int], own: Sequence[int], alive: Flags) -> _Walk:
        at = np.zeros(graph.states, np.int32)
        for place, fact in enumerate(facts):
            at[graph.holds(fact)] = place
        _, targets, steps = graph.edges
        pays = np.zeros(len(graph.steps), np.int64)
        pays[own] = graph.weight[own]
        costs = np.full((len(facts), len(facts)), FAR)
        np.fill_diagonal(costs, 0)
        edges = np.flatnonzero(alive[graph.sources] & alive[targets] & (at[graph.sources] != at[targets]))
        np.minimum.at(costs, (at[graph.sources[edges]], at[targets[edges]]), pays[steps[edges]])
        for middle in range(len(facts)):
            costs = np.minimum(costs, costs[:, middle, None] + costs[None, middle])
        return cls([graph.facts[fact].split()[-1] for fact in facts], at, costs)

    def places(self, states: Flags) -> tuple[int, ...]:
        """Where the object is in some states."""
        return tuple(np.unique(self.at[states]).tolist())

    def texts(self, places: Sequence[int]) -> tuple[str, ...]:
        """Places in words, without the object's name."""
        return tuple(self.names[place] for place in places)

    def least(self, sets: Sequence[Sequence[int]]) -> int:
        """The least cost of a way from the start through some sets of places."""
        here = self.costs[self.at[0]]
        for some in sets:
            here = (here[list(some), None] + self.costs[list(some)]).min(axis=0)
        return int(here.min())
