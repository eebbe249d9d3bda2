"""`auto` beside each of its members alone: is it at most 1.3 times the best of them?

    python benchmarks/portfolio.py --out portfolio.jsonl                       growth set and library
    python benchmarks/portfolio.py --out few.jsonl rush-hour/level-40 large.yaml --limit 60
    python benchmarks/portfolio.py --out quick.jsonl --as-auto                 members are ended when `auto` was done

Every run is a command `budge solve` of its own, one after the other: `auto`, and each member that can prove an
optimum. It is a line of the file `--out` as soon as it is done; a run of the benchmark that was stopped goes on with
what is missing. `wall` are the seconds of the whole command, `told` those that it reports (an engine's clock does not
count what it loads before it begins, but `auto` loads while its clock runs), `cpu` the processor seconds of all its
processes: on an idle machine the first count, on one with other work the last are all that can be compared (`--by
cpu`), and there the members of a portfolio add up.

The growth set is what `growth.py` calls `rush-hour`: 12x12, 14x14 and 16x16, seeds 1 to 10. The best member is the one
that proves its answer soonest; where none does, the ratio says nothing, and what counts is the gap between the bounds.
With `--as-auto` a member has only the seconds that `auto` took: where it proves nothing in them, `auto` was faster than
it. Whether `auto` is within 1.3 times the best member is seen in a part of the time. Where `auto` was done in a moment
(0.2 s), no member is run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from budge.engines.table import ENGINES
from budge.models.library import shipped
from budge.runtime.kernels import ensure_kernels
from heading import heading
from made_boards import rush_hour

GROWTH = ((12, 40), (14, 52), (16, 58))
"""Sizes and vehicles."""

ALLOWED, MOMENT = 1.3, 0.2
"""Times the best member's seconds, and seconds that do not matter."""

PROVEN = ("optimal", "unsolvable")

Row = dict[str, Any]


def puzzles(names: list[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Names and files: those that are named, or the growth set and the library."""
    for name in names:
        yield name, name
    if not names:
        for size, vehicles in GROWTH:
            for seed in range(1, 11):
                file = folder / f"rush-hour-{size}-{seed}.yaml"
                file.write_text(rush_hour(size, vehicles, seed))
                yield file.stem, str(file)
        yield from ((name, name) for name in shipped())


def members() -> list[str]:
    """The members of `auto` that can prove an optimum alone."""
    return [name for name, engine in ENGINES.items() if engine.role and engine.promises_optimum]


def run(puzzle: str, engine: str, limit: float) -> Row:
    """One command: what it answers, seconds and processor seconds."""
    command = [sys.executable, "-m", "budge", "solve", puzzle, "--engine", engine, "--time-limit", str(limit), "--json"]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # it has been waited for
        took = time.monotonic() - began
        out.seek(0)
        lines: list[Row] = [json.loads(line) for line in out if line.startswith("{")]
    failed: Row = {"status": "error", "seconds": {}}
    result = next((line for line in lines if line.get("type") == "result"), failed)
    plans = [line["seconds"] for line in lines if line.get("type") == "plan"]
    return {
        "status": result["status"],
        "cost": result.get("cost"),
        "bound": result.get("lower_bound"),
        "wall": took,
        "told": result["seconds"].get("total", took),
        "cpu": usage.ru_utime + usage.ru_stime,
        "first_plan": plans[0] if plans else None,
        "plan_by": result.get("stats", {}).get("plan_by"),
        "bound_by": result.get("stats", {}).get("bound_by"),
    }


def report(rows: dict[tuple[str, str], Row], by: str) -> None:
    """Print each puzzle's best member and `auto`, and what is beyond the limit."""
    names = list(dict.fromkeys(name for name, _ in rows))
    print("| puzzle | auto | " + by + " | first plan | plan and bound by | best member | " + by + " | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    beyond, proven, totals = [], 0, [0.0, 0.0]
    for name in names:
        alone = {engine: row for (of, engine), row in rows.items() if of == name and engine != "auto"}
        together = rows.get((name, "auto"))
        solved = {engine: row for engine, row in alone.items() if row["status"] in PROVEN}
        if together is None:
            continue
        best = min(solved, key=lambda engine: solved[engine][by], default=None)
        answer = together["status"] in PROVEN
        proven += answer
        ratio = ""
        if best is not None:
            times = together[by] / max(1e-9, solved[best][by])
            late = not answer or together[by] > ALLOWED * solved[best][by] + MOMENT
            ratio = f"{times:.2f}{' !' if late else ''}"
            totals = [totals[0] + together[by], totals[1] + solved[best][by]]
            beyond += [name] if late else []
        first = "" if together["first_plan"] is None else f"{together['first_plan']:.2f}"
        who = ", ".join(str(together[key]) for key in ("plan_by", "bound_by") if together[key])
        seconds = "" if best is None else f"{solved[best][by]:.2f}"
        said = f"{together['status']} {together['cost']} >= {together['bound']}"
        print(f"| {name} | {said} | {together[by]:.2f} | {first} | {who} | {best or '-'} | {seconds} | {ratio} |")
    print(f"\n{proven} of {len(names)} proven by auto; {totals[0]:.1f} s for {totals[1]:.1f} s of the best members")
    print(f"beyond {ALLOWED} times the best and {MOMENT} s: {len(beyond)} {' '.join(beyond)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="default: the growth set and the library")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each run")
    parser.add_argument("--as-auto", action="store_true", help="members have as many seconds as auto took")
    parser.add_argument("--only", help="engines, separated by commas (default: auto and all members)")
    parser.add_argument("--by", choices=("wall", "told", "cpu"), default="wall")
    parser.add_argument("--out", type=Path, required=True, help="file of measurements, a JSON object a line; continued")
    arguments = parser.parse_args()
    ensure_kernels()
    rows: dict[tuple[str, str], Row] = {}
    if arguments.out.exists():
        kept = [json.loads(line) for line in arguments.out.read_text().splitlines()]
        rows = {(row["puzzle"], row["engine"]): row for row in kept}
    with tempfile.TemporaryDirectory() as folder:
        for name, puzzle in puzzles(arguments.puzzles, Path(folder)):
            for engine in arguments.only.split(",") if arguments.only else ["auto", *members()]:
                if (name, engine) not in rows:
                    together = rows.get((name, "auto")) if arguments.as_auto else None
                    if together and together["status"] in PROVEN and together["told"] <= MOMENT:
                        continue
                    seconds = together["told"] if together else arguments.limit
                    row = {"puzzle": name, "engine": engine, **run(puzzle, engine, max(0.1, seconds))}
                    rows[name, engine] = row
                    with arguments.out.open("a") as out:
                        out.write(json.dumps(row) + "\n")
    print(heading())
    report(rows, arguments.by)


if __name__ == "__main__":
    main()
