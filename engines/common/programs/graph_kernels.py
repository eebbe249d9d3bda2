"""Kernels over the graph of stored states of a program task: its edges, its goals, the steps that lose nothing.

As `engines/common/graph_kernels.py` for tasks with operators. A step that changes nothing is no edge.
"""

from __future__ import annotations

from ....analysis.program_machine import ProgramScratch, ProgramTables, run, undo, unpack
from ....runtime.arrays import Flags, Ints, Longs
from ....runtime.bitops import long
from ....runtime.kernel_cache import njit
from ..state_arrays import Nodes
from .kernels import slot_after


@njit(inner=True)
def state_after(
    tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, source: int, action: int, now: int
) -> int:
    """The number of the stored state to which an action leads from the one that stands in the registers; -1 if it does
    not apply. `now`: the number of the last run when that state was unpacked.
    """
    assigned = run(tables, scratch, tables.entry[action], now)
    if assigned < 0:
        return -1
    target = long(nodes.table[slot_after(tables, scratch, nodes, source, assigned)])
    undo(scratch, assigned)
    return target


@njit(cache=True)
def link(
    tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, span: tuple[int, int], place: Longs, sources: Ints
) -> None:
    """Count the edges from states[span[0]:span[1]] by their target in `place`, or enter their sources.

    With `sources` empty, place[t] is increased for each edge to t. Otherwise each edge's source is written to
    sources[place[t]], and place[t] increased.
    """
    counting = len(sources) == 0
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if target >= 0 and target != source:
                if not counting:
                    sources[place[target]] = source
                place[target] += 1


@njit(cache=True)
def leave(
    tables: ProgramTables,
    scratch: ProgramScratch,
    nodes: Nodes,
    span: tuple[int, int],
    first: Longs,
    targets: Ints,
    actions: Ints,
) -> None:
    """Count the edges that leave states[span[0]:span[1]], or enter where each leads and by which action.

    With `targets` empty, first[s] becomes the number of edges from s. Otherwise those of state s are written from
    first[s] on.
    """
    counting = len(targets) == 0
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        count = 0
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if target >= 0 and target != source:
                if not counting:
                    targets[first[source] + count] = target
                    actions[first[source] + count] = action
                count += 1
        if counting:
            first[source] = count


@njit(cache=True)
def goals(tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, start: int, found: Flags) -> None:
    """Write for each of the states from `start` on whether it is a goal state."""
    for i in range(len(found)):
        unpack(tables, nodes.states[start + i], scratch)
        found[i] = run(tables, scratch, tables.goal, scratch.runs[0]) >= 0


@njit(cache=True)
def mark_leading(
    tables: ProgramTables,
    scratch: ProgramScratch,
    nodes: Nodes,
    span: tuple[int, int],
    layer: tuple[int, int],
    leads: Flags,
) -> None:
    """Mark the states of a span with a successor in the next layer, states[layer[0]:layer[1]], that is marked."""
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if layer[0] <= target < layer[1] and leads[target]:
                leads[source] = True
                break
