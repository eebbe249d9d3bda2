"""Push-optimal plans of a Sokoban collection: for each level the proven bound, the plan, states and seconds.

    python benchmarks/sokoban_optimal.py xsokoban.xsb --time-limit 15 --out optimal-15.txt
    python benchmarks/sokoban_optimal.py xsokoban.xsb --engine auto --time-limit 600 --best best.tsv --out o600.txt

Each level is one line of the file `--out`. A run that was stopped makes the lines that are missing when it is started
again; at the end the totals are printed. `--best`: a file with lines `number<tab>pushes`, the fewest known. Then each
line is checked: all plans of a level have pushes of one parity, a plan cannot have fewer than its bound, and a bound
cannot be above the fewest known. `cpu_s` is processor time, kernels are compiled before. On a machine that has other
work, `--processor-time` makes the limit processor time (of this process: not with `auto`, whose engines have their
own).
"""

from __future__ import annotations

import time

from budge import Budget, Outcome, Puzzle, load
from budge.engines.table import ENGINES
from budge.workflows.solving import solve
from level_table import arguments, make

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
    parser = arguments(__doc__, seconds=15.0)
    parser.add_argument("--engine", default="astar", choices=sorted(ENGINES))
    options = parser.parse_args()

    def measured(number: int, puzzle: Puzzle, budget: Budget, best: int | None) -> str:
        return row(number, puzzle, options.engine, budget, best)

    first = load("sokoban/microban-001")
    print(totals(make(options, COLUMNS, lambda: solve(first, options.engine, "pushes", Budget(5.0)), measured)))


if __name__ == "__main__":
    main()
