"""Two checkouts side by side: the same commands in this one and in another, by turns, on the same machine.

    python benchmarks/before_after.py PARENT [--runs N] [--only WORD] [--xsokoban FILE.xsb]

PARENT is a folder in which the other checkout is visible as `budge`. Each command runs N times in both, by turns, after
one run of each that is not counted for cases that may compile kernels (`--warm`). Of the runs counts the least: of the
seconds that Budge reports for all puzzles of the command, and of the processor seconds of its processes. Random boards
of the growth set are written to a temporary folder. `--xsokoban` names the 90 levels, of which the 34 are run that
`astar` proves (they are not shipped).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from growth import VEHICLES
from heading import heading
from level_table import PROVEN_OF_XSOKOBAN
from made_boards import rush_hour

HERE = Path(__file__).resolve().parents[2]
LEVELS = [f"level-{number:02}" for number in range(1, 41)]
SHIPPED = sorted(path for path in (HERE / "budge" / "puzzles").glob("*/*.yaml"))
MICROBAN = [path.stem for path in SHIPPED if path.stem.startswith("microban")]
KORF = [path.stem for path in SHIPPED if path.stem.startswith("korf-")]
LIBRARY = [f"{path.parent.name}/{path.stem}" for path in SHIPPED if path.parent.name != "sokoban"]
CASES = {
    "forty levels and the 93-step board, slides, `cp-sat` one-model": [
        *LEVELS,
        *("servais-93", "--engine", "cp-sat", "--strategy", "one-model", "--metric", "slides"),
    ],
    "eight levels of Microban, pushes, `astar`": [
        *(f"microban-{number:03}" for number in (1, 3, 5, 11, 21, 31, 77, 85)),
        *("--engine", "astar", "--metric", "pushes", "--time-limit", "10"),
    ],
    "XSokoban 1, pushes, `astar`": ["xsokoban-01", "--engine", "astar", "--metric", "pushes"],
    "9x9, slides, `cp-sat` one-model": ["uva-9x9", "--engine", "cp-sat", "--strategy", "one-model"],
    "Klotski, steps, `bfs`": ["heng-dao-li-ma", "--engine", "bfs", "--metric", "steps"],
    "six of Korf's boards, `idastar`": [*KORF, "--engine", "idastar", "--time-limit", "20"],
    "8-puzzle at 31, `cp-sat` one-model": ["eight-31-a", "--engine", "cp-sat", "--strategy", "one-model"],
    "Klotski, moves, `cp-sat` one-model": [
        *("heng-dao-li-ma", "--engine", "cp-sat", "--strategy", "one-model", "--metric", "moves"),
    ],
    "Klotski, steps, `cp-sat`": ["heng-dao-li-ma", "--engine", "cp-sat", "--metric", "steps"],
    "12x12, slides, `cp-sat`": ["uva-12x12", "--engine", "cp-sat", "--metric", "slides"],
    "forty levels and the 93-step board, slides, `auto`": [*LEVELS, "servais-93", "--metric", "slides"],
    "shipped puzzles, `auto`": [*LIBRARY, "--time-limit", "20"],
    "shipped Microban, pushes, `astar`": [*MICROBAN, "--engine", "astar", "--metric", "pushes", "--time-limit", "20"],
    "shipped Microban, pushes, `cp-sat`": [*MICROBAN, "--engine", "cp-sat", "--metric", "pushes", "--time-limit", "20"],
    "shipped Microban, moves, `astar`": [*MICROBAN, "--engine", "astar", "--metric", "moves", "--time-limit", "20"],
    "shell start and a small board": ["bird-2", "--engine", "plain"],
}


@dataclass(frozen=True, slots=True)
class Run:
    """One command: what Budge reports for its puzzles, and the processor time of all processes."""

    seconds: float
    processor: float
    solved: int


def run(parent: Path, arguments: list[str]) -> Run:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "budge", "solve", *arguments, "--json"],
        cwd=parent,
        env=os.environ | {"PYTHONPATH": str(parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    results = [line for line in lines if line["type"] == "result"]
    if not results:
        raise RuntimeError(done.stderr)
    return Run(
        seconds=sum(result["seconds"]["total"] for result in results),
        processor=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        solved=sum(result["status"] == "optimal" for result in results),
    )


def row(name: str, arguments: list[str], other: Path, runs: int) -> str:
    places = (other, HERE)
    found: dict[Path, list[Run]] = {place: [] for place in places}
    for _ in range(runs):
        for place in places:
            found[place].append(run(place, arguments))
    before, after = (min(one.seconds for one in found[place]) for place in places)
    old, new = (min(one.processor for one in found[place]) for place in places)
    solved = "/".join(str(max(one.solved for one in found[place])) for place in places)
    return (
        f"| {name} | {before:.2f} | {after:.2f} | {after / before:.2f} | {old:.2f} | {new:.2f} | {new / old:.2f} "
        f"| {solved} |"
    )


def growth(folder: Path) -> dict[str, list[str]]:
    """The growth set: random Rush Hour boards of 12x12 and 16x16, five of each."""
    cases = {}
    for size in (12, 16):
        files = []
        for seed in range(1, 6):
            file = folder / f"rush-hour-{size}-{seed}.yaml"
            file.write_text(rush_hour(size, VEHICLES[size], seed))
            files.append(str(file))
        for engine in ("cp-sat", "auto"):
            name = f"growth, {size}x{size}, seeds 1 to 5, `{engine}`"
            cases[name] = [*files, "--engine", engine, "--time-limit", "25"]
    return cases


def xsokoban(levels: Path | None, folder: Path) -> dict[str, list[str]]:
    """The levels of XSokoban that `astar` proves, if their file was named."""
    if levels is None:
        return {}
    convert = [sys.executable, "-m", "budge", "convert", str(levels.resolve()), "--out", str(folder / "levels")]
    subprocess.run(convert, cwd=HERE, check=True, capture_output=True)
    files = sorted((folder / "levels").glob("*.yaml"))
    chosen = [str(files[number - 1]) for number in PROVEN_OF_XSOKOBAN]
    return {
        "34 levels of XSokoban, pushes, `astar`": [*chosen, "--engine", "astar", "--metric", "pushes"],
        "eight levels of XSokoban, `fess`": [*chosen[:8], "--engine", "fess", "--time-limit", "30"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="PARENT")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="WORD", help="only cases with this word; may be repeated")
    parser.add_argument("--warm", action="store_true", help="run each case once before, in both, without counting")
    parser.add_argument("--xsokoban", type=Path, metavar="FILE", help="the 90 levels of XSokoban, in one file")
    arguments = parser.parse_args()
    print(heading())
    print("\n| case | s before | after | ratio | processor s before | after | ratio | proven |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, case in (CASES | growth(Path(folder)) | xsokoban(arguments.xsokoban, Path(folder))).items():
            if not arguments.only or any(word in name for word in arguments.only):
                if arguments.warm:
                    row(name, case, arguments.other.resolve(), 1)
                print(row(name, case, arguments.other.resolve(), arguments.runs), flush=True)


if __name__ == "__main__":
    main()
