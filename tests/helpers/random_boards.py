"""Small random puzzles from a seed, as YAML text, for the tests that hold engines against each other."""

from __future__ import annotations

import random
from dataclasses import dataclass


def rush_hour(seed: int) -> str:
    """A board of 3 to 5 rows and columns with walls, vehicles of 2 or 3 cells, and an exit on any side.

    Crowded, and the target is far from its exit, so that plans are long and many boards have none.
    """
    rng = random.Random(seed)
    height, width = rng.randint(3, 5), rng.randint(3, 5)
    grid = [["."] * width for _ in range(height)]
    side = rng.choice(["left", "right", "top", "bottom"])

    def place(letter: str, horizontal: bool, length: int) -> bool:
        rows, columns = (1, length) if horizontal else (length, 1)
        if rows > height or columns > width:
            return False
        r, c = rng.randint(0, height - rows), rng.randint(0, width - columns)
        cells = [(r + i, c + j) for i in range(rows) for j in range(columns)]
        if any(grid[i][j] != "." for i, j in cells):
            return False
        for i, j in cells:
            grid[i][j] = letter
        return True

    lane = rng.randrange(height if side in ("left", "right") else width)
    far = {"left": width - 2, "right": 0, "top": height - 2, "bottom": 0}[side]
    for i in range(far, far + 2):
        r, c = (lane, i) if side in ("left", "right") else (i, lane)
        grid[r][c] = "A"
    letters = iter("BCDEFGHIJK")
    letter = next(letters)
    for _ in range(rng.randint(6, 40)):
        if place(letter, rng.random() < 0.5, rng.choice([2, 2, 2, 3])):
            letter = next(letters, "")
            if not letter:
                break
    empty = [(r, c) for r in range(height) for c in range(width) if grid[r][c] == "."]
    for r, c in rng.sample(empty, min(len(empty), rng.choice([0, 0, 1, 2]))):
        if (r if side in ("left", "right") else c) != lane:
            grid[r][c] = "#"
    rows = "\n".join("  " + "".join(row) for row in grid)
    return f"format: 1\nfamily: rush-hour\nname: random {seed}\nboard: |\n{rows}\ngoal: {{piece: A, exit: {side}}}\n"


@dataclass(frozen=True)
class SlidingBlock:
    """The maps of a small sliding-block puzzle, its directions by letter, and its text."""

    board: tuple[str, ...]
    goal: tuple[str, ...]
    doors: tuple[str, ...]
    directions: dict[str, str]

    @property
    def text(self) -> str:
        maps = {"board": self.board, "goal": self.goal, "doors": self.doors}
        lines = ["format: 1", "family: sliding-block"]
        for key, rows in maps.items():
            lines += [f"{key}: |", *("  " + row for row in rows)]
        if self.directions:
            lines.append("directions:")
            lines += [f"  {letter}: {where or 'none'}" for letter, where in self.directions.items()]
        return "\n".join(lines) + "\n"


def sliding_block(seed: int, cells: int = 10) -> SlidingBlock:
    """A board of at most so many cells: polyominoes, walls, doors, restricted pieces, one or two goal pieces.

    The goal is where random steps have led (which ignore doors and directions), sometimes with cells left out.
    """
    rng = random.Random(seed)
    height, width = rng.choice([(h, w) for h in range(2, 6) for w in range(2, 6) if h * w <= cells])
    every = [(r, c) for r in range(height) for c in range(width)]
    grid = dict.fromkeys(every, ".")
    for cell in rng.sample(every, rng.choice([0, 0, 1, 2])):
        grid[cell] = "#"
    pieces: dict[str, set[tuple[int, int]]] = {}
    for letter in "ABCDEF"[: rng.choice([1, 2, 3, 4, 5, 6, 6])]:
        empty = [cell for cell in every if grid[cell] == "."]
        if pieces and len(empty) < 3:
            break
        piece = {rng.choice(empty)}
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 3])):
            near = {(r + i, c + j) for r, c in piece for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0))}
            near = {cell for cell in near if grid.get(cell) == "." and cell not in piece}
            if near and len(empty) - len(piece) > 2:
                piece.add(rng.choice(sorted(near)))
        pieces[letter] = piece
        grid.update(dict.fromkeys(piece, letter))
    directions = {letter: "".join(rng.sample("UDLR", rng.randint(0, 4))) for letter in pieces if rng.random() < 0.2}
    now = {letter: set(piece) for letter, piece in pieces.items()}
    for _ in range(rng.choice([10, 100, 1000])):
        letter, (i, j) = rng.choice(sorted(now)), rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        there = {(r + i, c + j) for r, c in now[letter]}
        others = {cell for other, piece in now.items() if other != letter for cell in piece}
        if all(grid.get(cell, "#") != "#" and cell not in others for cell in there):
            now[letter] = there
    named = rng.sample(sorted(pieces), min(len(pieces), rng.choice([1, 1, 2])))
    ends = {cell: letter for letter in named for cell in now[letter]}
    hidden = {rng.choice(sorted(now[letter])) for letter in named if rng.random() < 0.2}
    goal = {cell: letter for cell, letter in ends.items() if cell not in hidden} or ends
    doors = {
        cell: ends.get(cell, rng.choice(sorted(pieces))) for cell in every if grid[cell] == "." and rng.random() < 0.1
    }

    def rows(letters: dict[tuple[int, int], str]) -> tuple[str, ...]:
        return tuple("".join(letters.get((r, c), ".") for c in range(width)) for r in range(height))

    return SlidingBlock(rows(grid), rows(goal), rows(doors), directions)


def crowded(text: str, seed: int) -> str:
    """The same puzzle with walls on all empty cells of its board but one to three."""
    rng = random.Random(seed)
    head, _, rest = text.partition("board: |\n")
    lines = rest.splitlines()
    height = next((n for n, line in enumerate(lines) if not line.startswith("  ")), len(lines))
    empty = [(r, c) for r in range(height) for c, letter in enumerate(lines[r]) if letter == "."]
    left = rng.sample(empty, min(len(empty), rng.choice([1, 2, 2, 3])))
    rows = [
        "".join("#" if letter == "." and (r, c) not in left else letter for c, letter in enumerate(line))
        for r, line in enumerate(lines[:height])
    ]
    return "\n".join([f"{head}board: |", *rows, *lines[height:]]) + "\n"


def n_puzzle(seed: int) -> str:
    """A shuffled board of 2x2, 2x3 or 3x2 cells, every second one unsolvable."""
    rng = random.Random(seed)
    height, width = rng.choice([(2, 2), (2, 3), (3, 2)])
    tiles = [".", *map(str, range(1, height * width))]
    rng.shuffle(tiles)
    rows = "\n".join("  " + " ".join(tiles[r * width : (r + 1) * width]) for r in range(height))
    return f"format: 1\nfamily: n-puzzle\nstart: |\n{rows}\n"
