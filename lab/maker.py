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
    """Makes boards of one family; a value that can be sent to other machines. Boards are values of its own type.

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

    def fits(self, board: Any) -> bool:
        """A quick test whether a board can fit the wishes; if it cannot, `grade` gives None."""

    def grade(self, board: Any) -> Graded | None:
        """The board, moved to the hardest start of its component, and its optimum."""

    def minimal(self, graded: Graded) -> Graded:
        """The board without parts that its optimum does not depend on."""

    @property
    def grading(self) -> str:
        """The settings that decide grades: makers with equal `grading` grade the same board equally."""

    @property
    def sure(self) -> bool:
        """Whether None as a grade is final; it is not if an engine may only have run out of time."""

    def canonical(self, board: Any) -> tuple[str, Any]:
        """A text that is equal for boards whose grades are equal (mirror images), and the board that is graded for all
        of them.
        """

    def to_text(self, board: Any) -> str:
        """The board as text: `from_text(to_text(board))` equals each board that `grade` gives."""

    def from_text(self, text: str) -> Any:
        """The board that `to_text` wrote as this text."""

    def same(self, board: Any) -> Hashable:
        """Equal for boards that are the same puzzle, or mirror images of each other."""

    def keys(self, board: Any) -> Keys:
        """The keys of the puzzle file that describe a board."""
