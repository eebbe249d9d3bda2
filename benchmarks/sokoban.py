"""An engine on many puzzles, one after the other, from the file to the proven optimum; prints a table.

    budge convert microban.xsb --out levels
    python benchmarks/sokoban.py levels --metric pushes --time-limit 60
    python benchmarks/sokoban.py sokoban/microban-001 sokoban/xsokoban-38 --engine bfs

Puzzles are files, folders of files, or names of shipped ones. Everything runs in one process; the first compilation
of kernels is not counted. `cpu s` is the processor time of the process, `seconds` is the time on the clock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from budge import Budget, Puzzle, Status, load
from budge.engines.table import ENGINES
from budge.workflows.solving import metric_of, solve


def puzzles(names: list[str]) -> Iterator[tuple[str, Puzzle]]:
    """The puzzles that the command line names, folders in the order of their file names."""
    for name in names:
        path = Path(name)
        files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
        for file in files:
            yield file.stem, load(name if file == path else str(file))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("puzzles", nargs="+", help="files, folders or names of shipped puzzles")
    parser.add_argument("--engine", default="astar", choices=sorted(ENGINES))
    parser.add_argument("--metric", help="default: the puzzle's own")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each puzzle")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MiB for each puzzle")
    arguments = parser.parse_args()
    solve(load("sokoban/microban-001"), arguments.engine, arguments.metric)
    print(f"{'puzzle':24} {'status':11} {'cost':>9} {'bound':>9} {'states':>12} {'expanded':>12}", end="")
    print(f" {'seconds':>8} {'cpu s':>8}")
    count, proven, states, expanded = 0, 0, 0, 0
    clock, processor = time.monotonic(), time.process_time()
    for name, puzzle in puzzles(arguments.puzzles):
        metric = metric_of(puzzle, arguments.metric)
        began, used = time.monotonic(), time.process_time()
        solution = solve(puzzle, arguments.engine, metric, Budget(arguments.time_limit, arguments.memory_limit))
        outcome, stats = solution.outcome, solution.outcome.stats
        shown = ["-" if c is None else ",".join(map(str, c)) for c in (outcome.upper_bound, outcome.lower_bound)]
        numbers = [int(stats.get(key, 0)) for key in ("states", "expanded")]
        count, states, expanded = count + 1, states + numbers[0], expanded + numbers[1]
        proven += outcome.status in (Status.OPTIMAL, Status.UNSOLVABLE)
        print(
            f"{name[:24]:24} {outcome.status.value:11} {shown[0]:>9} {shown[1]:>9} {numbers[0]:12,} {numbers[1]:12,}"
            f" {time.monotonic() - began:8.2f} {time.process_time() - used:8.2f} {outcome.stopped_by or ''}",
            flush=True,
        )
    print(
        f"{f'{proven} of {count} proven':36} {'':9} {'':9} {states:12,} {expanded:12,}"
        f" {time.monotonic() - clock:8.2f} {time.process_time() - processor:8.2f}"
    )


if __name__ == "__main__":
    main()
