"""What each part of A* is worth on Sokoban: levels in pushes, with all parts and without one at a time.

    budge convert xsokoban.xsb --out levels
    python benchmarks/sokoban_parts.py levels --seconds 8
    python benchmarks/sokoban_parts.py sokoban/xsokoban-01 sokoban/xsokoban-38

Puzzles are files, folders of files, or names of shipped ones. The limit is in seconds of processor time for each level;
kernels are compiled before. `--best`: a file with lines `number<tab>pushes`, by the digits at the end of a level's
name. Then only cheaper plans are looked for: what is measured is the proof, and not the luck with which a plan is found
among the states of the last f. `together`: states, those expanded and processor seconds on levels that all rows prove.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from budge import Budget, load
from budge.analysis import estimate as estimates
from budge.analysis.conflicts.conflicts import no_conflicts
from budge.analysis.deadlocks.corrals import PLAIN
from budge.analysis.deadlocks.tables import no_dead_sets
from budge.analysis.estimate import Estimate
from budge.engines.astar.engine import MATCHED, a_star
from budge.engines.fess.packing import board_and_plan
from budge.models.task import Task
from heading import heading
from level_table import ProcessorBudget, read_best

PARTS: dict[str, Callable[[Estimate], Estimate]] = {
    "all": lambda found: found,
    "without conflicts of three and more": lambda found: found._replace(triples=no_conflicts()),
    "without conflicts": lambda found: found._replace(conflicts=no_conflicts(), triples=no_conflicts()),
    "without deadlock searches": lambda found: found._replace(
        learned=found.learned._replace(number=found.learned.number[:0])
    ),
    "corrals by what bars pushes alone": lambda found: found._replace(corrals=min(found.corrals, PLAIN)),
    "without corrals": lambda found: found._replace(corrals=0),
    "without tunnels": lambda found: found._replace(
        tunnels=found.tunnels._replace(inside=np.zeros_like(found.tunnels.inside))
    ),
    "without dead sets": lambda found: found._replace(dead=no_dead_sets()),
    "without freeze deadlocks": lambda found: found._replace(boards=found.boards._replace(freezes=0)),
}


def tasks(names: list[str]) -> dict[str, Task]:
    """The levels that the command line names, folders in the order of their file names."""
    found = {}
    for name in names:
        path = Path(name)
        for file in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
            found[file.stem] = load(name if file == path else str(file)).task("pushes")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="+", help="files, folders or names of shipped puzzles")
    parser.add_argument("--seconds", type=float, default=8.0, help="of processor time for each level (default 8)")
    parser.add_argument("--best", type=Path, help="the fewest pushes known, of which only the proof is wanted")
    arguments = parser.parse_args()
    best = read_best(arguments.best)
    levels, prepare = tasks(arguments.puzzles), estimates.prepare_estimate
    a_star(load("sokoban/xsokoban-01").task("pushes"), Budget())
    proven: dict[str, dict[str, tuple[int, int, float]]] = {}
    seconds: dict[str, float] = {}
    for name, change in PARTS.items():
        estimates.prepare_estimate = lambda *args, change=change, **more: change(prepare(*args, **more))
        began, proven[name] = time.process_time(), {}
        for level, task in levels.items():
            used = time.process_time()
            budget = ProcessorBudget(arguments.seconds, 4096)
            known = re.search(r"\d+$", level)
            if known and int(known[0]) in best:
                budget.hear((best[int(known[0])],))
            outcome = a_star(task, budget, plan_search=board_and_plan)
            used = time.process_time() - used
            if outcome.status.proven or outcome.stopped_by == MATCHED:
                states, expanded = int(outcome.stats["states"]), int(outcome.stats["expanded"])
                proven[name][level] = states, expanded, used
        seconds[name] = time.process_time() - began
    common = set.intersection(*(set(found) for found in proven.values()))
    print(heading())
    print(f"\n{len(levels)} levels, {arguments.seconds:g} s of processor time each")
    print(f"Proven by every row, {len(common)} levels: {', '.join(level for level in levels if level in common)}")
    print("\n| A* | proven | processor s | together: states | expanded | processor s | not proven |")
    print("|---|---|---|---|---|---|---|")
    for name, found in proven.items():
        open_ones = ", ".join(level for level in levels if level not in found)
        both = (sum(found[level][0] for level in common), sum(found[level][1] for level in common))
        together = f"{both[0]:,} | {both[1]:,} | {sum(found[level][2] for level in common):.1f}"
        print(f"| {name} | {len(found)} | {seconds[name]:.0f} | {together} | {open_ones} |")


if __name__ == "__main__":
    main()
