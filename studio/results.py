"""The stores of `budge batch` as a page shows them: runs filtered, sorted, held against each other, opened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..lab.store import Filter, Kept, compare_runs, latest, ordered
from ..models.errors import BudgeError, UsageError
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.player import frames_of
from ..views.plots import solved_over_time
from ..views.rows import RUN_HEAD, as_csv, engine_table, of_difference, run_cells
from ..views.sections import Link, Table, as_html
from ..workflows.jobs import Background
from ..workflows.rows import replay_of, told_apart
from .answers import drawn
from .asked import Fields, Studio, flag, number_of, words

PER_PAGE = 100
"""Runs on a page of the table."""

SHOWN_PAIRS = 100
"""The most pairs that are listed for each kind of change."""

REPORT = Budget(120.0, 2048)
"""The limits of writing a report, which has plots for each puzzle."""

COLUMNS = (*RUN_HEAD[:1], "label", *RUN_HEAD[1:])

MOST_RUNS = 20_000
"""The most runs that are shown at a time; if more fit the filter, the latest."""


def names(studio: Studio, _asked: Fields) -> dict[str, Any]:
    """The stores below the folder."""
    return {"stores": studio.stores.names()}


def stamp(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A value that changes when something is written to a store."""
    return {"stamp": repr(studio.stores.stamp(words(asked, "store")))}


def filter_of(asked: Fields) -> Filter:
    """Which runs are asked for; in a query the filter's fields stand beside the others."""
    wanted = asked.get("wanted", asked)
    if not isinstance(wanted, dict):
        raise UsageError("`wanted` are no names with texts")
    return Filter(**{name: words(wanted, name) for name in Filter.__dataclass_fields__})


def content(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A page of the runs that fit, what they come to, and two sets of them side by side."""
    wanted, sort = filter_of(asked), (words(asked, "column"), flag(asked, "descending"))
    sides = words(asked, "label"), words(asked, "other")
    stamped, difference = stamp(studio, asked), None
    with studio.stores.open(words(asked, "store")) as store:
        sessions, named, fitting = store.sessions(), store.values(), wanted.count(store)
        kept = wanted.runs(store, MOST_RUNS)
        if all(sides):
            difference = compare_runs(store, *(replace(wanted, label=label) for label in sides))
    rows = told_apart(run.row for run in kept)
    runs = ordered((replace(run, row=row) for run, row in zip(kept, rows, strict=True)), *sort)
    # What selects a set of runs: the labels, then the versions and the numbers of the sessions.
    labels = [*(s.label for s in sessions), *(s.budge for s in sessions), *(str(s.number) for s in sessions)]
    pages = max(1, -(-len(runs) // PER_PAGE))
    page = min(number_of(asked, "page"), pages - 1)
    shown = runs[page * PER_PAGE : (page + 1) * PER_PAGE]
    about = "" if len(runs) == fitting else f"the last {len(runs):,} of "
    timed = {"": latest(rows)}
    if difference is not None:
        timed = {
            side: [getattr(pair, when) for pair in difference.pairs]
            for side, when in zip(sides, ("before", "after"), strict=True)
        }
    return stamped | {
        "about": f"{about}{counted(fitting, 'run')}, {sum(row.proven for row in rows):,} of them proven",
        "words": {"label": [*dict.fromkeys(labels)], **named},
        "labels": [*dict.fromkeys(labels)],
        "html_runs": as_html([Table(COLUMNS, {"": [*map(_line, shown)]}, (len(COLUMNS) - 1,), sort=sort)]),
        "page": page,
        "pages": pages,
        "html_engines": as_html([engine_table(rows)]),
        "plot_svg": drawn(solved_over_time(timed), "Puzzles solved within a time"),
        "html_changes": as_html(of_difference(difference, sides, SHOWN_PAIRS) if difference else ()),
    }


def _line(kept: Kept) -> list[str]:
    """The cells of a run in the table, by `COLUMNS`."""
    first, *rest = run_cells(kept.row)
    return [Link.to(kept.number, first), kept.label, *rest]


def opened(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A run of a store: under which key its puzzle is opened, and its plan."""
    number = number_of(asked, "number")
    with studio.stores.open(words(asked, "store")) as store:
        text = store.text_of(number)
        kept = next(iter(store.runs("run = ?", [number])))
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
    with studio.stores.open(words(asked, "store")) as store:
        text = as_csv(filter_of(asked).rows(store))
    return "text/csv", "budge-results.csv", text


def report(studio: Studio, asked: Fields) -> tuple[str, str, str]:
    """The report of the runs that fit."""
    name = words(asked, "store")
    try:
        text = Background(studio.stores.reporting(name, filter_of(asked)), REPORT).result
    except RuntimeError as error:
        raise BudgeError(str(error)) from None
    if text is None:
        raise UsageError(
            f"The report took more than {REPORT.seconds:g} seconds; filter the runs, or use `budge results "
            f"{name} --html FILE`"
        )
    return "text/html", "budge-results.html", text
