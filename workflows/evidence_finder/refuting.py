"""What a refutation is made from, in the process that refutes: clauses, tables and invariants."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

from ...encoders.exports.problem_writing import clause_text
from ...engines.common.refutation import packed
from ...proofs.core.check import formula_of
from ...proofs.core.claim import HEAD, OPTIMUM, PROOF, REFUTATION, Claim, read_claim, refuted
from ...proofs.core.claim import kept as is_kept
from ...proofs.core.formula import Clause, Formula, shifted
from ...proofs.core.limits import Limits, Stopped
from ...proofs.core.lrat import lines_of, parse
from ...proofs.core.problem import Action, Literals, Problem, read
from ...proofs.one_variable_formula import LAYERS
from ...proofs.state_classes import ReachedPairs, numbers_in

# Invariants of a problem: pairs of values that are never reached together, by h^2 (Haslum, Geffner 2000), as clauses.
#
# What is reached is found by the checker's `ReachedPairs`. The pairs that are never reached never occur together. That
# is inductive: before an action only reached pairs occur, so after it, too; and unit propagation, by which the checker
# looks at invariants, concludes as much.


class PairInvariants:
    """The invariants that exclude pairs of values. `possible`: for each variable the values that are ever reached."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits, self.reached = problem, limits, ReachedPairs(problem, limits)
        self.possible = [
            sum(1 << i for i in range(len(domain)) if self.reached.beside[first + i])
            for first, domain in zip(self.reached.first, problem.domains, strict=True)
        ]

    def clauses(self) -> list[Literals]:
        """Clauses that exclude all pairs that are not reached, several at once where that is possible."""
        result = self._possible()
        for x, y in self._variables():
            for some, others in set(self._blocks(x, y)):
                # Values that never occur go with both: the checker does not look at every clause of one literal.
                for mask, other in product(self._but(x, some), self._but(y, others)):
                    result[(x, mask), (y, other)] = None
        return sorted(result)

    def pairs(self) -> list[Literals]:
        """The invariants that two things never hold together, each pair as a clause of its own."""
        result, full = self._possible(), self.problem.full
        for x, y in self._variables():
            for i, excluded in enumerate(self._excluded(x, y)):
                for j in numbers_in(excluded):
                    result[(x, full(x) & ~(1 << i)), (y, full(y) & ~(1 << j))] = None
        return sorted(result)

    def _possible(self) -> dict[Literals, None]:
        """For each variable some of whose values are never reached, the clause that excludes them."""
        full = self.problem.full
        return {((x, mask),): None for x, mask in enumerate(self.possible) if mask != full(x)}

    def _variables(self) -> Iterator[tuple[int, int]]:
        for y in range(len(self.possible)):
            for x in range(y):
                self.limits.tick(len(self.problem.domains[x]))
                yield x, y

    def _excluded(self, x: int, y: int) -> list[int]:
        """For each value of x the values of y that are reached, but never with it; of a value that is never reached
        itself none."""
        first = self.reached.first
        rows = [self.reached.beside[first[x] + i] >> first[y] for i in range(len(self.problem.domains[x]))]
        return [self.possible[y] & ~row if self.possible[x] >> i & 1 else 0 for i, row in enumerate(rows)]

    def _blocks(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        """Values of x and values of y of which no two occur together, as large as possible: for each value of x those
        that go with all values of y that it excludes, and the other way round."""
        out = self._excluded(x, y)
        for others in out:
            if others:
                yield sum(1 << i for i, mask in enumerate(out) if not others & ~mask), others
        for j in range(len(self.problem.domains[y])):
            some = sum(1 << i for i, mask in enumerate(out) if mask >> j & 1)
            if some:
                others = self.possible[y]
                for i in numbers_in(some):
                    others &= out[i]
                yield some, others

    def _but(self, x: int, excluded: int) -> list[int]:
        """The values of a variable but those that are excluded; of each alone, if these are all that ever occur."""
        others = self.possible[x] & ~excluded
        return [others] if others else [self.problem.full(x) & ~(1 << i) for i in numbers_in(excluded)]


# Which invariants are kept by all actions, and which of them one needs for that: both as the checker sees it.


class Changers:
    """The actions of a problem that may end an invariant: those that change one of its variables."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.of: dict[int, list[int]] = {}
        for a, action in enumerate(problem.actions):
            for x in action.effects:
                self.of.setdefault(x, []).append(a)

    def __call__(self, clause: Literals) -> Iterator[Action]:
        for a in sorted({a for x, _ in clause for a in self.of.get(x, ())}):
            yield self.problem.actions[a]


def kept_by_all(problem: Problem, invariants: list[Literals], limits: Limits) -> list[Literals]:
    """Those of some clauses that the checker sees to be invariants, together.

    Where actions have neither conditional effects nor needs that are clauses, h^2 and the checker conclude the same; so
    at first only the others are looked at, and all of them once something is gone.
    """
    changers, simple = Changers(problem), {id(action): _is_simple(action) for action in problem.actions}
    every = False
    while True:
        near, gone = _near(invariants), set[Literals]()
        for clause in invariants:
            for action in changers(clause):
                if (every or not simple[id(action)]) and not is_kept(problem, clause, action, near, limits):
                    gone.add(clause)
                    break
        if not gone:
            return invariants
        invariants, every = [clause for clause in invariants if clause not in gone], True


def _is_simple(action: Action) -> bool:
    return all(len(part) == 1 for part in action.needs) and not any(some[0][0] for some in action.effects.values())


def with_what_keeps_them(
    problem: Problem, wanted: set[Literals], invariants: list[Literals], limits: Limits
) -> set[Literals]:
    """Some of the invariants with those others without which an action might end them."""
    changers = Changers(problem)
    kept, todo = set(wanted), sorted(wanted)
    near = _near(invariants)
    while todo:
        clause = todo.pop()
        for action in changers(clause):
            here = [invariant for invariant in _near_all(clause, action, near) if invariant in kept]
            if is_kept(problem, clause, action, _near(here), limits):
                continue
            more = [invariant for invariant in _near_all(clause, action, near) if invariant not in kept]

            def enough(some: list[Literals], of=(clause, action, here)) -> bool:  # type: ignore[no-untyped-def]
                return is_kept(problem, of[0], of[1], _near(of[2] + some), limits)

            for invariant in _fewest(more, enough):
                kept.add(invariant)
                todo.append(invariant)
    return kept


def _near(invariants: list[Literals]) -> dict[int, list[Literals]]:
    near: dict[int, list[Literals]] = {}
    for clause in invariants:
        for x, _ in clause:
            near.setdefault(x, []).append(clause)
    return near


def _near_all(clause: Literals, action: Action, near: dict[int, list[Literals]]) -> list[Literals]:
    """The invariants that the checker looks at: those with a variable that the clause, or the action in what concerns
    it, speaks of."""
    variables = {x for part in (*action.needs, clause) for x, _ in part}
    variables |= {y for x, _ in clause for when, _ in action.effects.get(x, ()) for y, _ in when}
    return list({other: None for x in sorted(variables) for other in near.get(x, ())})


def with_what_contradicts_the_goal(problem: Problem, invariants: list[Literals], limits: Limits) -> list[Literals]:
    """Few of the invariants that contradict the goal, with what keeps them."""
    wanted = _fewest(invariants, lambda some: refuted(problem, [*some, *problem.goal], limits))
    kept = with_what_keeps_them(problem, set(wanted), invariants, limits)
    return [invariant for invariant in invariants if invariant in kept]


def _fewest(more: list[Literals], enough: Callable[[list[Literals]], bool]) -> list[Literals]:
    """A smallest part of `more` that is enough: halves, quarters, ... of it are left out in turn."""
    size = max(1, len(more) // 2)
    while True:
        at = 0
        while at < len(more):
            fewer = more[:at] + more[at + size :]
            if enough(fewer):
                more = fewer
            else:
                at += size
        if size == 1:
            return more
        size //= 2


PATIENCE = 10.0
"""Seconds within which the invariants have to be found; else there are none."""

MOST_PAIRS = 20_000
"""Pairs of values from which on the formula excludes several at once."""

UNLIMITED = Limits(None, None)


@dataclass
class Search:
    """The evidence for a claim of one count, as far as it has been found. `packed`: the problem's text, compressed.
    `lines`: of claim.txt; `keepers`: invariants that keep those of the lines.
    """

    packed: bytes
    claim: int
    lines: list[str] = field(default_factory=list)
    keepers: list[Literals] = field(default_factory=list)

    def problem(self, limits: Limits = UNLIMITED) -> Problem:
        """The problem, read anew."""
        return read(zlib.decompress(self.packed).decode(), limits)

    def formula(self, problem: Problem, limits: Limits = UNLIMITED) -> tuple[Formula, Claim]:
        """The checker's formula with the evidence, and the evidence as the checker reads it."""
        told = [HEAD, f"{OPTIMUM} {self.claim}", f"by {REFUTATION} 0 0", *self.lines, ""]
        claim = read_claim(problem, "\n".join(told), limits)
        return formula_of(claim, limits, LAYERS), claim

    def made(self) -> tuple[int, list[Clause]]:
        """The clauses for the first time, with all invariants that are found."""
        problem = self.problem()
        try:
            reached = PairInvariants(problem, Limits(PATIENCE, None))
            self.keepers = kept_by_all(problem, reached.clauses(), Limits(PATIENCE, None))
            self.lines += invariant_lines(problem, clauses_for(self.keepers, reached.pairs()))
        except Stopped:
            self.keepers = []
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
        formula, _ = self.formula(problem)
        return formula.variables, list(formula.clauses())


def invariants_of(problem: Problem, limits: Limits) -> list[Literals]:
    """The invariants that are found and that the checker accepts. Raises `Stopped`."""
    return kept_by_all(problem, PairInvariants(problem, limits).clauses(), limits)


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
        return any(all(not mask & ~wide for (_, mask), (_, wide) in zip(keeper, pair, strict=True)) for keeper in same)

    return [pair for pair in pairs if implied(pair)]


def invariant_lines(problem: Problem, invariants: list[Literals]) -> list[str]:
    """Invariants as claim.txt has them."""
    return [f"invariant {clause_text(problem, clause)}" for clause in invariants]


# Invariants that a proof does not use go, and the proof's identifiers of clauses follow.
#
# A proof that has been trimmed names the clauses that it uses, and with them the invariants. An invariant that stays
# may need others to be kept by each action: these stay as well.


def pruned(search: Search, proof: bytes, limits: Limits) -> tuple[Search, bytes]:
    """The same refutation with the invariants that are needed, and its proof (both compressed with xz)."""
    problem = search.problem(limits)
    formula, claim = search.formula(problem, limits)
    clauses = list(formula.clauses())
    used = {hint for line in lines_of(proof, limits, PROOF) for hint in parse(line)[2] if hint <= len(clauses)}
    asked = {clauses[number - 1] for number in used}
    wanted = {part for part in claim.invariants if not asked.isdisjoint(_in_layers(formula, part, limits))}
    every = list(dict.fromkeys([*claim.invariants, *search.keepers]))
    needed = with_what_keeps_them(problem, wanted, every, limits)
    others = [line for line in search.lines if not line.startswith("invariant")]
    smaller = Search(search.packed, search.claim, others + invariant_lines(problem, sorted(needed)))
    fewer = list(smaller.formula(problem, limits)[0].clauses())
    number = {clause: place for place, clause in enumerate(fewer, 1) if clause in asked}
    shift = len(clauses) - len(fewer)
    text = list[str]()
    for step, literals, names in map(parse, lines_of(proof, limits, PROOF)):
        new = [number[clauses[name - 1]] if name <= len(clauses) else name - shift for name in names]
        text.append(" ".join(map(str, (step - shift, *("d" if literals is None else (*literals, 0)), *new, 0))))
    return smaller, packed("".join(f"{line}\n" for line in text).encode())


def _in_layers(formula: Formula, invariant: Literals, limits: Limits) -> Iterator[Clause]:
    """The clauses that say in each layer of a formula that an invariant holds."""
    clause = tuple(formula.within(invariant, formula.now))
    for t in range(formula.steps + 1):
        yield from shifted([clause], t * formula.stride, limits)
