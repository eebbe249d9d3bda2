"""The stores of `budge batch` as a page shows them: runs filtered, sorted, held against each other, opened."""

from __future__ import annotations

from typing import Any

from ..lab.store import Difference, Filter, Kept, latest
from ..models.errors import BudgeError, UsageError
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.player import frames_of
from ..views.plots import solved_over_time
from ..views.rows import RUN_HEAD, as_csv, engine_table, of_difference, run_cells
from ..views.sections import Link, Table, as_html
from ..workflows.jobs import Background
from ..workflows.rows import replay_of
from .answers import drawn
from .asked import Fields, Studio, flag, number_of, words
from .stores import Content, Question

PER_PAGE = 100
"""Runs on a page of the table."""

SHOWN_PAIRS = 100
"""The most pairs that are listed for each kind of change."""

REPORT = Budget(120.0, 2048)
"""The limits of writing a report, which has plots for each puzzle."""

COLUMNS = (*RUN_HEAD[:1], "label", *RUN_HEAD[1:])

CHOICES = ("label", "engine", "metric", "family", "status")
"""The parts of a filter that are chosen from a list."""


def names(studio: Studio, _asked: Fields) -> dict[str, Any]:
    """The stores below the folder."""
    return {"stores": studio.stores.names()}


def stamp(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A value that changes when something is written to a store."""
    return {"stamp": repr(studio.stores.stamp(words(asked, "store")))}


def question_of(asked: Fields) -> Question:
    """What is asked of a store; in a query the filter's fields stand beside the others."""
    wanted = asked.get("wanted", asked)
    if not isinstance(wanted, dict):
        raise UsageError("`wanted` are no names with texts")
    chosen = Filter(**{name: words(wanted, name) for name in (*CHOICES, "puzzle")} | {"label": words(wanted, "label")})
    column = words(asked, "column")
    sides = {name: words(asked, name) for name in ("label", "other")} if "wanted" in asked else {}
    return Question(
        words(asked, "store"), chosen, column if column in COLUMNS else "", flag(asked, "descending"), **sides
    )


def content(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A page of the runs that fit, what they come to, and two sets of them side by side."""
    question = question_of(asked)
    stamped, found = stamp(studio, asked), studio.stores.answer(question)
    difference = studio.stores.difference(question) if question.label and question.other else None
    pages = max(1, -(-len(found.runs) // PER_PAGE))
    page = min(number_of(asked, "page"), pages - 1)
    shown = found.runs[page * PER_PAGE : (page + 1) * PER_PAGE]
    sort, sides = (question.column, question.descending), (question.label, question.other)
    return stamped | {
        "about": _about(found),
        "words": {"label": found.labels, **found.words},
        "labels": found.labels,
        "html_runs": as_html([Table(COLUMNS, {"": [*map(_line, shown)]}, (len(COLUMNS) - 1,), sort=sort)]),
        "page": page,
        "pages": pages,
        "html_engines": as_html([engine_table(found.rows)]),
        "plot_svg": drawn(solved_over_time(_sets(question, found, difference)), "Puzzles solved within a time"),
        "html_changes": as_html(of_difference(difference, sides, SHOWN_PAIRS) if difference else ()),
    }


def _about(found: Content) -> str:
    proven = sum(kept.row.proven for kept in found.runs)
    shown = "" if len(found.runs) == found.fitting else f"the last {len(found.runs):,} of "
    return f"{shown}{counted(found.fitting, 'run')}, {proven:,} of them proven"


def _sets(question: Question, found: Content, difference: Difference | None) -> dict[str, Any]:
    """The rows whose times are drawn, by the name of their set."""
    if difference is None:
        return {"": latest(found.rows)}
    sides = ([pair.before for pair in difference.pairs], [pair.after for pair in difference.pairs])
    return dict(zip((question.label, question.other), sides, strict=True))


def _line(kept: Kept) -> list[str]:
    """The cells of a run in the table, by `COLUMNS`."""
    first, *rest = run_cells(kept.row)
    return [Link.to(kept.number, first), kept.label, *rest]


def opened(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A run of a store: under which key its puzzle is opened, and its plan."""
    kept, text = studio.stores.one(words(asked, "store"), number_of(asked, "number"))
    key = studio.library.key_of(kept.row.asked.file, text)
    puzzle, row = studio.library.puzzle(key), kept.row
    replay = replay_of(row.plan, puzzle) if row.plan else None
    _, label, _, _, _, status, bounds, _ = _line(kept)
    if replay is None:
        return {"key": key, "plan": None, "label": f"{row.engine} has no plan of this puzzle in the store"}
    told = f"{status} {bounds} {row.asked.metric}, by {row.engine} ({label})"
    return {"key": key, "metric": row.asked.metric, "plan": frames_of(puzzle, replay), "label": told}


def csv(studio: Studio, asked: Fields) -> tuple[str, str, str]:
    """All runs that fit, as CSV."""
    return "text/csv", "budge-results.csv", as_csv(studio.stores.rows(question_of(asked)))


def report(studio: Studio, asked: Fields) -> tuple[str, str, str]:
    """The report of the runs that fit."""
    question = question_of(asked)
    try:
        text = Background(studio.stores.reporting(question), REPORT).result
    except RuntimeError as error:
        raise BudgeError(str(error)) from None
    if text is None:
        raise UsageError(
            f"The report took more than {REPORT.seconds:g} seconds; filter the runs, or use `budge results "
            f"{question.store} --html FILE`"
        )
    return "text/html", "budge-results.html", text
