"""A compound move inside one step: one movable object goes along any path of operators, as a path through its places.

A *place* p is a fact that says where an object is. An operator is an *arc* from the place that it deletes to the one
that it adds. In step t, between the layers t and t + 1:

    start[p] <-> p[t] and not p[t+1]                the object stood at p and is picked up
    end[p]   <-> not p[t] and p[t+1]                the object is put down at p
    exactly one start, exactly one end              (or the step is idle, and there is neither)
    in(p)  = start[p] and the arcs into p           at most one is true
    out(p) = end[p] and the arcs out of p           at most one is true
    any of in(p) -> some of out(p), and back
    arc -> f[t], or start[p] for a p where the moving object itself makes f false      for each cell f that it enters

So the true arcs are one path from the start to the end and, maybe, cycles apart from it, which are harmless. The last
line says that an arc needs its cells free, or given up by the object itself when it was picked up. Other objects stay:
their start and end literals are false, and the equivalences for them are the frame axioms.

    one object, places p1 p2 p3 in a row, moved from p1 to p3:   start[p1], arc p1->p2, arc p2->p3, end[p3]

Order: two consecutive compound moves are *independent* if the second enters no cell that the first has vacated and does
not end on a cell that the first has crossed. Then they could change places, and only the order is allowed in which the
one that starts at the earlier place (in order of numbers) comes first. (A detour can make two moves look dependent: the
pruning is sound, but not complete.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..analysis.transforms.compound_moves import CompoundMoves
from ..models.task import Operator
from .formula import FALSE, Formula


@dataclass(frozen=True, slots=True)
class CompoundMoveStep:
    """The literals of one step's compound move: `starts` and `ends` by place; `entering`: for each fact the arcs that
    need it, that is, that enter the cell whose being free it says.
    """

    starts: dict[int, int]
    ends: dict[int, int]
    entering: dict[int, list[int]]


def add_compound_move(
    formula: Formula, moves: CompoundMoves, layers: Sequence[list[int]], chosen: list[int], idle: int
) -> CompoundMoveStep:
    """Add the compound move of one step. `layers`: t and t+1, around the step.

    `chosen`: the literals of the operators, the arcs; `idle`: true where nothing moves.
    """
    here, there = layers
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    entering: dict[int, list[int]] = {}
    # start[p] <-> p[t] and not p[t+1];  end[p] <-> not p[t] and p[t+1]
    for p in moves.places:
        starts[p] = FALSE if here[p] == FALSE else formula.variable()
        ends[p] = FALSE if there[p] == FALSE else formula.variable()
        formula.implies(starts[p], [here[p], ~there[p]])
        formula.implies(ends[p], [there[p], ~here[p]])
        formula.clause([~here[p], there[p], starts[p]])
        formula.clause([~there[p], here[p], ends[p]])
    formula.exactly_one([*starts.values(), idle])
    formula.exactly_one([*ends.values(), idle])
    # The arcs: at each place at most one way in and one way out, one if and only if the other.
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
    """Forbid redundant pairs of consecutive compound moves. `layers`: t-1, t and t+1, around the two steps.

    What was put down is not picked up at once, and of two independent compound moves only one order is allowed:

        not (end_1[p] and start_2[p])
        start_2[p] and some start_1[q] with q > p -> dependent
        dependent -> some vacated[f] or crossed[f]
        vacated[f] -> not f[t-1] and f[t] and some arc of the second move that enters f
        crossed[f] -> f[t] and not f[t+1] and some arc of the first move that enters f

    The implications go one way only: `dependent` can be true only for a reason, and need not be.
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
    # A running "or" from the last place down: `later` is true if the first move starts at a place after this one.
    later = FALSE
    for place in reversed(first.starts):
        formula.clause([~second.starts[place], ~later, dependent])
        above, later = later, formula.variable()
        formula.clause([~above, later])
        formula.clause([~first.starts[place], later])


def operators_of_move(arcs: Sequence[Operator], before: Iterable[int], after: Iterable[int]) -> list[Operator]:
    """The operators, in order, that lead from the place given up to the place taken, among the true arcs of a step.

    `before`, `after`: the facts that hold in the layers around it. Arcs of cycles apart from the path are left out.
    """
    leaving = {op.displacement[0]: op for op in arcs if op.displacement}
    given_up, taken = set(before).difference(after), set(after).difference(before)
    place = next(p for p in leaving if p in given_up)
    path = []
    while place not in taken:
        path.append(leaving[place])
        assert path[-1].displacement is not None
        place = path[-1].displacement[1]
    return path
