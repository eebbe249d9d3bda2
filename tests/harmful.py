"""Folders that look like certificates and were made to do harm: to be accepted, to crash, to hang, to fill the memory.

Each is made from a certificate of a small puzzle, with digests that are right.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from budge.models.library import load
from budge.proofs.core.claim import PLAN, PROOF, PUZZLE
from budge.proofs.core.limits import Rejected
from budge.proofs.folder import MANIFEST
from budge.proofs.manifest import Certificate, write
from budge.workflows.same_puzzle import canonical

from .certificates import BLOCKS, BOXES, BRIDGE, RUSH, SWAPPED, TILES, certificate, claiming, signed

Make = Callable[[Path], None]
made = cache(certificate)

ROW_36 = "AA..........BBCC..DD...........EE..."


def files(one: Certificate, **texts: str | bytes) -> Certificate:
    """The same with other files: `puzzle`, `plan`, `proof`."""
    names = {"puzzle": PUZZLE, "plan": PLAN, "proof": PROOF}
    new = {names[key]: text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
           for key, text in texts.items()}  # fmt: skip
    return replace(one, files={**one.files, **new})


def puzzle(text: str, metric: str = "moves", claim: tuple[int, ...] | None = (5,), plan: str = "") -> Make:
    """A claim about a puzzle, by exhaustion."""

    def make(folder: Path) -> None:
        one = claiming(replace(made(BRIDGE, "minutes", "exhaustion"), metric=metric), claim)
        if claim is None:
            one.files.pop(PLAN, None)
        write(folder, files(one, puzzle=text, **({} if claim is None else {"plan": plan})), "a test")

    return make


def believable(text: str, metric: str, claim: tuple[int, ...], plan: str) -> Make:
    """The same, with the numbers of states that the checker meets, if it reads the puzzle."""

    def make(folder: Path) -> None:
        one = claiming(replace(made(BRIDGE, "minutes", "exhaustion"), metric=metric), claim)
        one = files(one, puzzle=text, plan=plan)
        with suppress(Rejected):
            one = signed(one)
        write(folder, one, "a test")

    return make


def proof(data: bytes | Callable[[], bytes]) -> Make:
    """A refutation with another proof."""

    def make(folder: Path) -> None:
        text = data if isinstance(data, bytes) else data()
        write(folder, files(made(RUSH, "steps", "refutation"), proof=lzma.compress(text, preset=0)), "a test")

    return make


def digits(end: bytes) -> Callable[[], bytes]:
    """Many lines of one digit: more than a megabyte, compressed too."""
    return lambda: b"".join(b"%d%s" % (digit, end) for digit in random.Random(1).choices(range(10), k=1_500_000))


def manifest(**changes: object) -> Make:
    """A certificate with other values in its manifest; `lower_bound` is merged."""

    def make(folder: Path) -> None:
        write(folder, made(RUSH, "steps", "exhaustion"), "a test")
        value = json.loads((folder / MANIFEST).read_text())
        if isinstance(lower := changes.get("lower_bound"), dict):
            changes["lower_bound"] = value["lower_bound"] | lower
        (folder / MANIFEST).write_text(json.dumps(value | changes))

    return make


def raw(old: str, new: str) -> Make:
    """The text of a manifest, changed."""

    def make(folder: Path) -> None:
        write(folder, made(RUSH, "steps", "exhaustion"), "a test")
        text = (folder / MANIFEST).read_text()
        assert re.search(old, text), old
        (folder / MANIFEST).write_text(re.sub(old, new, text, count=1))

    return make


def refuting(**lower: object) -> Make:
    """A refutation of which the manifest says something else."""

    def make(folder: Path) -> None:
        one = made(RUSH, "steps", "refutation")
        write(folder, replace(one, lower={**one.lower, **lower}), "a test")

    return make


def padded(folder: Path) -> None:
    """The plan goes to and fro first, and the proof says of clauses 1 and 2 what they do not say."""
    text = canonical(load("bird-2"))
    one = made(text, "slides", "refutation")
    plan = one.files[PLAN].decode().splitlines()
    cell, path = plan[0].rsplit(" ", 1)
    row, column = map(int, cell.split())
    there = f"{row} {column} {path[0]}"
    ways = {"U": (-1, 0, "D"), "D": (1, 0, "U"), "L": (0, -1, "R"), "R": (0, 1, "L")}
    down, right, back = ways[path[0]]
    pad = [there, f"{row + down} {column + right} {back}"] * 15
    assert one.claim is not None
    made_up = files(claiming(one, (one.claim[0] + 30,)), plan="".join(f"{line}\n" for line in [*pad, *plan]))
    made_up = signed(made_up)
    step = f"{made_up.lower['clauses'] + 1} 0 1 2 0\n"
    write(folder, files(made_up, proof=lzma.compress(step.encode())), "a test")


def beside(name: str, text: str = "print('valid: 1 moves is the optimum')\n") -> Make:
    """A certificate with one more file."""

    def make(folder: Path) -> None:
        write(folder, made(RUSH, "steps", "exhaustion"), "a test")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)

    return make


HEAD = "format: 1\nfamily: custom\n"
ONE = "state:\n  k: {in: 0..9, start: 1}\n"
ADD = "actions:\n  add: {set: {k: k + 1}}\n"
GRID = 'grid: |2\n  @.\nlegend:\n  "@": player\ndirections: {right: [0, 1]}\nstate:\n  player: {in: cell}\n'
WALK = "actions:\n  walk: {with: {d: direction}, set: {player: player + d}}\n"

EXPONENTIAL = HEAD + ONE + "define:\n  a0: k\n"
EXPONENTIAL += "".join(f"  a{i}: a{i - 1} + a{i - 1}\n" for i in range(1, 41)) + ADD + "goal: a40 == 5\n"


def neighbours(depth: int) -> str:
    """Loops within each other, each about a cell that is named twice: 2^depth times, if nothing is remembered."""
    loops = "for c0 in neighbours(player) "
    for i in range(1, depth):
        before = f"c{i - 1}"
        loops += f"for c{i} in neighbours(cell(row({before}), col({before}) + row({before}) - row({before}))) "
    return HEAD + GRID + WALK + f"goal: any(c{depth - 1} == player {loops})\n"


def members(depth: int) -> str:
    """The same with `in`: each side of it is asked for twice."""
    inner = "k == 5"
    for _ in range(depth):
        inner = f"(({inner}) in [k == 1, k == 2])"
    return HEAD + ONE + ADD + f"goal: {inner}\n"


def chain(length: int) -> str:
    """Definitions of which each needs the one before."""
    lines = "".join(f"  a{i}: a{i - 1} + 1\n" for i in range(1, length))
    return HEAD + ONE + "define:\n  a0: k\n" + lines + ADD + f"goal: a{length - 1} == 5\n"


def rows(*lines: str) -> str:
    return "".join(f"  {line}\n" for line in lines)


LETTERS = [chr(0x4E00 + i) for i in range(64 * 63)]
WIDE = [".".join("" for _ in range(65))] + ["".join(LETTERS[i * 64 : i * 64 + 64]) for i in range(63)]
SLIDING = "format: 1\nfamily: sliding-block\n"

BOMBS: dict[str, Make] = {
    "evaluated 2^40 times": puzzle(EXPONENTIAL, claim=None),
    "loops 2^40 times": puzzle(neighbours(40), claim=None),
    "members 2^60 times": puzzle(members(60), claim=None),
    "definitions in a long chain": puzzle(chain(2500), claim=None),
    "loops over nothing": puzzle(
        HEAD + ONE + "types: {none: [], many: 0..9999}\n" + ADD
        + "goal: any(k == 1 for a in many for b in many for c in many for d in many for e in none)\n", claim=None,
    ),
    "actions that set nothing": puzzle(
        HEAD + ONE + "types: {many: 0..9999}\nactions:\n  a: {with: {a: many, b: many, c: many}, set: {}}\n"
        "goal: k == 5\n", claim=None,
    ),
    "many tables": puzzle(
        HEAD + "types: {many: 0..9999}\nstate:\n" + "".join(f"  t{i}: {{of: [many, 0..9]}}\n" for i in range(1500))
        + "actions:\n  a: {set: {t1(1,1): true}}\ngoal: t1[1, 1]\n", claim=None,
    ),
    "many types": puzzle(
        HEAD + ONE + "actions:\n  a:\n    with:\n"
        + "".join(f"      p{i}: {i}..{i + 9999}\n" for i in range(2500))
        + "    set: {k: 1}\ngoal: k == 5\n", claim=None,
    ),
    "a range in every place": puzzle(
        HEAD + ONE + ADD + "goal: " + " or ".join(["any(k + x in 0..9999 for x in 0..9999)"] * 90) + "\n", claim=None,
    ),
    "pieces with doors": puzzle(
        SLIDING + "board: |2\n" + rows(*WIDE) + "goal: |2\n" + rows(LETTERS[0] + "." * 63, *["." * 64] * 63)
        + "doors: [{row: 1, col: 1, pieces: " + "".join(LETTERS[:2000]) + "}]\n", claim=None,
    ),
    "equal tiles": puzzle(
        "format: 1\nfamily: n-puzzle\nstart: |2\n" + rows(*[" ".join("1" * 32)] * 63, " ".join("1" * 31 + "."))
        + "goal: |2\n" + rows(" ".join("." + "1" * 31), *[" ".join("1" * 32)] * 63), claim=None,
    ),
    "a piece in every way": puzzle(
        SLIDING + "board: |2\n" + rows("AB" + "." * 62, *["." * 64] * 63) + "goal: |2\n"
        + rows(*["." * 64] * 63, "." * 62 + "BA"), claim=None,
    ),
    "boxes without end": puzzle(
        "format: 1\nfamily: sokoban\nmap: |2\n"
        + rows("#" * 64, "#@" + " " * 61 + "#", *[f"#{' $' * 30} .#", f"#{' .' * 31}#"] * 30, "#" * 64), "pushes", None,
    ),
    "deep": puzzle(HEAD + ONE + ADD + f"goal: {'not ' * 900}k == 5\n", claim=None),
    "deeper": puzzle(HEAD + ONE + ADD + f"goal: {'-' * 3900}k == 5\n", claim=None),
    "brackets": puzzle(HEAD + ONE + ADD + f"goal: {'(' * 1900}k{')' * 1900} == 5\n", claim=None),
    "a number and no end": puzzle(HEAD + ONE + ADD + f"goal: k == {'1' * 3900}x\n", claim=None),
    "identifiers that leave room": proof(lambda: b"2147483646 1 0 1 0\n" + b"1 d 0\n" * 4_000_000),
    "one long line": proof(lambda: b"5000 " + b"1 " * 8_000_000 + b"0 1 0\n"),
    "deletions": proof(lambda: b"1 d 99999 0\n" * 3_000_000),
    "a long clause as a hint": proof(
        lambda: b"5000 " + b"1 " * 100_000 + b"0 1 0\n" + b"5001 2 0" + b" 5000" * 100_000 + b" 0\n"
    ),
}  # fmt: skip
"""What asks for time or memory without end."""


def claiming_moves(text: str, metric: str, claim: int, plan: str) -> Make:
    return puzzle(text, metric, (claim,), plan)


N_PUZZLE = "format: 1\nfamily: n-puzzle\n"
HARMFUL: dict[str, Make] = {
    # Proofs that a compiled reader of them once wrote behind its array
    "one digit a line": proof(digits(b"\n")),
    "empty lines": proof(b"\n" * 3_000_000),
    "a d a line": proof(b" d \n" * 1_000_000),
    "a d and no end": proof(b" d " * 1_000_000),
    "what the clauses do not say": padded,
    # Boards that were read as others than Budge reads
    "a row of four in a block": puzzle(N_PUZZLE + "start: |\n  1 . 2 3\n", claim=None),
    "a list of four": puzzle(N_PUZZLE + "start: [1, 0, 3, 2]\n", claim=None),
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
    "at_most is no whole number": refuting(at_most=float(made(RUSH, "steps", "refutation").lower["at_most"])),
    "at_most is true": refuting(at_most=True),
    "at_most is text": manifest(lower_bound={"at_most": "4"}),
    "a count is no whole number": manifest(lower_bound={"states": 1e3}),
    "a claim of one in a list": manifest(claim=[5]),
    "a claim that is true": manifest(claim=True),
    "made by a number": manifest(made_by=1),
    "a metric that cannot be printed": manifest(metric="\ud800"),
    "a key that cannot be printed": manifest(**{"\ud800": 1}),
    "a metric of odd letters": manifest(metric="step\u0301s"),
    "a list where a piece is wanted": puzzle(re.sub("piece: A", "piece: [A]", RUSH), "steps", (5,), "1 1 R\n"),
    "a mapping where a piece is wanted": puzzle(re.sub("piece: A", "piece: {a: b}", RUSH), "steps", (5,), "1 1 R\n"),
    "a list where a door is wanted": puzzle(BLOCKS.replace("goal:", "doors: [{row: [1], col: 1, pieces: a}]\ngoal:")),
    "a mapping where a direction is wanted": puzzle(BLOCKS.replace("goal:", "directions: {a: {b: c}}\ngoal:")),
    "a list where a row is wanted": puzzle(N_PUZZLE + "start: [[1, [2]], [3, .]]\n"),
    "a mapping where a map is wanted": puzzle("format: 1\nfamily: sokoban\nmap: {a: b}\n", "pushes"),
    "a list where a type is wanted": puzzle(BRIDGE.replace("in: side, start: near}", "in: [[side]], start: near}")),
    "a list where a metric is wanted": puzzle(BRIDGE.replace("[cross]", "[[cross]]"), "crossings"),
    # What a terminal would obey
    "escapes in the plan": puzzle(RUSH, "steps", (5,), "\x1b[2K\x1b[1Gvalid: 3 moves is the optimum\x1b[8m\n"),
    "escapes in a name": puzzle(BRIDGE.replace("Ann", '"\\e[2J"'), "minutes", (5,), "x\n"),
    "letters that cannot be seen": puzzle(BLOCKS.replace("X", "\u200b"), claim=None),
    "letters that change others": puzzle(BLOCKS.replace("X", "\u0301"), claim=None),
    # Keys twice, and numbers that are none
    "a claim twice": raw('"claim": ', '"claim": 3,\n  "claim": '),
    "no number": raw('"states": [0-9]+', '"states": NaN'),
    "an endless number": raw('"states": [0-9]+', '"states": -Infinity'),
    # Programs beside the certificate
    "a program": beside("yaml.py"),
    "a package": beside("yaml/__init__.py"),
    "compiled code": beside("json.cpython-311-x86_64-linux-gnu.so"),
    "a file that is hidden": beside(".hidden"),
}  # fmt: skip
"""What claims what is not so, or is no certificate."""

HONEST = [(RUSH, "steps"), (BOXES, "pushes"), (TILES, "moves"), (SWAPPED, "moves")]
