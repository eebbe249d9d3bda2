"""Reading `.sas`, the task that the translator of Fast Downward writes (version 3), as a `Pddl` without parameters.

    begin_variable                  a value is an atom: (at truck a), (at truck b)
    var0                            `<none of those>` is that none of them is true,
    -1                              `NegatedAtom p` beside `Atom p` that p is not
    3
    Atom at(truck, a)
    Atom at(truck, b)
    <none of those>
    end_variable

An operator is an action whose name has blanks: `drive truck a b`. Its groups of atoms that exclude each other are not
believed: grounding finds its own. The format: https://www.fast-downward.org/latest/documentation/translator-output-format
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...errors import Problem, PuzzleError
from ...moves import MOST_OF_A_STEP
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr
from .problem import AGAIN, Atom, AtomEffect, Pddl, PddlAction, Price, term

WHOLE = "write the file again with the translator, it may have been cut off or changed"
AXIOMS = "compile the derived predicates of the domain away, or give Budge the PDDL itself"

_ATOM = re.compile(r"atom ([^\s()]+)\((.*)\)")

Fact = tuple[int, int]
"""A variable and the number of its value."""

Effect = tuple[list[Fact], int, int, int]
"""Conditions, and under them a variable gets a new value: its number, the old value (-1: any), the new one."""


def read_sas(text: str, file: str) -> Pddl:
    """Read a task. Raises `PuzzleError` for the first thing that is wrong, with its line."""
    return _Reader(text, file).task()


def started(puzzle: Pddl, true: set[Atom]) -> str:
    """The text of the task that starts where some atoms are true."""
    reader = _Reader(puzzle.problem_text, "")
    reader.task()
    lines = puzzle.problem_text.split("\n")
    for line, values in enumerate(reader.values, reader.state):
        value = values.index(next(iter(true.intersection(values)), None))
        lines[line] = lines[line].replace(lines[line].strip(), str(value))
    return "\n".join(lines)


class _Reader:
    """Goes through the lines. `at`: how many were read; `values`: of each variable the atoms that its values are, or
    None; `state`: the lines before the values of the start.
    """

    def __init__(self, text: str, file: str) -> None:
        self.said, self.file, self.state = text, file, 0
        self.lines = text.rstrip().lower().split("\n")
        self.at = len(text[: len(text) - len(text.lstrip())].split("\n")) - 1  # in a puzzle file it begins further down
        self.values: list[list[Atom | None]] = []
        self.taken: set[Atom] = set()
        self.sizes: dict[str, int] = {}
        self.places: dict[tuple[str, ...], Problem] = {("problem",): self._place(1)}

    def _place(self, line: int, message: str = "", hint: str = "") -> Problem:
        source = self.said.split("\n")[max(0, line - 1)] if message else ""
        return Problem(self.file, line, 1 + len(source) - len(source.lstrip()), message, hint, source)

    def _error(self, message: str, hint: str = WHOLE) -> PuzzleError:
        return PuzzleError([self._place(self.at, message, hint)])

    # Lines

    def _line(self, what: str) -> str:
        if self.at == len(self.lines):
            raise self._error(f"the file ends where {what} has to stand")
        self.at += 1
        return self.lines[self.at - 1].strip()

    def _word(self, *words: str) -> None:
        for word in words:
            if (line := self._line(f"`{word}`")) != word:
                raise self._error(f"`{word}` has to stand here, not `{line[:40]}`")

    def _row(self, what: str, size: int = 0) -> list[int]:
        """The whole numbers of a line."""
        line = self._line(what)
        if not re.fullmatch(r"(-?[0-9]{1,18}(\s+|$))+", line) or size not in (0, len(line.split())):
            raise self._error(f"{what} has to stand here, not `{line[:40]}`")
        return list(map(int, line.split()))

    def _number(self, what: str, most: int = MOST_OF_A_STEP) -> int:
        (number,) = self._row(what, 1)
        if not 0 <= number <= most:
            raise self._error(f"{what} is at least 0 and at most {most:,}, not {number:,}")
        return number

    def _fact(self, x: int, value: int) -> Fact:
        if not 0 <= x < len(self.values) or not 0 <= value < len(self.values[x]):
            raise self._error(f"there is no variable {x} with a value {value}")
        return x, value

    def _facts(self, what: str) -> list[Fact]:
        """Facts, a line for each behind the line with their number."""
        return [self._fact(*self._row(what, 2)) for _ in range(self._number(f"the number of lines with {what}"))]

    # Sections

    def task(self) -> Pddl:
        self._word("begin_version")
        if (version := self._line("the version")) != "3":
            raise self._error(f"version `{version[:40]}` of the format is not read", "use a translator of version 3")
        self._word("end_version", "begin_metric")
        priced = bool(self._number("the metric", 1))
        self._word("end_metric")
        for _ in range(self._number("the number of variables")):
            self._variable()
        for _ in range(self._number("the number of mutex groups")):
            self._word("begin_mutex_group")
            self._facts("a fact")
            self._word("end_mutex_group")
        self._word("begin_state")
        self.state = self.at
        init = [values[self._number("a value", len(values) - 1)] for values in self.values]
        self._word("end_state", "begin_goal")
        self.places["goal",] = self._place(self.at)
        goal = self._facts("a fact of the goal")
        self._word("end_goal")
        actions: dict[str, PddlAction] = {}
        for _ in range(self._number("the number of operators")):
            action = self._operator(actions)
            actions[action.name] = action
        if self._number("the number of axioms"):
            raise self._error("a task with axioms (derived predicates) is not read", AXIOMS)
        if self.at < len(self.lines):
            self._line("")
            raise self._error("the task has ended before this line", "remove what stands behind its last number")
        changed = {effect.atom[0] for action in actions.values() for effect in action.effects}
        everything = dict.fromkeys(word for atom in sorted(self.taken) for word in atom[1:])
        return Pddl(
            domain="",
            name="",
            objects=dict.fromkeys(everything, "object"),
            predicates={name: (tuple(everything),) * (size - 1) for name, size in self.sizes.items()},
            static=frozenset(self.sizes) - changed,
            actions=tuple(actions.values()),
            init=frozenset(atom for atom in init if atom),
            values={},
            goal=self._all(goal),
            priced=priced,
            domain_text="",
            problem_text=self.said,
            exclusive=tuple(frozenset(atom for atom in values if atom) for values in self.values),
            places=self.places,
        )

    def _variable(self) -> None:
        self._word("begin_variable")
        name = self._line("the name of a variable")
        if self._row("the layer of axioms, -1 for none", 1) != [-1]:
            raise self._error(f"`{name[:40]}` follows from axioms (derived predicates), which are not read", AXIOMS)
        texts = [self._line("a value") for _ in range(self._number("the number of values"))]
        values: list[Atom | None] = []
        for n, text in enumerate(texts):
            opposite = f"negated{texts[1 - n]}" if len(texts) == 2 else ""
            nothing = text in ("<none of those>", opposite) and None not in values
            values.append(None if nothing else self._atom(name, text, self.at - len(texts) + n + 1))
        self.values.append(values)
        self._word("end_variable")

    def _atom(self, variable: str, text: str, line: int) -> Atom:
        """The atom of a value: its own, `(at truck a)`, or if another value has that, `(var0 at-truck-a)`."""
        match = _ATOM.fullmatch(text)
        own = match and (match[1], *[word.strip() for word in match[2].split(",") if word.strip()])
        plain = variable, re.sub(r"[^\w.<>-]+", "-", text)
        for atom in (own, plain):
            simple = atom and all(re.fullmatch(r"[^\s()?;]+", word) for word in atom)
            if atom and simple and atom not in self.taken and self.sizes.setdefault(atom[0], len(atom)) == len(atom):
                self.taken.add(atom)
                return atom
        message = f"`{text[:40]}` cannot be told from another value, and the name of its variable is no word either"
        raise PuzzleError([self._place(line, message, "give each value of a variable a name of its own")])

    def _operator(self, others: dict[str, PddlAction]) -> PddlAction:
        self._word("begin_operator")
        name = " ".join(re.sub(r"[();#]", " ", self._line("the name of an operator")).split())
        line = self._place(self.at)
        if not name:
            raise self._error("an operator has no name", "give it one")
        number = 1
        while (unique := f"{name}{AGAIN}{number}" if number > 1 else name) in others:
            number += 1
        self.places["action", unique] = line
        conditions = self._facts("a condition")
        effects = [self._effect() for _ in range(self._number("the number of effects"))]
        cost = self._number("the cost")
        self._word("end_operator")
        conditions += [(x, old) for _, x, old, _ in effects if old >= 0]
        made = [one for n, effect in enumerate(effects) for one in self._made(effect, effects[n + 1 :])]
        return PddlAction(unique, (), self._all(conditions), tuple(made), (Price(cost),))

    def _effect(self) -> Effect:
        """An effect: the number of its conditions, these, the variable, its old and its new value."""
        many, *row = self._row("an effect")
        if many < 0 or len(row) != 2 * many + 3:
            raise self._error(
                "an effect has a number of conditions, as many pairs, a variable, its old and its new value"
            )
        conditions = [self._fact(*row[n : n + 2]) for n in range(0, 2 * many, 2)]
        x, old, new = row[-3:]
        for value in (new, old) if old != -1 else (new,):
            self._fact(x, value)
        return conditions, x, old, new

    def _made(self, effect: Effect, later: Sequence[Effect]) -> Iterator[AtomEffect]:
        """The atoms that an effect makes true and false. Of effects that give a variable several values the last one
        counts, as in Fast Downward's searches.
        """
        conditions, x, old, new = effect
        parts, known = [self._all(conditions)], dict(conditions)
        for others, y, _, other in later:
            if y == x and other != new and all(known.get(z, value) == value for z, value in others):
                parts.append(ex.Not(self._all(others)))
        condition = ex.And(tuple(parts)) if len(parts) > 1 else parts[0]
        if ex.Not(ex.And(())) in parts:
            return
        for value, atom in enumerate(self.values[x]):
            if atom and (value == new or old in (-1, value)):
                yield AtomEffect(atom, value == new, (), condition)

    def _all(self, facts: Sequence[Fact]) -> Expr:
        """The condition that all of some facts hold."""
        parts = list[Expr]()
        for x, value in facts:
            if atom := self.values[x][value]:
                parts.append(_read(atom))
            else:
                parts += [ex.Not(_read(other)) for other in self.values[x] if other]
        return ex.And(tuple(dict.fromkeys(parts)))


def _read(atom: Atom) -> Expr:
    return ex.Read(atom[0], tuple(map(term, atom[1:])))
