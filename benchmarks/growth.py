"""How work grows with the board: boards of one kind in many sizes, what each part takes, and fitted exponents.

    python -m pip install -e '.[bench]'
    python benchmarks/growth.py --out growth.jsonl --plot growth.svg
    python benchmarks/growth.py --kind rush-hour --size 12 --seed 1 --seed 2 --only task,greedy,cp-sat --limit 20

Kinds: Rush Hour from 6x6 to 16x16; sliding blocks with more and more room; n-puzzles; Sokoban rooms up to 60x60. On
each board, one after the other, each in a process of its own that is ended at the limit:

    task       its size; seconds of grounding, of the analysis (matching, h²), of encoding one horizon
    the rest   solvers: cp-sat, greedy, bfs of Budge; clingo and CaDiCaL on the same task as in
               `against_solvers.py`, with its sound configuration

Every measurement is a line of the file `--out` as soon as it is done. A run that was stopped goes on with what is
missing. Then the table is printed, and the plot drawn: seconds over the number of operators, both logarithmic, with
lines seconds = a * operators^b fitted to each part of each kind (b is in the legend). `cpu` is processor time, in which
runs on a machine with other work can be compared; limits are wall clock, or with `--processor-time` processor time (of
both threads of `cp-sat`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from against_solvers import by_cadical, by_clingo
from budge import Budget, load
from budge.analysis.hm.tables import hm_tables
from budge.analysis.move_pruning import find_move_pruning
from budge.analysis.plan_invariants import root_bounds
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.table import ENGINES
from budge.runtime.kernels import ensure_kernels
from budge.workflows.solving import solve
from heading import heading
from level_table import ProcessorBudget
from made_boards import blocks, room, rush_hour, tiles

VEHICLES = {6: 9, 7: 12, 8: 16, 9: 21, 10: 26, 12: 40, 14: 52, 16: 58}

KINDS: dict[str, tuple[Callable[[int, int], str], str, tuple[int, ...]]] = {
    "rush-hour": (lambda size, seed: rush_hour(size, VEHICLES[size], seed), "slides", tuple(VEHICLES)),
    "blocks": (lambda size, _seed: blocks(size), "steps", (5, 6, 7, 8, 10, 12)),
    "tiles": (tiles, "moves", (3, 4, 5, 6, 8, 10)),
    "room": (lambda size, _seed: room(size, 4), "pushes", (10, 15, 20, 30, 40, 60)),
}
"""A kind's boards by size and seed, their metric, the sizes."""

SEEDED = ("rush-hour", "tiles")

ENGINE_NAMES = ("cp-sat", "greedy", "bfs")

Row = dict[str, Any]
Report = Callable[[Row], None]


def by_parts(puzzle: str, metric: str, _budget: Budget, report: Report) -> None:
    """The parts of the time before any solving, told one after the other."""
    row: Row = {}
    began = time.process_time()

    def lap(name: str) -> None:
        nonlocal began
        row[name] = time.process_time() - began
        report(row)
        began = time.process_time()

    task = load(puzzle).task(metric)
    row.update(facts=len(task.facts), operators=len(task.operators))
    lap("ground")
    bound = max((bound for bound, _ in root_bounds(task)), default=0)
    lap("matching")
    tables = hm_tables(task, 2)
    row["bound"] = max(bound, tables.lower_bound or 0)
    lap("h2")
    model = HorizonEncoder(task, tables, find_move_pruning(task)).encode(row["bound"], idle=True)
    row.update(variables=model.formula.variables, constraints=model.formula.size)
    lap("encode")


def by_engine(puzzle: str, metric: str, budget: Budget, report: Report, name: str) -> None:
    outcome = solve(load(puzzle), name, metric, budget).outcome
    steps, bound = outcome.upper_bound, outcome.lower_bound
    report(
        {
            "status": outcome.status.value,
            "steps": steps[0] if steps else None,
            "bound": bound[0] if bound else None,
            "conflicts": outcome.stats.get("conflicts"),
            "states": outcome.stats.get("states"),
            "encode": outcome.times.encode,
            "solve": outcome.times.solve,
        }
    )


RUNS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "task": (by_parts, ()),
    **{name: (by_engine, (name,)) for name in ENGINE_NAMES},
    "clingo": (by_clingo, ("tweety",)),
    "cadical": (by_cadical, ()),
}


def measured(
    run: Callable[..., None],
    puzzle: str,
    metric: str,
    limit: float,
    more: tuple[str, ...],
    processor_time: bool = False,
) -> Row:
    """What a run told last, its seconds (`wall`, `cpu`) and MiB; `ended`: it was ended at the limit."""
    kind = ProcessorBudget if processor_time else Budget

    def child(pipe: Connection) -> None:
        def tell(row: Row) -> None:
            pipe.send(
                {**row, "cpu": time.process_time(), "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
            )

        run(puzzle, metric, kind(limit, 8192), tell, *more)

    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(there,), daemon=False)
    began = time.monotonic()
    process.start()
    there.close()
    alive = psutil.Process(process.pid)
    row: Row = {}
    try:
        while (sum(alive.cpu_times()[:2]) if processor_time else time.monotonic() - began) < limit + 2:
            if here.poll(0.2):
                row = here.recv()
    except EOFError:  # it is done
        process.join()
    ended = process.is_alive()
    if ended:
        row.update(cpu=sum(alive.cpu_times()[:2]), mib=alive.memory_info().rss / 2**20)
        process.kill()
    process.join()
    return {**row, "wall": time.monotonic() - began, "ended": ended}


def cases(arguments: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    for kind in arguments.kind or KINDS:
        for size in KINDS[kind][2]:
            if not arguments.size or size in arguments.size:
                yield from ((kind, size, seed) for seed in ((arguments.seed or [2]) if kind in SEEDED else [1]))


def exponent(points: list[tuple[float, float]]) -> float | None:
    """b of the line y = a * x^b that fits best (least squares of logarithms); None with fewer than three sizes."""
    if len({x for x, _ in points}) < 3:
        return None
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def curves(rows: list[Row]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """For each kind and part the (operators, processor seconds) of its boards, of those that were not ended."""
    operators = {(row["kind"], row["size"], row["seed"]): row["operators"] for row in rows if row["run"] == "task"}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in rows:
        x = operators.get((row["kind"], row["size"], row["seed"]))
        parts = ("ground", "matching", "h2", "encode") if row["run"] == "task" else ("cpu",)
        solved = row["run"] == "task" or (row.get("steps") is not None and row.get("status") != "unknown")
        for part in parts:
            if x and solved and row.get(part) and not row["ended"]:
                name = part if row["run"] == "task" else row["run"]
                found.setdefault((row["kind"], name), []).append((x, max(row[part], 1e-3)))
    return found


COLUMNS = (
    "kind size seed run facts operators ground matching h2 encode variables constraints status steps bound conflicts "
    "states cpu wall mib"
)


def table(rows: list[Row]) -> None:
    """Print all rows, and the exponents."""
    columns = COLUMNS.split()
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for row in rows:
        cells = [row.get(column) for column in columns]
        print(
            "| " + " | ".join("" if c is None else f"{c:.2f}" if isinstance(c, float) else str(c) for c in cells), "|"
        )
    print("\n| kind | part | boards | exponent of operators |\n|---|---|---|---|")
    for (kind, part), points in sorted(curves(rows).items()):
        power = exponent(points)
        print(f"| {kind} | {part} | {len(points)} | {'' if power is None else f'{power:.2f}'} |")


def plot(rows: list[Row], file: Path) -> None:
    """Draw the curves of each kind, with their fitted lines."""
    from matplotlib.figure import Figure

    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    figure = Figure(figsize=(6 * len(kinds), 5), layout="constrained")
    for axes, kind in zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True):
        for number, ((of, part), points) in enumerate(sorted(curves(rows).items())):
            if of != kind:
                continue
            power, x, y = exponent(points), *np.array(sorted(points)).T
            label = part if power is None else f"{part}: {power:.1f}"
            (line,) = axes.plot(x, y, "os^vDPX*ph<>"[number % 12], label=label)
            if power is not None:
                axes.plot(x, np.exp(np.polyval(np.polyfit(np.log(x), np.log(y), 1), np.log(x))), color=line.get_color())
        axes.set(xscale="log", yscale="log", xlabel="operators", ylabel="processor seconds", title=kind)
        if axes.lines:
            axes.legend(title="exponent")
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="may be repeated")
    parser.add_argument("--size", action="append", type=int, help="may be repeated")
    parser.add_argument(
        "--seed", action="append", type=int, help="may be repeated (default: 2, a board with a plan in all sizes)"
    )
    parser.add_argument("--only", default=",".join(RUNS), help="runs, separated by commas (default: all)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each run")
    parser.add_argument("--processor-time", action="store_true", help="the limit is one of processor time")
    parser.add_argument("--out", type=Path, help="file of measurements, a JSON object a line; continued")
    parser.add_argument("--plot", type=Path, help="file for the plot, such as growth.svg")
    arguments = parser.parse_args()
    ensure_kernels()
    for name in ENGINE_NAMES:
        ENGINES[name].load()
        solve(load("bird-2"), name)  # here: what it loads, the children share
    done: list[Row] = []
    if arguments.out and arguments.out.exists():
        done = [json.loads(line) for line in arguments.out.read_text().splitlines()]
    known = {(row["kind"], row["size"], row["seed"], row["run"]) for row in done}
    with tempfile.TemporaryDirectory() as folder:
        for kind, size, seed in cases(arguments):
            made, metric, _ = KINDS[kind]
            file = Path(folder) / f"{kind}-{size}-{seed}.yaml"
            file.write_text(made(size, seed))
            for name in arguments.only.split(","):
                if (kind, size, seed, name) in known:
                    continue
                run, more = RUNS[name]
                row = measured(run, str(file), metric, arguments.limit, more, arguments.processor_time)
                done.append({"kind": kind, "size": size, "seed": seed, "run": name, **row})
                if arguments.out:
                    with arguments.out.open("a") as out:
                        out.write(json.dumps(done[-1]) + "\n")
    print(heading())
    table(done)
    if arguments.plot:
        plot(done, arguments.plot)


if __name__ == "__main__":
    main()
