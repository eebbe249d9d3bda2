"""How long a new user waits: from the end of the installation to the first answers, and what each engine compiles.

    python benchmarks/first_use.py                every command in an empty cache, then once more in the full one
    python benchmarks/first_use.py --engines      and the first use of each engine by itself, in an empty cache
    python benchmarks/first_use.py --setup        and `budge setup`

Times are seconds of wall clock of a whole command, from the start of Python to its end: of the first run, and the least
of three later ones.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

from budge.engines.table import ENGINES
from heading import heading

COMMANDS = (
    "--help",
    "solve bird-1",
    "solve bird-2",
    "hint bird-1",
    "verify bird-1",
    "solve eight-31-a --engine cp-sat",
    "compare bird-1",
)
PUZZLES = {"fess": "microban-001"}
"""What engines are tried on, each solves it at once: others on `bird-2`."""

TIMES = 3


def seconds(command: str, folder: str) -> float:
    """How long a command takes with the compiled code that is in a folder, and what it adds."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "budge", *command.split()],
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"budge {command}: {done.stderr}")
    return time.monotonic() - began


def row(command: str) -> str:
    """The first time in an empty folder, and the time after that."""
    with tempfile.TemporaryDirectory() as folder:
        first = seconds(command, folder)
        again = min(seconds(command, folder) for _ in range(TIMES))
    return f"| `budge {command}` | {first:.2f} | {again:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", action="store_true", help="the first use of each engine, too")
    parser.add_argument("--setup", action="store_true", help="`budge setup`, too")
    parser.add_argument("--only", action="append", metavar="COMMAND", help="only this command; may be repeated")
    arguments = parser.parse_args()
    commands = list(arguments.only or COMMANDS)
    if arguments.engines:
        commands += [
            f"solve {PUZZLES.get(name, 'bird-2')} --engine {name}"
            for name, engine in ENGINES.items()
            if engine.compiled
        ]
    if arguments.setup:
        commands.append("setup")
    print(heading())
    print("\n| s | first use | later |\n|---|---|---|", flush=True)
    for command in commands:
        print(row(command), flush=True)


if __name__ == "__main__":
    main()
