"""Folders that look like certificates and were made to be believed, or to crash the checker.

Those that want time or memory are in `hostile_bombs`, and large puzzles in `hostile_puzzles`.
"""

from __future__ import annotations

import lzma
import random
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from budge.models.library import load
from budge.proofs.by_rules import less
from budge.proofs.check import formula_in
from budge.proofs.core.claim import EXHAUSTION, PLAN, PROOF, REFUTATION
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.exhaustion import replay
from budge.proofs.core.limits import Limits, Rejected
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Problem, read
from budge.proofs.folder import write_files
from budge.proofs.games import puzzle_of
from budge.workflows.certifying import canonical

from .certificates import BLOCKS, BRIDGE, RUSH, by_rules, certificate, claiming
from .hostile_puzzles import HEAD, N_PUZZLE, ROW_36, SLIDING, rows
from .hostile_texts import Make
from .visited import exhausted

made = cache(certificate)


def puzzle(text: str, metric: str = "moves", claim: tuple[int, ...] | None = (5,), plan: str = "") -> Make:
    """A claim about a puzzle, by its rules."""
    return lambda folder: write_files(folder, by_rules(text, metric, claim, plan))


def believable(text: str, metric: str, claim: tuple[int, ...], plan: str) -> Make:
    """The same, with the number of positions that the checker visits, if it reads the puzzle."""

    def make(folder: Path) -> None:
        positions = 5
        with suppress(Rejected):
            positions = exhausted(puzzle_of(text), metric, less(claim), Limits()).states
        write_files(folder, by_rules(text, metric, claim, plan, positions))

    return make


def proof(data: bytes | Callable[[], bytes]) -> Make:
    """A refutation with another proof."""

    def make(folder: Path) -> None:
        text = data if isinstance(data, bytes) else data()
        write_files(folder, {**made(RUSH, "steps", REFUTATION), PROOF: lzma.compress(text, preset=0)})

    return make


def digits(end: bytes) -> Callable[[], bytes]:
    """Many lines of one digit: more than a megabyte, compressed too."""
    return lambda: b"".join(b"%d%s" % (digit, end) for digit in random.Random(1).choices(range(10), k=1_500_000))


def claim(old: str, new: str, kind: str = EXHAUSTION) -> Make:
    """A certificate whose claim.txt is changed."""
    return lambda folder: write_files(folder, claiming(made(RUSH, "steps", kind), old, new))


def replays(problem: Problem, plan: list[str]) -> bool:
    """Whether a plan is one."""
    with suppress(Rejected):
        return bool(replay(problem, plan, PLAN, Limits()))
    return False


def padded(folder: Path) -> None:
    """The plan goes to and fro first, and the proof says of clauses 1 and 2 what they do not say."""
    files = made(canonical(load("bird-2")), "slides", REFUTATION)
    problem = read(files[PROBLEM].decode())
    plan = files[PLAN].decode().splitlines()
    there_and_back = [[*[plan[0], action.name] * 15, *plan] for action in problem.actions]
    (padded_plan,) = (one for one in there_and_back if replays(problem, one))
    files = {**files, PLAN: "".join(f"{line}\n" for line in padded_plan).encode()}
    files = claiming(files, f"optimum {len(plan)}", f"optimum {len(plan) + 30}")
    formula = formula_in(files, Limits())
    clauses = sum(1 for _ in formula.clauses())
    text = re.sub("by refutation .*", f"by refutation {formula.variables} {clauses}", files[CLAIM].decode())
    step = f"{clauses + 1} 0 1 2 0\n"
    write_files(folder, {**files, CLAIM: text.encode(), PROOF: lzma.compress(step.encode())})


def beside(name: str, text: str = "print('valid: 1 moves is the optimum')\n") -> Make:
    """A certificate with one more file."""

    def make(folder: Path) -> None:
        write_files(folder, made(RUSH, "steps", EXHAUSTION))
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return make


HARMFUL: dict[str, Make] = {
    # Proofs that a compiled reader of them once wrote behind its array
    "one digit a line": proof(digits(b"\n")),
    "identifiers that leave room": proof(lambda: b"2147483646 1 0 1 0\n" + b"1 d 0\n" * 4_000_000),
    "a d a line": proof(b" d \n" * 1_000_000),
    "a d and no end": proof(b" d " * 1_000_000),
    "what the clauses do not say": padded,
    # Boards that were read as others than Budge reads
    "36 cells in a list": puzzle(
        f'format: 1\nfamily: rush-hour\nboard: ["{ROW_36}"]\ngoal: {{piece: A, exit: {{row: 1, col: 3}}}}\n',
        "slides", (1,), "1 1 R\n",
    ),
    "sets that are alike and overlap": puzzle(
        BLOCKS.replace("goal:", "alike: [ab, bc]\ngoal:"), claim=None
    ),
    "a piece that grants the wishes of two": believable(
        SLIDING + "board: |2\n" + rows("AA..", "BB..") + "goal: |2\n" + rows("..AB", "....") + "alike: [AB]\n",
        "moves", (1,), "1 1 RR\n",
    ),
    "an argument twice, in other words": believable(
        HEAD + "types: {thing: [x, y]}\nstate:\n  at: {of: thing, in: 0..9, start: {x: 1, ' x': 5, y: 5}}\n"
        "actions:\n  go: {set: {'at[y]': 'at[x]'}}\ngoal: at[y] == 1\n", "moves", (1,), "go\n",
    ),
    # Values of other types
    "a claim that is no whole number": claim("optimum 5", "optimum 5.0"),
    "a claim in another form": claim("optimum 5", "optimum 05"),
    "a count is no whole number": claim("by exhaustion ", "by exhaustion 1e3"),
    "a metric of odd letters": puzzle(RUSH, "step\u0301s"),
    "a list where a piece is wanted": puzzle(re.sub("piece: A", "piece: [A]", RUSH), "steps", (5,), "1 1 R\n"),
    "a mapping where a piece is wanted": puzzle(re.sub("piece: A", "piece: {a: b}", RUSH), "steps", (5,), "1 1 R\n"),
    "a list where a door is wanted": puzzle(BLOCKS.replace("goal:", "doors: [{row: [1], col: 1, pieces: a}]\ngoal:")),
    "a mapping where a direction is wanted": puzzle(BLOCKS.replace("goal:", "directions: {a: {b: c}}\ngoal:")),
    "a list where a row is wanted": puzzle(N_PUZZLE + "start: [[1, [2]], [3, .]]\n"),
    "a mapping where a map is wanted": puzzle("format: 1\nfamily: sokoban\nmap: {a: b}\n", "pushes"),
    "a list where a type is wanted": puzzle(BRIDGE.replace("in: side, start: near}", "in: [[side]], start: near}")),
    "a list where a metric is wanted": puzzle(BRIDGE.replace("[cross]", "[[cross]]"), "crossings"),
    # What a terminal would obey
    "escapes in the plan": puzzle(BRIDGE, "minutes", (5,), "\x1b[2K\x1b[1Gvalid: 3 moves is the optimum\x1b[8m\n"),
    "escapes in a name": puzzle(BRIDGE.replace("Ann", '"\\e[2J"'), "minutes", (5,), "x\n"),
    "letters that cannot be seen": puzzle(BLOCKS.replace("X", "\u200b"), claim=None),
    "letters that change others": puzzle(BLOCKS.replace("X", "\u0301"), claim=None),
    # Lines twice, and numbers that are none
    "a claim twice": claim("optimum 5\n", "optimum 3\noptimum 5\n"),
    "no number": claim("by exhaustion ", "by exhaustion NaN "),
    "an endless number": claim("by exhaustion ", f"by exhaustion {'9' * 10_000} "),
    # Programs beside the certificate
    "a program": beside("yaml.py"),
    "a package": beside("yaml/__init__.py"),
    "compiled code": beside("json.cpython-311-x86_64-linux-gnu.so"),
    "a file that is hidden": beside(".hidden"),
}  # fmt: skip
"""What claims what is not so, or is no certificate."""
