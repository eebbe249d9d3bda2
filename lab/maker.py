"""What a family has to know so that its puzzles can be made."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from ..models.family import Keys


@dataclass(frozen=True, slots=True)
class Graded:
    """A board at the hardest start of its component: `optimum` is proven by visiting all of its `states`."""

    board: Any
    optimum: int
    states: int


class Maker(Protocol):
    """Makes boards of one family; a value that can be sent to other machines. Boards are hashable, of its own type.

    `family`, `metric`: names. `new` and `mutate` may give a board that is none: then `grade` gives None, as it does
    for one that cannot be solved or has too many states. They depend on nothing but their arguments. `evaluations`: so
    many boards make a unit of some seconds.
    """

    @property
    def family(self) -> str: ...

    @property
    def metric(self) -> str: ...

    @property
    def evaluations(self) -> int: ...

    def new(self, chance: random.Random) -> Any:
        """A new board."""

    def mutate(self, board: Any, chance: random.Random) -> Any:
        """A board that differs a little."""

    def grade(self, board: Any) -> Graded | None:
        """The board, moved to the hardest start of its component, and its optimum."""

    def minimal(self, graded: Graded) -> Graded:
        """The board without parts that its optimum does not depend on."""

    def same(self, board: Any) -> Hashable:
        """Equal for boards that are the same puzzle, or mirror images of each other."""

    def keys(self, board: Any) -> Keys:
        """The keys of the puzzle file that describe a board."""
