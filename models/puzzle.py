"""What all puzzles have in common: the header of the file, and what a family must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from .cost import Cost
from .errors import UsageError
from .plan import Plan, Replay
from .task import Task


@dataclass(frozen=True, slots=True)
class Expect:
    """What the author says is true of the puzzle: optimal costs by metric, or that no plan exists."""

    costs: dict[str, Cost] = field(default_factory=dict)
    unsolvable: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """The keys that do not depend on the family. `metric` is the one to solve in if no other is asked for."""

    file: str
    name: str
    metric: str
    author: str = ""
    credit: str = ""
    notes: str = ""
    expect: Expect = field(default_factory=Expect)


class Puzzle(ABC):
    """A puzzle of some family. Cells are 0-based (row, column)."""

    family: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]
    """Every metric of the family, the default first; `a,b` is lexicographic, `a` before `b`."""

    drawing: ClassVar[str] = "pieces"
    """How boards are drawn: "pieces" (equal letters are outlined) or "map" (the characters as they are)."""

    header: Header

    @abstractmethod
    def task(self, metric: str) -> Task:
        """The grounded planning task in a metric of the family."""

    @abstractmethod
    def replay(self, plan: Plan) -> Replay:
        """Play a plan by the rules of the family, without the task. Raises `ReplayError`."""

    @abstractmethod
    def board(self) -> tuple[str, ...]:
        """The initial position as rows of text, in the author's own letters."""

    def goal_text(self) -> tuple[str, ...]:
        """The goal: one line of words, or the rows of a map like `board`."""
        return ()

    def plan_text(self, replay: Replay) -> str:
        """A replayed plan in one line, as programs for this family read it."""
        return " ".join(replay.notation)

    def parse_plan(self, text: str) -> Plan:
        """The plan that a text in the family's notation writes; it need not follow the rules, `replay` decides that.

        Raises `ReplayError`, with the place, for a text that is no plan, and `UsageError` if the family reads none.
        """
        raise UsageError(f"plans of the family {self.family} cannot be read from text")

    def keys(self, board: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
        """The family's own keys in the file of the puzzle that starts at a position, drawn as `board` draws it.

        A tuple holds the rows of a map, a string is a value as it stands in the file. Raises `UsageError` if the
        family cannot be written.
        """
        raise UsageError(f"a position of the family {self.family} cannot be written as a puzzle")

    def labels(self) -> dict[str, str]:
        """What to write on pieces instead of their letters, by letter (numbers of more than one digit)."""
        return {}
