"""Literals of a layer, and what is said of several: each conjunction is made once."""

from __future__ import annotations

from collections.abc import Iterable

from ..formula import FALSE, TRUE, Formula


class LayerLiterals:
    """Makes literals and the clauses that define them. `part`: the formula that definitions go to. Variables are
    numbered through all parts.
    """

    def __init__(self) -> None:
        self.variables = 0
        self.part = Formula()
        self._all: dict[frozenset[int], int] = {}
        self._conjuncts: dict[int, frozenset[int]] = {}

    def literal(self) -> int:
        self.variables += 1
        return self.variables - 1

    def all_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if all of these are."""
        wanted = {literal for literal in literals if literal != TRUE}
        if FALSE in wanted or any(~literal in wanted for literal in wanted):
            return FALSE
        if len(wanted) < 2:
            return wanted.pop() if wanted else TRUE
        key = frozenset(wanted)
        if key not in self._all:
            both = self._all[key] = self.literal()
            self._conjuncts[both] = key
            self.part.clause([both, *(~literal for literal in key)])
            self.part.implies(both, key)
        return self._all[key]

    def any_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if one of these is."""
        return ~self.all_of(~literal for literal in literals)

    def either(self, a: int, b: int) -> int:
        """A literal that is true if one of two is; `p` for `p and q` and `p and not q`, two ways that meet again."""
        first, second = (self._conjuncts.get(literal, frozenset((literal,))) for literal in (a, b))
        only_a, only_b = first - second, second - first
        if len(only_a) == 1 and len(only_b) == 1 and next(iter(only_a)) == ~next(iter(only_b)):
            return self.all_of(first & second)
        return self.any_of((a, b))
