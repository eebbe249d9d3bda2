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

The text has one way to write each thing, and nothing else is accepted. Clauses, literals, values and effects stand in
increasing order: values as in their variable's line, variables as their lines, sets of values as numbers (bit i is the
i-th value), clauses and effects by these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, pairwise
from typing import Any

from .limits import Invalid, Limits

Literal = tuple[int, int]
"""A variable (its number, from 0) and a set of its values, as the bits of an integer: bit i is the i-th value."""

Literals = tuple[Literal, ...]
"""A clause, of which one literal holds, or a condition, of which all hold; by variable, each at most once."""

Effects = tuple[tuple[Literals, int], ...]
"""What an action may do to a variable: pairs of a condition and the number of a value."""

Cost = tuple[int, ...]
"""A number for each count."""

HEAD, FILE = "budge problem 1", "problem.txt"
AFTER = {"count": " ", "var": "count var", "start": "var", "goal": "start goal", "act": "start goal act"}
"""What the line before may begin with, for each beginning of a line (a blank: it is the first one)."""

VALUES = 4096
"""Values that a variable may have."""

LARGEST = 1 << 62
"""Costs, and sums of costs, are below this."""

LONGEST = 1 << 20
"""Bytes that a line may have, of this file and of claim.txt: so the work between two looks at the clock is bounded."""

WORD = re.compile(r"[A-Za-z0-9_.:+*#@$/-]+")
NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
PAIR_BYTES = 100
"""Memory in bytes of a literal or a conditional effect, beside the set of values; of an action five times that."""

WORD_BYTES = 64
"""Memory in bytes of a word of a text."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action. `effects`: for each variable that it may change."""

    name: str
    cost: Cost
    needs: tuple[Literals, ...]
    effects: dict[int, Effects]

    def size(self) -> int:
        """The number of its clauses and effects: the work that it is, about."""
        return len(self.needs) + sum(map(len, self.effects.values()))


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem as it was read. `goal`: clauses."""

    counts: tuple[str, ...]
    names: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    start: tuple[int, ...]
    goal: tuple[Literals, ...]
    actions: tuple[Action, ...]

    def full(self, x: int) -> int:
        """The set of all values of a variable."""
        return (1 << len(self.domains[x])) - 1

    def allowed(self, clauses: Iterable[Literals], x: int) -> int:
        """The set of the values of a variable that clauses of this variable alone allow."""
        mask = self.full(x)
        for part in clauses:
            if len(part) == 1 and part[0][0] == x:
                mask &= part[0][1]
        return mask


def read(text: str, limits: Limits | None = None) -> Problem:
    """Read a problem. Raises `Invalid` with the line at fault, and `Stopped` at a limit."""
    reader = ProblemReader(limits or Limits())
    read_lines(text, HEAD, FILE, reader.limits, reader.take)
    if not reader.start:
        raise Invalid("lines are missing at the end", FILE)
    names, domains = tuple(reader.names), tuple(reader.domains)
    return Problem(reader.counts, names, domains, reader.start, tuple(reader.goal), tuple(reader.actions.values()))


def read_lines(text: str, head: str, file: str, limits: Limits, take: Callable[[str, list[str]], None]) -> None:
    """Give each line behind the first, which is `head`, to `take`: its first word and the others. Raises `Invalid` with
    the line at fault where `take` raises that, or an error that comes from a wrong word.
    """
    limits.hold(WORD_BYTES * (text.count(" ") + text.count("\n")) + 2 * len(text))
    *lines, last = text.split("\n")
    if last or lines[:1] != [head] or max(map(len, lines)) > LONGEST:
        raise Invalid(f"wanted: `{head}` in the first line, an end of the last, at most {LONGEST} bytes in each", file)
    for number, line in enumerate(lines[1:], 2):
        limits.tick(1 + len(line) // 8)
        try:
            first, *words = line.split(" ")
            take(first, words)
        except Invalid as error:
            raise Invalid(str(error), file, number) from None
        except (ValueError, IndexError, KeyError):
            raise Invalid("a word is missing, unknown, or one too many", file, number) from None


def in_order(items: Iterable[Any]) -> tuple[Any, ...]:
    """Things that have to stand in increasing order, none of them twice. Raises `Invalid`."""
    result = tuple(items)
    if any(not one < other for one, other in pairwise(result)):
        raise Invalid("something stands twice, or in another order than that in which it has to be written")
    return result


def new_names(words: list[str], least: int, most: int, others: Collection[str] = ()) -> tuple[str, ...]:
    """Names, at least and at most so many, that have to differ, from each other and from others. Raises `Invalid`."""
    if not least <= len(words) <= most or len(words) > len(set(words).difference(others)):
        raise Invalid(f"{least} to {most} different names are wanted, which were not used before")
    if not all(map(WORD.fullmatch, words)):
        raise Invalid("a name has letters, digits and _ . : + * # @ $ / - only")
    return tuple(words)


@dataclass(slots=True)
class Reader:
    """Reads words about variables, whose numbers (`names`) and values are known. Raises `Invalid`, and errors of lists
    and dictionaries, which `read_lines` turns into that."""

    limits: Limits
    names: dict[str, int] = field(default_factory=dict)
    domains: list[tuple[str, ...]] = field(default_factory=list)

    def value(self, x: int, word: str) -> int:
        """The number of a value."""
        self.limits.tick(1 + len(self.domains[x]) // 64)
        return self.domains[x].index(word)

    def literal(self, word: str) -> Literal:
        """A literal as the text of a problem has it: `X=1,2`, or `X!=1,2` where that is shorter."""
        name, _, values = word.partition("=")
        other = name.endswith("!")
        x = self.names[name.removesuffix("!")]
        size = len(self.domains[x])
        numbers = in_order(self.value(x, value) for value in values.split(","))
        if 2 * len(numbers) > size - other:
            raise Invalid("a literal lists the values that its variable has, or with != the others if these are fewer")
        self.limits.hold(PAIR_BYTES + size // 8)
        mask = sum(1 << i for i in numbers)
        return x, (1 << size) - 1 - mask if other else mask

    def literals(self, word: str, sign: str = "|") -> Literals:
        """Literals with a sign between them, by variable: a clause, or with `&` a condition."""
        result = tuple(map(self.literal, word.split(sign)))
        in_order(x for x, _ in result)
        return result

    def number(self, word: str) -> int:
        """A number."""
        if not NUMBER.fullmatch(word) or abs(int(word)) >= LARGEST:
            raise Invalid("a number is wanted that is below 2^62")
        return int(word)

    def cost(self, word: str, counts: int) -> Cost:
        """Numbers from 0 on, with commas between them, one for each count."""
        cost = tuple(map(self.number, word.split(",")))
        if len(cost) != counts or min(cost) < 0:
            raise Invalid(f"{counts} number(s) from 0 on are wanted")
        return cost


@dataclass(slots=True)
class ProblemReader(Reader):
    """Reads a problem, line by line. `last`: what the line before began with."""

    counts: tuple[str, ...] = ()
    start: tuple[int, ...] = ()
    goal: list[Literals] = field(default_factory=list)
    actions: dict[str, Action] = field(default_factory=dict)
    last: str = ""

    def take(self, kind: str, words: list[str]) -> None:
        """Read a line."""
        if self.last not in AFTER[kind].split(" "):
            raise Invalid("the lines are `count`, then `var`, `start`, `goal` and `act`, in this order")
        self.last = kind
        if kind == "count":
            self.counts = new_names(words, 1, 2)
        elif kind == "var":
            (name,) = new_names(words[:1], 1, 1, self.names)
            self.names[name] = len(self.names)
            self.domains.append(new_names(words[1:], 2, VALUES))
        elif kind == "start":
            self.start = tuple(self.value(x, word) for x, word in zip(self.names.values(), words, strict=True))
        elif kind == "goal":
            (word,) = words
            self.goal += in_order([*self.goal[-1:], self.literals(word)])[-1:]
        else:
            self.act(words)

    def act(self, words: list[str]) -> None:
        """Read what stands behind `act`."""
        (name,), cost = new_names(words[:1], 1, 1, self.actions), self.cost(words[1], len(self.counts))
        then = words.index("then")
        needs, does = in_order(map(self.literals, words[3:then])), words[then + 1 :]
        if then == 3 or words[2] not in ("if", "then") or not does:
            raise Invalid("behind the cost comes `if` and what is needed, or neither, then `then` and effects")
        found = in_order(one for word in does for one in self.effect(word))
        effects = {x: tuple(one[1:] for one in some) for x, some in groupby(found, lambda one: one[0])}
        copies = {self.names[word.split("<")[0]] for word in does if "<" in word}
        for x, some in effects.items():
            if (x in copies) != is_copy(self.domains, x, some):
                raise Invalid("a copy is written `X<Y`, and is the only effect on X")
            if x not in copies:
                self.check_exclusive(some)
        self.limits.hold((5 + 2 * len(effects)) * PAIR_BYTES)
        self.actions[name] = Action(name, cost, needs, effects)

    def effect(self, word: str) -> list[tuple[int, Literals, int]]:
        """The variable of an effect, its condition and its value; of a copy, for each value that is copied."""
        if "<" in word:
            x, y = (self.names[part] for part in word.split("<"))
            size = len(self.domains[y])
            self.limits.hold(size * (3 * PAIR_BYTES + size // 8))
            self.limits.tick(size)
            return [(x, when, value) for when, value in copied(self.domains, x, y)]
        what, asked, when = word.partition("?")
        name, value = what.split("=")
        x = self.names[name]
        return [(x, self.literals(when, "&") if asked else (), self.value(x, value))]

    def check_exclusive(self, some: Effects) -> None:
        """The conditions of two effects never hold both: they want different values of some variable."""
        for (one, _), (other, _) in combinations(some, 2):
            self.limits.tick(1 + len(one) + len(other))
            if all(dict(one).get(y, part) & part for y, part in other):
                raise Invalid("two effects on one variable may both take place")


def copied(domains: Sequence[tuple[str, ...]], x: int, y: int) -> list[tuple[Literals, int]]:
    """The effects by which x takes the value of y. Raises `ValueError` if y has a value that x has not."""
    return [(((y, 1 << i),), domains[x].index(value)) for i, value in enumerate(domains[y])]


def is_copy(domains: Sequence[tuple[str, ...]], x: int, effects: Effects) -> bool:
    """Whether effects are those by which x takes the value of another variable."""
    y = effects[0][0][0][0] if effects[0][0] else x
    return y != x and set(domains[y]) <= set(domains[x]) and list(effects) == copied(domains, x, y)
