"""Tasks in `.sas`, the output of Fast Downward's translator (version 3): they are read as the lists of a domain and a
problem in PDDL, which `rules_pddl` goes on with.

    Atom at(truck, a)     a value of a variable is an atom: (at truck a)
    <none of those>       none of the other values of the variable is true; so is `NegatedAtom p` beside `Atom p`
    1 3 0 4 1 2           (when (value 0 of variable 3) (value 2 of variable 4)), where variable 4 has the value 1

Of effects that give a variable several values the last one counts. Axioms are not read. The lists of what excludes each
other are passed over: nothing rests on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from .acting import ActionPuzzle
from .core.limits import Invalid, Limits, Unsupported
from .rules_pddl import TOTAL, puzzle_of_lists

Fact = tuple[int, int]
"""A variable, and the number of its value."""

Effect = tuple[list[Fact], int, str, int]
"""Conditions, a variable, its old value (-1: any), and the new one."""


def is_translated(fields: dict[str, Any]) -> bool:
    """Whether a puzzle file has such a task in place of a domain and a problem."""
    return "domain" not in fields and str(fields.get("problem", "")).lstrip().lower().startswith("begin_version")


def read(fields: dict[str, Any], file: str, limits: Limits) -> ActionPuzzle:
    """Read the task of a puzzle file. Raises `Rejected`."""
    reader = _Reader(fields["problem"], file, limits)
    try:
        lists = reader.lists()
    except (ValueError, LookupError):
        raise Invalid("this is not `.sas` as this checker reads it", file, reader.at) from None
    return puzzle_of_lists(*lists, file)


class _Reader:
    """Goes through the lines; `values`: of each variable its atoms, or None for none of them."""

    def __init__(self, text: str, file: str, limits: Limits) -> None:
        self.said, self.file, self.limits, self.at = text.lower().strip().split("\n"), file, limits, 0
        self.values: list[list[tuple[str, ...] | None]] = []
        self.sizes: dict[str, int] = {}
        self.taken = set[tuple[str, ...]]()

    def line(self) -> str:
        self.limits.tick()
        self.limits.hold(200)
        self.at += 1
        return self.said[self.at - 1].strip()

    def words(self, *words: str) -> None:
        if any(self.line() != word for word in words):
            raise ValueError

    def times(self) -> range:
        """As many turns as the line says."""
        return range(_whole(self.line()))

    def facts(self, words: Sequence[str]) -> list[Fact]:
        """Pairs of a variable and a value, both of which there are."""
        found = [(_whole(x), _whole(value)) for x, value in zip(words[::2], words[1::2], strict=True)]
        if any(value >= len(self.values[x]) for x, value in found):
            raise ValueError
        return found

    def several(self) -> list[Fact]:
        return [fact for _ in self.times() for fact in self.facts(self.line().split())]

    def lists(self) -> tuple[Any, Any]:
        """The domain and the problem."""
        self.words("begin_version", "3", "end_version", "begin_metric")
        metric = {"1": ((":metric", "minimize", (TOTAL,)),), "0": ()}[self.line()]
        self.words("end_metric")
        for _ in self.times():
            self.variable()
        for _ in self.times():
            self.words("begin_mutex_group")
            self.several()
            self.words("end_mutex_group")
        self.words("begin_state")
        init = [atom for values in self.values if (atom := values[_whole(self.line())])]
        self.words("end_state", "begin_goal")
        goal = self.all(self.several())
        self.words("end_goal")
        names = set[str]()
        actions = [self.operator(names) for _ in self.times()]
        if self.times():
            raise Unsupported(f"{self.file}: this checker does not read axioms")
        if self.at < len(self.said):
            raise ValueError
        objects = dict.fromkeys(word for atom in sorted(self.taken) for word in atom[1:])
        predicates = [(name, *(f"?{n}" for n in range(1, size))) for name, size in self.sizes.items()]
        domain = ("define", ("domain", ""), (":predicates", *predicates), *actions)
        problem = ("define", ("problem", ""), (":objects", *objects), (":init", *init), (":goal", goal), *metric)
        return domain, problem

    def variable(self) -> None:
        self.words("begin_variable")
        name = self.line()
        if self.line() != "-1":
            raise Unsupported(f"{self.file}: this checker does not read axioms")
        texts = [self.line() for _ in self.times()]
        values: list[tuple[str, ...] | None] = []
        for number, text in enumerate(texts):
            opposite = f"negated{texts[1 - number]}" if len(texts) == 2 else ""
            values.append(
                None if text in ("<none of those>", opposite) and None not in values else self.atom(name, text)
            )
        self.values.append(values)
        self.words("end_variable")

    def atom(self, variable: str, text: str) -> tuple[str, ...]:
        """The atom of a value: as it is named, or as a value of its variable if another one is named so."""
        match = re.fullmatch(r"atom ([^\s()]+)\((.*)\)", text)
        named = (match[1], *(word.strip() for word in match[2].split(",") if word.strip())) if match else ("",)
        for atom in (named, (variable, re.sub(r"[^\w.<>-]+", "-", text))):
            simple = all(re.fullmatch(r"[^\s()?;]+", word) for word in atom)
            if simple and atom not in self.taken and self.sizes.setdefault(atom[0], len(atom)) == len(atom):
                self.taken.add(atom)
                return atom
        raise ValueError

    def operator(self, others: set[str]) -> Any:
        """An operator as an action without parameters."""
        self.words("begin_operator")
        (named,) = [" ".join(words)] if (words := re.sub(r"[();#]", " ", self.line()).split()) else []
        name = next(one for n in count(1) if (one := f"{named} #{n}" if n > 1 else named) not in others)
        others.add(name)
        needs, effects = self.several(), list[Effect]()
        for _ in self.times():
            many, *words = self.line().split()
            *conditions, x, old, new = words
            if len(conditions) != 2 * _whole(many):
                raise ValueError
            effects.append((self.facts(conditions), *self.facts((x, new))[0][:1], old, _whole(new)))
            needs += self.facts((x, old)) if old != "-1" else []
        made = [one for number, effect in enumerate(effects) for one in self.made(*effect, effects[number + 1 :])]
        price = ("increase", (TOTAL,), str(_whole(self.line())))
        self.words("end_operator")
        return ":action", name, ":precondition", self.all(needs), ":effect", ("and", price, *made)

    def made(self, when: list[Fact], x: int, old: str, new: int, later: Iterable[Effect]) -> Iterator[Any]:
        """The atoms that an effect sets, where none of the later ones gives the variable another value."""
        asked = [self.all(when)]
        for others, y, _, value in later:
            if y == x and value != new and not any(z == y and v != w for z, v in when for y, w in others):
                asked.append(("not", self.all(others)))
        for value, atom in enumerate(self.values[x]):
            if atom and (value == new or old in ("-1", str(value))):
                makes = atom if value == new else ("not", atom)
                yield ("when", ("and", *asked), makes) if when or len(asked) > 1 else makes

    def all(self, facts: Iterable[Fact]) -> Any:
        """That all of some facts hold."""
        each = [(x, self.values[x][value]) for x, value in facts]
        none = [("not", atom) for x, atom in each if atom is None for atom in self.values[x] if atom]
        return ("and", *(atom for _, atom in each if atom), *none)


def _whole(word: str) -> int:
    """A number. Raises `ValueError` for any other word."""
    if not re.fullmatch("[0-9]{1,18}", word):
        raise ValueError
    return int(word)
