"""Whether edges are one closed loop."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def is_closed_loop(edges: Sequence[tuple[Hashable, Hashable]]) -> bool:
    """Whether edges, given by their ends, are one closed loop: each node has two of them, and they are connected.

    The empty set is no loop. Two edges between the same two nodes are a loop; an edge from a node to itself is never
    part of one.
    """
    at: dict[Hashable, list[int]] = {}
    for edge, ends in enumerate(edges):
        for node in ends:
            at.setdefault(node, []).append(edge)
    if not edges or any(len(several) != 2 or several[0] == several[1] for several in at.values()):
        return False
    found, waiting = {0}, [0]
    while waiting:
        for node in edges[waiting.pop()]:
            more = [edge for edge in at[node] if edge not in found]
            found.update(more)
            waiting += more
    return len(found) == len(edges)
