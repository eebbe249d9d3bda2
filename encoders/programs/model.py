"""A formula of plans of actions that are programs, and how a plan is read off a solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.program import ProgramAction
from ..formula import Formula


@dataclass(frozen=True, slots=True)
class ProgramModel:
    """A formula, and the literal of each action that is possible in each step."""

    formula: Formula
    applied: list[list[tuple[int, ProgramAction]]]

    def actions(self, values: NDArray[np.bool_]) -> list[ProgramAction]:
        """The actions of a solution; `values` holds the value of each variable."""
        return [action for step in self.applied for literal, action in step if values[literal]]
