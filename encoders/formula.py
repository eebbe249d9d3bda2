"""A Boolean model that no solver owns: clauses, implications, cardinalities and an objective.

Literals are CP-SAT's: variable v is v, its negation -v - 1, which is Python's `~v` (so `~~x == x`). The constants
`TRUE` and `FALSE` (`FALSE == ~TRUE`) may stand wherever a literal may; they are simplified away as constraints are
added. Whatever is known of a task before solving is given as such constants, so this is all the presolve that is needed
and the solver's own can stay off.

    f.clause([a, ~b])          a or not b
    f.implies(a, [b, c])       a -> b and c; kept as one entry, two clauses of CNF
    f.any_of([a, b])           a new literal x with x <-> a or b (Tseitin); `a` itself if b is FALSE
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..runtime.arrays import from_csr

TRUE = 1 << 30
FALSE = ~TRUE

Literals = NDArray[np.int32]

# Terms of a weighted sum: (literal, weight).
Weighted = list[tuple[int, int]]


def is_true(literal: int, values: NDArray[np.bool_]) -> bool:
    """Whether a literal, maybe a constant, is true where variables have these values."""
    if literal in (TRUE, FALSE):
        return literal == TRUE
    return bool(values[literal]) if literal >= 0 else not values[~literal]


class Linear(NamedTuple):
    """If all of `when` are true, the sum of `factors[i]` times `variables[i]` lies in `domain`: ends of intervals."""

    variables: list[int]
    factors: list[int]
    domain: list[int]
    when: list[int]


class EncodingStopped(Exception):
    """The budget ended before the model was complete."""


@dataclass(slots=True)
class Formula:
    """The constraints, without constants, over `variables` variables 0, 1, ...

    clauses         at least one of the literals
    implications    cause -> all of the effects, by cause
    exactly_ones    exactly one of the literals
    at_most_ones    at most one of the literals
    cardinalities   (literals, n): exactly n of the literals
    sums            (literals, weights, n): the weights of the true literals add up to at most n. These follow from the
                    other constraints and may be left out.
    integers        variables that are whole numbers: the least and the greatest value. All others are 0 or 1.
    linears         a sum of variables with factors that lies in a domain, if some literals are true
    all_different   variables that differ from each other
    xors            an odd number of the literals is true
    circuits        arcs (from, to, literal): those that are true make one circuit; a node that it does not visit has a
                    true arc to itself
    minimise        (literal, weight): the sum over the true literals is to be least
    contradiction   a constraint could not be met, whatever the variables are
    """

    variables: int = 0
    clauses: list[list[int]] = field(default_factory=list)
    implications: dict[int, list[int]] = field(default_factory=dict)
    exactly_ones: list[list[int]] = field(default_factory=list)
    at_most_ones: list[list[int]] = field(default_factory=list)
    cardinalities: list[tuple[list[int], int]] = field(default_factory=list)
    sums: list[tuple[list[int], list[int], int]] = field(default_factory=list)
    integers: dict[int, tuple[int, int]] = field(default_factory=dict)
    linears: list[Linear] = field(default_factory=list)
    all_different: list[list[int]] = field(default_factory=list)
    xors: list[list[int]] = field(default_factory=list)
    circuits: list[list[tuple[int, int, int]]] = field(default_factory=list)
    minimise: list[tuple[int, int]] = field(default_factory=list)
    contradiction: bool = False

    def variable(self) -> int:
        self.variables += 1
        return self.variables - 1

    def any_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if one of these is."""
        kept = [literal for literal in dict.fromkeys(literals) if literal != FALSE]
        if TRUE in kept:
            return TRUE
        if len(kept) < 2:
            return kept[0] if kept else FALSE
        either = self.variable()
        self.clause([~either, *kept])
        for literal in kept:
            self.implies(literal, [either])
        return either

    def all_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if all of these are."""
        return ~self.any_of(~literal for literal in literals)

    def clause(self, literals: Iterable[int]) -> None:
        """At least one of the literals is true."""
        kept = []
        for literal in literals:
            if literal == TRUE:
                return
            if literal != FALSE:
                kept.append(literal)
        if kept:
            self.clauses.append(kept)
        else:
            self.contradiction = True

    def implies(self, cause: int, effects: Iterable[int]) -> None:
        """If `cause` is true, so are all effects."""
        if cause == FALSE:
            return
        kept = []
        for literal in effects:
            if literal == FALSE:
                self.clause([~cause])
                return
            if literal != TRUE:
                kept.append(literal)
        self._imply(cause, kept)

    def _imply(self, cause: int, effects: list[int]) -> None:
        """Add an implication whose effects have been simplified; if the cause is TRUE, the effects become clauses."""
        if cause == TRUE:
            self.clauses.extend([literal] for literal in effects)
        elif effects:
            self.implications.setdefault(cause, []).extend(effects)

    def all_clauses(self, literals: Literals, lengths: NDArray[np.int64]) -> None:
        """Add clauses in bulk: their literals one after the other, and the length of each clause.

        As `clause` does one by one: clauses with TRUE are left out, FALSE is dropped, and a clause of which nothing is
        left is a contradiction.
        """
        if np.abs(literals).max(initial=0) < TRUE and lengths.all():  # no constants, and no empty clause
            self.clauses += from_csr(literals, lengths)
            return
        # Two passes over flat arrays: which clauses are met by a TRUE, then what is left of all others.
        owner = np.repeat(np.arange(len(lengths)), lengths)  # the clause of each literal
        met = np.zeros(len(lengths), np.bool_)
        met[owner[literals == TRUE]] = True
        kept = (literals != FALSE) & ~met[owner]
        counts = np.bincount(owner[kept], minlength=len(lengths))
        self.contradiction |= bool((~met & (counts == 0)).any())
        self.clauses += from_csr(literals[kept], counts[counts > 0])

    def all_imply(self, causes: Literals, effects: Literals, lengths: NDArray[np.int64]) -> None:
        """Add implications in bulk: the effects of all causes one after the other, and how many each cause has.

        As `implies` does one by one: effects that are TRUE are dropped, and a cause with a FALSE effect is refuted.
        """
        owner = np.repeat(np.arange(len(causes)), lengths)  # the cause of each effect
        # A cause that is FALSE implies anything; one with a FALSE effect becomes a unit clause, its rest is dropped.
        refuted = causes == FALSE
        refuted[owner[effects == FALSE]] = True
        for cause in causes[refuted & (causes != FALSE)].tolist():
            self.clause([~cause])
        kept = (effects != TRUE) & ~refuted[owner]
        counts = np.bincount(owner[kept], minlength=len(causes))
        for cause, implied in zip(causes.tolist(), from_csr(effects[kept], counts), strict=True):
            self._imply(cause, implied)

    def exactly_one(self, literals: Iterable[int]) -> None:
        """Exactly one of the literals is true."""
        kept = self._unless_decided(literals)
        if kept is not None and len(kept) > 1:
            self.exactly_ones.append(kept)
        elif kept is not None:
            self.clause(kept)

    def at_most_one(self, literals: Iterable[int]) -> None:
        """At most one of the literals is true."""
        kept = self._unless_decided(literals)
        if kept is not None and len(kept) > 1:
            self.at_most_ones.append(kept)

    def _unless_decided(self, literals: Iterable[int]) -> list[int] | None:
        """The literals that "at most one" still has to restrict; None if one is TRUE: then all others are made
        false.
        """
        kept = [literal for literal in literals if literal != FALSE]
        if TRUE not in kept:
            return kept
        kept.remove(TRUE)
        for literal in kept:
            self.clause([~literal])
        return None

    def exactly(self, literals: Iterable[int], count: int) -> None:
        """Exactly `count` of the literals are true."""
        kept = [literal for literal in literals if literal != FALSE]
        count -= kept.count(TRUE)
        kept = [literal for literal in kept if literal != TRUE]
        if count < 0 or count > len(kept):
            self.contradiction = True
        elif count == 0:
            self.clauses.extend([~literal] for literal in kept)
        elif count == len(kept):
            self.clauses.extend([literal] for literal in kept)
        elif count == 1:
            self.exactly_ones.append(kept)
        else:
            self.cardinalities.append((kept, count))

    def at_most_sum(self, terms: Iterable[tuple[int, int]], most: int) -> None:
        """The weights of the true literals add up to at most `most`; terms are (literal, weight)."""
        literals: list[int] = []
        weights: list[int] = []
        for literal, weight in terms:
            if literal == TRUE:
                most -= weight
            elif literal != FALSE and weight:
                literals.append(literal)
                weights.append(weight)
        # A sum that cannot be met is a contradiction, one that is always met is left out.
        if sum(w for w in weights if w < 0) > most:
            self.contradiction = True
        elif sum(w for w in weights if w > 0) > most:
            self.sums.append((literals, weights, most))

    def linear(self, terms: Iterable[tuple[int, int]], domain: list[int], when: Iterable[int] = ()) -> None:
        """A sum of (variable, factor) lies in a domain, if all literals of `when` are true."""
        kept = [literal for literal in when if literal != TRUE]
        if FALSE not in kept:
            listed = list(terms)
            self.linears.append(Linear([v for v, _ in listed], [factor for _, factor in listed], domain, kept))

    def copy(self) -> Formula:
        """A copy of the formula, to which constraints can be added without changing this one."""
        return Formula(**{part.name: copy(getattr(self, part.name)) for part in fields(self)})

    def cost(self, values: NDArray[np.bool_]) -> int:
        """The value of the objective in a solution."""
        return sum(weight for literal, weight in self.minimise if is_true(literal, values))

    @property
    def size(self) -> int:
        """The number of constraints."""
        logical = self.clauses, self.implications, self.exactly_ones, self.at_most_ones, self.xors, self.circuits
        arithmetic = self.cardinalities, self.sums, self.linears, self.all_different
        return sum(map(len, (*logical, *arithmetic)))


# Clause templates: a formula that is written once and added many times with other literals, in bulk.
#
# The clauses of all steps of a model are the same up to the names of their variables. So they are written once, as
# *indices* into a literal table; adding them for a step is one numpy gather, `table[indices]`, instead of a Python loop
# over literals. For a template with n variables the table holds, in this order,
#
#     index   0 .. n-1      n       n+1 .. 2n         2n+1
#     holds   variables     TRUE    their negations   FALSE
#
# Example: the clause `a or not b` with a, b as variables 0 and 1 (n = 2) has the indices [0, 4]. In a step where a is
# literal 17 and b is literal 30, the table is [17, 30, TRUE, ~17, ~30, FALSE], and the gather gives [17, ~30].

# Indices into a literal table.
Indices = NDArray[np.signedinteger[Any]]


def literal_table(*variables: Literals) -> Literals:
    """The table of these literals, one array after the other: the literals, then the negation of each, in order."""
    literals = np.concatenate(variables).astype(np.int32)
    return np.concatenate([literals, ~literals])


class IndexLists(NamedTuple):
    """Lists of indices into a literal table, one after the other, and the length of each list."""

    indices: Indices
    lengths: NDArray[np.int64]


class ClauseTemplate:
    """A formula of clauses and implications that is added again and again with other literals for its inputs.

    Its first `inputs` variables are the inputs; every use makes new variables for the others. `outputs`: the literals
    of the formula that a use gives back.
    """

    def __init__(self, formula: Formula, inputs: int, outputs: list[int]) -> None:
        self._size, self._own = formula.variables, formula.variables - inputs
        self._clauses = self._lists(formula.clauses)
        self._causes = self._indices([*formula.implications])
        self._effects = self._lists([*formula.implications.values()])
        self._outputs = self._indices(outputs)

    def add(self, formula: Formula, inputs: Literals) -> Literals:
        """Add the template to a formula, with these literals for its inputs; gives its outputs."""
        own = formula.variables + np.arange(self._own, dtype=np.int32)
        formula.variables += self._own
        table = literal_table(inputs, own, np.array([TRUE], np.int32))
        formula.all_clauses(table[self._clauses.indices], self._clauses.lengths)
        formula.all_imply(table[self._causes], table[self._effects.indices], self._effects.lengths)
        return table[self._outputs]

    def _indices(self, literals: list[int]) -> Indices:
        """Where literals of the template's formula stand in the table that its head draws."""
        given = np.array(literals, np.int32)
        # A literal v stands at v, its negation ~v at n + 1 + v; TRUE at n, and FALSE, its negation, at 2n + 1.
        variables = np.minimum(np.where(given < 0, ~given, given), self._size)  # the large number TRUE becomes n
        return np.where(given < 0, self._size + 1 + variables, variables)

    def _lists(self, literals: list[list[int]]) -> IndexLists:
        return IndexLists(
            indices=self._indices([literal for listed in literals for literal in listed]),
            lengths=np.array([len(listed) for listed in literals], np.int64),
        )
