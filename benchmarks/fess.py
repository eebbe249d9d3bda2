"""`fess` on the levels of a Sokoban collection: solved or not, positions, pushes before and after shortening.

    python benchmarks/fess.py xsokoban.xsb --time-limit 60 --out fess.txt
    python benchmarks/fess.py microban.xsb --time-limit 2 --out microban.txt --best best.tsv

Each level is one line of the file `--out`. A run that was stopped goes on after the last line when it is started
again; at the end the totals are printed. `--best`: a file with lines `number<tab>pushes`, the fewest known.
`cpu_s` is processor time, kernels are compiled before; `solved_s` is the clock when the first plan was there. On a
machine that has other work, `--processor-time` makes the limit and `solved_s` processor time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from budge import Budget, Puzzle, load
from budge.models.families import families
from budge.models.family import Importer
from budge.runtime.events import Event, PlanFound
from budge.workflows.solving import solve
from heading import heading

COLUMNS = "level boxes status pushes first best solved_s seconds cpu_s positions packing plan_entries macro_moves"


class ProcessorBudget(Budget):
    """A budget whose clock is the processor time of this process."""

    def __init__(self, seconds: float | None, memory_mib: int | None) -> None:
        super().__init__(seconds, memory_mib)
        self.used = time.process_time()

    @property
    def elapsed(self) -> float:
        return time.process_time() - self.used

    def part(self, seconds: float) -> Budget:
        part = ProcessorBudget(min(seconds, self.remaining), self.memory_mib)
        part.interrupted = self.interrupted
        return part


def levels(collection: Path) -> list[Puzzle]:
    """The levels of a collection, in its order; those that no puzzle file can hold are left out."""
    importer = next(one for one in families()["sokoban"].importers if isinstance(one, Importer))
    with tempfile.TemporaryDirectory() as folder:
        written = importer.convert(collection, Path(folder), None).written
        return [load(str(file)) for file in written]


def row(number: int, puzzle: Puzzle, budget: Budget, best: dict[int, int]) -> str:
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
        best.get(number, "-"),
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("collection", type=Path, help="levels in XSB")
    parser.add_argument(
        "--out", type=Path, required=True, help="the file with the table; lines that it has are not made anew"
    )
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each level")
    parser.add_argument("--processor-time", action="store_true", help="the limit is one of processor time")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MiB for each level")
    parser.add_argument("--best", type=Path, help="the fewest pushes known: number, tab, pushes")
    options = parser.parse_args()
    best: dict[int, int] = {}
    if options.best:
        best = {
            int(n): int(pushes) for n, pushes in (line.split("\t") for line in options.best.read_text().splitlines())
        }
    head = [heading(), COLUMNS.replace(" ", "\t")]
    known = options.out.read_text().splitlines() if options.out.exists() else []
    if not known:
        options.out.write_text("\n".join(head) + "\n")
    lines = [line for line in known if line[:1].isdigit()]
    made = {int(line.split("\t")[0]) for line in lines}
    solve(load("sokoban/microban-001"), "fess")
    for number, puzzle in enumerate(levels(options.collection), 1):
        if number in made:
            continue
        kind = ProcessorBudget if options.processor_time else Budget
        lines.append(row(number, puzzle, kind(options.time_limit, options.memory_limit), best))
        print(lines[-1], flush=True)
        with options.out.open("a") as out:
            out.write(lines[-1] + "\n")
    print(totals(lines))


if __name__ == "__main__":
    main()
