"""Optimal plans of a Sokoban collection: for each level the proven bound, the plan, states and seconds.

    python benchmarks/sokoban_optimal.py xsokoban.xsb --time-limit 15 --out optimal-15.txt
    python benchmarks/sokoban_optimal.py xsokoban.xsb --engine auto --time-limit 600 --best best.tsv --out o600.txt
    python benchmarks/sokoban_optimal.py microban.xsb --metric moves --time-limit 60 --out moves-60.txt

Each level is one line of the file `--out`. A run that was stopped makes the lines that are missing when it is started
again; at the end the totals are printed. `--best`: a file with lines `number<tab>cost`, the least known. Then each line
is checked: all plans of a level have pushes of one parity, a plan cannot cost less than its bound, and a bound cannot
be above the least cost known. `cpu_s` is processor time, kernels are compiled before. On a machine that has other
work, `--processor-time` makes the limit processor time (of this process: not with `auto`, whose engines have their
own).
"""

from __future__ import annotations

import time

from budge import Budget, Outcome, Puzzle, load
from budge.engines.table import ENGINES
from budge.workflows.solving import solve
from level_table import arguments, make

COLUMNS = "level boxes status bound cost best check states expanded seconds cpu_s engine stopped_by"


def check(outcome: Outcome, metric: str, best: int | None) -> str:
    """What is wrong with a result, as far as the least cost known says."""
    bound = outcome.lower_bound[0] if outcome.lower_bound else 0
    cost = outcome.upper_bound[0] if outcome.upper_bound else None
    if cost is not None and cost < bound:
        return "plan-below-bound"
    if best is None:
        return "-"
    if cost is not None and metric == "pushes" and (cost - best) % 2:
        return "parity"
    return "bound-above-best" if bound > best else "ok"


def row(number: int, puzzle: Puzzle, engine: str, metric: str, budget: Budget, best: int | None) -> str:
    """Solve a level; its line of the table."""
    began, used = time.monotonic(), time.process_time()
    outcome = solve(puzzle, engine, metric, budget).outcome
    values = [
        number,
        len(puzzle.value.boxes),
        outcome.status.value,
        outcome.lower_bound[0] if outcome.lower_bound else 0,
        outcome.upper_bound[0] if outcome.upper_bound else "-",
        "-" if best is None else best,
        check(outcome, metric, best),
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
    parser = arguments(__doc__, seconds=15.0)
    parser.add_argument("--engine", default="astar", choices=sorted(ENGINES))
    parser.add_argument("--metric", default="pushes", choices=("pushes", "moves"))
    options = parser.parse_args()

    def measured(number: int, puzzle: Puzzle, budget: Budget, best: int | None) -> str:
        return row(number, puzzle, options.engine, options.metric, budget, best)

    first = load("sokoban/microban-001")
    print(totals(make(options, COLUMNS, lambda: solve(first, options.engine, options.metric, Budget(5.0)), measured)))


if __name__ == "__main__":
    main()
