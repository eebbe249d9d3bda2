"""A formula that is written once and repeated with other literals, in bulk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .formula import TRUE, Formula, Literals

Places = NDArray[np.signedinteger[Any]]


class Lists(NamedTuple):
    """Lists of places in a table, one after the other, and their lengths."""

    places: Places
    lengths: NDArray[np.int64]

    @classmethod
    def by_owner(cls, count: int, *parts: tuple[Places, Places]) -> Lists:
        """The lists of owners 0 to `count` - 1, from parts (owners, places)."""
        owners = np.concatenate([owners for owners, _ in parts])
        places = np.concatenate([places for _, places in parts]).astype(np.int32)
        order = np.argsort(owners, kind="stable")
        return cls(places[order], np.bincount(owners, minlength=count))

    def then(self, others: Lists) -> Lists:
        """These lists and then others."""
        return Lists(*(np.concatenate(both) for both in zip(self, others, strict=True)))


class Pattern:
    """A formula of clauses and implications that is repeated with other literals for its first variables, the inputs.

    The other variables are new each time. `outputs`: literals of the formula that are asked for.
    """

    def __init__(self, formula: Formula, inputs: int, outputs: list[int]) -> None:
        self._size, self._own = formula.variables, formula.variables - inputs
        self._clauses = self._lists(formula.clauses)
        self._causes = self._places([*formula.implications])
        self._effects = self._lists([*formula.implications.values()])
        self._outputs = self._places(outputs)

    def add(self, formula: Formula, inputs: Literals) -> Literals:
        """Add the pattern to a formula, with these literals for its inputs; gives its outputs."""
        own = formula.variables + np.arange(self._own, dtype=np.int32)
        formula.variables += self._own
        literals = np.concatenate([inputs, own, [TRUE]]).astype(np.int32)
        table = np.concatenate([literals, ~literals])
        formula.all_clauses(table[self._clauses.places], self._clauses.lengths)
        formula.all_imply(table[self._causes], table[self._effects.places], self._effects.lengths)
        return table[self._outputs]

    def _places(self, literals: list[int]) -> Places:
        """The places of literals in the table: those of all variables and `TRUE`, then the negations of all."""
        given = np.array(literals, np.int32)
        variables = np.minimum(np.where(given < 0, ~given, given), self._size)
        return np.where(given < 0, self._size + 1 + variables, variables)

    def _lists(self, literals: list[list[int]]) -> Lists:
        return Lists(
            self._places([literal for listed in literals for literal in listed]),
            np.array([len(listed) for listed in literals], np.int64),
        )
