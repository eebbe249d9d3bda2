"""The keys that every puzzle may have, whatever its family: name, credits, metric, and what the author expects."""

from __future__ import annotations

from ..cost import MOST_OF_A_PLAN, Cost, canonical_metric
from ..header import Expect, Header
from ..text import suggest
from .document import Document, Mapping, Node, Report, Scalar, Sequence, describe
from .fields import Fields, integer, unknown_key
from .keys import LIST, MAPPING, NUMBER, TEXT, WORD, Key

HEADER_KEYS = (
    Key("format", (*NUMBER, *WORD), "the version of the format of puzzle files: `1`", required=True, choices=("1",)),
    Key("family", WORD, "what kind of puzzle this is", required=True),
    Key("name", TEXT, "the title of the puzzle; the file's name if left out", examples=("Two in the way",)),
    Key("author", TEXT, "who made the puzzle", examples=("Ann Example",)),
    Key("credit", TEXT, "where the puzzle and its figures come from", examples=("a magazine of 1912",)),
    Key("notes", TEXT, "anything else that is worth saying", examples=("drawn from memory",)),
    Key("metric", (*WORD, *LIST), "what counts as one move, or a list of two: the more important first"),
    Key("expect", MAPPING, "what is known of the optimum: makes the file a test", examples=("{cost: 16}",)),
)
"""Keys that every puzzle may have, whatever its family."""


def read_header(
    document: Document, fields: Fields, metrics: tuple[str, ...], default_metric: str | None = None
) -> Header:
    """Read the common keys; problems go to the document's report."""
    report = document.report
    node = fields.node("metric", example=f"metric: {metrics[0]}")
    default = default_metric or metrics[0]
    metric = default if node is None else _metric(node, report, metrics)
    expect = _expect(fields.node("expect", example="expect: {cost: 16}"), report, metrics, metric)
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


def _expect(node: Node | None, report: Report, metrics: tuple[str, ...], metric: str | None) -> Expect:
    """What the puzzle expects; `cost` is in `metric`, and only looked at if that is not known."""
    if node is None:
        return Expect()
    if not isinstance(node, Mapping):
        report.error(node, f"`expect` must be a mapping, not {describe(node)}", "write `expect: {cost: 16}`")
        return Expect()
    costs: dict[str, Cost] = {}
    unsolvable, plans = False, None
    costly: Scalar | None = None  # the first key that gives a cost
    for entry in node.entries:
        key, value = canonical_metric(entry.key.text), entry.value
        if key == "unsolvable":
            truth = value.value if isinstance(value, Scalar) else None
            if not isinstance(truth, bool):
                message = f"`unsolvable` must be `true` or `false`, not {describe(value)}"
                report.error(value, message, "write `expect: {unsolvable: true}`")
            unsolvable = truth is True
        elif key == "plans" and key not in metrics:
            plans = integer(value, report, "`plans`", 1)
        elif key == "cost" or key in metrics:
            costly = costly or entry.key
            of = metric if key == "cost" else key
            cost = _cost(entry.key, value, of, report)
            if of in costs:
                report.error(entry.key, f"the cost in `{of}` is given twice", "keep one of the two")
            elif cost and of:
                costs[of] = cost
        else:
            unknown_key(entry.key, report, "`expect`", ("cost", "unsolvable", "plans", *metrics))
    if unsolvable and costly:
        report.error(costly, "an unsolvable puzzle has no cost", "keep `unsolvable: true` or the cost")
    return Expect(costs, unsolvable, plans)


def _cost(key: Scalar, value: Node, metric: str | None, report: Report) -> Cost | None:
    """A number, or a list of them for a lexicographic metric; any number of them if the metric is not known."""
    parts = value.items if isinstance(value, Sequence) else (value,)
    numbers = [integer(part, report, f"`{key.text}`", maximum=MOST_OF_A_PLAN) for part in parts]
    size = metric.count(",") + 1 if metric else len(numbers)
    if len(numbers) != size:
        need = "one number" if size == 1 else f"a list of {size} numbers, one for each part of the metric"
        example = "16" if size == 1 else f"[{', '.join(['16', '40', '80'][:size])}]"
        report.error(value, f"`{key.text}` needs {need}, not {len(numbers)}", f"write `{key.text}: {example}`")
        return None
    good = tuple(number for number in numbers if number is not None)
    return good if len(good) == size else None
