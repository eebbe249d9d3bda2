"""Names of facts and operators as other programs' formats allow them: written here, and read back from plans.

PDDL      A+1 from r1c1 -> a-plus-1-from-r1c1                   `Identifiers`
models    operator A+1 from r1c1, step 0; fact A at r1c1, layer 1    `NamedVariable`, of the form with unit costs
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

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
