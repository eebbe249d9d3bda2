"""Where a walker can get to in each layer, as literals that the free cells and the walker's place decide.

Cells are eliminated one after the other, as in Gaussian elimination (Tarjan, *A unified approach to path problems*,
Journal of the ACM 1981; for clauses: Rankooh and Rintanen, *Propositional encodings of acyclicity and reachability by
using vertex elimination*, AAAI 2022). Two neighbours of an eliminated cell are *linked* if it is free and linked to
both; so a link is told from cells that were eliminated before, a literal has no circular support, and what is reached
follows from the layer by unit propagation. First the cells get it from those that were eliminated before them, then,
in reverse, from those after. Cells where nothing can ever stand are one region with their neighbours of that kind.

A learnt clause can then name where the walker is shut out. With a path of free cells for each walk, chosen among many,
and the walker's place told by the last operator only, refuting 49 pushes of Microban 111 took more than 875,000
conflicts (now 5,000), and 80 of 112 took 312,000 (16,000).
"""

from __future__ import annotations

import numpy as np

from ..models.task import Task
from .clause_template import Pattern
from .formula import FALSE, TRUE, Formula, Literals


class ReachEncoder:
    """Encodes a walker's reach in single layers. `regions`: the cells of each of R regions."""

    def __init__(self, task: Task) -> None:
        walker = task.walker
        assert walker is not None
        deleted = {fact for op in task.operators for fact in op.delete}
        always = [fact not in deleted and fact in task.init for fact in walker.free]
        self.regions = _regions(walker.neighbours, always)
        region_of = {cell: number for number, cells in enumerate(self.regions) for cell in cells}
        near = [
            {region_of[other] for cell in cells for other in walker.neighbours[cell]} - {number}
            for number, cells in enumerate(self.regions)
        ]
        facts, count = len(task.facts), len(task.operators)
        begins, inputs = facts + 2 * count, facts + 2 * count + 1
        formula = Formula(inputs)
        ends: list[list[int]] = [[] for _ in self.regions]
        ends[region_of[walker.start]].append(begins)
        for number, op in enumerate(task.operators):
            assert op.walk is not None
            ends[region_of[op.walk[1]]].append(facts + number)
        free = [TRUE if always[cells[0]] else walker.free[cells[0]] for cells in self.regions]
        reached = _reached(formula, near, free, [formula.any_of(literals) for literals in ends])
        for number, op in enumerate(task.operators):
            assert op.walk is not None
            formula.implies(facts + count + number, [reached[region_of[op.walk[0]]]])
        self._pattern = Pattern(formula, inputs, reached)

    def add(self, formula: Formula, here: Literals, previous: Literals, chosen: Literals, *, begins: bool) -> Literals:
        """Add a layer, with the operators before and after it; gives for each region a literal: the walker gets there.

        `begins`: it stands at its start, and no operator was before.
        """
        return self._pattern.add(formula, np.concatenate([here, previous, chosen, [TRUE if begins else FALSE]]))


def _regions(neighbours: tuple[tuple[int, ...], ...], always: list[bool]) -> list[list[int]]:
    """Each cell alone, but those that are always free with their neighbours of that kind."""
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
    """For each region a literal: free ones lead to it from that whose literal in `source` is true."""
    order, later = _elimination(near)
    place = {region: number for number, region in enumerate(order)}
    link: dict[tuple[int, int], int] = {}
    through: dict[tuple[int, int], list[int]] = {}
    for region in order:
        for other in later[region]:
            pair = (region, other)
            link[pair] = TRUE if other in near[region] else formula.any_of(through.get(pair, []))
        for one in later[region]:
            for other in later[region]:
                if place[one] < place[other] and other not in near[one]:
                    ways = through.setdefault((one, other), [])
                    ways.append(formula.all_of([free[region], link[region, one], link[region, other]]))
    reached = list(source)
    arrivals: list[list[int]] = [[] for _ in near]
    for region in order:
        reached[region] = _arrived(formula, reached[region], free[region], arrivals[region])
        for other in later[region]:
            arrivals[other].append(formula.all_of([reached[region], link[region, other]]))
    for region in reversed(order):
        ways = [formula.all_of([reached[other], link[region, other]]) for other in later[region]]
        reached[region] = _arrived(formula, reached[region], free[region], ways)
    return reached


def _arrived(formula: Formula, already: int, free: int, ways: list[int]) -> int:
    """A literal that is true if and only if one is already there, or it is free and one of the ways leads to it."""
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
    """An order of elimination, those with few neighbours first; and for each the neighbours that come later."""
    left: dict[int, set[int]] = {region: set(others) for region, others in enumerate(near)}
    later: list[list[int]] = [[] for _ in near]
    order = []
    while left:
        fewest = min(len(others) for others in left.values())
        region = min((r for r, others in left.items() if len(others) == fewest), key=lambda r: _missing(left, left[r]))
        others = left.pop(region)
        order.append(region)
        later[region] = sorted(others)
        for other in others:
            left[other] |= others
            left[other] -= {region, other}
    return order, later


def _missing(left: dict[int, set[int]], others: set[int]) -> int:
    """How many pairs of these are not neighbours, twice; and how many these are."""
    return sum(len(others - left[one]) for one in others)
