"""Boards of any size, made by a seed, as YAML: what the benchmarks measure growth on."""

from __future__ import annotations

import random


def room(size: int, boxes: int) -> str:
    """A Sokoban room without inner walls: boxes in the middle, goals in the last row."""
    rows = [["#"] * size for _ in range(size)]
    for r in range(1, size - 1):
        rows[r][1 : size - 1] = " " * (size - 2)
    rows[1][1] = "@"
    wide = min(boxes, (size - 4) // 2)
    for box in range(boxes):
        rows[size // 2 - 2 * (box // wide)][2 + 2 * (box % wide)] = "$"
        rows[size - 2 - box // (size - 2)][1 + box % (size - 2)] = "."
    return _yaml("sokoban", "map", ["".join(row) for row in rows], "metric: pushes")


def rush_hour(size: int, vehicles: int, seed: int = 1) -> str:
    """A random board: X at the left of its row, other vehicles of two to four cells where they fit."""
    rng = random.Random(seed)
    cells = [["."] * size for _ in range(size)]
    row = size // 2 - 1
    cells[row][0] = cells[row][1] = "X"
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnpqrstuvwyz0123456789"[:vehicles])
    letter = next(letters, None)
    for _ in range(5000):
        lying, length = rng.random() < 0.45, rng.choice((2, 2, 2, 3, 3, 4))
        r, c = rng.randrange(size), rng.randrange(size)
        place = [(r, c + i) if lying else (r + i, c) for i in range(length)]
        if letter is None or (lying and r == row) or max(map(max, place)) >= size:
            continue
        if all(cells[r][c] == "." for r, c in place):
            for r, c in place:
                cells[r][c] = letter
            letter = next(letters, None)
    return _yaml(
        "rush-hour", "board", ["".join(line) for line in cells], "goal: {piece: X, exit: right}\nmetric: slides"
    )


def tiles(size: int, seed: int = 1) -> str:
    """An n-puzzle, shuffled by random moves."""
    rng = random.Random(seed)
    cells = [*range(1, size * size), 0]
    blank = size * size - 1
    for _ in range(200 * size * size):
        r, c = divmod(blank, size)
        near = [(r + y, c + x) for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        r, c = rng.choice([(y, x) for y, x in near if 0 <= y < size and 0 <= x < size])
        cells[blank], cells[r * size + c], blank = cells[r * size + c], 0, r * size + c
    rows = [" ".join(f"{cell or '.':>3}" for cell in cells[i : i + size]) for i in range(0, size * size, size)]
    return _yaml("n-puzzle", "start", rows, "")


def random_tiles(size: int, seed: int) -> str:
    """An n-puzzle in an order at random that can be solved; in the goal the blank is first."""
    rng, ordered = random.Random(seed), list(range(size * size))
    while True:
        cells = rng.sample(ordered, len(ordered))
        inversions = sum(a > b for i, a in enumerate(cells) for b in cells[i + 1 :])
        blank = sum(divmod(cells.index(0), size))
        if (inversions + blank) % 2 == 0:  # each move exchanges the blank with a tile, one cell away
            break

    def board(cells: list[int]) -> list[str]:
        return [" ".join(f"{cell or '.':>3}" for cell in cells[i : i + size]) for i in ordered[::size]]

    goal = "".join(f"  {row}\n" for row in board(ordered))
    return _yaml("n-puzzle", "start", board(cells), f"goal: |2\n{goal}")


def blocks(size: int) -> str:
    """A Klotski-like board: a square of 2x2 has to cross a board that is half full of dominoes."""
    cells = [["."] * size for _ in range(size)]
    letters = iter("BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    for r, c in ((0, 0), (0, 1), (1, 0), (1, 1)):
        cells[r][c] = "A"
    for r in range(3, size - 1, 3):
        for c in range(r % 2, size - 1, 3):
            letter = next(letters, None)
            if letter:
                cells[r][c] = cells[r][c + 1] = letter
    rows = ["".join(row) for row in cells]
    goal = ["." * size] * (size - 2) + ["." * (size - 2) + "AA"] * 2
    drawn = "goal: |2\n" + "".join(f"  {row}\n" for row in goal)
    return _yaml("sliding-block", "board", rows, f"{drawn}metric: moves")


def worm(size: int, length: int) -> str:
    """A custom puzzle of few states and very many operators: a worm crawls on an empty board, head first."""
    parts = ", ".join(f"r1c{c}" for c in range(1, length + 1))
    rules = f"""types:
  part: 1..{length}
state:
  at: {{of: part, in: cell, different: true, start: [{parts}]}}
actions:
  crawl:
    with: {{d: direction}}
    set:
      at[1]: at[1] + d
      at[i] for i in 2..{length}: at[i - 1]
goal: at[1] == r{size}c{size}"""
    return _yaml("custom", "grid", ["." * size] * size, rules)


def _yaml(family: str, key: str, rows: list[str], rest: str) -> str:
    lines = "".join(f"  {row}\n" for row in rows)
    return f"format: 1\nfamily: {family}\nname: made board\n{key}: |2\n{lines}{rest}\n"
