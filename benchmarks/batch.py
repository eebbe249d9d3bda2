"""What `budge batch` costs for each run beyond its own solving, on one machine and through Dask; prints a table.

    python benchmarks/batch.py sample_500.tsv                     500 boards x 2 metrics x 2 engines, all executors
    python benchmarks/batch.py sample_500.tsv --boards 100 --executors local:1,dask:1

The file has a board a line: optimum in slides, in steps, the board (36 cells, `A` the target, `o` empty, `x` a wall),
behind tabs. Every value is held against the file's: `right` are the runs that prove it.

`processor` is processor time of this process and all that it starts, `alone` that of the same runs in one process one
after the other, without store, workers or limits. Both are measured with `--first` boards and with all of them, so that
what is paid once (starting, loading compiled code: `once`) is not taken for a cost of each run: `each` is the
difference of the two differences, divided by the runs between. The last line is what writing a row takes of that;
`wall`: seconds by the clock, which tell something on an idle machine only.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from budge.engines.table import find
from budge.lab.executors import Executor, LocalExecutor
from budge.lab.experiment import Entrant, Experiment, run
from budge.lab.store import Store
from budge.models.families import load_text
from budge.models.puzzle import Puzzle
from budge.workflows.rows import Row
from budge.workflows.solving import solve
from heading import heading

METRICS = ("slides", "steps")


def boards(file: Path, most: int) -> list[Puzzle]:
    """The boards of the file, each with its optima as `expect`."""
    found: list[Puzzle] = []
    for line in file.read_text().splitlines():
        if line.startswith("#") or len(found) == most:
            continue
        slides, steps, cells = line.split("\t")[:3]
        text = cells.translate({ord("o"): ".", ord("x"): "#"})
        rows = "\n".join("  " + text[i : i + 6] for i in range(0, 36, 6))
        header = f"format: 1\nfamily: rush-hour\nname: board {len(found) + 1}\n"
        puzzle = load_text(
            f"{header}board: |\n{rows}\nexpect: {{slides: {slides}, steps: {steps}}}\n", f"{file.name}#{len(found) + 1}"
        )
        found.append(replace(puzzle, header=replace(puzzle.header, file=f"{file.name}#{len(found) + 1}")))
    return found


def processor() -> float:
    """Processor seconds of this process and of the children that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def in_one_process(puzzles: list[Puzzle], engines: list[str]) -> float:
    """Processor seconds of the runs alone, after a first one of each kind."""
    began = 0.0
    for number, puzzle in enumerate([puzzles[0], *puzzles]):
        if number == 1:
            began = time.process_time()
        for metric in METRICS:
            for engine in engines:
                solve(puzzle, engine, metric)
    return time.process_time() - began


def executor_of(name: str, held: ExitStack) -> Executor:
    """`local:2` workers of this process, or `dask:2`, whose scheduler is ended with `held`."""
    kind, _, cores = name.partition(":")
    if kind == "local":
        return LocalExecutor(int(cores))
    from budge.lab.dask_executor import ClusterExecutor
    from distributed import LocalCluster

    cluster = LocalCluster(n_workers=int(cores), threads_per_worker=1, dashboard_address=None)
    return ClusterExecutor(held.enter_context(cluster).scheduler_address)


def batch(name: str, puzzles: list[Puzzle], engines: list[str]) -> dict[str, Any]:
    """One experiment into a new store: processor time with that of its workers, time by the clock, rows."""
    rows: list[Row] = []
    before, began = processor(), time.monotonic()
    held = ExitStack()
    executor = executor_of(name, held)
    ready = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite", create=True) as store:
            experiment = Experiment(puzzles, [Entrant(engine) for engine in engines], METRICS)
            run(experiment, store, executor, on_row=rows.append)
            kept = len(list(store.rows()))
    finally:
        executor.close()
        held.close()
    wall = time.monotonic() - ready
    return {"processor": processor() - before, "wall": wall, "start": ready - began, "rows": rows, "kept": kept}


def store_cost(row: Row, puzzle: Puzzle) -> float:
    """Processor seconds for one row in a store."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite", create=True) as store:
        session = store.begin(row.conditions, "", "")
        began = time.process_time()
        for _ in range(1000):
            store.add(session, puzzle, "text", row)
        return (time.process_time() - began) / 1000


def measured(arguments: argparse.Namespace) -> Iterator[str]:
    """The lines of the table."""
    engines = arguments.engines.split(",")
    puzzles = boards(arguments.file, arguments.boards)
    few = puzzles[: arguments.first]
    for engine in engines:
        find(engine).load()
    alone, alone_few = in_one_process(puzzles, engines), in_one_process(few, engines)
    runs = len(puzzles) * len(METRICS) * len(engines)
    more = runs - len(few) * len(METRICS) * len(engines)
    yield f"{runs} runs alone: {alone:.2f} s of processor time, {1000 * alone / runs:.2f} ms each"
    yield "executor   runs  proven  right  kept  processor   once  each ms  wall"
    store = 0.0
    for name in arguments.executors.split(","):
        first, whole = batch(name, few, engines), batch(name, puzzles, engines)
        rows = whole["rows"]
        proven, right = sum(row.proven for row in rows), sum(row.proven and not row.contradicts for row in rows)
        each = (whole["processor"] - first["processor"] - (alone - alone_few)) / more
        once = first["processor"] - alone_few - each * (runs - more)
        yield (
            f"{name:9} {len(rows):5} {proven:7} {right:6} {whole['kept']:5} {whole['processor']:9.2f}s {once:5.2f}s "
            f"{1000 * each:8.2f} {whole['wall']:6.1f}s"
        )
        store = store or store_cost(rows[0], puzzles[0])
    yield f"a row in the store: {1000 * store:.2f} ms"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--first", type=int, default=20, help="boards of the short experiment")
    parser.add_argument("--engines", default="bfs,astar")
    parser.add_argument("--executors", default="local:1,local:2,dask:1,dask:2")
    arguments = parser.parse_args()
    print(heading())
    for line in measured(arguments):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
