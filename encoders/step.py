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

All steps have the same clauses; only the literals differ. So they are made once, as indices into a literal table (see
`formula.ClauseTemplate`), and added by one numpy gather a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..analysis.move_pruning import MovePruning
from ..analysis.transformed_tasks import CompoundMoves
from ..models.task import Operator, Task
from .formula import FALSE, TRUE, Formula, IndexLists, Indices, Literals, literal_table

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

    The literal table of step t, and the attribute that says where each part begins:

        f[t]      f[t+1]      o[t]         o[t-1]         c[t-1]     c[t]       | the negations of all, in this order
        F         F           N            N              K          K          |
        `here`    `there`     `applied`    `previous`     `moved`    `moves`    | `no`
    """

    def __init__(self, task: Task, pruning: MovePruning | None) -> None:
        facts, count = len(task.facts), len(task.operators)
        self.class_of = pruning.class_of if pruning else np.zeros(0, np.int32)
        self.members = [np.flatnonzero(self.class_of == c) for c in range(pruning.classes if pruning else 0)]
        self.here, self.there, self.applied = 0, facts, 2 * facts
        self.previous, self.moved = 2 * facts + count, 2 * facts + 2 * count
        self.moves = self.moved + len(self.members)
        self.no = self.moves + len(self.members)
        self.clauses = self._frame_axioms(task)
        # What an operator implies (o[t] -> ...): for each operator the indices of literals.
        pre_owner, pre = _pairs(task, lambda op: op.pre)
        add_owner, add = _pairs(task, lambda op: op.add)
        delete_owner, delete = _pairs(task, lambda op: op.delete)
        effects: list[tuple[Indices, Indices]] = [
            (pre_owner, self.here + pre),
            (add_owner, self.there + add),
            (delete_owner, self.no + self.there + delete),
            (np.arange(len(self.class_of)), self.moves + self.class_of),
        ]
        self.class_effects = IndexLists(np.zeros(0, np.int32), np.zeros(0, np.int64))  # c[t] -> ...
        if pruning:
            excluded, self.class_effects, allowed = self._pruned(pruning)
            effects += excluded
            self.clauses = self.clauses.then(allowed)
        self.effects = IndexLists.by_owner(count, *effects)

    def start(self) -> Chosen:
        """The choices before the first step: none."""
        count = self.previous - self.applied
        return Chosen(np.full(count, FALSE, np.int32), np.full(len(self.members), FALSE, np.int32))

    def add(
        self, formula: Formula, here: list[int], there: list[int], operators: list[int], previous: Chosen
    ) -> Chosen:
        """Add one step, between the layers `here` and `there`; gives what was chosen in it."""
        chosen = Chosen(np.array(operators, np.int32), np.full(len(self.members), FALSE, np.int32))
        moves = self._classes(formula, chosen)
        facts = np.array([here, there], np.int32).ravel()
        table = literal_table(facts, chosen.operators, previous.operators, previous.classes, moves)
        formula.all_imply(chosen.operators, table[self.effects.indices], self.effects.lengths)
        formula.all_imply(chosen.classes, table[self.class_effects.indices], self.class_effects.lengths)
        formula.all_clauses(table[self.clauses.indices], self.clauses.lengths)
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

    def _frame_axioms(self, task: Task) -> IndexLists:
        """Two clauses for each fact f, as lists 2f and 2f + 1:

        not f[t+1] or f[t]     or o[t] ...  for o with f in add(o)
        not f[t]   or f[t+1]   or o[t] ...  for o with f in delete(o)
        """
        facts = np.arange(len(task.facts))
        adders, added = _pairs(task, lambda op: op.add)
        deleters, deleted = _pairs(task, lambda op: op.delete)
        here, there = self.here + facts, self.there + facts
        return IndexLists.by_owner(
            2 * len(task.facts),
            (2 * facts, self.no + there),
            (2 * facts, here),
            (2 * added, self.applied + adders),
            (2 * facts + 1, self.no + here),
            (2 * facts + 1, there),
            (2 * deleted + 1, self.applied + deleters),
        )

    def _pruned(self, pruning: MovePruning) -> tuple[list[tuple[Indices, Indices]], IndexLists, IndexLists]:
        """Move pruning, class by class, in the four forms at the head of this file.

        Gives what each operator excludes, as parts (operators, indices); for each class d the classes that it excludes
        as a whole; and the clauses on few allowed predecessors.
        """
        forbidden, class_of = pruning.forbidden, self.class_of
        by_class = np.concatenate(self.members)  # operators sorted by class, so that `reduceat` folds class by class
        sizes = np.array([len(members) for members in self.members])
        starts = np.cumsum(sizes) - sizes
        # bad[c, b]: after how many operators of class c operator b may not come (K, N).
        bad = np.add.reduceat(forbidden[by_class], starts, axis=0, dtype=np.int32)
        # wholly[c, d]: no operator of class d may come after any of class c (K, K).
        wholly = np.logical_and.reduceat((bad == sizes[:, None])[:, by_class], starts, axis=1)
        later, earlier = np.nonzero(wholly.T)
        class_effects = IndexLists.by_owner(len(sizes), (later, self.no + self.moved + earlier))
        # Of what that has not said: the pairs (c, b) with all of c bad, with few and with most.
        rest = ~wholly[:, class_of] & (bad > 0)
        whole = rest & (bad == sizes[:, None])
        few = rest & ~whole & ((bad <= LONG_LIST) | (2 * bad <= sizes[:, None]))
        after, before = np.nonzero((forbidden & few[class_of]).T)
        behind, whole_class = np.nonzero(whole.T)
        excluded = [(after, self.no + self.previous + before), (behind, self.no + self.moved + whole_class)]
        return excluded, class_effects, self._allowed(forbidden, rest & ~whole & ~few)

    def _allowed(self, forbidden: NDArray[np.bool_], most: NDArray[np.bool_]) -> IndexLists:
        """For each (class c, operator b) in `most` a clause: b[t] and c[t-1] imply that an allowed operator of c
        came before.
        """
        classes, operators = np.nonzero(most)
        number = np.full(most.shape, -1, np.int32)  # of the clause of (c, b)
        number[most] = np.arange(len(classes))
        every = np.arange(len(classes))
        before, after = np.nonzero(~forbidden & most[self.class_of])
        return IndexLists.by_owner(
            len(classes),
            (every, self.no + self.applied + operators),
            (every, self.no + self.moved + classes),
            (number[self.class_of[before], after], self.previous + before),
        )


def _pairs(task: Task, facts: Callable[[Operator], tuple[int, ...]]) -> tuple[Indices, Indices]:
    """All pairs of an operator and a fact of its precondition (or add, or delete list): operators, and their facts."""
    pairs = [(number, fact) for number, op in enumerate(task.operators) for fact in facts(op)]
    operators, named = np.array(pairs, np.int32).reshape(-1, 2).T
    return operators, named


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
