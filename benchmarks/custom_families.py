"""Built-in families beside the same puzzles written as custom families; prints a table.

    python benchmarks/custom_families.py                    grounding of all boards, solving of the small ones
    python benchmarks/custom_families.py --only rush-hour   boards whose name has this word
    python benchmarks/custom_families.py --runs 1           quicker, and noisier

Each board is a built-in puzzle, and a twin in which the rules are written out (as in `puzzles/custom/`). The least of
some runs, the two by turns, as built-in / custom (factor). `facts, operators` is the size of the task. `read`: from the
twin's text to the checked puzzle, in processor time. `ground`: from the puzzle to the task (reading is not in it), in
processor time. Engines: from the task to the proven optimum, in wall-clock time, everything compiled before. Optima
that differ end the run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from budge import Puzzle, Solution, Status, load, load_text, solve
from budge.models.families.rush_hour.puzzle import RushHour
from budge.models.families.sliding_block.puzzle import SlidingBlock
from budge.models.families.sokoban.puzzle import Sokoban
from heading import heading
from limits import room, rush_hour

BLOCKS = """\
format: 1
family: sliding-block
name: blocks
board: |2
  ABBC.
  ABBC.
  DEEF.
  DGHF.
  IJJK.
  I..K.
goal: |2
  .....
  .....
  .....
  .....
  .BB..
  .BB..
"""

ENGINES = ("bfs", "astar", "cp-sat")


@dataclass(frozen=True, slots=True)
class Board:
    """A built-in puzzle, the metric of both, and the engines that solve it in seconds."""

    puzzle: Callable[[], Puzzle]
    metric: str
    engines: tuple[str, ...] = ()


BOARDS = {
    "rush-hour 6x6, 10 vehicles": Board(lambda: load("bird-2"), "steps", ENGINES),
    "rush-hour 12x12, 40 vehicles": Board(lambda: load_text(rush_hour(12, 40)), "steps"),
    "rush-hour 16x16, 58 vehicles": Board(lambda: load_text(rush_hour(16, 58)), "steps"),
    "klotski 5x4, 10 pieces": Board(lambda: load("heng-dao-li-ma"), "steps", ("bfs", "astar")),
    "blocks 6x5, 11 pieces": Board(lambda: load_text(BLOCKS), "steps", ("bfs",)),
    "sokoban, Microban 1": Board(lambda: load("microban-001"), "pushes", ENGINES),
    "sokoban, Microban 99": Board(lambda: load("microban-099"), "pushes", ("bfs", "astar")),
    "sokoban, room 20x20, 4 boxes": Board(lambda: load_text(room(20, 4)), "pushes"),
    "sokoban, room 40x40, 4 boxes": Board(lambda: load_text(room(40, 4)), "pushes"),
}


# The same puzzles with their rules written out


def cell(place: tuple[int, int]) -> str:
    return f"r{place[0] + 1}c{place[1] + 1}"


def rush_hour_twin(board: RushHour) -> str:
    """Vehicles by name, `at` their first cells, and free cells."""
    names = {vehicle.letter: f"car_{vehicle.letter}" for vehicle in board.vehicles}
    covered = {c for vehicle in board.vehicles for c in vehicle.cells} | board.walls
    rows = ["".join("#" if (r, c) in board.walls else "." for c in range(board.width)) for r in range(board.height)]
    free = [(r, c) for r in range(board.height) for c in range(board.width) if (r, c) not in covered]
    lengths = ", ".join(f"{names[v.letter]}: {len(v.cells)}" for v in board.vehicles)
    ahead = ", ".join(f"{names[v.letter]}: {'right' if v.horizontal else 'down'}" for v in board.vehicles)
    starts = ", ".join(f"{names[v.letter]}: {cell(v.cells[0])}" for v in board.vehicles)
    target = next(vehicle for vehicle in board.vehicles if vehicle.letter == board.target)
    goal = (
        board.exit_cell[0] - (0 if target.horizontal else len(target.cells) - 1),
        board.exit_cell[1] - (len(target.cells) - 1 if target.horizontal else 0),
    )
    return f"""\
format: 1
family: custom
types:
  vehicle: [{", ".join(names.values())}]
grid: |2
{"".join(f"  {row}{chr(10)}" for row in rows)}
constants:
  length: {{of: vehicle, in: 1..9, value: {{{lengths}}}}}
  ahead: {{of: vehicle, in: direction, value: {{{ahead}}}}}
state:
  at: {{of: vehicle, in: cell, start: {{{starts}}}}}
  free: {{of: cell, start: [{", ".join(map(cell, free))}]}}
actions:
  forward:
    with: {{v: vehicle, c: cell}}
    when: at[v] == c and free[c + length[v]*ahead[v]]
    set:
      at[v]: c + ahead[v]
      free[c]: true
      free[c + length[v]*ahead[v]]: false
  back:
    with: {{v: vehicle, c: cell}}
    when: at[v] == c and free[c - ahead[v]]
    set:
      at[v]: c - ahead[v]
      free[c - ahead[v]]: false
      free[c + length[v]*ahead[v] - ahead[v]]: true
metrics:
  steps: [forward, back]
goal: at[{names[board.target]}] == cell({goal[0] + 1}, {goal[1] + 1})
"""


def blocks_twin(board: SlidingBlock) -> str:
    """Rectangles by their shape and first cell, and free cells. The goal names the first cells of its pieces."""
    sizes = {piece.letter: (piece.shape[-1][0] + 1, piece.shape[-1][1] + 1) for piece in board.pieces}
    shapes = list(dict.fromkeys(sizes.values()))
    name = {size: f"shape_{size[0]}x{size[1]}" for size in shapes}
    names = {letter: name[size] for letter, size in sizes.items()}
    covered = {c for piece in board.pieces for c in piece.cells}
    free = [(r, c) for r in range(board.height) for c in range(board.width) if (r, c) not in covered]
    pieces = ", ".join(f"{cell(p.cells[0])}: [{names[p.letter]}]" for p in board.pieces)
    goal = "".join(f"  - piece[cell({c[0][0] + 1}, {c[0][1] + 1}), {names[letter]}]\n" for letter, c in board.goal)
    return f"""\
format: 1
family: custom
types:
  shape: [{", ".join(name.values())}]
grid: |2
{"".join(f"  {'.' * board.width}{chr(10)}" for _ in range(board.height))}
constants:
  height: {{of: shape, in: 1..9, value: [{", ".join(str(size[0]) for size in shapes)}]}}
  width: {{of: shape, in: 1..9, value: [{", ".join(str(size[1]) for size in shapes)}]}}
state:
  piece: {{of: [cell, shape], start: {{{pieces}}}}}
  free: {{of: cell, start: [{", ".join(map(cell, free))}]}}
define:
  covers:
    with: {{s: shape, c: cell, x: cell}}
    is: row(c) <= row(x) < row(c) + height[s] and col(c) <= col(x) < col(c) + width[s]
actions:
  move:
    with: {{s: shape, c: cell, d: direction}}
    when:
      - piece[c, s] and c + d in cell
      - row(c + d) + height[s] <= {board.height + 1} and col(c + d) + width[s] <= {board.width + 1}
      - all(free[x] for x in cell if covers(s, c + d, x) and not covers(s, c, x))
    set:
      piece[c, s]: false
      piece[c + d, s]: true
      free[x] for x in cell if covers(s, c + d, x) and not covers(s, c, x): false
      free[x] for x in cell if covers(s, c, x) and not covers(s, c + d, x): true
metrics:
  steps: [move]
goal:
{goal}"""


def sokoban_twin(level: Sokoban) -> str:
    """The player, boxes, and walking that costs nothing in pushes."""
    rows = "".join(f"  {row}\n" for row in level.board())
    return f"""\
format: 1
family: custom
grid: |2
{rows}
legend:
  "@": player
  "+": [player, target]
  "$": box
  "*": [box, target]
  ".": target
constants:
  target: {{of: cell}}
state:
  player: {{in: cell}}
  box: {{of: cell}}
actions:
  walk:
    with: {{d: direction}}
    when: not box[player + d]
    set:
      player: player + d
  push:
    with: {{d: direction}}
    when: box[player + d] and not box[player + 2*d]
    set:
      player: player + d
      box[player + d]: false
      box[player + 2*d]: true
metrics:
  pushes: [push]
  moves: [push, walk]
goal: all(box[c] for c in cell if target[c])
"""


def twin(puzzle: Puzzle) -> str:
    """The text of the same puzzle as a custom family."""
    match puzzle.value:
        case RushHour():
            return rush_hour_twin(puzzle.value)
        case SlidingBlock():
            return blocks_twin(puzzle.value)
        case Sokoban():
            return sokoban_twin(puzzle.value)
    raise ValueError(f"{puzzle.family} has no twin")


# Measuring


def least(runs: int, *works: Callable[[], object]) -> list[float]:
    """The least processor seconds of each work, done by turns."""
    found = [float("inf")] * len(works)
    for _ in range(runs):
        for number, work in enumerate(works):
            began = time.process_time()
            work()
            found[number] = min(found[number], time.process_time() - began)
    return found


def solved(engine: str, puzzle: Puzzle, metric: str) -> Solution:
    solution = solve(puzzle, engine, metric, time_limit=600.0)
    if solution.status is not Status.OPTIMAL:
        raise SystemExit(f"{engine} has not proven an optimum of {puzzle.header.name}: {solution.status}")
    return solution


def solving(engine: str, runs: int, own: Puzzle, custom: Puzzle, metric: str) -> tuple[float, float]:
    """The least seconds of an engine on either puzzle, by turns, without grounding and replay."""
    found = [float("inf")] * 2
    for _ in range(runs + 1):  # the first run compiles
        solutions = [solved(engine, puzzle, metric) for puzzle in (own, custom)]
        if solutions[0].cost != solutions[1].cost:
            raise SystemExit(f"{engine}: the optima differ: {solutions[0].cost} and {solutions[1].cost}")
        times = [solution.outcome.times for solution in solutions]
        found = [min(best, time.encode + time.solve) for best, time in zip(found, times, strict=True)]
    return found[0], found[1]


def pair(seconds: Sequence[float]) -> str:
    """`12.3 / 24.6 ms (2.0)`"""
    own, custom = seconds
    return f"{own * 1e3:.1f} / {custom * 1e3:.1f} ms ({custom / own:.2g})"


def row(name: str, board: Board, engines: Sequence[str], runs: int) -> str:
    own = board.puzzle()
    text = twin(own)
    custom = load_text(text)
    tasks = own.task(board.metric), custom.task(board.metric)
    sizes = " / ".join(f"{len(task.facts):,}, {len(task.operators):,}" for task in tasks)
    (read,) = least(runs, lambda: load_text(text))
    ground = least(runs, lambda: own.task(board.metric), lambda: custom.task(board.metric))
    times = [
        pair(solving(engine, runs, own, custom, board.metric)) if engine in board.engines else "" for engine in engines
    ]
    return "| " + " | ".join((name, sizes, f"{read * 1e3:.1f} ms", pair(ground), *times)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="boards whose name has this word")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of which the least counts (default: 5)")
    parser.add_argument("--ground-only", action="store_true", help="solve nothing")
    arguments = parser.parse_args()
    engines = () if arguments.ground_only else ENGINES
    print(heading())
    print("\n| " + " | ".join(("board", "facts, operators", "read", "ground", *engines)) + " |")
    print("|---" * (4 + len(engines)) + "|", flush=True)
    for name, board in BOARDS.items():
        if arguments.only in name:
            print(row(name, board, engines, arguments.runs), flush=True)


if __name__ == "__main__":
    main()
