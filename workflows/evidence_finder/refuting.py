"""What a refutation is made from, in the process that refutes: clauses, invariants, and the areas that are needed."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from ...encoders.exports.problem_writing import clause_text
from ...proofs.core.check import formula_of
from ...proofs.core.claim import HEAD, OPTIMUM, REFUTATION, Claim, read_claim
from ...proofs.core.formula import Clause, Formula
from ...proofs.core.limits import Limits, Stopped
from ...proofs.core.problem import Literals, Problem, read
from ...proofs.parallel import LAYERS
from .areas import Walks
from .invariants import Reached
from .keeping import kept_by_all

PATIENCE = 10.0
"""Seconds within which the invariants have to be found; else there are none."""

MOST_PAIRS = 20_000
"""Pairs of values from which on the formula excludes several at once."""

UNLIMITED = Limits(None, None)


@dataclass
class Search:
    """The evidence for a claim of one count, as far as it has been found. `packed`: the problem's text, compressed.
    `lines`: of claim.txt; `keepers`: invariants that keep those of the lines; `open`: a walk that is not possible is
    excluded by no area.
    """

    packed: bytes
    claim: int
    lines: list[str] = field(default_factory=list)
    keepers: list[Literals] = field(default_factory=list)
    open: bool = False

    def problem(self, limits: Limits = UNLIMITED) -> Problem:
        """The problem, read anew."""
        return read(zlib.decompress(self.packed).decode(), limits)

    def formula(self, problem: Problem, limits: Limits = UNLIMITED) -> tuple[Formula, Claim]:
        """The checker's formula with the evidence, and the evidence as the checker reads it."""
        told = [HEAD, f"{OPTIMUM} {self.claim}", f"by {REFUTATION} 0 0", *self.lines, ""]
        claim = read_claim(problem, "\n".join(told), limits)
        return formula_of(claim, limits, LAYERS), claim


@dataclass(frozen=True, slots=True)
class Make:
    """Makes the clauses for the first time, with all invariants that are found."""

    search: Search

    def __call__(self) -> tuple[int, list[Clause]]:
        search, problem = self.search, self.search.problem()
        try:
            found = Reached(problem, Limits(PATIENCE, None))
            search.keepers = kept_by_all(problem, found.clauses(), Limits(PATIENCE, None))
            search.lines += invariant_lines(problem, clauses_for(search.keepers, found.pairs()))
        except Stopped:
            search.keepers = []
        formula, _ = search.formula(problem)
        if formula.walk is not None:
            search.lines += area_lines(problem, formula.walk, Walks(problem, formula.walk).first())
            formula, _ = search.formula(problem)
        return formula.variables, list(formula.clauses())


@dataclass(frozen=True, slots=True)
class Refine:
    """Forbids a solution of the clauses that is no plan; None if there is nothing to forbid.

    Either its walker walks where it cannot: then areas are added. Or it costs too much: tables count for each action
    the most by which it lowers the bound, so actions of several costs may seem cheaper than they are. Then tables go.
    """

    search: Search

    def __call__(self, true: set[int]) -> tuple[int, list[Clause]] | None:
        search, problem = self.search, self.search.problem()
        formula, claim = search.formula(problem)
        found = dict[int, None]()
        search.open = False
        if formula.walk is not None:
            walks = Walks(problem, formula.walk)
            for t in range(formula.steps + 1):
                areas = walks.forbidding(*_layer(formula, true, t))
                search.open |= areas is None
                found |= dict.fromkeys(area for area in areas or () if area not in claim.areas)
            search.lines += area_lines(problem, formula.walk, list(found))
        if not found and not claim.tables:
            return None
        if not found:
            search.lines = [line for line in search.lines if not line.startswith("table")]
        formula, _ = search.formula(problem)
        return formula.variables, list(formula.clauses())


def invariants_of(problem: Problem, limits: Limits) -> list[Literals]:
    """The invariants that are found and that the checker accepts. Raises `Stopped`."""
    return kept_by_all(problem, Reached(problem, limits).clauses(), limits)


def clauses_for(keepers: list[Literals], pairs: list[Literals]) -> list[Literals]:
    """What the formula says of invariants: those of the pairs that some keeper implies, unless they are too many.

    Clauses of pairs make shorter proofs. kB for several values at once and for pairs: `level-40` 847 and 698,
    `uva-9x9` 1,081 and 858; but `level-15` 33 and 39.
    """
    if len(pairs) > MOST_PAIRS:
        return keepers
    by_variables: dict[tuple[int, ...], list[Literals]] = {}
    for clause in keepers:
        by_variables.setdefault(tuple(x for x, _ in clause), []).append(clause)

    def implied(pair: Literals) -> bool:
        same = by_variables.get(tuple(x for x, _ in pair), [])
        return any(all(not mask & ~wide for (_, mask), (_, wide) in zip(one, pair, strict=True)) for one in same)

    return [pair for pair in pairs if implied(pair)]


def _layer(formula: Formula, true: set[int], t: int) -> tuple[tuple[int, ...], int]:
    """The state of a layer before the walk, and the walker's value after it."""
    shift, walk = t * formula.stride, formula.walk
    assert walk is not None

    def value(x: int, base: int) -> int:
        if formula.sizes[x] == 2:
            return int(base + shift + 1 in true)
        return next(i for i in range(formula.sizes[x]) if base + shift + 1 + i in true)

    came = tuple(value(x, formula.coming[x]) for x in range(len(formula.sizes)))
    return came, value(walk, formula.now[walk])


def invariant_lines(problem: Problem, invariants: list[Literals]) -> list[str]:
    """Invariants as claim.txt has them."""
    return [f"invariant {clause_text(problem, clause)}" for clause in invariants]


def area_lines(problem: Problem, walk: int, areas: list[int]) -> list[str]:
    """Areas as claim.txt has them."""
    domain = problem.domains[walk]
    return ["area " + ",".join(value for i, value in enumerate(domain) if area >> i & 1) for area in areas]
