"""A compound move inside one step: one thing moves along any path of operators, as a path through its places.

The step's compound move starts at one place and ends at another. One variable for each operator, as an arc from place to
place; at each place at most one way in (the start or an arc) and at most one way out (the end or an arc), one if
and only if the other, so that the arcs contain a path from start to end. (Cycles apart from it are harmless.)
An arc needs its cells free, or given up by the thing itself, which leaves its old place when it is picked up.

Two consecutive compound moves are independent if the second enters no cell that the first has vacated and does not end on
a cell that the first has crossed. Then they could change places, and only the order in which the one from the
earlier place comes first is allowed. (A detour can make them look dependent, so this prunes, but not all.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..models.task import Operator
from ..models.transforms.compound_moves import CompoundMoves
from .formula import FALSE, Formula


@dataclass(frozen=True, slots=True)
class CompoundMoveStep:
    """The compound move of one step: its start and end by place, and for each cell's fact the arcs that enter the cell."""

    starts: dict[int, int]
    ends: dict[int, int]
    entering: dict[int, list[int]]


def add_compound_move(
    formula: Formula, moves: CompoundMoves, here: list[int], there: list[int], chosen: list[int], idle: int
) -> CompoundMoveStep:
    """Add the compound move of one step between the layers `here` and `there`.

    `chosen`: the literals of the operators; `idle`: true where nothing moves.
    """
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    entering: dict[int, list[int]] = {}
    for p in moves.places:
        starts[p] = FALSE if here[p] == FALSE else formula.variable()
        ends[p] = FALSE if there[p] == FALSE else formula.variable()
        formula.implies(starts[p], [here[p], ~there[p]])
        formula.implies(ends[p], [there[p], ~here[p]])
        formula.clause([~here[p], there[p], starts[p]])
        formula.clause([~there[p], here[p], ends[p]])
    formula.exactly_one([*starts.values(), idle])
    formula.exactly_one([*ends.values(), idle])
    ways_in = {p: [starts[p]] for p in moves.places}
    ways_out = {p: [ends[p]] for p in moves.places}
    for literal, (before, after, needs) in zip(chosen, moves.arcs, strict=True):
        if literal == FALSE:
            continue
        ways_out[before].append(literal)
        ways_in[after].append(literal)
        for fact, places in needs:
            formula.clause([~literal, here[fact], *(starts[p] for p in places)])
            entering.setdefault(fact, []).append(literal)
    for p in moves.places:
        formula.at_most_one(ways_in[p])
        formula.at_most_one(ways_out[p])
        for literal in ways_in[p]:
            formula.clause([~literal, *ways_out[p]])
        for literal in ways_out[p]:
            formula.clause([~literal, *ways_in[p]])
    return CompoundMoveStep(starts, ends, entering)


def add_order(formula: Formula, first: CompoundMoveStep, second: CompoundMoveStep, layers: Sequence[list[int]]) -> None:
    """Forbid redundant pairs of consecutive compound moves. `layers`: the three layers around the two steps.

    What was put down is not picked up at once; of two independent compound moves only one order is allowed.
    """
    before, between, after = layers
    for place, literal in second.starts.items():
        formula.clause([~literal, ~first.ends[place]])
    reasons = []
    for fact in first.entering.keys() | second.entering.keys():
        vacated = formula.variable()
        formula.implies(vacated, [~before[fact], between[fact]])
        formula.clause([~vacated, *second.entering.get(fact, ())])
        crossed = formula.variable()
        formula.implies(crossed, [between[fact], ~after[fact]])
        formula.clause([~crossed, *first.entering.get(fact, ())])
        reasons += [vacated, crossed]
    dependent = formula.variable()
    formula.clause([~dependent, *reasons])
    later = FALSE  # whether the first compound move starts at a later place than the one looked at
    for place in reversed(first.starts):
        formula.clause([~second.starts[place], ~later, dependent])
        above, later = later, formula.variable()
        formula.clause([~above, later])
        formula.clause([~first.starts[place], later])


def operators_of_move(arcs: Sequence[Operator], before: Iterable[int], after: Iterable[int]) -> list[Operator]:
    """The operators, in order, that lead from the place given up to the place taken, among the arcs of a step."""
    leaving = {op.displacement[0]: op for op in arcs if op.displacement}
    given_up, taken = set(before).difference(after), set(after).difference(before)
    place = next(p for p in leaving if p in given_up)
    path = []
    while place not in taken:
        path.append(leaving[place])
        assert path[-1].displacement is not None
        place = path[-1].displacement[1]
    return path
