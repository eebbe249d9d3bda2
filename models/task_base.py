"""What tasks with operators and tasks whose actions are programs have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from .cost import Cost, Unit
from .text import being

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


class Choice(Protocol):
    """What can be done, an operator or an action, as far as both are alike: it has a cost."""

    @property
    def cost(self) -> Cost: ...


class TaskBase:
    """Numbers of steps in words, and what is computed of a task once. For frozen dataclasses."""

    metric: tuple[str, ...]
    units: tuple[Unit, ...]

    @property
    @abstractmethod
    def choices(self) -> Sequence[Choice]:
        """What can be done: operators, or actions."""

    @property
    def layer_cost(self) -> int:
        """The greatest number that divides all costs, in the first component: 2 for costs of 4 and 6; 1 if all are
        free.
        """
        return math.gcd(*(choice.cost[0] for choice in self.choices)) or 1

    def counted(self, steps: int) -> str:
        """A number of steps in the unit that is counted first: `1 slide`, `9 slides`."""
        return self.units[0].counted(steps) if self.units else f"{steps:,} {self.metric[0]}"

    def not_enough(self, steps: int) -> str:
        """The sentence that a number of moves is refuted: `1 slide is not enough`, `9 slides are not enough`."""
        return f"{being(self.counted(steps))} not enough"

    def no_goal_within(self, steps: int, search: str = "breadth-first search") -> str:
        """What a search has shown that met all states of so many steps: `plain search: no goal within 9 slides`."""
        return f"{search}: no goal within {self.counted(steps)}" if steps else f"{search}: the start is no goal"

    def computed(self, make: Callable[[Self], T]) -> T:
        """`make(self)`, made when it is first asked for and kept with the task as long as that lives.

        So what is expensive to know of a task is found once for all who ask. Tasks are compared and pickled without it.
        """
        kept: dict[Callable[[Self], Any], Any] = self.__dict__.setdefault("_computed", {})
        if make not in kept:
            kept[make] = make(self)
        result: T = kept[make]
        return result

    def __getstate__(self: DataclassInstance) -> dict[str, Any]:
        """The fields alone: a process that is sent a task computes again what it needs of the rest."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
