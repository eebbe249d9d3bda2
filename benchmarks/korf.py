"""Korf's 15-puzzles with the engine `idastar`: nodes, seconds, nodes a second, and the time for the pattern databases.

    python benchmarks/korf.py                      # the six boards that are shipped
    python benchmarks/korf.py korf_50.tsv          # a file with lines: number, optimum, Manhattan distance, board
    python benchmarks/korf.py --entries 0          # single tiles only: the Manhattan distance
    python benchmarks/korf.py --entries 16777216   # tables of six, six and three tiles

The boards are those of R. E. Korf, *Depth-first iterative-deepening*, *Artificial Intelligence* 27, 1985 (the goal is
`. 1 2 3 / 4 5 6 7 / ...`). All share their goal, so the databases are built once, and the search is timed alone:
processor time of this process, after one run that loads the compiled kernels. With `--engine`, each board is solved
from nothing, as the command line does it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import budge
from budge.analysis.pattern_databases import Patterns, additive_patterns
from budge.engines.idastar.engine import solve as iterative_deepening
from budge.models.families import load_text
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget
from budge.runtime.outcome import Status

SHIPPED = ("korf-01", "korf-09", "korf-12", "korf-16", "korf-17", "korf-42")
EASY = "korf-12"
GOAL = "  .  1  2  3\n  4  5  6  7\n  8  9  10 11\n  12 13 14 15\n"


def boards(path: Path | None) -> Iterator[tuple[str, int, Puzzle]]:
    """(name, optimum, puzzle) for each board of a file, or for those shipped."""
    if path is None:
        for name in SHIPPED:
            puzzle = budge.load(name)
            yield name, puzzle.header.expect.costs["moves"][0], puzzle
        return
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            number, optimum, _, board = line.split("\t")
            tiles = board.split()
            rows = "".join("  " + " ".join(tiles[r : r + 4]) + "\n" for r in range(0, 16, 4))
            text = f"format: 1\nfamily: n-puzzle\nname: korf {number}\nstart: |\n{rows}goal: |\n{GOAL}"
            yield f"korf {number}", int(optimum), load_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="boards as tab-separated values")
    parser.add_argument("--entries", type=int, default=1 << 20, help="entries of a table at most (0: single tiles)")
    parser.add_argument("--engine", action="store_true", help="let the engine choose its tables, anew for each board")
    parser.add_argument("--first", type=int, default=None, help="only so many boards")
    options = parser.parse_args()
    patterns: Patterns | None = None
    easy = budge.load(EASY).task("moves")
    if not options.engine:
        for turn in ("with compilation or loading", "again"):
            began = time.process_time()
            patterns = additive_patterns(easy, options.entries)
            print(f"tables of {len(patterns.values):,} entries: {time.process_time() - began:.2f} s ({turn})")
    iterative_deepening(easy, Budget(), patterns=patterns)
    print(f"{'board':10} {'optimum':>7} {'nodes':>14} {'rounds':>6} {'seconds':>8} {'nodes/s':>12}")
    nodes, seconds, count = 0, 0.0, 0
    for name, optimum, puzzle in list(boards(options.file))[: options.first]:
        task = puzzle.task("moves")
        began = time.process_time()
        outcome = iterative_deepening(task, Budget(3600), patterns=patterns)
        spent = time.process_time() - began
        if outcome.status is not Status.OPTIMAL or outcome.lower_bound != (optimum,):
            raise SystemExit(f"{name}: {outcome.status.value} {outcome.lower_bound}, expected {optimum}")
        made = int(outcome.stats["nodes"])
        nodes, seconds, count = nodes + made, seconds + spent, count + 1
        rounds = outcome.stats["iterations"]
        print(f"{name:10} {optimum:7} {made:14,} {rounds:6} {spent:8.3f} {made / spent:12,.0f}", flush=True)
    rate = nodes / seconds
    print(f"{'mean':10} {'':7} {nodes // count:14,} {'':6} {seconds / count:8.3f} {rate:12,.0f}")


if __name__ == "__main__":
    main()
