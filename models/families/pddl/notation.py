"""Plans of PDDL as text, as the planning competitions write them: an action on each line, `(drive truck1 a b)`.

Comments begin with `;`. An action may have a time before it and a duration behind, which is passed over:
`0.003: (drive truck1 a b) [1]`. Actions with times are in the order of these, not of their lines.
"""

from __future__ import annotations

import re

from ...errors import UnreadableError
from ...family import Notation
from ...plan import Plan
from ..custom.puzzle import Act
from ..plan_words import by_time
from .problem import Pddl

_ACTION = re.compile(r"\(([^()]*)\)(?:\s*\[[\d.]+\])?")
_BETWEEN = re.compile(r"(?:\s+|(\d+(?:\.\d+)?)\s*:)*")


def written(act: Act) -> str:
    """An action with its objects as plans in PDDL have it: `(drive truck1 a b)`."""
    return f"({' '.join((act.action, *act.args))})"


def parse(_puzzle: Pddl, text: str) -> Plan:
    """The plan that a text writes. Raises `UnreadableError`, with the place, for anything that is no action."""
    plain = re.sub(r";[^\n]*", "", text).lower()
    acts: list[tuple[str | None, Act]] = []
    at = 0
    while True:
        between = _BETWEEN.match(plain, at)
        assert between is not None
        at = between.end()
        if at == len(plain):
            return Plan(tuple(by_time(acts)))
        match = _ACTION.match(plain, at)
        words = match[1].split() if match else []
        if match is None or not words:
            raise UnreadableError(
                f"step {len(acts) + 1}: `{plain[at : at + 20].split(chr(10))[0]}` is no action; {HELP}"
            )
        acts.append((between[1], Act(words[0], tuple(words[1:]))))
        at = match.end()


HELP = "write each action in parentheses, `(drive truck1 a b)`"
NOTATION: Notation[Pddl] = Notation("each action in parentheses: `(drive truck1 a b)`", parse, "\n")
