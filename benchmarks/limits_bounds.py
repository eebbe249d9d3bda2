"""How far engines overrun their time limit on large boards, and which lower bound they know then; prints a table.

    python benchmarks/limits_bounds.py                                  all boards and engines, limits of 3 and 10 s
    python benchmarks/limits_bounds.py --engine astar --limit 3 --only room-60
    python benchmarks/limits_bounds.py sokoban/xsokoban-38 my.yaml      these puzzles instead of the made boards

Each run is a command of its own. `total` are the seconds that it reports, `wall` those of the whole process from start
to exit. Overruns are what is beyond the limit: `over` of `total`, and `exit` of `wall` without what the engine's code
takes to load. `bound` is the lower bound that was proven, `least` the matching of objects to goals on the empty board
(- where there is none), below which no engine should end. `MiB` is the memory of the process that was started. Overruns
beyond 0.5 s and bounds that are too low are marked with `!`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from budge import load
from budge.analysis.root_bounds import root_bounds
from budge.engines.table import ENGINES
from heading import heading
from made_boards import blocks, room, rush_hour, tiles

ENGINE_NAMES = ("auto", "cp-sat", "csp", "plain", "bfs", "astar", "idastar", "greedy")
ALLOWED = 0.5
"""Seconds beyond the limit that are promised at most."""


BOARDS: dict[str, Callable[[], str]] = {
    "room-60": lambda: room(60, 4),
    "room-20-20": lambda: room(20, 20),
    "room-256": lambda: room(256, 4),
    "rush-16": lambda: rush_hour(16, 58),
    "tiles-10": lambda: tiles(10),
    "blocks-12": lambda: blocks(12),
}
TOO_LARGE = ("room-256",)
"""Boards of which even the matching takes more than a minute."""

SHIPPED = ("xsokoban-38", "xsokoban-78")


def least_bound(puzzle: str) -> int | None:
    """The matching of objects to goals on the empty board; None where there is none."""
    loaded = load(puzzle)
    return max((bound for bound, _ in root_bounds(loaded.task(loaded.header.metric))), default=0) or None


def run(puzzle: str, engine: str, limit: float) -> tuple[dict[str, Any], float, float]:
    """The result of a run, the seconds of its process, and the MiB that it held at most."""
    command = [sys.executable, "-m", "budge", "solve", puzzle, "--engine", engine, "--time-limit", str(limit), "--json"]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
        wall = time.monotonic() - began
        out.seek(0)
        lines = out.read().strip().splitlines()
    results = [line for line in lines if line.startswith('{"type": "result"')]
    died = {"status": "error", "error": " ".join(lines[-3:])[-200:] or "no output"}
    return json.loads(results[-1]) if results else died, wall, usage.ru_maxrss / 1024


def start_of(engine: str) -> float:
    """How long a process of an engine takes beyond what it reports: Python's start, and the loading of code."""
    runs = [run("rush-hour/bird-1", engine, 60) for _ in range(3)]
    return min(wall - float(result["seconds"]["total"]) for result, wall, _ in runs)


def row(name: str, puzzle: str, engine: str, limit: float, least: int | None, start: float) -> str:
    """One run as a row of the table."""
    result, wall, memory = run(puzzle, engine, limit)
    if result["status"] == "error":
        return f"| {name} | {engine} | {limit:g} | {result['error']} | | | | | | {memory:.0f} |"
    total, bound = result["seconds"]["total"], result["lower_bound"]
    over, later = total - limit, wall - limit - start
    late = "!" if over > ALLOWED else ""
    low = "" if least is None or _at_least(bound, least, result["status"]) else "!"
    cells = (name, engine, f"{limit:g}", result["status"], f"{total:.2f}", f"{over:+.2f}{late}", f"{later:+.2f}")
    return "| " + " | ".join((*cells, f"{bound}{low}", f"{least or '-'}", f"{memory:.0f}")) + " |"


def _at_least(bound: Any, least: int, status: str) -> bool:
    number = bound[0] if isinstance(bound, list) else bound
    return status == "unsolvable" or (number is not None and number >= least)


def puzzles(names: list[str], only: list[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Names and files of the puzzles: those that are named, or all boards, the made ones written to a folder."""
    for name in names:
        yield Path(name).stem, name
    if not names:
        for name, made in BOARDS.items():
            if not only or name in only:
                file = folder / f"{name}.yaml"
                file.write_text(made())
                yield name, str(file)
        yield from ((name, name) for name in SHIPPED if not only or name in only)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="files or names of shipped puzzles (default: made boards)")
    parser.add_argument("--engine", action="append", choices=sorted(ENGINES), help="may be repeated")
    parser.add_argument("--limit", action="append", type=float, metavar="S", help="may be repeated (default: 3, 10)")
    parser.add_argument("--only", action="append", default=[], metavar="BOARD", help="a made board; may be repeated")
    arguments = parser.parse_args()
    engines = arguments.engine or ENGINE_NAMES
    print(heading())
    start = {engine: start_of(engine) for engine in engines}
    print("\n| puzzle | engine | limit | status | total | over | exit | bound | least | MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    # In a process of its own: what this one holds counts as memory of those that it starts.
    apart = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with tempfile.TemporaryDirectory() as folder, apart:
        for name, puzzle in puzzles(arguments.puzzles, arguments.only, Path(folder)):
            least = apart.submit(least_bound, puzzle).result() if name not in TOO_LARGE else None
            for engine in engines:
                for limit in arguments.limit or (3.0, 10.0):
                    print(row(name, puzzle, engine, limit, least, start[engine]), flush=True)


if __name__ == "__main__":
    main()
