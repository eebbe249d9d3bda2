"""Five puzzle domains of the International Planning Competition 2023 (optimal track), written as puzzles and solved.

    python benchmarks/ipc2023.py write DATA OUT
    python benchmarks/ipc2023.py run OUT [--engine E] [--time-limit S] [--jobs N] [--only WORD]

DATA holds DOMAIN.jsonl, one board a line: `labyrinth`, `folding`, `ricochet-robots`, `rubiks-cube`, `slitherlink`;
others are left out with a word. `write` makes a puzzle file of each, DOMAIN-pNN.yaml, and `published.json` with the
published bounds and plans. `run` solves the files, each in a process of its own, and prints a table beside the
published values. A cost above the best published plan or below a published lower bound is marked.

The tasks are those of ipc2023-classical/ipc2023-dataset; their authors had PDDL, in which a move of a puzzle is a chain
of actions.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from heading import heading

RULES = Path(__file__).parent / "ipc2023"
"""The families of the domains that are not shipped; the files name them."""

Board = dict[str, Any]

SIDES = {"N": 1, "E": 2, "S": 4, "W": 8}
CARDS = "┼┬┤┐┴─┘╴├┌│╷└╶╵■"
"""The cards by the sum of their closed sides."""
HEADINGS = [(0, -1), (1, 0), (0, 1), (-1, 0)]
ROBOTS = ("red", "blue", "green", "yellow")
CORNERS = ["urf", "ufl", "ulb", "ubr", "dfr", "dlf", "dbl", "drb"]
EDGES = ["ur", "uf", "ul", "ub", "dr", "df", "dl", "db", "fr", "fl", "bl", "br"]
AXES = ("ud", "fb", "lr")
WALLS = {frozenset(): ".", frozenset({"east"}): "|", frozenset({"south"}): "_", frozenset({"east", "south"}): "J"}


def labyrinth(board: Board) -> str:
    rows = ["".join(CARDS[sum(SIDES[side] for side in card)] for card in row) for row in board["blocked"]]
    column, row = board["robot"]
    return _text(
        "labyrinth",
        board,
        f"types:\n  line: 1..{board['size']}",
        f"constants:\n  size: {board['size']}",
        _grid(rows),
        f"start:\n  robot: r{row + 1}c{column + 1}",
    )


def folding(board: Board) -> str:
    start, goal = _turns(board["start"]), _turns(board["goal"])
    x, y = board["start"][0]
    if board["goal"][0] != [x, y]:
        raise ValueError("the first node moves")
    side = board["side"]
    rows = ["".join("@" if [column, row] == [x, y] else "." for column in _to(side)) for row in _to(side)]
    return _text(
        "folding",
        board,
        f"types:\n  joint: 1..{len(start)}",
        f"constants:\n  side: {side}\n  wanted: {{of: joint, in: 0..3, value: {goal}}}",
        _grid(rows),
        f"start:\n  turn: {start}",
        "draw: |\n  {turn[i] for i in joint}",  # a square of 35x35 takes long to draw
    )


def _turns(nodes: list[list[int]]) -> list[int]:
    """The turn at each joint: of the first the direction of its link, of the others the quarters to the right."""
    ways = [HEADINGS.index((b[0] - a[0], b[1] - a[1])) for a, b in itertools.pairwise(nodes)]
    return [ways[0], *((after - before) % 4 for before, after in itertools.pairwise(ways))]


def ricochet(board: Board) -> str:
    walls: dict[tuple[int, int], set[str]] = {}
    for x, y, side in board["walls"]:
        walls.setdefault((x, y), set()).add(side)
    cells = [[WALLS[frozenset(walls.get((x, y), ()))] for x in _to(board["width"])] for y in _to(board["height"])]
    names = dict(zip(sorted(board["robots"]), ROBOTS, strict=True))
    at = ", ".join(f"{names[robot]}: r{y}c{x}" for robot, (x, y) in sorted(board["robots"].items()))
    ((robot, (x, y)),) = board["goal"].items()
    return _text(
        "ricochet-robots",
        board,
        _grid(["".join(row) for row in cells]),
        f"start:\n  at: {{{at}}}",
        f"goal: at[{names[robot]}] == r{y}c{x}",
    )


def cube(board: Board) -> str:
    """Pieces are called by where they are in the goal; see the family for how a place and a turn are one value."""
    now = {frozenset(colours): _sides(place, colours) for place, colours in board["start"].items()}
    spots: dict[str, str] = {}
    for place, colours in board["goal"].items():
        home = _sides(place, colours)
        name = "".join(home[colour] for colour in colours)
        name = next(name for name in map("".join, itertools.permutations(name)) if name in CORNERS + EDGES)
        colour_at = {side: colour for colour, side in home.items()}
        spots[name] = "".join(now[frozenset(colours)][colour_at[side]] for side in name)
    corners, edges = (", ".join(spots[name] for name in names) for names in (CORNERS, EDGES))
    return _text("rubiks-cube", board, f"start:\n  corner_at: [{corners}]\n  edge_at: [{edges}]")


def _sides(place: str, colours: list[str]) -> dict[str, str]:
    """The side on which each colour of a piece is: `cube6` has one on each axis x, y, z; `edge26` lies between cubes 2
    and 6, which differ along z, and has one on x and one on y.
    """
    corners = [int(digit) - 1 for digit in place if digit.isdigit()]
    axes = [axis for axis in range(3) if all((corner ^ corners[0]) >> axis & 1 == 0 for corner in corners)]
    return {colour: AXES[axis][corners[0] >> axis & 1] for axis, colour in zip(axes, colours, strict=True)}


def slitherlink(board: Board) -> str:
    nodes = sorted({node for edge in board["edges"] for node in edge[:2]})
    node_number = {node: number for number, node in enumerate(nodes, 1)}
    faces = {face: number for number, face in enumerate(sorted(board["clues"]), 1)}
    ends = [[node_number[edge[i]] for edge in board["edges"]] for i in (0, 1)]
    left, right = ([faces.get(edge[i], 0) for edge in board["edges"]] for i in (2, 3))
    edges, most = len(board["edges"]), len(faces)
    return _text(
        "slitherlink",
        board,
        f"types:\n  edge: 1..{edges}\n  node: 1..{len(nodes)}\n  face: 1..{most}",
        "constants:\n"
        f"  one_end: {{of: edge, in: node, value: {ends[0]}}}\n  other_end: {{of: edge, in: node, value: {ends[1]}}}\n"
        f"  left: {{of: edge, in: 0..{most}, value: {left}}}\n  right: {{of: edge, in: 0..{most}, value: {right}}}\n"
        f"  clue: {{of: face, in: 0..99, value: {[board['clues'][face] for face in faces]}}}",
    )


def _to(most: int) -> range:
    return range(1, most + 1)


def _grid(rows: list[str]) -> str:
    return "grid: |\n" + "\n".join(f"  {row}" for row in rows)


def _text(domain: str, board: Board, *parts: str) -> str:
    head = f"format: 1\nfamily: {domain}.family.yaml\nname: {domain} {board['task']} of IPC 2023"
    return "\n".join((head, *parts, ""))


DOMAINS: dict[str, Callable[[Board], str]] = {
    "folding": folding,
    "labyrinth": labyrinth,
    "ricochet-robots": ricochet,
    "rubiks-cube": cube,
    "slitherlink": slitherlink,
}


def write(data: Path, out: Path) -> None:
    """Write a puzzle file for each board, and what was published about it."""
    out.mkdir(parents=True, exist_ok=True)
    for family in RULES.glob("*.family.yaml"):
        shutil.copy(family, out)
    published = {}
    for source in sorted(data.glob("*.jsonl")):
        if source.stem not in DOMAINS:
            print(f"{source.name}: no puzzle of this domain is written")
            continue
        for line in source.read_text().splitlines():
            board = json.loads(line)
            name = f"{source.stem}-{board['task']}"
            (out / f"{name}.yaml").write_text(DOMAINS[source.stem](board))
            published[name] = {"proven": board["proven"], "best": board["best"]}
    (out / "published.json").write_text(json.dumps(published, indent=1))
    print(f"{len(published)} puzzles in {out}")


def solve(file: Path, engine: str, limit: float) -> Board:
    """What `budge solve` reports of a puzzle, with the seconds of the whole command."""
    command = [sys.executable, "-m", "budge", "solve", str(file), "--engine", engine, "--time-limit", f"{limit:g}"]
    began = time.monotonic()
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    result = next((line for line in reversed(lines) if line.get("type") == "result"), {"status": done.stderr[-80:]})
    return result | {"command": time.monotonic() - began}


def run(out: Path, engine: str, limit: float, jobs: int, only: str) -> None:
    """Solve the puzzles of a folder and print the table."""
    published = json.loads((out / "published.json").read_text())
    files = [out / f"{name}.yaml" for name in sorted(published) if only in name]
    print(heading())
    print("\n| puzzle | published | cost | lower bound | status | seconds | command |")
    print("|---|---|---|---|---|---|---|")
    proven = 0
    with ThreadPoolExecutor(jobs) as pool:
        for file, result in zip(files, pool.map(lambda file: solve(file, engine, limit), files), strict=True):
            known, cost = published[file.stem], result.get("cost")
            proven += result["status"] == "optimal"
            wrong = cost is not None and (
                (result["status"] == "optimal" and known["best"] is not None and cost > known["best"])
                or (known["proven"] is not None and cost < known["proven"])
            )
            bounds = f"{'?' if known['proven'] is None else known['proven']} to {known['best']}"
            print(
                f"| {file.stem} | {bounds} | {'-' if cost is None else cost}{' WRONG' * wrong} "
                f"| {result.get('lower_bound')} | {result['status']} "
                f"| {result.get('seconds', {}).get('total', 0):.2f} | {result['command']:.2f} |",
                flush=True,
            )
    print(f"\n{proven} of {len(files)} proven")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("data", type=Path)
    writing.add_argument("out", type=Path)
    running = commands.add_parser("run")
    running.add_argument("out", type=Path)
    running.add_argument("--engine", default="auto")
    running.add_argument("--time-limit", type=float, default=60.0)
    running.add_argument("--jobs", type=int, default=1)
    running.add_argument("--only", default="", metavar="WORD", help="only puzzles with this word in their name")
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments.data, arguments.out)
    else:
        run(arguments.out, arguments.engine, arguments.time_limit, arguments.jobs, arguments.only)


if __name__ == "__main__":
    main()
