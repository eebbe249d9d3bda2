"""How far commands overrun their time limit, and how soon they end after Ctrl-C and SIGTERM; prints a table.

    python benchmarks/limits.py                                all puzzles, engines and commands, limits of 0.5 and 3 s
    python benchmarks/limits.py --load 8                       the same beside eight busy processes
    python benchmarks/limits.py --sample 40 --seed 2           forty of these runs, chosen by chance
    python benchmarks/limits.py --signals 100                  signals at random moments, the first 0.4 s too
    python benchmarks/limits.py --only worm-6 --command hint --limit 1

Each run is a command of its own, and what is measured is the wall clock of its whole process: Python's start, imports,
reading, grounding, the answer. `over` is what is beyond the limit; runs that are more than 0.5 s over it are marked
with `!`, and with `!!` if they took more than twice the limit. What ends before its limit is only counted. Engines have
to be compiled (`budge setup`): what is compiled is before the clock, and would be counted here.

For a signal: the exit code, the seconds from the signal to the end, processes that were left, and whether there was a
traceback. `early`: it came while Python itself was starting (streams, the module `site`), before a line of Budge ran.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from budge import load
from budge.engines.table import ENGINES
from heading import heading
from made_boards import room, rush_hour, worm

ALLOWED = 0.5
"""Seconds beyond the limit, and after a signal, that are promised at most on an idle machine."""

HANGS = 120.0
"""Seconds after which a run is ended by force."""

MADE: dict[str, Callable[[], str]] = {
    "worm-5": lambda: worm(5, 4),
    "worm-12": lambda: worm(12, 9),
    "room-60": lambda: room(60, 4),
    "rush-12": lambda: rush_hour(12, 40),
}
SHIPPED = (
    "pocket-cube",
    "korf-42",
    "super-century",
    "heng-dao-li-ma",
    "xsokoban-38",
    "ricochet-robots-moon",
    "topspin",
    "peg-solitaire",
)
COMMANDS = ("solve", "verify", "explain", "hint", "explore", "certify", "check")


@dataclass(frozen=True)
class Case:
    """One run: a command on a puzzle, with an engine where the command takes one."""

    command: str
    name: str
    puzzle: str
    engine: str = ""

    def line(self, folder: Path) -> list[str]:
        """The command line without its limit."""
        more = []
        if self.engine:
            more = ["--engine", self.engine] if self.command == "solve" else ["--engines", self.engine]
        if self.command == "verify":
            more += ["--claim", "1000"]
        if self.command == "certify":
            more += ["--out", str(folder / f"{self.name}.certificate")]
        return [sys.executable, "-m", "budge", self.command, self.puzzle, "--json", *more]


@dataclass(frozen=True)
class Ran:
    """What came of a run: seconds until its end (from the signal, if one was sent), and what it left."""

    code: int
    seconds: float
    orphans: int
    traceback: bool
    early: bool


def cases(commands: list[str], engines: list[str], only: list[str], folder: Path) -> Iterator[Case]:
    """All runs: each engine that can read the puzzle under `solve` and `verify`, once under the others."""
    files = {name: str(folder / f"{name}.yaml") for name in MADE} | {name: name for name in SHIPPED}
    for name, made in MADE.items():
        Path(files[name]).write_text(made())
    for name, puzzle in files.items():
        if only and name not in only:
            continue
        loaded = load(puzzle)
        for command in commands:
            if command not in ("solve", "verify"):
                yield Case(command, name, puzzle)
                continue
            for engine in engines:
                if ENGINES[engine].takes(loaded):
                    yield Case(command, name, puzzle, engine)


def run(line: list[str], sent: tuple[int, float] | None = None) -> Ran:
    """A command in a group of its own. `sent`: a signal for its first process, and when, in seconds."""
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        process = subprocess.Popen(line, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            if sent:
                signum, after = sent
                try:
                    process.wait(after)
                except subprocess.TimeoutExpired:
                    began = time.monotonic()
                    process.send_signal(signum)
            code = process.wait(HANGS)
        except subprocess.TimeoutExpired:
            code = 999
        seconds = time.monotonic() - began
        time.sleep(0.05)  # a process that the kernel is ending is none that was left
        orphans = _members(process.pid)
        for pid in (*orphans, *([process.pid] if process.poll() is None else [])):
            os.kill(pid, signal.SIGKILL)
        out.seek(0)
        told = out.read()
        early = b"Fatal Python error: init_" in told or code in (-signal.SIGINT, -signal.SIGTERM)
        return Ran(code, seconds, len(orphans), b"Traceback" in told and not early, early)


def _members(group: int) -> list[int]:
    """The processes of a group that are still there, without its first (proc(5))."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, pgrp = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(pgrp) == group and state != "Z" and int(entry.name) != group:
            found.append(int(entry.name))
    return found


def _busy() -> None:
    while True:
        pass


@contextmanager
def load_of(processes: int) -> Iterator[None]:
    """So many busy processes beside it."""
    busy = [multiprocessing.Process(target=_busy, daemon=True) for _ in range(processes)]
    for one in busy:
        one.start()
    try:
        yield
    finally:
        for one in busy:
            one.kill()


def table_of_limits(chosen: list[tuple[Case, float]], folder: Path) -> None:
    """A row for each command and limit: how many runs, how many reached the limit, the worst and where."""
    over: dict[tuple[str, float], list[tuple[float, Case]]] = {}
    print("\n| command | puzzle | engine | limit | wall | over | code |\n|---|---|---|---|---|---|---|", flush=True)
    for case, limit in chosen:
        ran = run([*case.line(folder), "--time-limit", str(limit)])
        late = ran.seconds - limit
        over.setdefault((case.command, limit), []).append((late, case))
        mark = "" if late <= ALLOWED else "!" if ran.seconds <= 2 * limit else "!!"
        wrong = " traceback" * ran.traceback + f" {ran.orphans} left" * bool(ran.orphans)
        if late > 0 or wrong:
            cells = (case.command, case.name, case.engine, f"{limit:g}", f"{ran.seconds:.2f}", f"{late:+.2f}{mark}")
            print(f"| {' | '.join(cells)} | {ran.code}{wrong} |", flush=True)
    print("\n| command | limit | runs | over the limit | beyond 0.5 s | worst | where |\n|---|---|---|---|---|---|---|")
    for (command, limit), found in sorted(over.items()):
        worst, case = max(found, key=lambda pair: pair[0])
        beyond = sum(late > ALLOWED for late, _ in found)
        counts = f"{len(found)} | {sum(late > 0 for late, _ in found)} | {beyond} | {worst:+.2f}"
        print(f"| {command} | {limit:g} | {counts} | {case.name} {case.engine} |")


def table_of_signals(chosen: list[Case], count: int, rng: random.Random, folder: Path) -> None:
    """A row for each signal, every second one in the first 0.4 s."""
    print(
        "\n| command | puzzle | engine | signal | at | code | end | left |\n|---|---|---|---|---|---|---|---|",
        flush=True,
    )
    ends, bad, early = [], 0, 0
    for number in range(count):
        case = rng.choice(chosen)
        signum = rng.choice((signal.SIGINT, signal.SIGTERM))
        after = rng.uniform(0, 0.4) if number % 2 else rng.uniform(0.4, 6)
        ran = run([*case.line(folder), "--time-limit", "8"], (signum, after))
        ended = ran.code == 128 + signum or ran.early
        fine = (ended or ran.code in (0, 1, 2, 3)) and not ran.traceback and not ran.orphans
        ends += [ran.seconds] if ended else []
        early += ran.early
        bad += not fine
        cells = (case.command, case.name, case.engine, signum.name, f"{after:.2f}", str(ran.code), f"{ran.seconds:.2f}")
        mark = " early" * ran.early + "!" * (not fine)
        print(f"| {' | '.join(cells)} | {ran.orphans}{' traceback' * ran.traceback}{mark} |", flush=True)
    late = sum(seconds > ALLOWED for seconds in ends)
    longest = max(ends, default=0.0)
    print(
        f"\n{count} signals: {len(ends)} ended a run, the longest after {longest:.2f} s, {late} after more than 0.5 s;"
    )
    print(f"{early} came before Budge had begun; {bad} left a process, a traceback or another exit code")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", action="append", choices=COMMANDS, help="may be repeated (default: all)")
    parser.add_argument("--engine", action="append", choices=sorted(ENGINES), help="may be repeated (default: all)")
    parser.add_argument("--limit", action="append", type=float, metavar="S", help="may be repeated (default: 0.5, 3)")
    parser.add_argument("--only", action="append", default=[], metavar="PUZZLE", help="may be repeated")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="N busy processes beside it")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of all runs, chosen by chance")
    parser.add_argument("--signals", type=int, metavar="N", help="N signals at random moments instead")
    parser.add_argument("--seed", type=int, default=1, help="of what is chosen by chance (default 1)")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    print(heading())
    print(f"# beside {arguments.load} busy processes; load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name, load_of(arguments.load):
        folder = Path(name)
        every = list(
            cases(arguments.command or list(COMMANDS), arguments.engine or list(ENGINES), arguments.only, folder)
        )
        if arguments.signals:
            table_of_signals(every, arguments.signals, rng, folder)
            return
        chosen = [(case, limit) for case in every for limit in arguments.limit or (0.5, 3.0)]
        if arguments.sample:
            chosen = rng.sample(chosen, min(arguments.sample, len(chosen)))
        table_of_limits(chosen, folder)


if __name__ == "__main__":
    main()
