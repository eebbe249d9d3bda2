"""The problem text: variables with finite domains, a start, a goal, and actions with needs, effects and costs.

    budge problem 1
    count slides                          what is counted; two words where costs are compared one after the other
    var A 1 2 3 4                         a variable and its values, two or more
    var X 1 2 3 4 5
    start 1 3                             the value of each variable at the start
    goal X=5                              a clause on each line; a plan ends where all of them hold
    act A1-3 1 if A=1 X!=1 then A=3       name, cost, clauses that are needed, effects
    act go 0 if A=1|X=2 then X=3?A=1&X=1  the effect X=3 takes place if A is 1 and X is 1 before
    act row 1 then A<X X<A                A takes the value of X, and X that of A: all effects read the state before

A *literal* says that a variable has one of some values (`X=1,2`, or `X!=1,2` where that is shorter). A *clause* is one
or more literals of which one holds (`A=1|X=2`). The condition of an effect is one or more literals of which all hold;
two effects on one variable exclude each other, so at most one takes place, and where none does the variable keeps its
value. The cost of a plan is the sum of the costs of its actions.

The text has one way to write each thing: what was read is written again, and both have to be the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from .limits import Invalid, Limits

Literal = tuple[int, int]
"""A variable (its number, from 0) and a set of its values, as the bits of an integer: bit i is the i-th value."""

Literals = tuple[Literal, ...]
"""A clause, of which one literal holds, or a condition, of which all hold; by variable, each at most once."""

State = tuple[int, ...]
"""The number of its value for each variable."""

Cost = tuple[int, ...]
"""A number for each count."""

T = TypeVar("T")

HEAD = "budge problem 1"
FILE = "problem.txt"
VALUES = 4096
"""Values that a variable may have."""

LARGEST = 1 << 30
"""Costs, and sums of costs, are below this."""

LONGEST = 1 << 20
"""Bytes that a line may have, of this file and of claim.txt: so the work between two looks at the clock is bounded."""

WORD = re.compile(r"[A-Za-z0-9_.:+*#@$/-]+")
NUMBER = re.compile(r"0|-?[1-9][0-9]{0,9}")
PAIR_BYTES = 100
"""Memory in bytes of a literal or a conditional effect, beside the set of values."""

ACTION_BYTES = 500
"""Memory in bytes of an action, beside its clauses and effects."""

WORD_BYTES = 64
"""Memory in bytes of a word of a text."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action. `effects`: for each variable that it may change, pairs of a condition and the number of a value."""

    name: str
    cost: Cost
    needs: tuple[Literals, ...]
    effects: dict[int, tuple[tuple[Literals, int], ...]]

    def size(self) -> int:
        """The number of its clauses and effects: the work that it is, about."""
        return len(self.needs) + sum(map(len, self.effects.values()))


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem as it was read. `domains`: the values of each variable; `goal`: clauses."""

    counts: tuple[str, ...]
    names: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    start: State
    goal: tuple[Literals, ...]
    actions: tuple[Action, ...]

    def full(self, x: int) -> int:
        """The set of all values of a variable."""
        return (1 << len(self.domains[x])) - 1


def read(text: str, limits: Limits | None = None) -> Problem:
    """Read a problem. Raises `Invalid` with the line at fault, and `Stopped` at a limit."""
    limits = limits or Limits()
    lines = lines_of(text, HEAD, FILE, limits)
    names: dict[str, int] = {}
    domains: list[tuple[str, ...]] = []
    rows: dict[str, list[tuple[int, list[str]]]] = {kind: [] for kind in ("count", "var", "start", "goal", "act")}
    for number, line in enumerate(lines[1:], 2):
        limits.tick()
        kind, *words = line.split(" ")
        if kind not in rows:
            raise Invalid("a line begins with count, var, start, goal or act", FILE, number)
        rows[kind].append((number, words))
    for number, (name, *values) in _filled(rows["var"]):
        if not 2 <= len(values) <= VALUES or len(set(values)) < len(values) or name in names:
            raise Invalid(f"a variable has a name of its own and 2 to {VALUES} different values", FILE, number)
        names[name] = len(names)
        domains.append(tuple(values))
    if len(rows["count"]) != 1 or len(rows["start"]) != 1 or not domains:
        raise Invalid("one line `count`, one line `start` and a variable are wanted", FILE)
    reader = Reader(names, tuple(domains), limits)
    number, counts = rows["count"][0]
    if not 1 <= len(counts) <= 2 or len(set(counts)) < len(counts):
        raise Invalid("one thing is counted, or two", FILE, number)
    number, words = rows["start"][0]
    if len(words) != len(domains):
        raise Invalid("a value for each variable is wanted", FILE, number)
    start = tuple(reader.located(number, reader.value, x, word) for x, word in enumerate(words))
    goal = tuple(reader.located(number, reader.clause, " ".join(words)) for number, words in rows["goal"])
    actions = tuple(reader.located(number, reader.action, words, len(counts)) for number, words in rows["act"])
    problem = Problem(tuple(counts), tuple(names), tuple(domains), start, goal, actions)
    _check_names(problem)
    if (again := write(problem, limits)) != text:
        pairs = enumerate(zip(again.split("\n"), text.split("\n"), strict=False), 1)
        number, wanted = next((n, one) for n, (one, line) in pairs if one != line)
        raise Invalid(f"the line has to be written so: {wanted[:200]}", FILE, number)
    return problem


def lines_of(text: str, head: str, file: str, limits: Limits) -> list[str]:
    """The lines of a text that begins with `head`. Raises `Invalid`."""
    limits.hold(WORD_BYTES * (text.count(" ") + text.count("\n")) + 2 * len(text))
    *lines, last = text.split("\n")
    if not text.isascii() or last or lines[:1] != [head]:
        raise Invalid(f"ASCII is wanted, `{head}` in the first line, and an end of the last one", file)
    if max(map(len, lines)) > LONGEST:
        raise Invalid(f"a line has at most {LONGEST} bytes", file)
    return lines


def _filled(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    for number, words in rows:
        if not words:
            raise Invalid("words are missing", FILE, number)
    return rows


def _check_names(problem: Problem) -> None:
    """Names are made of certain characters, and no two actions have the same one. Raises `Invalid`."""
    acts = [action.name for action in problem.actions]
    if len(set(acts)) < len(acts):
        raise Invalid("two actions have the same name", FILE)
    for group in (problem.counts, problem.names, acts, *problem.domains):
        for word in group:
            if not WORD.fullmatch(word):
                raise Invalid(f"a name has letters, digits and _ . : + * # @ $ / -, and no other: {word[:40]}", FILE)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads literals, clauses and actions of a `file`, once the variables (`names`: their numbers) and their values are
    known.
    """

    names: dict[str, int]
    domains: tuple[tuple[str, ...], ...]
    limits: Limits
    file: str = FILE

    def located(self, number: int, read: Callable[..., T], *arguments: Any) -> T:
        """What `read` gives; where it raises `Invalid` without a line, that is line `number`."""
        try:
            return read(*arguments)
        except (ValueError, IndexError, KeyError):
            raise Invalid("cannot be read", self.file, number) from None
        except Invalid as error:
            raise Invalid(error.reason, self.file, number) from None

    def value(self, x: int, word: str) -> int:
        """The number of a value. Raises `Invalid`."""
        if word not in self.domains[x]:
            raise Invalid(f"not a value of this variable: {word[:40]}")
        return self.domains[x].index(word)

    def literal(self, word: str) -> Literal:
        """`X=1,2` or `X!=1,2`. Raises `Invalid`."""
        name, equal, values = word.partition("=")
        other = name.endswith("!")
        x = self.names.get(name[:-1] if other else name, -1)
        if not equal or x < 0:
            raise Invalid(f"a literal is VARIABLE=VALUE,VALUE or VARIABLE!=VALUE,VALUE: {word[:60]}")
        full, mask = (1 << len(self.domains[x])) - 1, 0
        for value in values.split(","):
            self.limits.tick(1 + len(self.domains[x]) // 64)
            mask |= 1 << self.value(x, value)
        mask = full & ~mask if other else mask
        if mask in (0, full):
            raise Invalid(f"this is always so, or never: {word[:60]}")
        self.limits.hold(PAIR_BYTES + len(self.domains[x]) // 8)
        return x, mask

    def literals(self, word: str, sign: str) -> Literals:
        """Literals with a sign between them, by variable. Raises `Invalid`."""
        result = tuple(sorted(self.literal(part) for part in word.split(sign)))
        if len({x for x, _ in result}) < len(result):
            raise Invalid(f"a variable stands twice: {word[:60]}")
        return result

    def clause(self, word: str) -> Literals:
        """Literals with `|` between them. Raises `Invalid`."""
        return self.literals(word, "|")

    def cost(self, word: str, counts: int) -> Cost:
        """Numbers with commas between them, one for each count. Raises `Invalid`."""
        cost = tuple(map(self.number, word.split(",")))
        if len(cost) != counts or min(cost) < 0:
            raise Invalid(f"{counts} number(s) from 0 on are wanted: {word[:40]}")
        return cost

    def number(self, word: str) -> int:
        """A number, written in the one way. Raises `Invalid`."""
        if not NUMBER.fullmatch(word) or abs(int(word)) >= LARGEST:
            raise Invalid(f"a number below 2^30 is wanted: {word[:40]}")
        return int(word)

    def action(self, words: list[str], counts: int) -> Action:
        """The words behind `act`. Raises `Invalid`, or `IndexError` and `ValueError` where some are missing."""
        then = words.index("then", 2)
        if then > 2 and words[2] != "if":
            raise Invalid("behind the cost comes `if` or `then`")
        effects: dict[int, list[tuple[Literals, int]]] = {}
        for word in words[then + 1 :]:
            x, found = self.effect(word)
            if x in effects:
                self.check_exclusive(effects[x], found)
            effects.setdefault(x, []).extend(found)
        if not effects:
            raise Invalid("an action changes something")
        self.limits.hold(ACTION_BYTES + 2 * PAIR_BYTES * len(effects))
        needs = tuple(map(self.clause, words[3:then]))
        return Action(words[0], self.cost(words[1], counts), needs, {x: tuple(some) for x, some in effects.items()})

    def effect(self, word: str) -> tuple[int, list[tuple[Literals, int]]]:
        """The variable of an effect, and its condition and value; of a copy, one for each value that is copied."""
        if "<" in word:
            x, y = (self.names[part] for part in word.split("<"))
            if x == y:
                raise Invalid("a variable takes its own value")
            size = len(self.domains[y])
            self.limits.hold(size * (3 * PAIR_BYTES + size // 8))
            self.limits.tick(size)
            return x, copied(self.domains, x, y)
        what, asked, when = word.partition("?")
        name, value = what.split("=")
        x = self.names[name]
        return x, [(self.literals(when, "&") if asked else (), self.value(x, value))]

    def check_exclusive(self, some: list[tuple[Literals, int]], more: list[tuple[Literals, int]]) -> None:
        """For each effect of one list and each of the other, the conditions never hold both: they want different values
        of some variable. Raises `Invalid`.
        """
        for one, _ in some:
            sets = dict(one)
            for other, _ in more:
                self.limits.tick(1 + len(other))
                if all(sets.get(y, part) & part for y, part in other):
                    raise Invalid("two effects on one variable may both take place")


def copied(domains: tuple[tuple[str, ...], ...], x: int, y: int) -> list[tuple[Literals, int]]:
    """The effects by which x takes the value of y. Raises `ValueError` if y has a value that x has not."""
    numbers = {value: i for i, value in enumerate(domains[x])}
    if any(value not in numbers for value in domains[y]):
        raise ValueError
    return [(((y, 1 << i),), numbers[value]) for i, value in enumerate(domains[y])]


def write(problem: Problem, limits: Limits | None = None) -> str:
    """The text of a problem. Needs are sorted and not repeated, effects are by variable, sets are written the shorter
    way.
    """
    limits = limits or Limits(None, None)
    lines = [HEAD, "count " + " ".join(problem.counts)]
    lines += ["var " + " ".join((name, *domain)) for name, domain in zip(problem.names, problem.domains, strict=True)]
    lines += ["start " + " ".join(domain[value] for domain, value in zip(problem.domains, problem.start, strict=True))]
    lines += ["goal " + clause_text(problem, part) for part in sorted(set(problem.goal))]
    for action in problem.actions:
        limits.tick()
        words = ["act", action.name, ",".join(map(str, action.cost))]
        if action.needs:
            limits.tick(len(action.needs))
            words += ["if", *(clause_text(problem, part) for part in sorted(set(action.needs)))]
        words.append("then")
        for x in sorted(action.effects):
            limits.tick(len(action.effects[x]))
            words += _effect_text(problem, x, action.effects[x])
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def clause_text(problem: Problem, literals: Literals, sign: str = "|") -> str:
    """Literals as the text has them."""
    return sign.join(_literal_text(problem, x, mask) for x, mask in literals)


def _literal_text(problem: Problem, x: int, mask: int) -> str:
    equal, domain = "=", problem.domains[x]
    if 2 * mask.bit_count() > len(domain):
        equal, mask = "!=", problem.full(x) & ~mask
    values = []
    while mask:
        first = mask & -mask
        values.append(domain[first.bit_length() - 1])
        mask ^= first
    return problem.names[x] + equal + ",".join(values)


def _effect_text(problem: Problem, x: int, effects: tuple[tuple[Literals, int], ...]) -> list[str]:
    first = effects[0][0]
    y, domains = first[0][0] if first else x, problem.domains
    if y != x and set(domains[y]) <= set(domains[x]) and sorted(effects) == sorted(copied(domains, x, y)):
        return [f"{problem.names[x]}<{problem.names[y]}"]
    return [
        f"{problem.names[x]}={domains[x][value]}" + ("?" + clause_text(problem, when, "&") if when else "")
        for when, value in sorted(effects)
    ]


def holds(state: State, clauses: tuple[Literals, ...]) -> bool:
    """Whether each clause has a literal that is true in a state."""
    return all(any(mask >> state[x] & 1 for x, mask in clause) for clause in clauses)


def after(state: State, action: Action) -> State:
    """The state after an action: all effects read the state before."""
    result = list(state)
    for x, effects in action.effects.items():
        for when, value in effects:
            if all(mask >> state[y] & 1 for y, mask in when):
                result[x] = value
    return tuple(result)


def replay(problem: Problem, plan: list[str], file: str, limits: Limits) -> Cost:
    """Play a plan, an action's name on each line, and give its cost. Raises `Invalid`."""
    state, cost = problem.start, (0,) * len(problem.counts)
    actions = {action.name: action for action in problem.actions}
    for number, name in enumerate(plan, 1):
        action = actions.get(name)
        if action is None:
            raise Invalid(f"no action has this name: {name[:60]}", file, number)
        limits.tick(len(state) // 16 + action.size())
        for part in action.needs:
            if not holds(state, (part,)):
                raise Invalid(f"{name} is not possible: it needs {clause_text(problem, part)[:200]}", file, number)
        state, cost = after(state, action), tuple(map(sum, zip(cost, action.cost, strict=True)))
    for part in problem.goal:
        if not holds(state, (part,)):
            raise Invalid(f"the plan does not end at the goal: that needs {clause_text(problem, part)[:200]}", file)
    return cost
