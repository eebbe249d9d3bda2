"""Compiled kernels that make the graph of a projection and search it backwards from the goal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..programs.machine import in_domain, undo
from ..programs.tables import ProgramScratch, ProgramTables
from .abstract import FAILED, MOST_PATHS, TOO_DEEP, next_path, run_path
from .tables import FAR


class View(NamedTuple):
    """A pattern: its variables (P) with the numbers of their values, `kept` (V): 1 for each of them, and the actions
    that may change one.
    """

    kept: Bytes
    pattern: Longs
    sizes: Longs
    actions: Longs


class Graph(NamedTuple):
    """The edges between abstract states.

    `states`: the next state to be expanded, the one where to end, and how many edges there are. `edges` (3, E): from,
    to, cost; a goal state has an edge to itself of cost -1. `seen` (S): scratch, 0 at first; `choice`, `ways` (D): room
    for forks.
    """

    states: Longs
    edges: Ints
    seen: Longs
    choice: Ints
    ways: Ints


@njit(inner=True)
def enter_state(tables: ProgramTables, scratch: ProgramScratch, pattern: Longs, sizes: Longs, index: int) -> bool:
    """Write the values of an abstract state into the registers; whether there is such a state."""
    for i in range(len(pattern)):
        v = pattern[i]
        value = tables.low[v] + index % sizes[i]
        index //= sizes[i]
        scratch.registers[v] = value
        if not in_domain(tables, v, value):
            return False
    return True


@njit(inner=True)
def number_of(tables: ProgramTables, scratch: ProgramScratch, pattern: Longs, sizes: Longs) -> int:
    """The number of the abstract state whose values stand in the registers."""
    index, factor = 0, 1
    for i in range(len(pattern)):
        index += factor * (scratch.registers[pattern[i]] - tables.low[pattern[i]])
        factor *= sizes[i]
    return index


@njit(cache=True)
def edges_from(tables: ProgramTables, scratch: ProgramScratch, view: View, graph: Graph) -> tuple[int, int]:
    """Add the edges from abstract states states[0] to states[1] - 1, as far as there is room for them.

    Returns the state to go on with, and how many runs there were: -1 if one was too deep, or too many in one place.
    """
    kept, pattern, sizes, actions = view.kept, view.pattern, view.sizes, view.actions
    states, edges, seen, choice, ways = graph.states, graph.edges, graph.seen, graph.choice, graph.ways
    runs, state = 0, states[0]
    while state < states[1]:
        first = states[2]
        if not enter_state(tables, scratch, pattern, sizes, state):
            state += 1
            continue
        for number in range(-1, len(actions)):
            at = tables.goal if number < 0 else tables.entry[actions[number]]
            cost = -1 if number < 0 else min(tables.cost[actions[number]], FAR - 1)
            forks, begun = 0, runs
            while True:
                if runs - begun > MOST_PATHS:
                    return state, -1
                count, forks = run_path(tables, scratch, kept, at, choice, ways, forks)
                runs += 1
                if count == TOO_DEEP:
                    return state, -1
                if count != FAILED:
                    other = number_of(tables, scratch, pattern, sizes)
                    undo(scratch, count)
                    # Of parallel edges the cheapest counts: `seen` has the number of the last one to a state, plus 1.
                    if number < 0 or (other != state and (seen[other] <= first or edges[2, seen[other] - 1] > cost)):
                        if states[2] >= edges.shape[1]:
                            for e in range(first, states[2]):  # this state once more, when there is room
                                seen[edges[1, e]] = 0
                            states[2] = first
                            return state, runs
                        edges[0, states[2]], edges[1, states[2]], edges[2, states[2]] = state, other, cost
                        states[2] += 1
                        if number >= 0:
                            seen[other] = states[2]
                        else:
                            break
                forks = next_path(choice, ways, forks)
                if forks == 0:
                    break
        state += 1
    return state, runs


@njit(cache=True)
def distances_to(edges: Ints, count: int, distance: Ints, queue: Ints, first: Ints, order: Ints) -> None:
    """The least cost from each abstract state to a goal state, by the edges turned round; `FAR` where there is no way.

    `queue` (S), `first` (S + 1), `order` (E): scratch. A state waits once at most: it is corrected until nothing
    changes (Bellman and Ford, with Moore's queue), which is breadth-first search where all edges cost the same.
    """
    size = len(distance)
    for i in range(size + 1):
        first[i] = 0
    for e in range(count):
        if edges[2, e] >= 0:
            first[edges[1, e] + 1] += 1
    for i in range(size):
        first[i + 1] += first[i]
    for e in range(count):
        if edges[2, e] >= 0:
            order[first[edges[1, e]]] = e
            first[edges[1, e]] += 1
    for i in range(size, 0, -1):
        first[i] = first[i - 1]
    first[0] = 0
    head, waiting = 0, 0
    inside = np.zeros(size, np.uint8)
    for i in range(size):
        distance[i] = FAR
    for e in range(count):
        if edges[2, e] < 0 and distance[edges[0, e]] != 0:
            distance[edges[0, e]] = 0
            queue[waiting] = edges[0, e]
            inside[edges[0, e]] = 1
            waiting += 1
    while waiting > 0:
        state = queue[head]
        head = (head + 1) % size
        waiting -= 1
        inside[state] = 0
        for i in range(first[state], first[state + 1]):
            e = order[i]
            # A sum that does not fit is cut off: less than the distance is still a lower bound, and `FAR` means none.
            before, cost = edges[0, e], min(long(distance[state]) + edges[2, e], FAR - 1)
            if cost < distance[before]:
                distance[before] = cost
                if inside[before] == 0:
                    queue[(head + waiting) % size] = before
                    inside[before] = 1
                    waiting += 1
