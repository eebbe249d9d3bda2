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
`clause_template`), and added by one numpy gather a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..analysis.move_pruning import MovePruning
from ..models.task import Operator, Task
from .clause_template import IndexLists, Indices, literal_table
from .formula import FALSE, TRUE, Formula, Literals

LONG_LIST = 12
"""Up to this many bad predecessors in a class count as few; so does at most half of a class."""


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
