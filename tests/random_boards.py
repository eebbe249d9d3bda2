"""Small random puzzles from a seed, as YAML text, for the tests that hold engines against each other."""

from __future__ import annotations

import random


def rush_hour(seed: int) -> str:
    """A board of 3 to 5 rows and columns with walls, vehicles of 2 or 3 cells, and an exit on any side."""
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

    place("A", side in ("left", "right"), 2)
    letters = iter("BCDEFGHIJK")
    letter = next(letters)
    for _ in range(rng.randint(2, 12)):
        if place(letter, rng.random() < 0.5, rng.choice([2, 2, 3])):
            letter = next(letters, "")
            if not letter:
                break
    empty = [(r, c) for r in range(height) for c in range(width) if grid[r][c] == "."]
    lane = {r if side in ("left", "right") else c for r in range(height) for c in range(width) if grid[r][c] == "A"}
    for r, c in rng.sample(empty, min(len(empty), rng.choice([0, 0, 1, 2]))):
        if (r if side in ("left", "right") else c) not in lane:
            grid[r][c] = "#"
    rows = "\n".join("  " + "".join(row) for row in grid)
    return f"format: 1\nfamily: rush-hour\nname: random {seed}\nboard: |\n{rows}\ngoal: {{piece: A, exit: {side}}}\n"
