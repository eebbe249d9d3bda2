"""A heuristic that anyone writes in a file of plain Python, and that searches in plain Python ask of each state.

    \"\"\"misplaced.py: each tile that is not where it belongs has to move at least once.\"\"\"

    admissible = True  # no value is above the true cost: with this word, what a search finds is called optimal

    def prepare(task):  # once, before the search; may be left out
        global goal
        goal = task.goal

    def value(state):  # of a state: a whole number, or None for a dead end
        return sum(state.isdisjoint(clause) for clause in goal)

A state is the set of what is true in it, in the words of exports and `budge plans`: `{"A at r1c1", "free r1c3"}`.
Where the walker stands is a word more, `walker at r2c3`; where walking is for nothing, the first cell that he gets to.
"""

from __future__ import annotations

import runpy
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...models.cells import rc
from ...models.errors import UsageError
from ...models.moves import Cost
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from .state_space import facts_in

Words = frozenset[str]
"""What is true in a state, in words."""


@dataclass(frozen=True)
class TaskInWords:
    """A task as a heuristic sees it: what is true at the start, and the goal.

    `goal`: sets of facts, of each of which one has to be true; empty where the goal is a program, which is not such a
    list.
    """

    start: Words
    goal: tuple[Words, ...]


def in_words(task: Task) -> Callable[[Any], Words]:
    """The function that lists the true facts of a state of `state_space`: `{"A at r1c1", "free r1c3"}`."""
    return by_form(task, _facts_in_words, _values_in_words)


def _values_in_words(task: ProgramTask) -> Callable[[Any], Words]:
    facts = [{value: variable.fact(value) for value in variable.values} for variable in task.variables]
    return lambda state: frozenset([fact[value] for fact, value in zip(facts, state, strict=True)])


def _facts_in_words(task: OperatorTask) -> Callable[[Any], Words]:
    walker = [f"walker at {rc(cell)}" for cell in task.walker.cells] if task.walker else None

    def words(state: Any) -> Words:
        true = [task.facts[fact] for fact in facts_in(state.facts)]
        return frozenset([*true, walker[state.cell]] if walker else true)

    return words


class OwnHeuristic:
    """The heuristic of a file; `name`: the file's. `admissible`: whether it says that it never overestimates. `dead`:
    how often it said that a state is a dead end.
    """

    def __init__(self, path: str, task: Task, start: Any) -> None:
        """Read the file and prepare the heuristic. Raises `UsageError`, with the line, for what goes wrong in it."""
        self.path, self.name, self.dead = path, Path(path).name, 0
        names = self._try("be read", runpy.run_path, path)
        self._value = names.get("value")
        if not callable(self._value):
            raise UsageError(f"{path} has no function `value(state)`")
        self.admissible = names.get("admissible", False) is True
        self.words = in_words(task)
        if callable(prepare := names.get("prepare")):
            goal: tuple[Words, ...] = ()
            if isinstance(task, OperatorTask):
                goal = tuple(frozenset([task.facts[fact] for fact in clause]) for clause in task.goal)
            self._try("prepare", prepare, TaskInWords(self.words(start), goal))

    def __call__(self, state: Any) -> int | None:
        """The value of a state of `state_space`; None for a dead end. Raises `UsageError` for anything else."""
        value = self._try("value a state", self._value, self.words(state))
        self.dead += value is None
        if value is None or (isinstance(value, int) and value >= 0):
            return value
        raise UsageError(f"{self.path}: value(state) gave {value!r}; it has to be a whole number from 0 on, or None")

    @property
    def doubt(self) -> str | None:
        """Why a search that found no plan has not proven that there is none."""
        if self.admissible or not self.dead:
            return None
        return f"{self.name} calls states dead ends, and does not say that it is `admissible`"

    def trusted(self, path: Iterable[tuple[Any, Cost]]) -> bool:
        """Whether the cheapest plan that a search found counts as optimal: if the heuristic says that it is admissible.

        `path`: the states of the plan, the goal first, each with its cost. Raises `UsageError` if the value of one of
        them is more than what the rest of the plan costs.
        """
        if not self.admissible:
            return False
        whole = None
        for state, cost in path:
            whole = whole or cost
            rest, value = whole[0] - cost[0], self(state)
            if value is None or value > rest:
                raise UsageError(
                    f"{self.path} says that it is `admissible`, and its value is {value} where {rest} is enough: "
                    + ", ".join(sorted(self.words(state)))
                )
        return True

    def _try(self, what: str, function: Any, given: Any) -> Any:
        try:
            return function(given)
        except OSError as error:
            raise UsageError(f"{self.path}: {error.strerror or error}") from None
        except SyntaxError as error:
            raise UsageError(f"{self.path}, line {error.lineno}: {error.msg}") from None
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.path]
            at = f", line {lines[-1]}" if lines else ""
            raise UsageError(f"{self.path}{at}: cannot {what}: {type(error).__name__}: {error}") from None
