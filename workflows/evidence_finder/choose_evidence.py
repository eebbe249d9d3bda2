"""Evidence for a lower bound of any problem: exhaustion, a refutation or pairs, whichever is cheapest.

Nothing tells beforehand whether a problem has few states or a short proof. So exhaustion is tried for a moment; if that
is not enough, a search that learns tables (`learning`) is made beside a solver, which refutes the checker's clauses in
a process of its own, and what is done first is taken. Whatever is found here, the checker checks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf
from typing import TypeVar

from ...engines.common import refutation
from ...engines.common.refutation import Refutation, Refuting, refute
from ...models.errors import DisagreementError
from ...proofs.by_rules import CUT, ENDINGS, RULES, endings
from ...proofs.core.check import formula_of
from ...proofs.core.claim import (
    EXHAUSTION,
    HEAD,
    OPTIMUM,
    PAIRS,
    PUZZLE,
    REFUTATION,
    Table,
    bound,
    read_claim,
)
from ...proofs.core.exhaustion import exhaust
from ...proofs.core.formula import Clause, Formula
from ...proofs.core.limits import Limits, Stopped, Unsupported
from ...proofs.core.pairs import ReachedPairs
from ...proofs.core.problem import Cost, Literals, Problem, read
from ...proofs.end_state_formula import Cut, Edge, Endings, one_change_each
from ...proofs.games import Puzzle, puzzle_of
from ...proofs.one_variable_formula import LAYERS, change_one_each
from ...proofs.searching import SEARCH, SUM
from ...runtime.budget import Budget
from ...runtime.kernels import ensure_kernels
from .learn_tables import potentials, search

Exhausted = TypeVar("Exhausted")


class CheaperPlanError(DisagreementError):
    """The checker of certificates finds a plan that costs less than the claim for which evidence is looked for."""


AUTO = "auto"
KINDS = (AUTO, RULES, EXHAUSTION, REFUTATION)
"""The kinds of evidence that a caller may choose."""

MOMENT = 1.0
"""Seconds for which exhaustion is tried alone before a solver is started beside it."""


def limits_of(budget: Budget, seconds: float | None = None) -> Limits:
    """The time left of a budget (at most `seconds`), its memory, and Ctrl-C, as limits of the checker."""
    left = budget.seconds_left if seconds is None else min(seconds, budget.remaining)
    return Limits(left, budget.memory_mib, budget.stopped)


def first_of(
    make: refutation.Make, refine: refutation.Refine | None, exhausted: Callable[[Limits], Exhausted], budget: Budget
) -> Exhausted | Refutation:
    """Try exhaustion here and refutation in a child, each with half of the memory: what is ready first. (A refutation
    may have failed: then exhaustion has reached its limits before.)
    """
    ensure_kernels(budget=budget)
    half = None if budget.memory_mib is None else budget.memory_mib // 2
    with Refuting(make, budget, half, refine) as solver:

        def done() -> str | None:
            answer = solver.answer()
            return "the clauses are refuted" if answer and answer.proof else limits_of(budget).stopped()

        limits = limits_of(budget)
        limits.mebibytes, limits.stopped = half, done
        with suppress(Stopped):
            return exhausted(limits)
        while (answer := solver.answer(0.1)) is None:  # too many states; the solver's limits end this
            pass
    return answer


TABLES_FROM = 0.5
"""The least share of the claim that the tables' bound of the start has to be, for a refutation to use them. kB of
proofs without and with: the 8-puzzle at 20 moves (bound 16) 542 and 30; a labyrinth of 9 (6) 18 and 22; Rush Hour at 24
slides (1) 249 and 275."""

MANY = 20
"""From so many variables on that change by themselves, the formula has parallel steps. kB of proofs with clauses for
actions, for changes, and with parallel steps: `level-30` (12 vehicles) 821, 282 and 1,544; `level-15` (13) 68, 17, 9;
`uva-9x9` (24) 816, 144 and 112."""

SECONDS_FOR_TABLES = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence. `numbers`: those of the line `by`; `lines`: what follows it in claim.txt; `proof`: of a refutation."""

    kind: str
    numbers: tuple[int, ...] = ()
    lines: tuple[str, ...] = ()
    proof: bytes | None = None


def find_evidence(text: str, claim: Cost | None, budget: Budget, kind: str = "auto") -> Found:
    """Evidence that no plan of a problem costs less than a claim (None: that there is no plan); `kind` as `certify` has
    it. Raises `CheaperPlanError` if there is such a plan, `Stopped` at a limit, and `Unsupported` if evidence of the
    kind cannot show the claim.
    """
    problem = read(text, limits_of(budget))
    if claim is None and kind != EXHAUSTION and _unreached(problem, limits_of(budget, PATIENCE)):
        return Found(PAIRS)
    if claim is None and kind == REFUTATION:
        raise Unsupported("clauses exclude plans of a cost; they cannot show that there is none")
    tables = [] if claim is None else _tables(problem, claim, budget)
    if claim is not None and kind == REFUTATION:
        ensure_kernels(budget=budget)
        begun = _search(problem, text, claim, tables)
        return _refuted(begun, refute(begun.made, budget, begun.without_tables), budget)
    with suppress(Stopped):
        return _exhausted(problem, claim, tables, limits_of(budget, MOMENT))
    searched = partial(_searched, problem, claim, tables, _seconds(budget))
    if claim is None or kind == EXHAUSTION:
        return searched(limits_of(budget))
    try:
        begun = _search(problem, text, claim, tables)
    except Unsupported:
        return searched(limits_of(budget))
    ready = first_of(begun.made, begun.without_tables, searched, budget)
    return _refuted(begun, ready, budget) if isinstance(ready, Refutation) else ready


def _tables(problem: Problem, claim: Cost, budget: Budget) -> list[Table]:
    return potentials(problem, claim[0], limits_of(budget), _seconds(budget)) if claim[0] else []


def _seconds(budget: Budget) -> float:
    """The time for one linear program."""
    return min(SECONDS_FOR_TABLES, budget.remaining / 4)


def _exhausted(problem: Problem, claim: Cost | None, tables: list[Table], limits: Limits) -> Found:
    states, plan = exhaust(problem, claim, tables, limits)
    _no_plan(plan)
    return Found(EXHAUSTION, (states,), _table_lines(problem, tables))


def _searched(problem: Problem, claim: Cost | None, tables: list[Table], seconds: float, limits: Limits) -> Found:
    learned = search(problem, claim, tables, limits, seconds)
    _no_plan(learned.searched.plan)
    first, *others = [_table_lines(problem, terms) for terms in learned.sums]
    lines = [*first, *(line for several in others for line in (SUM, *several))]
    return Found(SEARCH, (learned.searched.states,), tuple(lines))


def _no_plan(plan: Cost | None) -> None:
    if plan is not None:
        raise CheaperPlanError(f"the checker of certificates finds a plan of {','.join(map(str, plan))}")


def _table_lines(problem: Problem, tables: list[Table]) -> tuple[str, ...]:
    return tuple(
        f"table {','.join(problem.names[x] for x in variables)} "
        + " ".join("-" if number == inf else str(number) for number in numbers.values())
        for variables, numbers in tables
    )


PATIENCE = 10.0
"""Seconds within which pairs of values have to be found; else a formula says nothing of them."""

MOST_PAIRS = 20_000
"""Pairs of values that are never reached together, from which on a formula says nothing of them."""

UNLIMITED = Limits(None, None)


@dataclass
class Search:
    """The evidence for a claim of one count, as far as it has been found. `packed`: the problem's text, compressed.
    `lines`: of claim.txt.
    """

    packed: bytes
    claim: int
    lines: list[str] = field(default_factory=list)

    def problem(self, limits: Limits = UNLIMITED) -> Problem:
        """The problem, read anew."""
        return read(zlib.decompress(self.packed).decode(), limits)

    def formula(self, problem: Problem, limits: Limits = UNLIMITED) -> Formula:
        """The checker's formula with the evidence."""
        told = [HEAD, f"{OPTIMUM} {self.claim}", f"by {REFUTATION} 0 0", *self.lines, ""]
        return formula_of(read_claim(problem, "\n".join(told), limits), limits, LAYERS)

    def made(self) -> tuple[int, list[Clause]]:
        """The clauses for the first time, with those about pairs if they are found soon, and are few."""
        problem = self.problem()
        with suppress(Stopped):
            pairs = ReachedPairs(problem, Limits(PATIENCE, None)).clauses()
            self.lines += [PAIRS] if len(list(islice(pairs, MOST_PAIRS))) < MOST_PAIRS else []
        return self._clauses(problem)

    def without_tables(self, _true: set[int]) -> tuple[int, list[Clause]] | None:
        """The clauses where those with tables have a solution; None if there are no tables. Tables count for each
        action the most by which it lowers the bound, so actions of several costs may seem cheaper than they are.
        """
        lines = [line for line in self.lines if not line.startswith("table")]
        if len(lines) == len(self.lines):
            return None
        self.lines = lines
        return self._clauses(self.problem())

    def _clauses(self, problem: Problem) -> tuple[int, list[Clause]]:
        formula = self.formula(problem)
        return formula.variables, list(formula.clauses())


def _search(problem: Problem, text: str, claim: Cost, tables: list[Table]) -> Search:
    """What a refutation begins with. Raises `Unsupported` if clauses cannot show the claim."""
    if len(claim) > 1 or not claim[0]:
        raise Unsupported("clauses exclude plans below a cost of one count")
    least = bound(tables, problem.start.__getitem__)
    lines = _table_lines(problem, tables) if least >= TABLES_FROM * claim[0] else ()
    if not lines and (form := _form(problem)):
        lines = (form,)
    search = Search(zlib.compress(text.encode()), claim[0], list(lines))
    search.formula(problem)  # raises `Unsupported` where it would have too many clauses
    return search


def _form(problem: Problem) -> str:
    """The word of the formula that is refuted soonest, empty if it is the core's."""
    if not change_one_each(problem) or _says_less(problem):
        return ""
    return "parallel" if len({min(action.effects) for action in problem.actions}) >= MANY else "changes"


def _says_less(problem: Problem) -> bool:
    """Whether clauses about changes allow more than the actions do: two actions with different needs lead from one
    value of a variable to another, or one needs a clause with the variable that it changes.
    """
    ways: dict[tuple[int, int, int], set[Literals]] = {}
    for action in problem.actions:
        ((x, ((_, to),)),) = action.effects.items()
        needs = {part for part in action.needs if all(y != x for y, _ in part)}
        if any(len(part) > 1 and y == x for part in action.needs for y, _ in part):
            return True
        own = problem.allowed(action.needs, x)
        for i in range(len(problem.domains[x])):
            if own >> i & 1 and i != to and ways.setdefault((x, i, to), needs) != needs:
                return True
    return False


def _refuted(search: Search, ready: Refutation, budget: Budget) -> Found:
    search = getattr(ready.refined, "__self__", search)  # with the lines that it had in the end
    if ready.satisfiable:
        raise CheaperPlanError(f"a plan that costs less than {search.claim} satisfies the clauses of the checker")
    if ready.proof is None:
        raise Stopped(f"the clauses were not refuted: {ready.stopped_by}")
    limits = limits_of(budget)
    formula = search.formula(search.problem(limits), limits)
    return Found(REFUTATION, (formula.variables, sum(1 for _ in formula.clauses())), tuple(search.lines), ready.proof)


def _unreached(problem: Problem, limits: Limits) -> bool:
    """Whether pairs of values tell within some time that the goal is out of reach."""
    with suppress(Stopped):
        return ReachedPairs(problem, limits).exclude(problem.goal)
    return False


# A refutation of the clauses about where a plan ends (`proofs/end_state_formula.py`), with the cuts that it needs.
#
# The list of cuts begins empty. While a solver finds values that satisfy the clauses, the edges that are there make
# several loops, each of which gives a cut; and it begins again.


@dataclass
class _Ends:
    """The clauses, as they are made in the process that refutes them."""

    text: str
    claim: Cost
    metric: str
    cuts: list[Cut] = field(default_factory=list)

    def ends(self) -> Endings:
        limits = Limits(None, None)
        return endings(puzzle_of(self.text, PUZZLE, limits), self.claim, self.metric, self.cuts, limits)

    def made(self) -> tuple[int, list[Clause]]:
        ends = self.ends()
        return ends.variables, ends.clauses

    def with_cuts(self, true: set[int]) -> tuple[int, list[Clause]] | None:
        """The clauses with the cuts that forbid a solution; None if there are none."""
        for edges in self.ends().loops:
            parts = _parts([edge for edge in edges if edge[0] in true])
            if len(parts) > 1:
                self.cuts += [tuple(sorted(part)) for part in parts]
                return self.made()
        return None


def refuted_endings(puzzle: Puzzle, claim: Cost | None, metric: str, text: str, budget: Budget) -> Found:
    """A refutation of the clauses about where plans cheaper than a claim end. `text`: of the puzzle, in the form of
    certificates. Raises `Unsupported` where they cannot be made, or do not show the claim, and `Stopped` at a limit.
    """
    if claim is None or not one_change_each(puzzle, metric):
        raise Unsupported("they are for plans of a cost whose actions set one value each")
    ensure_kernels(budget=budget)
    ends = _Ends(text, claim, metric)
    ready = refute(ends.made, budget, ends.with_cuts)
    if ready.satisfiable:
        raise Unsupported("values of a cheaper end satisfy them")
    if ready.proof is None:
        raise Stopped(f"the clauses were not refuted: {ready.stopped_by}")
    cuts = getattr(ready.refined, "__self__", ends).cuts
    made = endings(puzzle, claim, metric, cuts, limits_of(budget))
    lines = tuple(f"{CUT}{','.join(cut)}" for cut in cuts)
    return Found(ENDINGS, (made.variables, len(made.clauses)), lines, ready.proof)


def _parts(edges: list[Edge]) -> list[set[str]]:
    """The nodes of edges, in sets that no edge joins."""
    parts: list[set[str]] = []
    for _, a, b in edges:
        joined = [part for part in parts if a in part or b in part]
        parts = [part for part in parts if part not in joined] + [{a, b}.union(*joined)]
    return parts
