"""A second reader and interpreter of problem texts and claims, written from their description and not from the core.

Values are words here, sets are frozensets, and what is canonical is checked rule by rule instead of by writing again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise, product

NAME = re.compile(r"[A-Za-z0-9_.:+*#@$/-]+")
NATURAL = re.compile(r"0|[1-9][0-9]{0,18}")
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")
BELOW = 2**62

Part = tuple[int, frozenset[str]]
"""A literal: the place of a variable, and its values."""
Words = tuple[str, ...]
Cost = tuple[int, ...]


class Refused(Exception):
    """The text is not one of the language."""


def want(true: bool) -> None:
    """Refuse the text unless something is so."""
    if not true:
        raise Refused


@dataclass
class Step:
    """An action: effects are a variable's place, a condition, and the new value."""

    name: str
    cost: Cost
    needs: list[tuple[Part, ...]]
    effects: list[tuple[int, tuple[Part, ...], str]]


@dataclass
class Game:
    """A problem."""

    counts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    domains: list[list[str]] = field(default_factory=list)
    start: Words = ()
    goal: list[tuple[Part, ...]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def literal(self, word: str, strict: bool = True) -> Part:
        """A literal; `strict`: in the one way in which a problem has it."""
        found = re.fullmatch(r"([^=!]+)(!?)=([^=!]+)", word)
        want(found is not None and found[1] in self.places)
        assert found is not None
        x, values = self.places[found[1]], found[3].split(",")
        domain = self.domains[x]
        want(all(value in domain for value in values))
        meant = frozenset(domain) - frozenset(values) if found[2] else frozenset(values)
        want(0 < len(meant) < len(domain))
        if strict:
            want(values == [value for value in domain if value in set(values)])
            want(2 * len(meant) > len(domain) if found[2] else 2 * len(meant) <= len(domain))
        return x, meant

    def literals(self, word: str, sign: str, strict: bool = True) -> tuple[Part, ...]:
        """Literals with a sign between them, by variable."""
        parts = [self.literal(one, strict) for one in word.split(sign)]
        want(not strict or all(a[0] < b[0] for a, b in pairwise(parts)))
        want(len({x for x, _ in parts}) == len(parts))
        return tuple(sorted(parts, key=lambda part: part[0]))

    def key(self, parts: tuple[Part, ...]) -> list[tuple[int, int]]:
        """What literals are sorted by: the variables, and the values as binary digits."""
        return [(x, sum(2**i for i, value in enumerate(self.domains[x]) if value in values)) for x, values in parts]

    def clauses(self, words: list[str]) -> list[tuple[Part, ...]]:
        """Clauses, sorted and none twice."""
        result = [self.literals(word, "|") for word in words]
        want(all(self.key(a) < self.key(b) for a, b in pairwise(result)))
        return result

    def step(self, words: list[str]) -> Step:
        """An action's line, without `act`."""
        want(len(words) >= 4 and NAME.fullmatch(words[0]) is not None)
        cost = words[1].split(",")
        want(len(cost) == len(self.counts) and all(NATURAL.fullmatch(n) and int(n) < BELOW for n in cost))
        want("then" in words[2:])
        then = words.index("then", 2)
        needs = self.clauses(words[3:then]) if then > 2 else []
        want(then == 2 or (words[2] == "if" and bool(needs)))
        effects: list[tuple[int, tuple[Part, ...], str]] = []
        spans: dict[int, list[str]] = {}
        last = -1
        for word in words[then + 1 :]:
            if "<" in word:
                want(word.count("<") == 1)
                x, y = (self.places.get(name, -1) for name in word.split("<"))
                want(x >= 0 and y >= 0 and x != y and set(self.domains[y]) <= set(self.domains[x]))
                effects += [(x, ((y, frozenset([value])),), value) for value in self.domains[y]]
            else:
                head, *tail = word.split("?")
                want(len(tail) < 2 and head.count("=") == 1)
                name, value = head.split("=")
                want(name in self.places)
                x = self.places[name]
                want(value in self.domains[x])
                effects.append((x, self.literals(tail[0], "&") if tail else (), value))
            want(x >= last)
            last = x
            spans.setdefault(x, []).append(word)
        want(bool(effects))
        for x, told in spans.items():
            own = [(when, value) for y, when, value in effects if y == x]
            for i, (one, _) in enumerate(own):
                for other, _ in own[:i]:
                    want(any(a == b and not some & more for a, some in one for b, more in other))
            if len(told) == 1 and "<" in told[0]:
                continue
            want(not any("<" in word for word in told))
            keys = [(self.key(when), self.domains[x].index(value)) for when, value in own]
            want(keys == sorted(keys))
            sources = {when[0][0] for when, _ in own if len(when) == 1 and len(when[0][1]) == 1}
            for y in sources - {x}:  # what a copy says is written as a copy
                copy = [(((y, frozenset([value])),), value) for value in self.domains[y]]
                want(sorted(map(repr, copy)) != sorted(map(repr, own)))
        return Step(words[0], tuple(map(int, cost)), needs, effects)

    # What it means

    @staticmethod
    def holds(state: Words, clauses: list[tuple[Part, ...]]) -> bool:
        """Whether a literal of each clause is true."""
        return all(any(state[x] in values for x, values in clause) for clause in clauses)

    @staticmethod
    def after(state: Words, step: Step) -> Words:
        """The state after an action."""
        new = list(state)
        for x, when, value in step.effects:
            if all(state[y] in values for y, values in when):
                new[x] = value
        return tuple(new)

    def replayed(self, plan: list[str]) -> Cost | None:
        """What a plan costs; None if it is none."""
        by_name, state, cost = {step.name: step for step in self.steps}, self.start, (0,) * len(self.counts)
        for name in plan:
            if name not in by_name or not self.holds(state, by_name[name].needs):
                return None
            cost = tuple(a + b for a, b in zip(cost, by_name[name].cost, strict=True))
            state = self.after(state, by_name[name])
        return cost if self.holds(state, self.goal) else None

    def search(
        self, start: Words | None = None, *, whole: bool = True
    ) -> tuple[dict[Words, Cost], tuple[Cost, list[str]] | None]:
        """All states that can be reached, with their least cost; and the optimum with a plan. Not `whole`: the search
        ends at the optimum."""
        start = start or self.start
        zero = (0,) * len(self.counts)
        cost: dict[Words, Cost] = {start: zero}
        came: dict[Words, tuple[Words, str]] = {}
        queue, done, best = [(zero, start)], set[Words](), None
        while queue:
            now, state = heappop(queue)
            if state in done:
                continue
            done.add(state)
            if best is None and self.holds(state, self.goal):
                plan, at = list[str](), state
                while at != start:
                    at, name = came[at]
                    plan.insert(0, name)
                best = now, plan
                if not whole:
                    break
            for step in self.steps:
                if self.holds(state, step.needs):
                    then = self.after(state, step)
                    total = tuple(a + b for a, b in zip(now, step.cost, strict=True))
                    if then not in cost or total < cost[then]:
                        cost[then], came[then] = total, (state, step.name)
                        heappush(queue, (total, then))
        return cost, best

    def all_states(self) -> list[Words]:
        """All combinations of values."""
        return list(product(*self.domains))


def read_game(text: str) -> Game:
    """A problem's text. Raises `Refused`."""
    want(text.isascii() and text.endswith("\n"))
    head, *lines = text[:-1].split("\n")
    want(head == "budge problem 1")
    order = ["count", "var", "start", "goal", "act"]
    rows = [line.split(" ") for line in lines]
    want(all(row[0] in order for row in rows))
    places = [order.index(row[0]) for row in rows]
    want(places == sorted(places) and places.count(0) == 1 == places.count(2) and 1 in places)
    game = Game()
    for kind, *words in rows:
        if kind == "count":
            want(len(words) in (1, 2) and len(set(words)) == len(words) and all(map(NAME.fullmatch, words)))
            game.counts = words
        elif kind == "var":
            want(all(map(NAME.fullmatch, words)) and 3 <= len(words) <= 4097)
            want(len(set(words[1:])) == len(words) - 1 and words[0] not in game.places)
            game.places[words[0]] = len(game.domains)
            game.domains.append(words[1:])
        elif kind == "start":
            want(len(words) == len(game.domains))
            want(all(word in domain for word, domain in zip(words, game.domains, strict=True)))
            game.start = tuple(words)
        elif kind == "act":
            game.steps.append(game.step(words))
    game.goal = game.clauses([" ".join(words) for kind, *words in rows if kind == "goal"])
    want(len({step.name for step in game.steps}) == len(game.steps))
    return game


@dataclass
class Told:
    """What a claim says."""

    says: str
    below: Cost | None
    kind: str
    numbers: tuple[int, ...]
    form: str = ""
    pairs: bool = False
    tables: list[tuple[tuple[int, ...], dict[Words, int | None]]] = field(default_factory=list)


def read_told(game: Game, text: str) -> Told:
    """A claim's text. Raises `Refused`."""
    want(text.isascii() and text.endswith("\n"))
    lines = text[:-1].split("\n")
    want(len(lines) >= 3 and lines[0] == "budge claim 1")
    says, *cost = lines[1].split(" ")
    want((says in ("optimum", "at-least") and len(cost) == 1) or (says == "unsolvable" and not cost))
    numbers = cost[0].split(",") if cost else []
    want(not cost or len(numbers) == len(game.counts))
    by, *kind = lines[2].split(" ")
    want(bool(kind))
    want(by == "by" and {"refutation": 2, "exhaustion": 1, "pairs": 0}.get(kind[0], -1) == len(kind) - 1)
    want(all(NATURAL.fullmatch(n) and int(n) < BELOW for n in (*numbers, *kind[1:])))
    told = Told(says, tuple(map(int, numbers)) if cost else None, kind[0], tuple(map(int, kind[1:])))
    for line in lines[3:]:
        word, *rest = line.split(" ")
        if word in ("changes", "parallel"):
            want(not rest)
            told.form = word
        elif word == "pairs":
            want(not rest)
            told.pairs = True
        else:
            want(word == "table" and bool(rest))
            names = rest[0].split(",")
            want(all(name in game.places for name in names) and len(set(names)) == len(names))
            variables = tuple(game.places[name] for name in names)
            keys = list(product(*(game.domains[x] for x in variables)))
            want(len(keys) == len(rest) - 1)
            want(all(n == "-" or (WHOLE.fullmatch(n) and abs(int(n)) < BELOW) for n in rest[1:]))
            values = [None if n == "-" else int(n) for n in rest[1:]]
            told.tables.append((variables, dict(zip(keys, values, strict=True))))
    return told


def bound(told: Told, state: Words) -> int | None:
    """The sum of the tables' numbers; None where one says `-`."""
    numbers = [table[tuple(state[x] for x in variables)] for variables, table in told.tables]
    return None if None in numbers else sum(number for number in numbers if number is not None)


def model(clauses: list[tuple[int, ...]], true: list[int]) -> set[int] | None:
    """The true variables of a solution in which some literals are true, by CaDiCaL, or CP-SAT where that is missing."""
    try:
        from pysat.solvers import Solver
    except ImportError:
        return _by_cp_sat([*clauses, *((x,) for x in true)])
    if not all(clauses):
        return None
    with Solver(name="cadical153", bootstrap_with=clauses) as solver:
        return set(solver.get_model() or []) if solver.solve(assumptions=true) else None


def _by_cp_sat(clauses: list[tuple[int, ...]]) -> set[int] | None:
    from ortools.sat.python import cp_model

    made = cp_model.CpModel()
    variables = {x: made.new_bool_var(str(x)) for x in sorted({abs(y) for clause in clauses for y in clause})}
    for clause in clauses:
        made.add_bool_or([variables[x] if x > 0 else variables[-x].negated() for x in clause])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(made) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return {x for x, variable in variables.items() if solver.value(variable)}
