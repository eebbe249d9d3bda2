"""How fast the searches are: states a second of breadth-first search, and the engines against each other.

    python benchmarks/search_speed.py [BOARDS]

BOARDS is a file of Rush Hour boards, one a line with tabs between the columns, of which one is the board: 36 cells row
by row, A the target, x a wall, o or . free. Times are of one thread, of the search alone, the best of some runs, after
everything has been compiled.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from budge import Budget, load, load_text
from budge.engines.bfs.engine import breadth_first
from budge.engines.bfs.fdr_key import to_fdr_task
from budge.engines.bfs.fdr_store import FdrStore
from budge.engines.greedy.engine import greedy
from budge.models.task import Task
from budge.runtime.outcome import Outcome

SPACES = [
    ("klotski/heng-dao-li-ma", "steps"),
    ("klotski/heng-shu-jie-jiang", "steps"),
    ("servais-93", "steps"),
    ("servais-93", "slides"),
    ("eight-31-a", "moves"),
    ("microban-005", "pushes"),
]
LIST = [
    ("klotski/heng-dao-li-ma", "moves"),
    ("servais-93", "slides"),
    ("eight-31-a", "moves"),
    ("seven-36", "moves"),
    ("jewel-swap", "moves"),
    ("microban-011", "pushes"),
    ("microban-085", "pushes"),
]


def whole_space(task: Task) -> tuple[int, float]:
    """States and seconds of visiting every state, no goal looked for."""
    short = to_fdr_task(task, without_goal=True)
    assert short is not None
    best = float("inf")
    for _ in range(7):
        store = FdrStore(task, *short)
        began = time.process_time()
        while not store.exhausted:
            store.search(100_000)
            store.grow(Budget())
        best = min(best, time.process_time() - began)
    return store.count, best


def timed(engine: Callable[[Task, Budget], Outcome], task: Task, runs: int = 3) -> tuple[Outcome, float]:
    """The outcome, and the seconds of the quickest run."""
    best = float("inf")
    for _ in range(runs):
        began = time.process_time()
        outcome = engine(task, Budget(60))
        best = min(best, time.process_time() - began)
    return outcome, best


def boards(path: Path) -> list[Task]:
    """The tasks of a file of boards, in slides."""
    tasks = []
    for line in path.read_text().splitlines():
        cells = next((word for word in line.split("\t") if len(word) == 36 and "A" in word and " " not in word), None)
        if cells and not line.startswith("#"):
            cells = cells.replace("o", ".").replace("x", "#")
            rows = "".join(f"  {cells[i : i + 6]}\n" for i in range(0, 36, 6))
            text = f"format: 1\nfamily: rush-hour\nboard: |\n{rows}goal: {{piece: A, exit: right}}\n"
            tasks.append(load_text(text).task("slides"))
    return tasks


def main() -> None:
    print("| whole space | states | ms | million states a second |\n|---|---|---|---|")
    for name, metric in SPACES:
        states, seconds = whole_space(load(name).task(metric))
        print(f"| {name}, {metric} | {states:,} | {seconds * 1e3:.2f} | {states / seconds / 1e6:.1f} |", flush=True)
    if len(sys.argv) > 1:
        tasks = boards(Path(sys.argv[1]))
        breadth_first(tasks[0], Budget())
        began, found = time.process_time(), [breadth_first(task, Budget()) for task in tasks]
        each = (time.process_time() - began) / len(tasks) * 1e3
        alone = sum(outcome.times.solve for outcome in found) / len(tasks) * 1e3
        states = sum(int(outcome.stats["states"]) for outcome in found) // len(tasks)
        print(f"\n{len(tasks)} boards: {each:.2f} ms each ({alone:.2f} ms search alone, wall clock), {states:,} states")
    print("\n| ms (states) | bfs | greedy: cost / optimum |\n|---|---|---|")
    for name, metric in LIST:
        task = load(name).task(metric)
        cells, optimum = [], None
        for engine in (breadth_first, greedy):
            outcome, seconds = timed(engine, task)
            cells.append(f"{seconds * 1e3:.1f} ({outcome.stats['states']:,})")
            optimum = outcome.upper_bound if engine is breadth_first else optimum
        ratio = f"{outcome.upper_bound and outcome.upper_bound[0]} / {optimum and optimum[0]}"
        print(f"| {name}, {metric} | {' | '.join(cells)}: {ratio} |", flush=True)


if __name__ == "__main__":
    main()
