"""The walker's walk inside one step, as a path of free cells that can be counted. (Whether there is one: `reach`.)

Between two operators the walker goes from the cell where the operator before left it (its *source*) to the cell where
the next operator needs it (its *sink*). One variable `arc[i,j]` for each pair of neighbouring cells, in each direction:

    arc[i,j] -> free[i] and free[j]
    in(j)  = source at j and all arc[i,j]          at most one is true
    out(i) = sink at i and all arc[i,j]            at most one is true
    any of in(i)  -> some of out(i)                (or the step is idle: nobody walks)
    any of out(i) -> some of in(i)

So the true arcs are one chain from source to sink and, maybe, cycles apart from it, which are harmless: they only make
the count larger, and the count is minimised.

    source at a, sink at c:   a -> b -> c     out(a) = in(b) = arc[a,b],  out(b) = in(c) = arc[b,c],  out(c) = the sink
"""

from __future__ import annotations

from dataclasses import dataclass

from ..models.task import Task
from .formula import FALSE, TRUE, Formula


@dataclass(frozen=True, slots=True)
class WalkStep:
    """The literals of step t: facts f[t], operators o[t] and o[t-1] (None before the first step), idle."""

    facts: list[int]
    operators: list[int]
    previous: list[int] | None
    idle: int


def add_walk(formula: Formula, task: Task, step: WalkStep) -> list[int]:
    """Add the walk before the operator of one step. Gives one variable for each arc: it is true if the walk uses the
    arc.
    """
    walker = task.walker
    assert walker is not None
    cells = range(len(walker.cells))
    ins: list[list[int]] = [[] for _ in cells]
    outs: list[list[int]] = [[] for _ in cells]
    # Sources and sinks: an operator is applied from cell walk[0] and leaves the walker on cell walk[1].
    for number, op in enumerate(task.operators):
        assert op.walk is not None
        if step.operators[number] != FALSE:
            outs[op.walk[0]].append(step.operators[number])
        if step.previous is not None and step.previous[number] != FALSE:
            ins[op.walk[1]].append(step.previous[number])
    if step.previous is None:
        ins[walker.start].append(TRUE)
    free = [step.facts[f] for f in walker.free]
    arcs: list[int] = []
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
            formula.clause([~literal, step.idle, *outs[i]])
        for literal in outs[i]:
            formula.clause([~literal, *ins[i]])
    return arcs
