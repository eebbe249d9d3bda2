"""The clauses of one step of a bounded model: preconditions, effects, frame axioms, move pruning.

Step t leads from layer t to layer t + 1. With f[t] for "fact f holds in layer t", o[t] for "operator o is applied in
step t" and c[t] for "an operator of class c is applied in step t" (a class: the operators that move one object):

    precondition     o[t] -> f[t]                                       for f in pre(o)
    effect           o[t] -> f[t+1],   o[t] -> not f[t+1]               for f in add(o), for f in delete(o)
    frame axioms     f[t+1] and not f[t] -> some o[t]                   with f in add(o)
                     not f[t+1] and f[t] -> some o[t]                   with f in delete(o)
    class            o[t] -> c[t],   c[t] -> some o[t]                  for o in c
    move pruning     not (a[t-1] and b[t])                              if b may not follow a at once (`MovePruning`)

The frame axioms are *explanatory* (Haas, *The case for domain-specific frame axioms*, 1987): a change needs an operator
that makes it. Of two independent operators move pruning allows one order only, that of their classes; it also excludes
pairs that one operator, or none, replaces.

Pairs of operators are many: move pruning is said class by class where that means the same in fewer literals. Let `bad`
be the operators of a class c after which b may not come. In the order in which `_pruned` decides:

    all of c are bad for all of class d    d[t] -> not c[t-1]                             one binary clause for c x d
    all of c are bad                       b[t] -> not c[t-1]                             one for each b
    few of c are bad                       b[t] -> not a[t-1]                             for each a in `bad`
    most of c are bad                      b[t] and c[t-1] -> some a[t-1]                 with a in c, not in `bad`

All steps have the same clauses; only the literals differ. So they are made once (see `formula.ClauseTemplate`), and
added by one numpy gather a step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..analysis.move_pruning import MovePruning
from ..analysis.transformed_tasks import CompoundMoves
from ..models.task import Operator, OperatorTask
from ..runtime.arrays import from_csr
from .formula import FALSE, TRUE, ClauseTemplate, Formula, Literals

# Up to this many bad predecessors in a class count as few; so does at most half of a class.
LONG_LIST = 12


@dataclass(slots=True)
class Chosen:
    """The literals of one step: o[t] of the N operators, c[t] of the K classes (FALSE if no operator of it is
    possible).
    """

    operators: Literals
    classes: Literals


class StepEncoder:
    """Encodes the steps of one task with F facts and N operators, which fall into K classes (none without `pruning`).

    The template's inputs, in this order: f[t], f[t+1], o[t], o[t-1], c[t], c[t-1], and what the operators of each class
    imply: c[t] where it is a new variable, else TRUE, so that o[t] -> c[t] is left out.
    """

    def __init__(self, task: OperatorTask, pruning: MovePruning | None) -> None:
        self.class_of = pruning.class_of if pruning else np.zeros(0, np.int32)
        self.members = [np.flatnonzero(self.class_of == c) for c in range(pruning.classes if pruning else 0)]
        self.operators = len(task.operators)
        formula = Formula()
        sizes = (len(task.facts),) * 2 + (self.operators,) * 2 + (len(self.members),) * 3
        here, there, applied, before, *classes = ([formula.variable() for _ in range(size)] for size in sizes)
        inputs = formula.variables
        added: list[list[int]] = [[] for _ in task.facts]
        deleted: list[list[int]] = [[] for _ in task.facts]
        for n, op in enumerate(task.operators):
            formula.implies(applied[n], [here[f] for f in op.pre])
            formula.implies(applied[n], [there[f] for f in op.add])
            formula.implies(applied[n], [~there[f] for f in op.delete])
            formula.implies(applied[n], [classes[2][c] for c in self.class_of[n : n + 1].tolist()])
            for f in op.add:
                added[f].append(applied[n])
            for f in op.delete:
                deleted[f].append(applied[n])
        for f in range(len(task.facts)):
            formula.clause([~there[f], here[f], *added[f]])
            formula.clause([~here[f], there[f], *deleted[f]])
        if pruning:
            self._prune(formula, pruning.forbidden, (applied, before), classes)
        self.template = ClauseTemplate(formula, inputs, [])

    def start(self) -> Chosen:
        """The choices before the first step: none."""
        return Chosen(np.full(self.operators, FALSE, np.int32), np.full(len(self.members), FALSE, np.int32))

    def add(
        self, formula: Formula, here: list[int], there: list[int], operators: list[int], previous: Chosen
    ) -> Chosen:
        """Add one step, between the layers `here` and `there`; gives what was chosen in it."""
        chosen = Chosen(np.array(operators, np.int32), np.full(len(self.members), FALSE, np.int32))
        moves = self._classes(formula, chosen)
        facts = np.array([here, there], np.int32).ravel()
        inputs = facts, chosen.operators, previous.operators, chosen.classes, previous.classes, moves
        self.template.add(formula, np.concatenate(inputs))
        return chosen

    def _classes(self, formula: Formula, chosen: Chosen) -> Literals:
        """Set c[t] of each class: its only possible operator, or a new variable. Gives what its operators imply.

        That is c[t] where it is a new variable, else TRUE, so that o[t] -> c[t] is left out.
        """
        implied = np.full(len(self.members), TRUE, np.int32)
        for c, members in enumerate(self.members):
            possible = [literal for literal in chosen.operators[members].tolist() if literal != FALSE]
            if len(possible) == 1:
                chosen.classes[c] = possible[0]
            elif possible:
                implied[c] = chosen.classes[c] = formula.variable()
                formula.clause([~int(implied[c]), *possible])
        return implied

    def _prune(
        self,
        formula: Formula,
        forbidden: NDArray[np.bool_],
        operators: tuple[list[int], list[int]],
        classes: Sequence[list[int]],
    ) -> None:
        """Move pruning, class by class, in the four forms at the head of this file. `operators`: o[t] and o[t-1];
        `classes`: c[t] and c[t-1].
        """
        applied, before = operators
        moves, moved = classes[:2]
        by_class = np.concatenate(self.members)  # operators sorted by class, so that `reduceat` folds class by class
        sizes = np.array([len(members) for members in self.members])
        starts = np.cumsum(sizes) - sizes
        # bad[c, b]: after how many operators of class c operator b may not come (K, N).
        bad = np.add.reduceat(forbidden[by_class], starts, axis=0, dtype=np.int32)
        # wholly[c, d]: no operator of class d may come after any of class c (K, K).
        wholly = np.logical_and.reduceat((bad == sizes[:, None])[:, by_class], starts, axis=1)
        # Of what that has not said: the pairs (c, b) with all of c bad, with few and with most.
        rest = ~wholly[:, self.class_of] & (bad > 0)
        whole = rest & (bad == sizes[:, None])
        few = rest & ~whole & ((bad <= LONG_LIST) | (2 * bad <= sizes[:, None]))
        for b, earlier in enumerate(_true_in_rows((forbidden & few[self.class_of]).T)):
            formula.implies(applied[b], [~before[a] for a in earlier])
        for b, earlier in enumerate(_true_in_rows(whole.T)):
            formula.implies(applied[b], [~moved[c] for c in earlier])
        for d, earlier in enumerate(_true_in_rows(wholly.T)):
            formula.implies(moves[d], [~moved[c] for c in earlier])
        for c, most in enumerate(_true_in_rows(rest & ~whole & ~few)):
            for b in most:
                allowed = [before[a] for a in self.members[c].tolist() if not forbidden[a, b]]
                formula.clause([~applied[b], ~moved[c], *allowed])


def _true_in_rows(matrix: NDArray[np.bool_]) -> list[list[int]]:
    """For each row of a matrix the columns in which it is true."""
    return from_csr(np.nonzero(matrix)[1], matrix.sum(axis=1))


# A compound move inside one step: one movable object goes along any path of operators, as a path through its places.
#
# A *place* p is a fact that says where an object is. An operator is an *arc* from the place that it deletes to the
# one that it adds. In step t, between the layers t and t + 1:
#
#     start[p] <-> p[t] and not p[t+1]                the object stood at p and is picked up
#     end[p]   <-> not p[t] and p[t+1]                the object is put down at p
#     exactly one start, exactly one end              (or the step is idle, and there is neither)
#     in(p)  = start[p] and the arcs into p           at most one is true
#     out(p) = end[p] and the arcs out of p           at most one is true
#     any of in(p) -> some of out(p), and back
#     arc -> f[t], or start[p] for a p where the moving object itself makes f false      for each cell f that it enters
#
# So the true arcs are one path from the start to the end and, maybe, cycles apart from it, which are harmless. The
# last line says that an arc needs its cells free, or given up by the object itself when it was picked up. Other
# objects stay: their start and end literals are false, and the equivalences for them are the frame axioms.
#
#     one object, places p1 p2 p3 in a row, moved from p1 to p3:   start[p1], arc p1->p2, arc p2->p3, end[p3]
#
# Order: two consecutive compound moves are *independent* if the second enters no cell that the first has vacated and
# does not end on a cell that the first has crossed. Then they could change places, and only the order is allowed in
# which the one that starts at the earlier place (in order of numbers) comes first. (A detour can make two moves look
# dependent: the pruning is sound, but not complete.)


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


# States that are all different.


def changed_facts(layers: list[list[int]], operators: Iterable[Operator]) -> list[list[int]]:
    """Of each layer the literals of the facts that some of these operators change."""
    changed = sorted({f for op in operators for f in (*op.add, *op.delete)})
    return [[layer[f] for f in changed] for layer in layers]


def all_different(formula: Formula, states: list[list[int]]) -> None:
    """Each two states differ in some literal; the literals of all states stand in the same order."""
    for state, other in combinations(states, 2):
        formula.clause(_differs(formula, *pair) for pair in zip(state, other, strict=True))


def _differs(formula: Formula, first: int, second: int) -> int:
    """A literal that is true only if one of two literals is true and the other is not."""
    if first == second:
        return FALSE
    differs = formula.variable()
    formula.clause([~differs, first, second])
    formula.clause([~differs, ~first, ~second])
    return differs
