"""The command `results`: what a store of `budge batch` holds.

Exit codes: 0; 2 bad usage, or no such store.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import UsageError
from ..models.text import suggest
from ..parameters import TABLE
from .common import check_writable, print_json, screen_of, write
from .parsing import Parser
from .streams import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..lab.store import Filter, Store
    from ..views.sections import Section
    from ..workflows.rows import Row


def add_results(results: Parser, others: str) -> None:
    """Add the options of which only one can be given, with `--compare`, which takes two words, behind the `others`."""
    two = {"nargs": 2, "metavar": ("ONE", "OTHER")}
    results.add(others)
    results.add(TABLE["results, one of"].parameters, {"--compare": two}, results.add_mutually_exclusive_group())


def run_results(arguments: argparse.Namespace) -> int:
    """List, filter, compare and export the runs that a store holds."""
    from ..lab.store import Filter, Store, compare_runs
    from ..views import rows as views

    wanted = Filter(**{name: getattr(arguments, name) or "" for name in Filter.__dataclass_fields__})
    if arguments.html is not None:
        check_writable(arguments.html)
    with Store(Path(arguments.store)) as store:
        _check_names(wanted, store)
        if arguments.sessions:
            sessions = store.sessions()
            _print(arguments, "session", map(asdict, sessions), [views.of_sessions(sessions)])
        elif arguments.compare:
            sides = [replace(wanted, label=label) for label in arguments.compare]
            changed = compare_runs(store, *sides)
            sections = views.of_difference(changed, arguments.compare)
            _print(arguments, "difference", [views.difference_json(changed)], sections)
        else:
            _rows(arguments, store, wanted)
    return Exit.OPTIMAL


def _print(
    arguments: argparse.Namespace, kind: str, objects: Iterable[Mapping[str, Any]], sections: Iterable[Section]
) -> None:
    """Print what was found: objects of a kind for programs, or text."""
    from ..views.sections import as_text

    if arguments.json:
        for entry in objects:
            print_json({"type": kind, **entry})
    else:
        print(as_text(sections, screen_of(arguments)))


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
    from ..views import rows as views
    from ..views.sections import as_text
    from ..workflows.rows import as_object, told_apart

    rows: Sequence[Row] = wanted.rows(store)
    if arguments.json:
        for row in rows:
            print_json(as_object(row))
    elif arguments.csv:
        print(views.as_csv(rows), end="")
    elif arguments.html is not None:
        from ..views.report import report

        write(Path(arguments.html), report(comparison(store, rows)))
    elif not rows:
        print("No run fits.")
    else:
        sections = [views.listing(told_apart(rows))] if arguments.list else views.overview(rows)
        print(as_text(sections, screen_of(arguments)))
