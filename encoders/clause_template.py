"""Clause templates: a formula that is written once and added many times with other literals, in bulk.

The clauses of all steps of a model are the same up to the names of their variables. So they are written once, as
*indices* into a literal table; adding them for a step is one numpy gather, `table[indices]`, instead of a Python loop
over literals. For a template with n variables the table holds, in this order,

    index   0 .. n-1      n       n+1 .. 2n         2n+1
    holds   variables     TRUE    their negations   FALSE

Example: the clause `a or not b` with a, b as variables 0 and 1 (n = 2) has the indices [0, 4]. In a step where a is
literal 17 and b is literal 30, the table is [17, 30, TRUE, ~17, ~30, FALSE], and the gather gives [17, ~30].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .formula import TRUE, Formula, Literals

Indices = NDArray[np.signedinteger[Any]]
"""Indices into a literal table."""


def literal_table(*variables: Literals) -> Literals:
    """The table of these literals, one array after the other: the literals, then the negation of each, in order."""
    literals = np.concatenate(variables).astype(np.int32)
    return np.concatenate([literals, ~literals])


class IndexLists(NamedTuple):
    """Lists of indices into a literal table, one after the other, and the length of each list."""

    indices: Indices
    lengths: NDArray[np.int64]

    @classmethod
    def by_owner(cls, count: int, *parts: tuple[Indices, Indices]) -> IndexLists:
        """One list for each owner 0 to `count` - 1, from parts (owners, indices) of equal length.

        Example: by_owner(3, ([0, 2], [7, 8]), ([2], [9])) has the lists [7], [], [8, 9].
        """
        owners = np.concatenate([owners for owners, _ in parts])
        indices = np.concatenate([indices for _, indices in parts]).astype(np.int32)
        order = np.argsort(owners, kind="stable")
        return cls(indices[order], np.bincount(owners, minlength=count))

    def then(self, others: IndexLists) -> IndexLists:
        """These lists and then others."""
        return IndexLists(*(np.concatenate(both) for both in zip(self, others, strict=True)))


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
