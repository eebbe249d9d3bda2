"""What one step of a bounded model asks, as lists of places in a table of the step's literals.

The lists are made once; each step fills in its own literals, in bulk. Explanatory frame axioms; what operators require
and change; which operators do not follow which (`MovePruning`), class by class where that says the same in fewer
literals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..analysis.move_pruning import MovePruning
from ..models.task import Operator, Task
from .clause_template import Lists, Places
from .formula import FALSE, TRUE, Formula, Literals

LONG_LIST = 12
"""Up to so many forbidden predecessors of one class are listed; more become one clause on the allowed ones."""


@dataclass(slots=True)
class Chosen:
    """The literals of the operators (N) of one step, and for each class (K) one that is true if it has a chosen one."""

    operators: Literals
    classes: Literals


class StepEncoder:
    """Encodes the steps of one task with F facts and N operators, which fall into K classes.

    The table of a step has the literals of the facts before and after it, of its operators and those before, of the
    classes before, and of its own classes; then the negations of all. `succession`: none if K is 0.
    """

    def __init__(self, task: Task, succession: MovePruning | None) -> None:
        facts, count = len(task.facts), len(task.operators)
        self.class_of = succession.class_of if succession else np.zeros(0, np.int32)
        self.members = [np.flatnonzero(self.class_of == c) for c in range(succession.classes if succession else 0)]
        self.here, self.there, self.chosen = 0, facts, 2 * facts
        self.previous, self.moved = 2 * facts + count, 2 * facts + 2 * count
        self.own = self.moved + len(self.members)
        self.no = self.own + len(self.members)
        self.apart = Lists(np.zeros(0, np.int32), np.zeros(0, np.int64))
        self.clauses = self._frames(task)
        effects = [
            (owners, start + changed)
            for start, (owners, changed) in (
                (self.here, _named(task, lambda op: op.pre)),
                (self.there, _named(task, lambda op: op.add)),
                (self.no + self.there, _named(task, lambda op: op.delete)),
            )
        ]
        effects.append((np.arange(len(self.class_of)), self.own + self.class_of))
        if succession:
            excluded, self.apart, allowed = self._forbidden(succession)
            effects += excluded
            self.clauses = self.clauses.then(allowed)
        self.effects = Lists.by_owner(count, *effects)

    def start(self) -> Chosen:
        """What was chosen before the first step: nothing."""
        count = self.previous - self.chosen
        return Chosen(np.full(count, FALSE, np.int32), np.full(len(self.members), FALSE, np.int32))

    def add(
        self, formula: Formula, here: list[int], there: list[int], operators: list[int], previous: Chosen
    ) -> Chosen:
        """Add one step, between the layers `here` and `there`; gives what was chosen in it."""
        chosen = Chosen(np.array(operators, np.int32), np.full(len(self.members), FALSE, np.int32))
        own = self._classes(formula, chosen)
        facts = np.array([here, there], np.int32).ravel()
        literals = np.concatenate([facts, chosen.operators, previous.operators, previous.classes, own])
        table = np.concatenate([literals, ~literals])
        formula.all_imply(chosen.operators, table[self.effects.places], self.effects.lengths)
        formula.all_imply(chosen.classes, table[self.apart.places], self.apart.lengths)
        formula.all_clauses(table[self.clauses.places], self.clauses.lengths)
        return chosen

    def _classes(self, formula: Formula, chosen: Chosen) -> Literals:
        """Set the literal of each class: its only possible operator, or a new variable; gives those, or else `TRUE`."""
        own = np.full(len(self.members), TRUE, np.int32)
        for c, members in enumerate(self.members):
            possible = [literal for literal in chosen.operators[members].tolist() if literal != FALSE]
            if len(possible) == 1:
                chosen.classes[c] = possible[0]
            elif possible:
                own[c] = chosen.classes[c] = formula.variable()
                formula.clause([~int(own[c]), *possible])
        return own

    def _frames(self, task: Task) -> Lists:
        """Two lists for each fact: it becomes true by an operator that adds it, and false by one that deletes it."""
        every = 2 * np.arange(len(task.facts))
        adders, added = _named(task, lambda op: op.add)
        deleters, deleted = _named(task, lambda op: op.delete)
        here, there = self.here + every // 2, self.there + every // 2
        return Lists.by_owner(
            2 * len(task.facts),
            (every, self.no + there),
            (every, here),
            (2 * added, self.chosen + adders),
            (every + 1, self.no + here),
            (every + 1, there),
            (2 * deleted + 1, self.chosen + deleters),
        )

    def _forbidden(self, succession: MovePruning) -> tuple[list[tuple[Places, Places]], Lists, Lists]:
        """What operators exclude in the step before, class by class where most operators of a class are excluded.

        Gives what each operator excludes, as (operators, places); for each class the classes of which no operator may
        come before any of it; and clauses on the few allowed predecessors in a class.
        """
        forbidden, class_of = succession.forbidden, self.class_of
        by_class = np.concatenate(self.members)
        sizes = np.array([len(members) for members in self.members])
        starts = np.cumsum(sizes) - sizes
        # (K, N): how many operators of a class may not come before an operator; then (K, K): all before all?
        bad = np.add.reduceat(forbidden[by_class], starts, axis=0, dtype=np.int32)
        wholly = np.logical_and.reduceat((bad == sizes[:, None])[:, by_class], starts, axis=1)
        later, earlier = np.nonzero(wholly.T)
        apart = Lists.by_owner(len(sizes), (later, self.no + self.moved + earlier))
        rest = ~wholly[:, class_of] & (bad > 0)
        whole = rest & (bad == sizes[:, None])
        short = rest & ~whole & ((bad <= LONG_LIST) | (2 * bad <= sizes[:, None]))
        after, before = np.nonzero((forbidden & short[class_of]).T)
        behind, whole_class = np.nonzero(whole.T)
        excluded = [(after, self.no + self.previous + before), (behind, self.no + self.moved + whole_class)]
        return excluded, apart, self._allowed(forbidden, rest & ~whole & ~short)

    def _allowed(self, forbidden: NDArray[np.bool_], long: NDArray[np.bool_]) -> Lists:
        """Clauses for (class, operator) where `long`: not both, but with an allowed operator of the class."""
        classes, operators = np.nonzero(long)
        row = np.full(long.shape, -1, np.int32)
        row[long] = np.arange(len(classes))
        every = np.arange(len(classes))
        before, after = np.nonzero(~forbidden & long[self.class_of])
        return Lists.by_owner(
            len(classes),
            (every, self.no + self.chosen + operators),
            (every, self.no + self.moved + classes),
            (row[self.class_of[before], after], self.previous + before),
        )


def _named(task: Task, facts: Callable[[Operator], tuple[int, ...]]) -> tuple[Places, Places]:
    """The operators and facts of which the operator names the fact."""
    pairs = [(number, fact) for number, op in enumerate(task.operators) for fact in facts(op)]
    operators, named = np.array(pairs, np.int32).reshape(-1, 2).T
    return operators, named
