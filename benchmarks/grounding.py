"""How long it takes to enumerate the operators of the shipped puzzles with own rules; prints a table.

    python benchmarks/grounding.py                      all of them
    python benchmarks/grounding.py --only ricochet      those whose name has this word
    python benchmarks/grounding.py --beside FOLDER      beside another checkout (a folder with the name `budge`)

`ground`: from the checked puzzle to its task. `form`: to what engines read, operators or programs. Both are processor
seconds in a process that has loaded its kernels, the least of three runs where these are short.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent

MEASURED = """
import sys, time
sys.path.insert(0, sys.argv[1])
from budge import load
from budge.models.errors import GroundingError
from budge.runtime.kernels import ensure_kernels
import numpy
ensure_kernels()
def measured(call):
    least = 1e9
    for _ in range(3):
        began = time.process_time()
        try:
            task = call()
            said = f"{len(task.operators):,}" if hasattr(task, "operators") else f"{len(task.actions):,} programs"
        except GroundingError:
            said = "too many"
        least = min(least, time.process_time() - began)
        if least > 0.5:
            break
    return f"{least:.4f} {said}"
def timed(name):
    puzzle = load(name)
    metric = puzzle.metric(puzzle.metrics[0])
    ground = measured(lambda: puzzle.record.ground(puzzle.value, metric))
    return ground + " | " + measured(lambda: puzzle.record.form(puzzle.value, metric))
timed("custom/pocket-cube")  # loads what is loaded once
for name in sys.argv[2:]:
    print(timed(name), flush=True)
"""


def measured(parent: Path, names: list[str]) -> list[str]:
    """The figures of a checkout, the folder `budge` in a parent, for each puzzle."""
    command = [sys.executable, "-c", MEASURED, str(parent), *names]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="puzzles whose name has this word")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout")
    arguments = parser.parse_args()
    files = sorted((HERE / "puzzles" / "custom").glob("*.yaml"))
    stems = [file.stem for file in files if not file.stem.endswith(".family")]
    names = [f"custom/{stem}" for stem in stems if arguments.only in stem]
    checkouts = [HERE.parent] + ([arguments.beside.resolve().parent] if arguments.beside else [])
    print("| puzzle |" + " ground | form |" * len(checkouts))
    print("|---|" + "---|---|" * len(checkouts))
    sums = [0.0] * len(checkouts)
    for name in names:
        figures = [measured(parent, [name])[0] for parent in checkouts]
        sums = [total + float(figure.split()[0]) for total, figure in zip(sums, figures, strict=True)]
        print(f"| {name} | " + " | ".join(figures) + " |", flush=True)
    print("ground, in sum: " + " / ".join(f"{total:.2f} s" for total in sums))


if __name__ == "__main__":
    main()
