"""Plans of PDDL as text, as the planning competitions write them: an action on each line, `(drive truck1 a b)`.

Comments begin with `;`. What the validator VAL writes before and behind an action, a time and a duration, is passed
over: `0.003: (drive truck1 a b) [1]`.
"""

from __future__ import annotations

import re

from ...errors import ReplayError
from ...family import Notation
from ...plan import Plan
from ..custom.files.notation import Act
from .problem import Pddl

_ACTION = re.compile(r"\(([^()]*)\)(?:\s*\[[\d.]+\])?")
_BETWEEN = re.compile(r"(?:\s+|\d+(?:\.\d+)?:)*")


def written(act: Act) -> str:
    """An action with its objects as plans in PDDL have it: `(drive truck1 a b)`."""
    return f"({' '.join((act.action, *act.args))})"


def parse(_puzzle: Pddl, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError`, with the place, for anything that is no action."""
    plain = re.sub(r";[^\n]*", "", text).lower()
    acts: list[Act] = []
    at = 0
    while True:
        between = _BETWEEN.match(plain, at)
        assert between is not None
        at = between.end()
        if at == len(plain):
            return Plan(tuple(acts))
        match = _ACTION.match(plain, at)
        words = match[1].split() if match else []
        if match is None or not words:
            raise ReplayError(f"step {len(acts) + 1}: `{plain[at : at + 20].split(chr(10))[0]}` is no action; {HELP}")
        acts.append(Act(words[0], tuple(words[1:])))
        at = match.end()


HELP = "write each action in parentheses, `(drive truck1 a b)`"
NOTATION: Notation[Pddl] = Notation("each action in parentheses: `(drive truck1 a b)`", parse, "\n")
