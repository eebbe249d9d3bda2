"""The share of several owners together, also of boxes that are told apart by their ways only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...engines.common.state_graph import Followed, StateGraph
from ...runtime.arrays import Flags
from .owners import Owner

MOST_EDGES = 8_000_000
"""Edges up to which boxes are told apart: each box told apart multiplies them by the number of boxes."""


def least_together(graph: StateGraph, several: Sequence[Owner]) -> int | None:
    """The least that any plan pays for the steps of several owners, all others being free; None where a graph in which
    they are told apart has too many edges.
    """
    pays = np.zeros(len(graph.steps), np.bool_)
    for owner in several:
        if owner.whole:
            pays |= np.resize(owner.followed.left == 0, len(pays))
        else:
            if len(graph.edges[1]) * len(owner.facts) > MOST_EDGES:
                return None
            graph, pays = _told_apart(graph, owner, pays)
    counts = np.where(pays, 0, -1).astype(np.int32)
    return graph.least(Followed(counts, counts))


def _told_apart(graph: StateGraph, owner: Owner, pays: Flags) -> tuple[StateGraph, Flags]:
    """The graph whose states also say which of several boxes is the owner, and which of its steps pay.

    A state with n boxes becomes n, one for each box that may be it. A step i of it is numbered i + S, where S is the
    number of steps before, and pays, as do i and i + S where step i has paid before.
    """
    one, steps_before = owner.followed, len(graph.steps)
    spots = np.stack([graph.holds(fact) for fact in owner.facts], axis=1)
    boxes = int(spots[0].sum())
    on = np.nonzero(spots)[1].reshape(graph.states, boxes)
    rank = np.cumsum(spots, axis=1) - 1  # of the box on a spot among those of its state, by their spots
    shift = int(rank[0, one.start])  # so that node 0 is the start
    sources, (_, targets, steps) = graph.sources, graph.edges
    left, came = (np.resize(spots, steps_before)[steps] for spots in (one.left, one.came))
    here = on[sources]
    moves = here == left[:, None]
    there = np.where(moves, came[:, None], here)
    before = sources[:, None].astype(np.int64) * boxes + (np.arange(boxes) - shift) % boxes
    after = targets[:, None].astype(np.int64) * boxes + (rank[targets[:, None], there] - shift) % boxes
    number = steps[:, None] + moves * steps_before
    order = np.argsort(before.ravel(), kind="stable")
    first = np.zeros(graph.states * boxes + 1, np.int64)
    np.cumsum(np.bincount(before.ravel(), minlength=graph.states * boxes), out=first[1:])
    edges = first, after.ravel()[order].astype(np.int32), number.ravel()[order].astype(np.int32)
    wider = replace(
        graph,
        edges=edges,
        goal=np.repeat(graph.goal, boxes),
        steps=[*graph.steps, *graph.steps],
        weight=np.concatenate([graph.weight, graph.weight]),
        holds=lambda fact: np.repeat(graph.holds(fact), boxes),
        facts_of=lambda node: graph.facts_of(node // boxes),
    )
    return wider, np.concatenate([pays, np.ones_like(pays)])
