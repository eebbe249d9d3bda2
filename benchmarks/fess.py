"""`fess` on the levels of a Sokoban collection: solved or not, positions, pushes before and after shortening.

    python benchmarks/fess.py xsokoban.xsb --time-limit 60 --out fess.txt
    python benchmarks/fess.py microban.xsb --time-limit 2 --out microban.txt --best best.tsv

Each level is one line of the file `--out`. A run that was stopped makes the lines that are missing when it is started
again; at the end the totals are printed. `--best`: a file with lines `number<tab>pushes`, the fewest known.
`cpu_s` is processor time, kernels are compiled before; `solved_s` is the clock when the first plan was there. On a
machine that has other work, `--processor-time` makes the limit and `solved_s` processor time.
"""

from __future__ import annotations

import time

from budge import Budget, Puzzle, load
from budge.runtime.events import Event, PlanFound
from budge.workflows.solving import solve
from level_table import arguments, make

COLUMNS = "level boxes status pushes first best solved_s seconds cpu_s positions packing plan_entries macro_moves"


def row(number: int, puzzle: Puzzle, budget: Budget, best: int | None) -> str:
    """Solve a level; its line of the table."""
    told: list[float] = []

    def tell(event: Event) -> None:
        if isinstance(event, PlanFound):
            told.append(event.seconds)

    began, used = time.monotonic(), time.process_time()
    solution = solve(puzzle, "fess", "pushes", budget, tell)
    stats = solution.outcome.stats
    values = [
        number,
        len(puzzle.value.boxes),
        solution.status.value,
        solution.cost if solution.cost is not None else "-",
        stats.get("first_pushes", "-"),
        "-" if best is None else best,
        f"{told[0]:.2f}" if told else "-",
        f"{time.monotonic() - began:.2f}",
        f"{time.process_time() - used:.2f}",
        stats.get("states", 0),
        stats.get("packing_positions", 0),
        stats.get("plan_entries", 0),
        stats.get("macro_moves", "-"),
    ]
    return "\t".join(map(str, values))


def totals(lines: list[str]) -> str:
    """What the table says in a few sentences."""
    rows = [dict(zip(COLUMNS.split(), line.split("\t"), strict=True)) for line in lines]
    solved = [row for row in rows if row["pushes"] != "-"]
    compared = [row for row in solved if row["best"] != "-" and int(row["best"])]
    text = f"{len(solved)} of {len(rows)} solved"
    if compared:
        above = [
            sum(int(row[key]) / int(row["best"]) - 1 for row in compared) / len(compared) for key in ("first", "pushes")
        ]
        text += (
            f"; pushes above the best known: {above[0]:.1%} at first, {above[1]:.1%} shortened ({len(compared)} levels)"
        )
    return text


def main() -> None:
    options = arguments(__doc__, seconds=60.0).parse_args()
    print(totals(make(options, COLUMNS, lambda: solve(load("sokoban/microban-001"), "fess"), row)))


if __name__ == "__main__":
    main()
