"""Known sets of puzzles for models, checked: are reference answers shortest, and does a scorer see illegal moves?

    pip install reasoning-gym==0.1.25
    nice python benchmarks/known_sets.py --levels 60 > known_sets.txt

Sokoban: each level's reference answer is replayed (`budge.score`) and held against the proven optimum in moves. Rush
Hour: random strings of moves, and plans with illegal moves in them, are given to the set's own scorer and to
`budge.score`.
"""

from __future__ import annotations

import argparse
import random
import sys
from importlib.metadata import version

import budge
import reasoning_gym  # type: ignore[import-not-found,unused-ignore]
from heading import heading

SIGNS = str.maketrans("*%@X$+-", "@+$.*# ")
"""The set's characters for player, player on goal, box, goal, box on goal, wall and floor; and those of XSB files."""


def sokoban(level: str) -> budge.Puzzle:
    """A level of the set as a puzzle, with moves as its metric."""
    rows = level.replace(" ", "").strip().translate(SIGNS).split("\n")
    lines = "\n".join(f"  {row}" for row in rows)
    return budge.load_text(f"format: 1\nfamily: sokoban\nmetric: moves\nmap: |2\n{lines}\n")


def rush_hour(question: str) -> budge.Puzzle:
    """The board that a question of the set shows (`.` free, `x` wall, `A` leaves) as a puzzle."""
    rows = question.split("Board:\n")[1].split()
    lines = "\n".join(f"  {row.replace('x', '#')}" for row in rows)
    return budge.load_text(f"format: 1\nfamily: rush-hour\nboard: |\n{lines}\ngoal: {{piece: A, exit: right}}\n")


def reference_answers(levels: int, seed: int, seconds: float) -> None:
    """Print a line for each level of Sokoban whose reference answer is not shortest, and a sentence on all."""
    print("level  reference  optimum  proof")
    longer = proven = wrong = 0
    for number, entry in enumerate(reasoning_gym.create_dataset("sokoban", seed=seed, size=levels)):
        puzzle, answer = sokoban(entry["metadata"]["gamestr"]), entry["answer"].lower()
        score = budge.score(puzzle, answer, time_limit=seconds)
        wrong += not score.solved
        proven += score.optimum is not None
        longer += bool(score.lost)
        if score.lost or not score.solved or score.optimum is None:
            print(f"{number:5}  {len(answer):9}  {score.optimum or '?':>7}  {score.problem or score.optimum_by}")
        sys.stdout.flush()
    print(f"{longer} of {levels} reference answers are longer than the optimum; {proven} optima proven, {wrong} wrong")


def illegal_answers(boards: int, tries: int, seed: int) -> None:
    """Print how many boards of Rush Hour are solved by random strings of moves, and by a shortest plan whose first
    step is blocked and whose last one is too long, for the set's scorer and for `budge.score`.
    """
    data = reasoning_gym.create_dataset("rush_hour", seed=seed, size=boards)
    solved = {(scorer, kind): 0 for scorer in ("reasoning-gym", "budge") for kind in ("random", "illegal")}
    for number, entry in enumerate(data):
        puzzle, best = rush_hour(entry["question"]), entry["metadata"]["min_moves"]
        names, draw = sorted({*"".join(puzzle.board())} - {*".#"}), random.Random(f"{seed} {number}")
        plan = budge.solve(puzzle, "bfs").notation
        ones = (f"{name}{sign}1" for name in names for sign in "+-")
        blocked = next(move for move in ones if not budge.score(puzzle, move, optimum=best).legal)
        answers = {
            "random": [" ".join(_move(draw, names) for _ in range(RANDOM_MOVES)) for _ in range(tries)],
            "illegal": [" ".join([blocked, *plan[:-1], "A+9"])],  # the last step is too long for any board
        }
        for kind, texts in answers.items():
            solved["reasoning-gym", kind] += any(data.score_answer(text, entry) == 1.0 for text in texts)
            solved["budge", kind] += any(budge.score(puzzle, text, optimum=best).solved for text in texts)
    print(f"boards of {boards} that are solved   random strings, {tries} each   a plan with two illegal moves")
    for scorer in ("reasoning-gym", "budge"):
        print(f"{scorer:34} {solved[scorer, 'random']:23} {solved[scorer, 'illegal']:32}")


RANDOM_MOVES = 100
"""Moves of a random string."""


def _move(draw: random.Random, names: list[str]) -> str:
    return f"{draw.choice(names)}{draw.choice('+-')}{draw.randint(1, 4)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, default=60, help="levels of Sokoban, and boards of Rush Hour")
    parser.add_argument("--tries", type=int, default=20, help="random strings for each board of Rush Hour")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for an optimum")
    arguments = parser.parse_args()
    print(heading())
    print(f"# reasoning-gym {version('reasoning-gym')}\n")
    illegal_answers(arguments.levels, arguments.tries, arguments.seed)
    print()
    reference_answers(arguments.levels, arguments.seed, arguments.time_limit)


if __name__ == "__main__":
    main()
