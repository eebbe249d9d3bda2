"""What all puzzles have in common: the header of the file, and what a family must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from ..errors import UsageError
from .documents.document import Document, Mapping, Node, Report, Scalar, Sequence, describe
from .documents.fields import Fields, integer, suggest, unknown_key
from .plan import Plan, Replay
from .task import Cost, Task

HEADER_KEYS = ("format", "family", "name", "author", "credit", "notes", "metric", "expect")
"""Keys that every puzzle may have. `credit` says where the puzzle and its figures come from."""


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


def read_header(
    document: Document, fields: Fields, metrics: tuple[str, ...], default_metric: str | None = None
) -> Header:
    """Read the common keys; problems go to the document's report."""
    report = document.report
    node = fields.node("metric")
    default = default_metric or metrics[0]
    metric = default if node is None else _metric(node, report, metrics)
    expect = _expect(fields.node("expect"), report, metrics, metric)
    fallback = document.path.stem if document.path else "unnamed"
    return Header(
        file=report.file,
        name=" ".join((fields.text("name") or fallback).split()),
        metric=metric or default,
        author=fields.text("author") or "",
        credit=fields.text("credit") or "",
        notes=fields.text("notes") or "",
        expect=expect,
    )


def _metric(node: Node, report: Report, metrics: tuple[str, ...]) -> str | None:
    parts = node.items if isinstance(node, Sequence) else (node,)
    words = [p.text.strip() for p in parts if isinstance(p, Scalar)]
    metric = canonical_metric(",".join(words))
    if len(words) != len(parts) or metric not in metrics:
        shown = f"`[{', '.join(words)}]`" if isinstance(node, Sequence) and words else describe(node)
        report.error(node, f"`metric` cannot be {shown}", suggest(metric, metrics))
        return None
    return metric


def canonical_metric(text: str) -> str:
    """`[pushes, moves]`, `pushes, moves` and `pushes,moves` are one metric."""
    return ",".join(part.strip() for part in text.split(","))


def _expect(node: Node | None, report: Report, metrics: tuple[str, ...], metric: str | None) -> Expect:
    """What the puzzle expects; `cost` is in `metric`, and only looked at if that is not known."""
    if node is None:
        return Expect()
    if not isinstance(node, Mapping):
        report.error(node, f"`expect` must be a mapping, not {describe(node)}", "write `expect: {cost: 16}`")
        return Expect()
    costs: dict[str, Cost] = {}
    unsolvable = False
    costly: Scalar | None = None  # the first key that gives a cost
    for entry in node.entries:
        key, value = canonical_metric(entry.key.text), entry.value
        if key == "unsolvable":
            truth = value.value if isinstance(value, Scalar) else None
            if not isinstance(truth, bool):
                message = f"`unsolvable` must be `true` or `false`, not {describe(value)}"
                report.error(value, message, "write `expect: {unsolvable: true}`")
            unsolvable = truth is True
        elif key == "cost" or key in metrics:
            costly = costly or entry.key
            of = metric if key == "cost" else key
            cost = _cost(entry.key, value, of, report)
            if of in costs:
                report.error(entry.key, f"the cost in `{of}` is given twice", "keep one of the two")
            elif cost and of:
                costs[of] = cost
        else:
            unknown_key(entry.key, report, "`expect`", ("cost", "unsolvable", *metrics))
    if unsolvable and costly:
        report.error(costly, "an unsolvable puzzle has no cost", "keep `unsolvable: true` or the cost")
    return Expect(costs, unsolvable)


def _cost(key: Scalar, value: Node, metric: str | None, report: Report) -> Cost | None:
    """A number, or a list of them for a lexicographic metric; any number of them if the metric is not known."""
    parts = value.items if isinstance(value, Sequence) else (value,)
    numbers = [integer(part, report, f"`{key.text}`") for part in parts]
    size = metric.count(",") + 1 if metric else len(numbers)
    if len(numbers) != size:
        need = "one number" if size == 1 else f"a list of {size} numbers, one for each part of the metric"
        example = "16" if size == 1 else f"[{', '.join(['16', '40', '80'][:size])}]"
        report.error(value, f"`{key.text}` needs {need}, not {len(numbers)}", f"write `{key.text}: {example}`")
        return None
    good = tuple(number for number in numbers if number is not None)
    return good if len(good) == size else None
