"""The compiled kernel of IDA* over actions as programs."""

from __future__ import annotations

from ...analysis.inverse_programs import digits_of
from ...analysis.program_machine import run, unpack
from ...analysis.program_projections import FAR, ProjectionTables, lower_bound
from ...runtime.arrays import Longs
from ...runtime.kernel_cache import njit
from ..common.programs.walk import Trail, Walk, next_step

LEVEL, LIMIT, NEXT, NODES, FOUND = range(5)
"""Where in `control` stand: the number of steps of the way, -1 when the round is over; the limit; the least value that
was cut; the nodes so far; whether a goal was found."""


@njit(cache=True)
def bound_at(bounds: ProjectionTables, digits: Longs) -> int:
    """The lower bound of a state given by the values of its variables, minus the lowest; -1 for a dead end."""
    return lower_bound(bounds, digits)


@njit(cache=True)
def deepen(walk: Walk, bounds: ProjectionTables, trail: Trail, control: Longs, quota: int) -> None:
    """Go on with a round for about `quota` nodes: depth-first over all ways whose steps and bound are within the limit.

    `bounds`: for values minus the lowest. `trail`: the way; at its state `level`, `chosen[level]` is the action that is
    being looked at. It ends at a goal, which is then state LEVEL of the way.
    """
    rows, digits, chosen = trail.rows, trail.digits, trail.chosen
    level, limit, least = control[LEVEL], control[LIMIT], control[NEXT]
    nodes = 0
    while level >= 0 and nodes < quota:
        if not next_step(walk, trail, level):
            level -= 1
            continue
        nodes += 1
        digits_of(walk.tables, rows[level + 1], digits[level + 1])
        bound = lower_bound(bounds, digits[level + 1])
        if bound < 0:
            continue
        if level + 1 + bound > limit:
            least = min(least, level + 1 + bound)
            continue
        level += 1
        chosen[level] = -1
        if bound == 0:
            unpack(walk.tables, rows[level], walk.scratch)
            if run(walk.tables, walk.scratch, walk.tables.goal, walk.scratch.runs[0]) >= 0:
                control[FOUND] = 1
                break
    control[LEVEL], control[NEXT] = level, min(least, FAR)
    control[NODES] += nodes
