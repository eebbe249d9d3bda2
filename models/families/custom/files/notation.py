"""Plans of custom families as text: an action with its parameters, `jump(r3c4,right)`; without any, `row`.

`push(left)@r2c5`: the walker goes to row 2, column 5 first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ....cells import Cell
from ....errors import ReplayError, UnreadableError
from ....family import Notation
from ....moves import Move
from ....plan import Plan
from ....text import suggest
from ..language.expressions import Value
from ..puzzle import ActionSchema, Custom, Domain


@dataclass(frozen=True, slots=True)
class Act(Move):
    """An action with its parameters as texts: `r3c4` is a cell.

    `at`: where a walker has walked to before, if it has.
    """

    kind: ClassVar[str] = "act"
    action: str
    args: tuple[str, ...] = ()
    at: str = ""

    @property
    def where(self) -> Cell | None:
        """The cell of an action for pointing at it: the first argument that is a cell."""
        found = next((re.fullmatch(r"r(\d+)c(\d+)", arg) for arg in self.args if arg.startswith("r")), None)
        return (int(found[1]) - 1, int(found[2]) - 1) if found else None

    @property
    def what(self) -> tuple[str, ...]:
        return self.args

    def __str__(self) -> str:
        what = f"{self.action}({','.join(self.args)})" if self.args else self.action
        return f"{what}@{self.at}" if self.at else what


def values_of(action: ActionSchema, act: Act) -> dict[str, Value]:
    """The parameters of an act as values. Raises `ReplayError` if they do not fit."""
    if len(act.args) != len(action.parameters):
        wanted = ", ".join(f"{name}: {domain.name}" for name, domain in action.parameters) or "no parameter"
        raise ReplayError(f"`{action.name}` takes {wanted}")
    return {name: _value(text, domain, name) for text, (name, domain) in zip(act.args, action.parameters, strict=True)}


def _value(text: str, domain: Domain, name: str) -> Value:
    if (value := domain.by_text.get(text)) is not None:
        return value
    raise ReplayError(f"`{name}` is of the type {domain.name}, and cannot be `{text[:40]}`")


_STEP = re.compile(r"([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?(?:@(r\d{1,4}c\d{1,4}))?[\s,;]*")


def parse(puzzle: Custom, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError`, with the place, for anything that is not an action."""
    moves: list[Act] = []
    at = len(text) - len(text.lstrip())
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise UnreadableError(f"step {len(moves) + 1}: `{text[at : at + 20]}` is no action; write {EXAMPLE}")
        name, inside = match[1], match[2]
        if name not in puzzle.actions:
            hint = suggest(name, puzzle.actions)
            kind = ReplayError if moves else UnreadableError  # with no action before it, it may be prose, or a log
            raise kind(f"step {len(moves) + 1}: there is no action `{name[:40]}`; {hint}")
        args = tuple(part.strip() for part in inside.split(",")) if inside and inside.strip() else ()
        act = Act(name, args, match[3] or "")
        try:
            values_of(puzzle.actions[name], act)
        except ReplayError as error:
            raise ReplayError(f"step {len(moves) + 1} (`{act}`): {error}") from None
        moves.append(act)
        at = match.end()
    return Plan(tuple(moves))


EXAMPLE = "an action with its parameters: `jump(r3c4,right)`"
NOTATION: Notation[Custom] = Notation(EXAMPLE, parse)
