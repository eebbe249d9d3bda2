"""The command `results`: what a store of `budge batch` holds.

Exit codes: 0; 2 bad usage, or no such store.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import UsageError
from ..models.text import suggest
from ..parameters import TABLE
from .common import check_writable, print_json, write
from .parsing import Parser, command
from .streams import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..lab.store import Filter, Store
    from ..workflows.rows import Row


def _add_parameters(results: Parser) -> None:
    """Add what the table has: options of which only one can be given, and `--compare`, which takes two words."""
    two = {"nargs": 2, "metavar": ("ONE", "OTHER")}
    results.add(TABLE["results"])
    results.add(TABLE["results, one of"], {"--compare": two}, results.add_mutually_exclusive_group())


@command(
    "budge results results.sqlite",
    "budge results results.sqlite --engine bfs --status unknown --list",
    "budge results results.sqlite --compare old new",
    "budge results results.sqlite --csv > runs.csv",
    "budge results results.sqlite --html report.html",
    add=_add_parameters,
)
def run_results(arguments: argparse.Namespace) -> int:
    """List, filter, compare and export the runs that a store holds."""
    from ..lab.store import Filter, Store, compare_runs
    from ..views import results_text as views

    wanted = Filter(**{name: getattr(arguments, name) or "" for name in Filter.__dataclass_fields__})
    if arguments.html is not None:
        check_writable(arguments.html)
    with Store(Path(arguments.store)) as store:
        _check_names(wanted, store)
        if arguments.sessions:
            sessions = store.sessions()
            _print(arguments, "session", map(asdict, sessions), lambda: views.sessions(sessions))
        elif arguments.compare:
            sides = [replace(wanted, label=label) for label in arguments.compare]
            changed = compare_runs(store, *sides)
            as_text = partial(views.difference, changed, arguments.compare)
            _print(arguments, "difference", [views.difference_json(changed)], as_text)
        else:
            _rows(arguments, store, wanted)
    return Exit.OPTIMAL


def _print(
    arguments: argparse.Namespace, kind: str, objects: Iterable[Mapping[str, Any]], as_text: Callable[[], str]
) -> None:
    """Print what was found: objects of a kind for programs, or text."""
    if arguments.json:
        for entry in objects:
            print_json({"type": kind, **entry})
    else:
        print(as_text())


def _check_names(wanted: Filter, store: Store) -> None:
    """Raise `UsageError` for the name of an engine, family or metric that neither the store nor Budge knows."""
    asked = {name: getattr(wanted, name) for name in ("engine", "family", "metric") if getattr(wanted, name)}
    if not asked:
        return
    from ..engines.table import all_engines
    from ..models.families import families

    kept = store.values()
    known = {
        "engine": all_engines(),
        "family": families(),
        "metric": [metric for family in families().values() for metric in family.metric_names],
    }
    for column, name in asked.items():
        every = dict.fromkeys([*kept[column], *known[column]])
        if name not in every:
            raise UsageError(f"no {column} `{name}`; {suggest(name, every)}")


def _rows(arguments: argparse.Namespace, store: Store, wanted: Filter) -> None:
    from ..lab.store import comparison
    from ..views import compare_text
    from ..views import results_text as views
    from ..workflows.rows import as_object, told_apart

    rows: Sequence[Row] = wanted.rows(store)
    if arguments.json:
        for row in rows:
            print_json(as_object(row))
    elif arguments.csv:
        print(compare_text.as_csv(rows), end="")
    elif arguments.html is not None:
        from ..views.report import report

        write(Path(arguments.html), report(comparison(store, rows)))
    elif not rows:
        print("No run fits.")
    elif arguments.list:
        print(views.listing(told_apart(rows)))
    else:
        print(views.overview(rows))
