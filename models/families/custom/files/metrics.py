"""What a file counts: its metrics, and what each action costs in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ....cost import Metric, Unit
from ....documents.document import Entry, Mapping, Scalar, Sequence, describe
from ....documents.fields import Fields
from ....text import suggest
from ..language.checking import Checker
from ..language.expressions import Const, Expr
from ..language.scope import Locals
from ..language.syntax import Source, sources
from ..puzzle import Counting, Parameters


@dataclass
class DeclaredAction:
    """An action whose parameters have been read; its costs are read later. `names`: parameters, and names of `let`."""

    fields: Fields
    entry: Entry
    parameters: Parameters
    names: Locals = field(default_factory=dict)


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


def countings(entries: Iterable[Entry], known: dict[str, DeclaredAction], checker: Checker) -> tuple[Counting, ...]:
    """For each metric of the file, what each action costs in it; without metrics, the actions' own costs."""
    found, report = [], checker.report
    for entry in entries:
        name, value = entry.key.text.strip(), entry.value
        if not name.isidentifier():
            report.error(entry.key, f"`{name[:40]}` cannot be a name", "write a word, as `pushes`")
            continue
        costs: dict[str, Expr] = {}
        if isinstance(value, Scalar) and value.text == "cost":
            costs = {action: _own_cost(checker, known[action]) for action in known}
        elif isinstance(value, Sequence):
            for item in value.items:
                if isinstance(item, Scalar) and item.text in known:
                    costs[item.text] = Const(1)
                else:
                    text = item.text if isinstance(item, Scalar) else ""
                    report.error(item, f"there is no action {describe(item)}", suggest(text, known))
        elif isinstance(value, Mapping):
            for part in value.entries:
                if part.key.text not in known:
                    message = f"there is no action `{part.key.text[:40]}`"
                    report.error(part.key, message, suggest(part.key.text, known))
                    continue
                names = known[part.key.text].names
                for source in sources(part.value, report, f"`{name}`"):
                    cost = price(checker, source, names, f"what `{part.key.text}` costs")
                    if cost is not None:
                        costs[part.key.text] = cost
        else:
            hint = "write `minutes: cost`, a list of actions, or a mapping of actions to numbers"
            report.error(value, f"`{name}` cannot count {describe(value)}", hint)
        found.append(Counting(unit(name).one, name, costs))
    if not found:
        costs = {action: _own_cost(checker, known[action]) for action in known}
        found = [Counting("move", "moves", costs)]
    return tuple(found)


def _own_cost(checker: Checker, action: DeclaredAction) -> Expr:
    for source in sources(action.fields.node("cost"), checker.report, "`cost`"):
        return price(checker, source, action.names, f"`cost` of `{action.entry.key.text}`") or Const(1)
    return Const(1)


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
