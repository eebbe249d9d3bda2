"""Compiled kernels over the graph of stored states: its edges, distances to the goal, steps that lose nothing.

They need the table of a search that has stored every successor of the states that they look at. By definition there is
an edge from each state to each of its successors; `tests/workflows/test_explore.py` holds distances and first steps
against a search over sets of facts.
"""

from __future__ import annotations

from ...analysis.bitset_kernels import find, is_goal
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Flags, Ints, Longs, Words
from ...runtime.kernel_cache import njit
from .state_arrays import Nodes
from .successors import Workspace, successors


@njit(cache=True)
def link(task: BitsetTask, nodes: Nodes, work: Workspace, span: tuple[int, int], place: Longs, sources: Ints) -> None:
    """Count the edges from states[span[0]:span[1]] by their target in `place`, or enter their sources.

    With `sources` empty, place[t] is increased for each edge to t. Otherwise each edge's source is written to
    sources[place[t]], and place[t] increased. So two calls make an array of incoming edges, sorted by target:

        edges  0->1  0->2  1->2        place after counting  0 1 2,   then added up before each state  0 0 1
                                       sources               0 | 0 1                     (of 1 | of 2)
    """
    counting = len(sources) == 0
    for source in range(span[0], span[1]):
        for i in range(successors(task, nodes.states[source], work, -1)):
            target = nodes.table[find(nodes.states, nodes.table, work.rows[i])]
            if not counting:
                sources[place[target]] = source
            place[target] += 1


@njit(cache=True)
def leave(
    task: BitsetTask, nodes: Nodes, work: Workspace, span: tuple[int, int], first: Longs, targets: Ints, operators: Ints
) -> None:
    """Count the edges that leave states[span[0]:span[1]], or enter where each leads and by which operator.

    With `targets` empty, first[s] becomes the number of edges from s. Otherwise those of state s are written from
    first[s] on. Of a compound move the operator is the last one.
    """
    counting = len(targets) == 0
    for source in range(span[0], span[1]):
        count = successors(task, nodes.states[source], work, -1)
        if counting:
            first[source] = count
            continue
        for i in range(count):
            targets[first[source] + i] = nodes.table[find(nodes.states, nodes.table, work.rows[i])]
            operators[first[source] + i] = work.operators[i]


@njit(cache=True)
def goals(task: BitsetTask, states: Words, found: Flags) -> None:
    """For each of the first `len(found)` states: whether it is a goal state."""
    for i in range(len(found)):
        found[i] = is_goal(task, states[i])


@njit(cache=True)
def distances(
    edges: tuple[Longs, Ints], distance: Ints, queue: Ints, head: int, tail: int, quota: int
) -> tuple[int, int]:
    """Go on for `quota` states to write the least number of edges to a goal for each, -1 where no way leads to one.

    `edges` is (first, sources): those to state t come from sources[first[t]:first[t + 1]]. `distance` is 0 for the
    goals at first, and queue[head:tail] are the states to go on from: the goals. Returns the new (head, tail).
    """
    first, sources = edges
    last = min(head + quota, len(queue))
    while head < min(last, tail):
        target = queue[head]
        head += 1
        for i in range(first[target], first[target + 1]):
            source = sources[i]
            if distance[source] < 0:
                distance[source] = distance[target] + 1
                queue[tail] = source
                tail += 1
    return head, tail


@njit(cache=True)
def mark_leading(
    task: BitsetTask, nodes: Nodes, work: Workspace, span: tuple[int, int], layer: tuple[int, int], leads: Flags
) -> None:
    """Mark the states of a span with a successor in the next layer, states[layer[0]:layer[1]], that is marked."""
    for source in range(span[0], span[1]):
        for i in range(successors(task, nodes.states[source], work, -1)):
            target = nodes.table[find(nodes.states, nodes.table, work.rows[i])]
            if layer[0] <= target < layer[1] and leads[target]:
                leads[source] = True
                break
