"""What a refutation is made from, in the process that refutes: clauses, invariants, and the areas that are needed."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import cycle

from ...encoders.exports.problem_writing import State, after, clause_text, holds
from ...engines.common.refutation import packed
from ...proofs.core.check import formula_of
from ...proofs.core.claim import HEAD, OPTIMUM, REFUTATION, Claim, read_claim, refuted
from ...proofs.core.claim import kept as is_kept
from ...proofs.core.formula import Clause, Formula
from ...proofs.core.limits import Limits, Stopped
from ...proofs.core.problem import Action, Literals, Problem, read
from ...proofs.one_variable_formula import LAYERS
from .invariants import Reached

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


# The areas that a refutation needs where something walks: found by what the clauses without them allow.
#
# The checker's clauses say of a walk only that the walker leaves an area by a walk that is possible, for the areas of
# a list. So the list begins with the areas that one closed *gate* makes (what a walk needs of other variables: no box
# on the cell), a solver looks for a plan below the claim, and where its walker came to a place that it cannot walk
# to, an area that forbids it is added; and again, until the clauses are refuted.

NO_GATE = -1
FIRST_AREAS = 400
"""Values of the walker times gates from which on the list begins empty."""


class Walks:
    """Where the walker of a problem can walk. A gate is the first need of a walk that says nothing of the walker: the
    checker looks at no other."""

    def __init__(self, problem: Problem, walk: int) -> None:
        self.problem, self.walk = problem, walk
        self.actions = [action for action in problem.actions if action.cost[0] == 0]
        self.gates: list[Literals] = []
        self.ways: list[list[tuple[int, int]]] = [[] for _ in problem.domains[walk]]  # by value: gate, value after
        number: dict[Literals, int] = {}
        for action in self.actions:
            gate = next((part for part in action.needs if all(x != walk for x, _ in part)), None)
            if gate is not None and gate not in number:
                number[gate] = len(self.gates)
                self.gates.append(gate)
            [(_, to)] = action.effects[walk]
            units = [part[0][1] for part in action.needs if len(part) == 1 and part[0][0] == walk]
            for i, ways in enumerate(self.ways):
                if i != to and all(mask >> i & 1 for mask in units):
                    ways.append((NO_GATE if gate is None else number[gate], to))

    def area(self, value: int, closed: Collection[int]) -> int:
        """The values that the walker can come to if these gates are closed and all others open."""
        seen, todo = 1 << value, [value]
        while todo:
            for gate, to in self.ways[todo.pop()]:
                if gate not in closed and not seen >> to & 1:
                    seen |= 1 << to
                    todo.append(to)
        return seen

    def first(self) -> list[int]:
        """The areas that a single closed gate makes."""
        if len(self.ways) * len(self.gates) > FIRST_AREAS:
            return []
        areas = dict[int, None]()
        for i in range(len(self.ways)):
            whole = self.area(i, ())
            for gate in range(len(self.gates)):
                area = self.area(i, (gate,))
                if area != whole:
                    areas[area] = None
        return list(areas)

    def forbidding(self, came: State, walked: int) -> list[int] | None:
        """Areas that forbid a walk from a state to a value of the walker: with few closed gates, as these forbid more.
        Empty if the walk is possible; None if it is not, and no area says so."""
        closed = {gate for gate, needs in enumerate(self.gates) if not holds(came, (needs,))}
        value = came[self.walk]
        if self.area(value, closed) >> walked & 1:
            return None if walked not in self._walked(came) else []
        areas = []
        for order in (sorted(closed), sorted(closed, reverse=True)):
            kept = set(closed)
            for gate in order:
                if not self.area(value, kept - {gate}) >> walked & 1:
                    kept.remove(gate)
            areas.append(self.area(value, kept))
        return areas

    def _walked(self, state: State) -> set[int]:
        seen, todo = {state}, [state]
        while todo:
            here = todo.pop()
            for action in self.actions:
                if holds(here, action.needs) and (there := after(here, action)) not in seen:
                    seen.add(there)
                    todo.append(there)
        return {there[self.walk] for there in seen}


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
            reached = Reached(problem, Limits(PATIENCE, None))
            search.keepers = kept_by_all(problem, reached.clauses(), Limits(PATIENCE, None))
            search.lines += invariant_lines(problem, clauses_for(search.keepers, reached.pairs()))
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
        new_areas = dict[int, None]()
        search.open = False
        if formula.walk is not None:
            walks = Walks(problem, formula.walk)
            for t in range(formula.steps + 1):
                areas = walks.forbidding(*_layer(formula, true, t))
                search.open |= areas is None
                new_areas |= dict.fromkeys(area for area in areas or () if area not in claim.areas)
            search.lines += area_lines(problem, formula.walk, list(new_areas))
        if not new_areas and not claim.tables:
            return None
        if not new_areas:
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
        return any(all(not mask & ~wide for (_, mask), (_, wide) in zip(keeper, pair, strict=True)) for keeper in same)

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


# Evidence that a proof does not use goes, and the proof's identifiers of clauses follow.
#
# A proof that has been trimmed names the clauses that it uses, and with them the invariants and areas. An invariant
# that stays may need others to be kept by each action: these stay as well.


def pruned(search: Search, proof: bytes, limits: Limits) -> tuple[Search, bytes]:
    """The same refutation with the evidence that is needed, and its proof (both compressed with xz)."""
    problem = search.problem(limits)
    formula, claim = search.formula(problem, limits)
    others = [line for line in search.lines if not line.startswith(("invariant", "area"))]
    bare = list(Search(search.packed, search.claim, others).formula(problem, limits)[0].clauses())
    clauses = list(formula.clauses())
    steps = lzma.decompress(proof).split(b"\n")
    used = {hint for line in steps for hint in _hints(line) if hint <= len(clauses)}
    invariants, areas = set[Literals](), set[int]()
    labels = _labels(formula)
    beside = _beside(clauses, bare)
    for number, (kind, index) in zip(beside, cycle(labels), strict=False):
        if number in used and kind == "area":
            areas.add(claim.areas[index])
        elif number in used:
            invariants.add(claim.invariants[index])
    every = list(dict.fromkeys([*claim.invariants, *search.keepers]))
    invariants = with_what_keeps_them(problem, invariants, every, limits)
    lines = others + invariant_lines(problem, sorted(invariants))
    if formula.walk is not None:
        lines += area_lines(problem, formula.walk, [area for area in claim.areas if area in areas])
    smaller = Search(search.packed, search.claim, lines)
    fewer = list(smaller.formula(problem, limits)[0].clauses())
    names = _names(clauses, beside, fewer, _beside(fewer, bare))
    shift = len(clauses) - len(fewer)
    text = b"\n".join(_renamed(line, names, shift) for line in steps)
    return smaller, packed(text)


def _labels(formula: Formula) -> list[tuple[str, int]]:
    """For each clause of a layer that is there because of an invariant or an area, which of them."""
    labels = []
    for index, part in enumerate(formula.claim.invariants):
        labels += [("invariant", index)] * (2 if any(x == formula.walk for x, _ in part) else 1)
    for index, area in enumerate(formula.claim.areas):
        labels += [("area", index)] * area.bit_count()
    return labels


def _beside(clauses: list[Clause], bare: list[Clause]) -> list[int]:
    """The numbers (from 1) of the clauses that are not among the bare ones, which are in the same order."""
    beside, at = [], 0
    for number, clause in enumerate(clauses, 1):
        if at < len(bare) and clause == bare[at]:
            at += 1
        else:
            beside.append(number)
    return beside


def _names(old: list[Clause], old_beside: list[int], new: list[Clause], new_beside: list[int]) -> list[int]:
    """For the number of each clause the number of the same one in another formula, or 0. Those that are not beside the
    bare ones are the same in both, in order."""
    names, here, there = [0] * (len(old) + 1), set(old_beside), set(new_beside)
    bare = (number for number in range(1, len(new) + 1) if number not in there)
    same = {new[number - 1]: number for number in new_beside}
    for number, clause in enumerate(old, 1):
        names[number] = same.get(clause, 0) if number in here else next(bare)
    return names


def _hints(line: bytes) -> list[int]:
    if not line or b" d " in line:
        return []
    return list(map(int, line.split(b" 0 ", 1)[1].split()[:-1]))


def _renamed(line: bytes, names: list[int], shift: int) -> bytes:
    """A step of a proof with new identifiers: `names` for the clauses of the formula, others less by `shift`."""
    if not line:
        return line
    words = line.split(b" ")
    ends = 1 if words[1] == b"d" else words.index(b"0")

    def name(word: bytes) -> bytes:
        number = int(word)
        return b"%d" % (names[number] if number < len(names) else number - shift)

    return b" ".join([name(words[0]), *words[1 : ends + 1], *map(name, words[ends + 1 : -1]), b"0"])
