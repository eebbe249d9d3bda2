"""What a file counts: its metrics, and what each action costs in them."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field

from ...documents.document import Entry, Mapping, Scalar, Sequence, describe
from ...documents.fields import Fields
from ...moves import Metric, Unit
from ...text import suggest
from .language.checking import Checker
from .language.expressions import Const, Expr, Value, text_of
from .language.syntax import Source, sources
from .language.values import Locals
from .puzzle import Counting, Parameters, Place, ValueTable


@dataclass
class DeclaredAction:
    """An action whose parameters have been read; its cost is read later. `names`: parameters, and names of `let`."""

    fields: Fields
    entry: Entry
    parameters: Parameters
    names: Locals = field(default_factory=dict)
    cost: Expr = field(default_factory=lambda: Const(1))


def own_metrics(fields: Fields) -> tuple[Metric, ...]:
    """The metrics that a file declares: each component, and both orders of two."""
    node = fields.mapping.get("metrics")
    entries = node.entries if isinstance(node, Mapping) else ()
    units = [unit(entry.key.text.strip()) for entry in entries if entry.key.text.strip().isidentifier()]
    units = units or [unit("moves")]
    pairs = [Metric((units[0], units[1])), Metric((units[1], units[0]))] if len(units) == 2 else []
    return (*(Metric((one,)) for one in units), *pairs)


def unit(many: str) -> Unit:
    """A unit from its plural: `pushes` gives `push`, `moves` gives `move`."""
    if many.endswith(("shes", "ches", "sses", "xes")):
        return Unit(many[:-2], many)
    return Unit(many[:-1] if many.endswith("s") and len(many) > 2 else many, many)


def countings(entries: Iterable[Entry], actions: dict[str, DeclaredAction], checker: Checker) -> tuple[Counting, ...]:
    """For each metric of the file, what each action costs in it; without metrics, the actions' own costs."""
    counted, report = [], checker.report
    for entry in entries:
        name, value = entry.key.text.strip(), entry.value
        if not name.isidentifier():
            report.error(entry.key, f"`{name[:40]}` cannot be a name", "write a word, as `pushes`")
            continue
        costs: dict[str, Expr] = {}
        if isinstance(value, Scalar) and value.text == "cost":
            costs = {action: actions[action].cost for action in actions}
        elif isinstance(value, Sequence):
            for item in value.items:
                if isinstance(item, Scalar) and item.text in actions:
                    costs[item.text] = Const(1)
                else:
                    text = item.text if isinstance(item, Scalar) else ""
                    report.error(item, f"there is no action {describe(item)}", suggest(text, actions))
        elif isinstance(value, Mapping):
            for part in value.entries:
                if part.key.text not in actions:
                    message = f"there is no action `{part.key.text[:40]}`"
                    report.error(part.key, message, suggest(part.key.text, actions))
                    continue
                names = actions[part.key.text].names
                for source in sources(part.value, report, f"`{name}`"):
                    cost = price(checker, source, names, f"what `{part.key.text}` costs")
                    if cost is not None:
                        costs[part.key.text] = cost
        else:
            hint = "write `minutes: cost`, a list of actions, or a mapping of actions to numbers"
            report.error(value, f"`{name}` cannot count {describe(value)}", hint)
        counted.append(Counting(unit(name).one, name, costs))
    if not counted:
        costs = {action: actions[action].cost for action in actions}
        counted = [Counting("move", "moves", costs)]
    return tuple(counted)


def price(checker: Checker, source: Source, names: Locals, what: str) -> Expr | None:
    """The expression of a cost; None, with the problem recorded, unless it is a number that is not negative."""
    typed = checker.any(source, names)
    if typed is None:
        return None
    if typed[1].kind != "number" or typed[1].high < 0:
        found = typed[1].describe()
        if typed[1].kind == "number":
            found = str(typed[1].high) if typed[1].low == typed[1].high else f"one of {typed[1].low}..{typed[1].high}"
        message = f"{what} must be a number that is not negative, not {found}"
        checker.report.error(source.span(source.tree), message)
        return None
    return typed[0]


# States without a map and without `draw`: lines of text for each table.
#
# at: wolf left, goat right        boat: right        lit: a, c
#
# A table with two arguments takes several lines, all but the first of which begin with a space:
#
# tube:  1    2
#   t1   red  blue
#   t2   none none

WIDTH = 78
"""Columns of text that a matrix may take."""


def lines_of(table: ValueTable, state: AbstractMapping[Place, Value]) -> list[str]:
    """A table as lines: `at: wolf left, goat right`; the true arguments of a table of truth values; else a matrix."""
    values = {args: state[table.name, args] for args in table.values}
    if not table.of:
        return [f"{table.name}: {text_of(values[()])}"]
    if table.domain.kind == "truth":
        return [f"{table.name}: {', '.join(_words(args) for args, value in values.items() if value)}"]
    if len(table.of) != 2:
        return [f"{table.name}: {', '.join(f'{_words(args)} {text_of(value)}' for args, value in values.items())}"]
    return _matrix(table, values)


def _matrix(table: ValueTable, values: AbstractMapping[tuple[Value, ...], Value]) -> list[str]:
    """A table of two arguments as a matrix: a row for each first argument; a wide table is several such blocks."""
    label, size, blocks = _layout(table)
    lines = []
    for seconds in blocks:
        head = f"{table.name}:" if seconds is blocks[0] else ""
        lines.append(head.ljust(label) + "".join(text_of(second).ljust(size) for second in seconds))
        for first in table.of[0].values:
            row = "".join(text_of(values[first, second]).ljust(size) for second in seconds)
            lines.append(f"  {text_of(first)}".ljust(label) + row)
    return [line.rstrip() for line in lines]


def _layout(table: ValueTable) -> tuple[int, int, list[tuple[Value, ...]]]:
    """The layout of a table's matrix, equal in all states: width of the names, width of a column, the columns of
    each block.
    """
    first, second = table.of
    label = 2 + max(len(table.name), *(len(text_of(value)) + 1 for value in first.values))
    size = 2 + max(len(text_of(value)) for value in (*second.values, *table.domain.values))
    across = max(1, (WIDTH - label) // size)
    columns = tuple(second.values)
    return label, size, [columns[n : n + across] for n in range(0, len(columns), across)]


def _words(args: tuple[Value, ...]) -> str:
    return " ".join(map(text_of, args))
