"""What all puzzles have in common: the header of the file, and what a family must offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from .document import Document, Mapping, Node, Report, Scalar, Sequence, describe
from .fields import Fields, integer, suggest
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
    """The keys that do not depend on the family. `metric` is the one to solve in unless another is asked for."""

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


def read_header(
    document: Document, fields: Fields, metrics: tuple[str, ...], default_metric: str | None = None
) -> Header:
    """Read the common keys; problems go to the document's report."""
    report = document.report
    metric = _metric(fields.node("metric"), report, metrics) or default_metric or metrics[0]
    expect = _expect(fields.node("expect"), report, metrics, metric)
    fallback = document.path.stem if document.path else "unnamed"
    return Header(
        file=report.file,
        name=fields.text("name") or fallback,
        metric=metric,
        author=fields.text("author") or "",
        credit=fields.text("credit") or "",
        notes=fields.text("notes") or "",
        expect=expect,
    )


def _metric(node: Node | None, report: Report, metrics: tuple[str, ...]) -> str | None:
    if node is None:
        return None
    parts = node.items if isinstance(node, Sequence) else (node,)
    words = [p.text.strip() for p in parts if isinstance(p, Scalar)]
    metric = canonical_metric(",".join(words))
    if len(words) != len(parts) or metric not in metrics:
        shown = describe(node) if isinstance(node, Scalar) else f"`[{', '.join(words)}]`"
        report.error(node, f"`metric` cannot be {shown}", suggest(metric, metrics))
        return None
    return metric


def canonical_metric(text: str) -> str:
    """`[pushes, moves]`, `pushes, moves` and `pushes,moves` are one metric."""
    return ",".join(part.strip() for part in text.split(","))


def _expect(node: Node | None, report: Report, metrics: tuple[str, ...], metric: str) -> Expect:
    if node is None:
        return Expect()
    if not isinstance(node, Mapping):
        report.error(node, f"`expect` must be a mapping, not {describe(node)}", "write `expect: {cost: 16}`")
        return Expect()
    Fields(node, report, ("cost", "unsolvable", *metrics), "`expect`")
    costs: dict[str, Cost] = {}
    unsolvable = False
    for entry in node.entries:
        key, value = entry.key.text, entry.value
        if key == "unsolvable":
            truth = value.value if isinstance(value, Scalar) else None
            if not isinstance(truth, bool):
                report.error(value, f"`unsolvable` must be true or false, not {describe(value)}")
            unsolvable = truth is True
            continue
        key = metric if key == "cost" else canonical_metric(key)
        if key not in metrics:
            continue
        parts = value.items if isinstance(value, Sequence) else (value,)
        numbers = [integer(part, report, f"`{entry.key.text}`") for part in parts]
        if len(numbers) != key.count(",") + 1:
            report.error(
                value, f"`{entry.key.text}` needs {key.count(',') + 1} number(s), one for each of `{key}`"
            )
        elif key in costs:
            report.error(entry.key, f"the cost in `{key}` is given twice", "keep one of the two")
        elif None not in numbers:
            costs[key] = tuple(n for n in numbers if n is not None)
    if unsolvable and costs:
        report.error(node, "an unsolvable puzzle has no cost", "keep `unsolvable: true` or the cost")
    return Expect(costs, unsolvable)
