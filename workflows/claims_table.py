"""Tables of claims: each line says what the optimum of a task costs, or names the file of a plan.

    task,cost,planner,plan
    bird-1,24,planner-a,
    my/puzzle.yaml,31,planner-b,my/puzzle.plan
    ferry/domain.pddl+ferry/p01.pddl,17,planner-b,

A task is whatever a command takes as a puzzle; the two files of a PDDL problem may stand in columns of their own,
`domain` and `problem`. A plan is a file. A column `metric` says in what a cost is counted, by default in the puzzle's
own metric.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..models.documents.compose import Span
from ..models.documents.document import MAX_BYTES, Report, lines_of
from ..models.documents.files import FileError, read_whole
from ..models.errors import UsageError
from ..models.moves import canonical_metric
from ..models.text import closest
from .verification import Claim, claim_of

COLUMNS = ("task", "domain", "problem", "cost", "planner", "metric", "plan")
"""The columns that are read, by the words of the first line; others are ignored."""

DELIMITERS = ",;\t"

_QUOTED = re.compile(r' *"((?:[^"]|"")*)("?) *')


def read_claims(text: str, file: str) -> list[Claim]:
    """The claims of a table. Raises `PuzzleError` with everything that is wrong in it."""
    report = Report(file)
    report.lines = lines_of(text)
    rows = [(number, line) for number, line in enumerate(report.lines) if line.strip() and line[0] != "#"]
    if not rows:
        report.error(None, "the table is empty", "its first line names the columns: `task,cost,planner`")
        report.raise_if_any()
    number, line = rows[0]
    delimiter = max(DELIMITERS, key=line.count)
    head = [_Cell(cell.text.lower(), cell.span) for cell in _cells(report, number, line, delimiter)]
    _check_head(report, head, Span(number, 0, len(line)))
    report.raise_if_any()
    claims = []
    for number, line in rows[1:]:
        cells = _cells(report, number, line, delimiter)
        if not cells:
            continue
        if len(cells) > len(head):
            hint = 'put a cell with a comma into quotes: `"8,31"`' if delimiter == "," else "remove the last ones"
            report.error(cells[len(head)].span, f"the line has {len(cells)} cells, the first one {len(head)}", hint)
            continue
        end = _Cell("", Span(number, len(line), 1))
        row = dict.fromkeys(COLUMNS, end) | {name.text: cell for name, cell in zip(head, cells, strict=False)}
        claims.append(_claim(report, row, Path(file).parent))
    if len(rows) == 1:
        report.error(None, "the table has no claims", "add a line for each: a task, its cost, who claims it")
    report.raise_if_any()
    return [claim for claim in claims if claim is not None]


def is_table(data: bytes) -> bool:
    """Whether a text of unknown kind is a table of claims: `task` or `domain` is among the cells of its first line."""
    cells = re.split(f"[{DELIMITERS}]", data.split(b"\n")[0].decode("utf-8-sig", "replace").lower())
    return len(cells) > 1 and not {"task", "domain"}.isdisjoint(cell.strip(' "\r') for cell in cells)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table, and where it stands."""

    text: str
    span: Span


def _cells(report: Report, number: int, line: str, delimiter: str) -> list[_Cell]:
    """The cells of a line of CSV, none if it has wrong quotes; those in quotes without them, and with `"` for `""`."""
    cells, position = list[_Cell](), 0
    while True:
        quoted = _QUOTED.match(line, position)
        end = quoted.end() if quoted else position + len(line[position:].split(delimiter)[0])
        raw = line[position:end]
        at = position + len(raw) - len(raw.lstrip())
        span = Span(number, at, max(1, len(raw.strip())))
        if quoted and (not quoted[2] or (end < len(line) and line[end] != delimiter)):
            report.error(span, "the quotes of this cell do not end with it", 'write `""` for a quote in quotes')
            return []
        cells.append(_Cell((quoted[1].replace('""', '"') if quoted else raw).strip(), span))
        if end >= len(line):
            return cells
        position = end + 1


def _check_head(report: Report, head: Sequence[_Cell], whole: Span) -> None:
    """Report what is wrong with the names of columns."""
    names = [cell.text for cell in head]
    for cell in head:
        meant = closest(cell.text, [name for name in COLUMNS if name not in names]) if cell.text else None
        if names.count(cell.text) > 1 and cell.text in COLUMNS:
            report.error(cell.span, f"the column `{cell.text}` stands twice", "rename or remove one of them")
        elif cell.text not in COLUMNS and meant:
            report.error(cell.span, f"there is no column `{cell.text}`", f"did you mean `{meant}`?")
    if report.problems:
        return
    if not {"cost", "plan"} & set(names):
        report.error(whole, "there is no column `cost`", "the first line names the columns: `task,cost,planner`")
    if "task" not in names and not {"domain", "problem"} <= set(names):
        hint = "add a column `task`, or for PDDL the columns `domain` and `problem`"
        report.error(whole, "no column says which task a claim is about", hint)


def _claim(report: Report, row: dict[str, _Cell], folder: Path) -> Claim | None:
    """The claim of a line; None if something is wrong with it, which is reported."""
    pair, task, cost = (row["domain"], row["problem"]), row["task"], row["cost"]
    parts = [cell.text for cell in pair] if all(cell.text for cell in pair) else [task.text]
    if not all(parts):
        report.error(task.span, "the line names no task", "write a puzzle's name or file")
        return None
    plan = _plan(report, row["plan"], folder)
    if not cost.text and not row["plan"].text:
        hint = "write a number or `unsolvable`, or remove the line"
        report.error(cost.span, "the line claims no cost", hint)
        return None
    try:
        said = claim_of(cost.text) if cost.text else None
        metric = canonical_metric(row["metric"].text) if row["metric"].text else None
    except UsageError as error:
        report.error(cost.span, *_split(str(error)))
        return None
    named = "+".join(_path_of(part, folder) for part in parts)
    return Claim(named, said, plan, metric, planner=row["planner"].text, line=task.span.line + 1)


def _plan(report: Report, cell: _Cell, folder: Path) -> str | None:
    """The text of a plan's file; None if there is none, or it cannot be read, which is reported."""
    if not cell.text:
        return None
    try:
        return read_whole(Path(_path_of(cell.text, folder)), MAX_BYTES).decode("utf-8-sig")
    except FileError as error:
        hint = error.hint or "check its name; it counts from the folder of the table"
        report.error(cell.span, f"the plan cannot be read: {error.reason}", hint)
    except UnicodeDecodeError:
        report.error(cell.span, "the plan is not text in UTF-8", "save it as UTF-8")
    return None


def _split(message: str) -> tuple[str, str]:
    """A message of two sentences as what is wrong and what to do."""
    wrong, _, do = message.partition(". ")
    return wrong, do[:1].lower() + do[1:]


def _path_of(name: str, folder: Path) -> str:
    """The name of a task, as a path if it is one from the folder of the table. Two files are joined by `+`."""
    joined = re.fullmatch(r"(.+\.pddl)\+(.+)", name, re.IGNORECASE)
    if joined:
        return f"{_path_of(joined[1], folder)}+{_path_of(joined[2], folder)}"
    return str(folder / name) if os.path.exists(folder / name) else name
