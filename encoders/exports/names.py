"""Names of facts and operators as other programs' formats allow them: written here, and read back from plans.

PDDL      A+1 from r1c1 -> a-plus-1-from-r1c1                   `PddlNames`, of the plain form of a task
          crawl(up), third case -> crawl-up-case-3              the same, of a task with conditional effects
models    operator A+1 from r1c1, step 0; fact A at r1c1, layer 1    `NamedVariable`, of the form with unit costs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from ...analysis.conditional_effects import Condition, ConditionalEffects
from ...models.task import OperatorTask

WORDS = {"+": " plus ", "-": " minus "}


class Identifiers:
    """Gives texts names of small ASCII letters, digits and one separator, that begin with a letter.

    No two names of one object are equal, whatever the texts (`A at r1c1`, `a at r1c1`).
    """

    def __init__(self, separator: str, prefix: str, reserved: Collection[str] = ()) -> None:
        """`prefix` is put before names that would not begin with a letter."""
        self.separator, self.prefix = separator, prefix
        self._taken = set(reserved)

    def new(self, text: str) -> str:
        """A new name for a text, unlike all names given before."""
        for char, word in WORDS.items():
            text = text.replace(char, word)
        # Letters outside ASCII become their code points: dropped, different texts would more often collide.
        text = "".join(c if c.isascii() else f" u{ord(c):x} " for c in text.lower())
        name = self.separator.join(re.findall(r"[a-z0-9]+", text))
        if not name[:1].isalpha():
            name = self.prefix + (self.separator + name if name else "")
        # Texts that come out alike get numbers, in the order in which they are named: the same at each export.
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}{self.separator}{number}"
        self._taken.add(unique)
        return unique


# Words of PDDL that are no names.
KEYWORDS = ("and", "or", "not", "when", "forall", "exists", "imply", "define", "increase", "minimize", "total-cost")


Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class PddlNames:
    """The names of a task in PDDL: of its plain form, without walker and compound moves, or with conditional effects.

    `atoms`: for each variable those of its values, as `is VARIABLE VALUE` or `holds FACT` (the facts of a plain task
    are one row); `constants`: their groups or variables, and facts or values. `cases`: the actions of each operator or
    program, of an operator one. `clauses`: goal clauses that are met by actions of their own, `ways` these actions,
    `goals` the constants that name the clauses.
    """

    domain: str
    constants: tuple[str, ...]
    atoms: tuple[tuple[str, ...], ...]
    cases: tuple[tuple[str, ...], ...]
    clauses: tuple[tuple[Any, ...], ...]
    goals: tuple[str, ...]
    ways: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(task: OperatorTask) -> PddlNames:
        """PDDL names for a task. A group with one true fact becomes a variable, unless it shares a fact with an
        earlier one.
        """
        new = Identifiers("-", "x", KEYWORDS).new
        owner: dict[int, str] = {}
        for group in task.groups:
            # Greedy, in the order of groups: a fact can be a value of one variable only.
            if group.count == 1 and not owner.keys() & set(group.facts):
                owner.update(dict.fromkeys(group.facts, new(group.name)))
        names = [new(fact) for fact in task.facts]
        atoms = tuple(f"is {owner[f]} {name}" if f in owner else f"holds {name}" for f, name in enumerate(names))
        clauses = tuple(clause for clause in task.goal if len(clause) != 1)
        ways = [[f"by {task.facts[f]}" for f in clause] for clause in clauses]
        constants = (*dict.fromkeys(owner.values()), *names)
        return _named(task.name, new, constants, (atoms,), [[op.name] for op in task.operators], clauses, ways)

    @staticmethod
    def of_effects(view: ConditionalEffects) -> PddlNames:
        """PDDL names for a task with conditional effects. The same value of several variables has one name."""
        new = Identifiers("-", "n", KEYWORDS).new
        variables = tuple(new(variable.name) for variable in view.task.variables)
        texts = [variable.texts or tuple(map(str, variable.values)) for variable in view.task.variables]
        named = {text: new(text) for text in dict.fromkeys(chain.from_iterable(texts))}
        atoms = [
            tuple(f"is {variable} {named[text]}" for text in row)
            for variable, row in zip(variables, texts, strict=True)
        ]
        cases = []
        for deed in view.actions:
            numbers = range(1, len(deed.cases) + 1)
            cases.append([f"{deed.action.name} case {n}" if len(numbers) > 1 else deed.action.name for n in numbers])
        clauses = tuple(clause for clause in view.goal if not is_one_value(clause))
        ways = [[f"way {number}" for number, _ in enumerate(clause, 1)] for clause in clauses]
        return _named(view.task.name, new, (*variables, *named.values()), tuple(atoms), cases, clauses, ways)

    def actions(self, actions: Iterable[Named]) -> dict[str, Named | None]:
        """For the operators or programs of the same task, in order: which one each action is; None for those that only
        say that a goal clause holds.
        """
        cases = {name: action for action, names in zip(actions, self.cases, strict=True) for name in names}
        return {**cases, **{name: None for ways in self.ways for name in ways}}


def _named(
    task: str,
    new: Callable[[str], str],
    constants: tuple[str, ...],
    atoms: tuple[tuple[str, ...], ...],
    cases: Iterable[Sequence[str]],
    clauses: tuple[tuple[Any, ...], ...],
    ways: Iterable[Sequence[str]],
) -> PddlNames:
    """The names of a task whose constants `new` has named, from the texts of its actions and ways to meet clauses."""
    goals = tuple(new(f"goal {number}") for number in range(1, len(clauses) + 1))
    action = Identifiers("-", "do", KEYWORDS).new
    return PddlNames(
        domain=Identifiers("-", "puzzle", KEYWORDS).new(task),
        constants=constants,
        atoms=atoms,
        cases=tuple(tuple(map(action, texts)) for texts in cases),
        clauses=clauses,
        goals=goals,
        ways=tuple(
            tuple(action(f"reached {goal} {text}") for text in texts) for goal, texts in zip(goals, ways, strict=True)
        ),
    )


def is_one_value(clause: tuple[Condition, ...]) -> bool:
    """Whether a goal clause only says that variables have a value each."""
    return len(clause) == 1 and all(len(places) == 1 for _, places in clause[0])


@dataclass(frozen=True, slots=True)
class NamedVariable:
    """What a variable of a model says: of a `fact` in a layer, an `operator` in a step, or an `idle` step."""

    kind: str
    name: str
    time: int

    def __str__(self) -> str:
        named = f"{self.kind} {self.name}" if self.name else self.kind
        return f"{named}, {'layer' if self.kind == 'fact' else 'step'} {self.time}"

    @staticmethod
    def parse(text: str) -> NamedVariable | None:
        """The variable that `str` wrote, None for any other text."""
        match = _VARIABLE.fullmatch(text)
        return NamedVariable(match[1] or "idle", match[2] or "", int(match[3])) if match else None


_VARIABLE = re.compile(r"(?:(fact|operator) (.*)|idle), (?:layer|step) ([0-9]{1,9})", re.DOTALL)
