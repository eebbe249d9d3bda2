"""The worker of a page beside Python, on every shipped puzzle: do both find the same, and how long does each take?

    python benchmarks/pages.py                     a line for each puzzle, a table, and what differs
    python benchmarks/pages.py --most 100000       of puzzles with fewer states

`worker`: the page's own search, run by deno, visits all states and tells the distance from each. `explore`: Python
visits all. `bfs`: Python searches until it has a plan. Seconds are those of the processor. Where a player walks,
`explore` leaves out what no plan passes: the states of the whole task are counted. Of objects that are alike the page
keeps one order.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from heading import heading

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from budge import load
from budge.engines.common.state_graph import state_graph
from budge.models.errors import BudgeError
from budge.models.library import shipped
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.views.rules import rules_of
from budge.workflows.exploration import explore
from budge.workflows.solving import solve

from tests.helpers.deno import run_module

SECONDS = 1800.0
"""The time limit of a search in Python."""


def children() -> float:
    """Seconds of the processor that programs run from here have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1_000_000, help="states up to which a puzzle counts")
    parser.add_argument("names", nargs="*", help="puzzles (default: all)")
    arguments = parser.parse_args()
    print(
        heading(), "| puzzle | states | distance | worker | explore | bfs | |\n|---|---|---|---|---|---|---|", sep="\n"
    )
    for name in arguments.names or shipped():
        with tempfile.TemporaryDirectory() as folder:
            print(row(load(name), name, Path(folder), arguments.most), flush=True)


def row(puzzle: Puzzle, name: str, folder: Path, most: int) -> str:
    """A line of the table; its last cell says what differs."""
    metric = puzzle.header.metric
    rules = rules_of(puzzle, metric)
    if rules is None:
        return f"| {name} | | | | | | rules too large for a page |"
    begun = children()
    page = run_module("rules_in_pages.js", rules, folder, 0, most)
    worker = f"{children() - begun:.2f}"
    if page["more"]:
        return f"| {name} | more than {most:,} | | {worker} | | | |"
    wrong = list[str]()
    expected = puzzle.header.expect.costs.get(metric)
    if expected is not None and tuple(page["optimum"] or ()) != expected:
        wrong.append(f"the file expects {expected}")
    states, explored = counted(puzzle, metric, rules)
    if rules.get("programs", {}).get("swaps"):
        rules["programs"]["swaps"] = []
        whole = run_module("rules_in_pages.js", rules, folder, 0, most)
        if not whole["more"] and states is not None and whole["states"] != states:
            wrong.append(f"{whole['states']:,} states with all orders, in Python {states:,}")
        if not whole["more"] and whole["optimum"] != page["optimum"]:
            wrong.append("another optimum with all orders")
    elif states is not None and states != page["states"]:
        wrong.append(f"in Python {states:,} states")
    began = time.process_time()
    try:
        outcome = solve(puzzle, "bfs", metric, Budget(SECONDS)).outcome
        searched = f"{time.process_time() - began:.2f}"
        best = None if outcome.upper_bound is None else list(outcome.upper_bound)
        if best != page["optimum"]:
            wrong.append(f"bfs: {best} ({outcome.status.value})")
    except BudgeError as error:
        searched = f"({str(error)[:40]})"
    optimum = "none" if page["optimum"] is None else ", ".join(map(str, page["optimum"]))
    return f"| {name} | {page['states']:,} | {optimum} | {worker} | {explored} | {searched} | {'; '.join(wrong)} |"


def counted(puzzle: Puzzle, metric: str, rules: dict[str, Any]) -> tuple[int | None, str]:
    """The number of states by Python, and the seconds to visit them."""
    began = time.process_time()
    try:
        if rules["scene"]["walker"]:
            states: int | None = state_graph(puzzle.complete(metric), Budget(SECONDS), silent).states
        else:
            space = explore(puzzle, metric, Budget(SECONDS)).space
            states = None if space is None or space.stopped_by else space.states
    except BudgeError:
        return None, ""
    return states, f"{time.process_time() - began:.2f}"


if __name__ == "__main__":
    main()
