"""The cells that a walker reaches in each layer, as literals that the free cells and the walker's place decide.

The walker stands at a source and goes from free cell to free cell. The encoding is *vertex elimination*: cells are
eliminated one after the other, as in Gaussian elimination (Tarjan, *A unified approach to path problems*, Journal of
the ACM 1981; for clauses: Rankooh and Rintanen, *Propositional encodings of acyclicity and reachability by using vertex
elimination*, AAAI 2022). `link[u,v]` says that v can be entered from u through free cells that were eliminated before
both. Neighbours are linked; eliminating x links any two u, v of its later neighbours:

    link[u,v]   if  free[x] and link[x,u] and link[x,v]         (x eliminated, u and v not yet)

Let later(x) be the neighbours of x, original or linked, that are eliminated after it. Two passes decide `reached`:

    in the order of elimination   reached[x] = source[x], or free[x] and some reached[w] and link[w,x], x in later(w)
    in the reverse order          reached[x] = the same,  or free[x] and some reached[v] and link[x,v], v in later(x)

Each literal is defined by literals that were defined before it. So nothing is true by a circular support (two cells
that "reach" each other), and unit propagation from the layer's facts decides all of them.

Example: a corridor of three cells a - b - c, the walker at a; for the sake of the example b is eliminated first.

    eliminate b    link[b,a], link[b,c] are true (neighbours);   link[a,c] = free[b]
    eliminate a    nothing new: only c is left
    forward        reached[b] = false;   reached[a] = true, the source;   reached[c] = free[c] and link[a,c]
    backward       reached[a] stays;     reached[b] = free[b] and (reached[a] or reached[c])

With b free the walker gets to b and, if it is free, to c; with a box on b, `link[a,c]` is false and so are both.
`_elimination` takes cells with few neighbours first, which keeps the new links few. Cells where nothing can ever stand
are one *region* with their neighbours of that kind, and regions are what is eliminated.

A learnt clause can name `reached` literals: where the walker is shut out. With a path of free cells for each walk,
chosen among many, and the walker's place told by the last operator only, refuting 49 pushes of Microban 111 took more
than 875,000 conflicts (now 5,000), and 80 of 112 took 312,000 (16,000).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.task import OperatorTask
from .formula import FALSE, TRUE, ClauseTemplate, Formula, Literals


class ReachEncoder:
    """Encodes a walker's reach in single layers. `regions`: the cells of each of R regions; `region_of`: by cell, the
    number of its region.

    The template's inputs: the F facts of the layer, the N operators of the step before it, the N operators of the step
    after it, and one literal that is true in the first layer. Its outputs: the R literals `reached`.
    """

    def __init__(self, task: OperatorTask) -> None:
        walker = task.walker
        assert walker is not None
        deleted = {fact for op in task.operators for fact in op.delete}
        always = [fact not in deleted and fact in task.init for fact in walker.free]
        self.regions = _regions(walker.neighbours, always)
        region_of = {cell: number for number, cells in enumerate(self.regions) for cell in cells}
        self.region_of = region_of
        near = [
            {region_of[other] for cell in cells for other in walker.neighbours[cell]} - {number}
            for number, cells in enumerate(self.regions)
        ]
        facts, count = len(task.facts), len(task.operators)
        before, after, first = facts, facts + count, facts + 2 * count  # where these inputs begin
        formula = Formula(first + 1)
        # The sources of a region: the start, in the first layer, and operators that leave the walker there.
        sources: list[list[int]] = [[] for _ in self.regions]
        sources[region_of[walker.start]].append(first)
        for number, op in enumerate(task.operators):
            assert op.walk is not None
            sources[region_of[op.walk[1]]].append(before + number)
        free = [TRUE if always[cells[0]] else walker.free[cells[0]] for cells in self.regions]
        reached = _reached(formula, near, free, [formula.any_of(literals) for literals in sources])
        # An operator is applied only where the walker gets to the cell that it needs.
        for number, op in enumerate(task.operators):
            assert op.walk is not None
            formula.implies(after + number, [reached[region_of[op.walk[0]]]])
        self._template = ClauseTemplate(formula, first + 1, reached)

    def add(self, formula: Formula, here: Literals, previous: Literals, chosen: Literals, *, first: bool) -> Literals:
        """Add a layer, with the operators before and after it; gives for each region a literal: the walker gets there.

        `first`: the layer is the first one: the walker stands at its start, and no operator was before.
        """
        return self._template.add(formula, np.concatenate([here, previous, chosen, [TRUE if first else FALSE]]))


def _regions(neighbours: tuple[tuple[int, ...], ...], always: list[bool]) -> list[list[int]]:
    """The cells in regions: neighbouring cells that are always free form one region; every other cell is alone."""
    regions: list[list[int]] = []
    seen: set[int] = set()
    for start in range(len(neighbours)):
        if start in seen:
            continue
        cells = [start]
        for cell in cells:
            seen.add(cell)
            if always[start]:
                cells += [other for other in neighbours[cell] if always[other] and other not in cells]
        regions.append(cells)
    return regions


def _reached(formula: Formula, near: list[set[int]], free: list[int], source: list[int]) -> list[int]:
    """For each region the literal `reached`; see the head of this file.

    `near`: the neighbours of each region; `free`: the literal that it is free; `source`: that the walker stands there.
    """
    order, later = _elimination(near)
    place = {region: number for number, region in enumerate(order)}
    link: dict[tuple[int, int], int] = {}
    through: dict[tuple[int, int], list[int]] = {}  # one literal for each eliminated region that links the two
    # Links. When a region is eliminated, all regions that link it to a later one have been eliminated before it.
    for region in order:
        for other in later[region]:
            pair = (region, other)
            link[pair] = TRUE if other in near[region] else formula.any_of(through.get(pair, []))
        for neighbour in later[region]:
            for other in later[region]:
                if place[neighbour] < place[other] and other not in near[neighbour]:
                    ways = through.setdefault((neighbour, other), [])
                    ways.append(formula.all_of([free[region], link[region, neighbour], link[region, other]]))
    # Forward: what is reached through regions that were eliminated before.
    reached = list(source)
    arrivals: list[list[int]] = [[] for _ in near]
    for region in order:
        reached[region] = _arrived(formula, reached[region], free[region], arrivals[region])
        for other in later[region]:
            arrivals[other].append(formula.all_of([reached[region], link[region, other]]))
    # Backward: what is reached from regions that were eliminated after; these are decided already.
    for region in reversed(order):
        ways = [formula.all_of([reached[other], link[region, other]]) for other in later[region]]
        reached[region] = _arrived(formula, reached[region], free[region], ways)
    return reached


def _arrived(formula: Formula, already: int, free: int, ways: list[int]) -> int:
    """A literal that is equivalent to `already or (free and some of ways)`."""
    if free == TRUE:
        return formula.any_of([already, *ways])
    if not ways:
        return already
    arrived = formula.variable()
    formula.implies(already, [arrived])
    formula.implies(arrived, [free])
    formula.clause([~arrived, already, *ways])
    for way in ways:
        formula.clause([~way, ~free, arrived])
    return arrived


def _elimination(near: list[set[int]]) -> tuple[list[int], list[list[int]]]:
    """An order of elimination, and for each region `later`: its neighbours, original or linked, that come after it.

    The order is greedy: fewest neighbours first (least degree), among those the one that needs fewest new links
    (least fill-in).
    """
    adj: dict[int, set[int]] = {region: set(others) for region, others in enumerate(near)}
    later: list[list[int]] = [[] for _ in near]
    order = []
    while adj:
        fewest = min(len(others) for others in adj.values())
        region = min((r for r, others in adj.items() if len(others) == fewest), key=lambda r: _missing(adj, adj[r]))
        others = adj.pop(region)
        order.append(region)
        later[region] = sorted(others)
        for other in others:
            adj[other] |= others
            adj[other] -= {region, other}
    return order, later


def _missing(adj: dict[int, set[int]], others: set[int]) -> int:
    """Twice the number of pairs of `others` that are not neighbours yet, plus a constant: the size of `others`.

    (`left[one]` never holds `one` itself, so each counts as missing once. Regions of equal degree are compared.)
    """
    return sum(len(others - adj[each]) for each in others)


# The walker's walk inside one step, as a path of free cells that can be counted. (Whether there is one: `reach`.)
#
# Between two operators the walker goes from the cell where the operator before left it (its *source*) to the cell
# where the next operator needs it (its *sink*). One variable `arc[i,j]` for each pair of neighbouring cells, in each
# direction:
#
#     arc[i,j] -> free[i] and free[j]
#     in(j)  = source at j and all arc[i,j]          at most one is true
#     out(i) = sink at i and all arc[i,j]            at most one is true
#     any of in(i)  -> some of out(i)                (or the step is idle: nobody walks)
#     any of out(i) -> some of in(i)
#
# So the true arcs are one chain from source to sink and, maybe, cycles apart from it, which are harmless: they only
# make the count larger, and the count is minimised.
#
#    source at a, sink at c:   a -> b -> c     out(a) = in(b) = arc[a,b],  out(b) = in(c) = arc[b,c],  out(c) = the sink


@dataclass(frozen=True, slots=True)
class WalkStep:
    """The literals of step t: facts f[t], operators o[t] and o[t-1] (None before the first step), idle."""

    facts: list[int]
    operators: list[int]
    previous: list[int] | None
    idle: int


def add_walk(formula: Formula, task: OperatorTask, step: WalkStep) -> list[int]:
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
