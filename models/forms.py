"""The forms that a task can have, and what is declared of those that an analysis or an engine understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Form(Enum):
    """How the actions of a task are given. The value says it in words."""

    OPERATORS = "enumerated operators"
    PROGRAMS = "programs"
    EFFECTS = "conditional effects"


class Costs(Enum):
    """Which costs of steps are understood, in the component that is counted first. The value says it in words."""

    ANY = "any"
    POSITIVE = "above zero"
    ALIKE = "all alike"
    ONE = "one each"


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is computed of a task by the function at `entry` (`module:name`), whose first argument has one of the
    `forms`; with each form the costs that it understands there.

    It is never given a task in another form; of one with other costs it says that it knows nothing. `exports`: it
    writes the task down, and nothing is concluded from it.
    """

    name: str
    entry: str
    forms: Mapping[Form, Costs]
    exports: bool = False
