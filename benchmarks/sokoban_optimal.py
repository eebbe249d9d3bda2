"""Push-optimal plans of a Sokoban collection: for each level the proven bound, the plan, states and seconds.

    python benchmarks/sokoban_optimal.py xsokoban.xsb --time-limit 15 --out optimal-15.txt
    python benchmarks/sokoban_optimal.py xsokoban.xsb --engine auto --time-limit 600 --best best.tsv --out o600.txt

Each level is one line of the file `--out`. A run that was stopped goes on after the last line when it is started
again; at the end the totals are printed. `--best`: a file with lines `number<tab>pushes`, the fewest known. Then each
line is checked: all plans of a level have pushes of one parity, a plan cannot have fewer than its bound, and a bound
cannot be above the fewest known. `cpu_s` is processor time, kernels are compiled before. On a machine that has other
work, `--processor-time` makes the limit processor time (of this process: not with `auto`, whose engines have their
own).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from budge import Budget, Outcome, Puzzle
from budge.engines.table import ENGINES
from budge.workflows.solving import solve
from fess import ProcessorBudget, levels
from heading import heading

COLUMNS = "level boxes status bound pushes best check states expanded seconds cpu_s engine stopped_by"


def check(outcome: Outcome, best: int | None) -> str:
    """What is wrong with a result, as far as the fewest pushes known say."""
    bound = outcome.lower_bound[0] if outcome.lower_bound else 0
    pushes = outcome.upper_bound[0] if outcome.upper_bound else None
    if pushes is not None and pushes < bound:
        return "plan-below-bound"
    if best is None:
        return "-"
    if pushes is not None and (pushes - best) % 2:
        return "parity"
    return "bound-above-best" if bound > best else "ok"


def row(number: int, puzzle: Puzzle, engine: str, budget: Budget, best: int | None) -> str:
    """Solve a level; its line of the table."""
    began, used = time.monotonic(), time.process_time()
    outcome = solve(puzzle, engine, "pushes", budget).outcome
    values = [
        number,
        len(puzzle.value.boxes),
        outcome.status.value,
        outcome.lower_bound[0] if outcome.lower_bound else 0,
        outcome.upper_bound[0] if outcome.upper_bound else "-",
        "-" if best is None else best,
        check(outcome, best),
        outcome.stats.get("states", "-"),
        outcome.stats.get("expanded", "-"),
        f"{time.monotonic() - began:.2f}",
        f"{time.process_time() - used:.2f}",
        engine,
        (outcome.stopped_by or "-").replace("\t", " "),
    ]
    return "\t".join(map(str, values))


def totals(lines: list[str]) -> str:
    """What the table says in a sentence."""
    rows = [dict(zip(COLUMNS.split(), line.split("\t"), strict=True)) for line in lines]
    proven = [row["level"] for row in rows if row["status"] in ("optimal", "unsolvable")]
    wrong = [f"{row['level']} ({row['check']})" for row in rows if row["check"] not in ("ok", "-")]
    text = f"{len(proven)} of {len(rows)} proven: {' '.join(proven)}"
    return text + (f"; WRONG: {', '.join(wrong)}" if wrong else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("collection", type=Path, help="levels in XSB")
    parser.add_argument(
        "--out", type=Path, required=True, help="the file with the table; lines that it has are not made anew"
    )
    parser.add_argument("--engine", default="astar", choices=sorted(ENGINES))
    parser.add_argument("--time-limit", type=float, default=15.0, help="seconds for each level")
    parser.add_argument("--processor-time", action="store_true", help="the limit is one of processor time")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MiB for each level")
    parser.add_argument("--best", type=Path, help="the fewest pushes known: number, tab, pushes")
    options = parser.parse_args()
    best: dict[int, int] = {}
    if options.best:
        listed = (line.split("\t") for line in options.best.read_text().splitlines())
        best = {int(number): int(pushes) for number, pushes in listed}
    known = options.out.read_text().splitlines() if options.out.exists() else []
    if not known:
        options.out.write_text(f"{heading()}\n" + COLUMNS.replace(" ", "\t") + "\n")
    lines = [line for line in known if line[:1].isdigit()]
    made = {int(line.split("\t")[0]) for line in lines}
    kind = ProcessorBudget if options.processor_time else Budget
    puzzles = levels(options.collection)
    solve(puzzles[0], options.engine, "pushes", kind(5.0, options.memory_limit))  # compiles kernels
    for number, puzzle in enumerate(puzzles, 1):
        if number in made:
            continue
        budget = kind(options.time_limit, options.memory_limit)
        lines.append(row(number, puzzle, options.engine, budget, best.get(number)))
        print(lines[-1], flush=True)
        with options.out.open("a") as out:
            out.write(lines[-1] + "\n")
    print(totals(lines))


if __name__ == "__main__":
    main()
