"""A puzzle: a value of some family, its header, and what can be done with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeVar, cast

from .cells import Rows
from .display import Displayed
from .documents.fields import Header
from .documents.write import to_yaml
from .errors import GroundingError, UsageError
from .family import Family, Keys
from .moves import Metric, Unit
from .plan import Plan, Replay, play
from .program import ProgramTask
from .task import OperatorTask, Task
from .text import cut

T = TypeVar("T")
F = TypeVar("F", OperatorTask, ProgramTask, Task)


@dataclass(frozen=True)
class Puzzle(Displayed):
    """A puzzle of some family. Cells are 0-based (row, column).

    `record` says how puzzles of the family are grounded, played, written and drawn; `value` is the puzzle itself, in
    the family's own type (`RushHour`, `Sokoban`, ...). `own_metrics`: those of the puzzle, where they are not the
    family's.
    """

    record: Family[Any, Any]
    header: Header
    value: Any
    own_metrics: tuple[Metric, ...] | None = None

    def __repr__(self) -> str:
        """As `RushHour('Example card', 6x6, 10 vehicles)`."""
        rows = self.board()
        counts = f", {self.record.counts(self.value)}" if self.record.counts else ""
        size = f"{max(map(len, rows), default=0)}x{len(rows)}"
        return f"{type(self.value).__name__}({cut(self.header.name, 60)!r}, {size}{counts})"

    def __hash__(self) -> int:
        return hash((self.record.name, self.header.file, self.header.name, self.header.metric))

    @property
    def family(self) -> str:
        """The name of the family."""
        return self.record.name

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every metric of the puzzle, the default first; `a,b` is lexicographic, `a` before `b`."""
        return tuple(metric.name for metric in self._metrics)

    @property
    def _metrics(self) -> tuple[Metric, ...]:
        return self.own_metrics or self.record.metrics

    def metric(self, name: str) -> Metric:
        """A metric of the puzzle by its name. Raises `KeyError` if there is none."""
        return {metric.name: metric for metric in self._metrics}[name]

    def unit(self, name: str) -> Unit:
        """What a component of a metric, or a number of a replay, counts. Raises `KeyError` for another name."""
        return {unit.many: unit for metric in self._metrics for unit in metric.units}[name]

    @cached_property
    def digest(self) -> str:
        """A name for what the puzzle is: a hash of the family and its keys, but not of the header (title, `expect`)."""
        try:
            content: Any = self.keys()
        except UsageError:
            content = (self.board(), self.goal_text())
        text = json.dumps([self.family, content], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    # The task, and other views

    def task(self, metric: str) -> OperatorTask:
        """The grounded planning task in a metric of the family. Raises `GroundingError`, with the place,
        or another `UsageError` if the puzzle is too large."""
        return self._grounded(self.record.ground, metric)

    def complete(self, metric: str) -> OperatorTask:
        """The task with every move that the rules allow, also to where no goal can be reached from. Raises as `task`
        does.
        """
        return self._grounded(self.record.complete or self.record.ground, metric)

    def _grounded(self, ground: Callable[[Any, Metric], F], metric: str) -> F:
        measure = self.metric(metric)
        try:
            task = ground(self.value, measure)
        except GroundingError:  # it says where
            raise
        except UsageError as error:
            raise UsageError(f"{self.header.file}: {error}") from None
        return replace(task, name=self.header.name, units=measure.units)

    def form(self, metric: str) -> Task:
        """The task for engines that read operators and programs: whichever suits the puzzle. Raises as `task` does."""
        return self._grounded(self.record.form or self.record.ground, metric)

    def offers(self, kind: type) -> bool:
        """Whether the family offers what an engine reads: tasks, tasks of programs, or a view of its puzzles."""
        return kind in (OperatorTask, *self.record.views) or (kind is ProgramTask and self.record.form is not None)

    def view(self, kind: type[T], metric: str | None = None) -> T | None:
        """The puzzle as engines of a kind read it: its task, or a view that the family offers; None if it does not.

        `metric` defaults to the puzzle's own.
        """
        metric = metric or self.header.metric
        if kind is OperatorTask:
            return cast(T, self.task(metric))
        if kind not in self.record.views:
            return None
        return cast(T, self.record.views[kind](self.value, self.metric(metric)))

    # Plans

    def replay(self, plan: Plan) -> Replay:
        """Play a plan by the rules of the family, without the task. Raises `ReplayError`."""
        return play(plan, partial(self.record.simulate, self.value), self.record.moves)

    def plan_text(self, replay: Replay) -> str:
        """A replayed plan in one line, as programs for this family read it."""
        notation = self.record.notation
        return (notation.separator if notation else " ").join(replay.notation)

    def parse_plan(self, text: str) -> Plan:
        """The plan that a text in the family's notation writes; it need not follow the rules, `replay` decides that.

        Raises `ReplayError`, with the place, for a text that is no plan, and `UsageError` if the family reads none.
        """
        if self.record.notation is None:
            raise UsageError(f"plans of the family {self.family} cannot be read from text")
        return self.record.notation.parse(self.value, text)

    # Boards and files

    def board(self) -> Rows:
        """The initial position as rows of text, in the author's own letters."""
        return self.record.simulate(self.value).board()

    def goal_text(self) -> Rows:
        """The goal: one line of words, or the rows of a map like `board`."""
        return self.record.goal(self.value)

    @property
    def drawing(self) -> Literal["pieces", "map"]:
        """How boards are drawn, see `Drawing`."""
        return self.record.drawing.style

    def labels(self) -> dict[str, str]:
        """What to write on pieces instead of their letters, by letter (numbers of more than one digit)."""
        labels = self.record.drawing.labels
        return labels(self.value) if labels else {}

    def keys(self, board: Rows | None = None, after: Plan | None = None) -> Keys:
        """The family's own keys in the file of the puzzle from a position (default: its own).

        A position is given as `board` draws it, or by the plan that leads to it. Raises `UsageError` if the family, or
        a position that is drawn, cannot be written, and `ReplayError` for a plan that the rules forbid.
        """
        if after is not None and self.record.write_after is not None:
            return self.record.write_after(self.value, after)
        if after is not None and (steps := self.replay(after).steps):
            board = steps[-1].board
        if board is None:
            board = self.board()
        if self.record.write is None:
            raise UsageError(f"a position of the family {self.family} cannot be written as a puzzle")
        return self.record.write(self.value, board)

    def to_yaml(self, header: Header | None = None, board: Rows | None = None, after: Plan | None = None) -> str:
        """The puzzle file of the puzzle from a position (default: its own), under a header (default: its own).

        A position is given as `board` draws it, or by the plan that leads to it. Raises `UsageError` if the family, or
        a position that is drawn, cannot be written, and `ReplayError` for a plan that the rules forbid.
        """
        keys = self.keys(board, after)
        return to_yaml(self.family, header or self.header, keys, self.metrics[0])
