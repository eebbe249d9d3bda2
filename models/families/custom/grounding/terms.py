"""Terms, which restrict variables to some of their values."""

from __future__ import annotations

from itertools import combinations

from ..language.expressions import Value

Term = dict[int, int]
"""A set of states: for some variables a mask of the values that they may have; all others are free."""

TRUE, FALSE, UNTRUE, UNFALSE = "true", "false", "untrue", "unfalse"
"""The truth values that can be wanted of a condition; see `cases`."""

NEGATED = {TRUE: FALSE, FALSE: TRUE, UNTRUE: UNFALSE, UNFALSE: UNTRUE}


FEW = 6
"""Up to this many terms, a quick comparison of all pairs decides whether any two could be merged."""


def merged(terms: list[Term]) -> list[Term]:
    """Fewer terms for the same states: those that differ in one variable only become one.

    {a: 1, b: 2} and {a: 1, b: 4} are {a: 1, b: 6}.
    """
    if len(terms) > 500:
        return terms
    same = terms[0].keys()
    if any(term.keys() != same for term in terms):
        return terms
    # Of a few terms, it is quicker to see whether any two differ in one variable only: most often, none do.
    if len(terms) <= FEW and all(len(a.items() ^ b.items()) > 2 for a, b in combinations(terms, 2)):
        return terms
    for variable in terms[0]:
        if len({term[variable] for term in terms}) == 1:
            continue
        masks: dict[frozenset[tuple[int, int]], int] = {}
        whole: dict[frozenset[tuple[int, int]], Term] = {}
        for term in terms:
            rest = frozenset(item for item in term.items() if item[0] != variable)
            masks[rest] = masks.get(rest, 0) | term[variable]
            whole.setdefault(rest, term)
        if len(masks) < len(terms):
            terms = [{**whole[rest], variable: mask} for rest, mask in masks.items()]
    return terms


def wants_true(want: str) -> bool:
    """Whether a wanted truth value is met by true: `TRUE` or `UNFALSE`."""
    return want in (TRUE, UNFALSE)


def is_wanted(value: Value | None, want: str) -> bool:
    if value is None:
        return want in (UNTRUE, UNFALSE)
    return bool(value) == (want in (TRUE, UNFALSE))


def bits(mask: int) -> list[int]:
    """The numbers of the bits of a mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
