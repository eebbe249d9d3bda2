"""The walker's walk inside one step, as a path of free cells that can be counted (whether there is one: `reach`).

From the cell where the previous operator left the walker (its source) to the cell where the next operator
needs it (its sink). One variable for each pair of neighbouring cells; at each cell at most one way in (source
or arc) and at most one way out (sink or arc), one if and only if the other. Detached cycles are harmless: the
chain from the source can only end at the sink.
"""

from __future__ import annotations

from ..models.task import Task
from .formula import FALSE, TRUE, Formula


def add_walk(
    formula: Formula,
    task: Task,
    fact: list[int],
    chosen: list[int],
    previous: list[int] | None,
    idle: int,
) -> list[int]:
    """Add the walk of one step. `fact`: the layer before the step; `chosen`, `previous`: the operators of this
    step and the one before (None at the start); `idle`: true where nothing happens and nobody walks. Gives the
    variables of the arcs: how many are true is how many cells are walked."""
    walker = task.walker
    assert walker is not None
    cells = range(len(walker.cells))
    sources: list[list[int]] = [[] for _ in cells]
    sinks: list[list[int]] = [[] for _ in cells]
    for number, op in enumerate(task.operators):
        assert op.walk is not None
        if chosen[number] != FALSE:
            sinks[op.walk[0]].append(chosen[number])
        if previous is not None and previous[number] != FALSE:
            sources[op.walk[1]].append(previous[number])
    if previous is None:
        sources[walker.start].append(TRUE)
    free = [fact[f] for f in walker.free]
    arcs: list[int] = []
    ins: list[list[int]] = [list(source) for source in sources]
    outs: list[list[int]] = [list(sink) for sink in sinks]
    for i in cells:
        for j in walker.neighbours[i]:
            if free[i] == FALSE or free[j] == FALSE:
                continue
            arc = formula.variable()
            arcs.append(arc)
            formula.implies(arc, [free[i], free[j]])
            outs[i].append(arc)
            ins[j].append(arc)
    for i in cells:
        formula.at_most_one(ins[i])
        formula.at_most_one(outs[i])
        for literal in ins[i]:
            formula.clause([~literal, idle, *outs[i]])
        for literal in outs[i]:
            formula.clause([~literal, *ins[i]])
    return arcs
