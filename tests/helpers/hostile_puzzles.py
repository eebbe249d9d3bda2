"""Certificates with puzzles that were made to do harm: to be read otherwise than Budge reads them, or without end."""

from __future__ import annotations

from .hostile_texts import LINE, Make, claim, files

ROW_36 = "AA..........BBCC..DD...........EE..."


def by_rules(text: str, says: str = "unsolvable", count: str = "moves") -> Make:
    """A claim that the rules of the puzzle are to show."""
    return files(problem=None, plan=None, puzzle=text, claim=claim(says, "rules 1", f"count {count}"))


def beside(text: str, count: str = "moves") -> Make:
    """A problem text that is another puzzle."""
    return files(problem=LINE.replace("moves", count), puzzle=text)


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
N_PUZZLE = "format: 1\nfamily: n-puzzle\n"
RUSH = "format: 1\nfamily: rush-hour\nboard: |2\n  AA.B\n  ...B\ngoal: {piece: A, exit: {row: 1, col: 4}}\n"
BRIDGE = HEAD + "types: {side: [near, far]}\nstate: {at: {in: side, start: near}}\n"
BRIDGE += "actions: {cross: {set: {at: far}}}\ngoal: at == far\nmetrics: {crossings: [cross]}\n"

BOARDS = {
    "pieces with doors": (
        SLIDING + "board: |2\n" + rows(*WIDE) + "goal: |2\n" + rows(LETTERS[0] + "." * 63, *["." * 64] * 63)
        + "doors: [{row: 1, col: 1, pieces: " + "".join(LETTERS[:2000]) + "}]\n", "moves",
    ),
    "equal tiles": (
        N_PUZZLE + "start: |2\n" + rows(*[" ".join("1" * 32)] * 63, " ".join("1" * 31 + "."))
        + "goal: |2\n" + rows(" ".join("." + "1" * 31), *[" ".join("1" * 32)] * 63), "moves",
    ),
    "a piece in every way": (
        SLIDING + "board: |2\n" + rows("AB" + "." * 62, *["." * 64] * 63) + "goal: |2\n"
        + rows(*["." * 64] * 63, "." * 62 + "BA"), "moves",
    ),
    "boxes without end": (
        "format: 1\nfamily: sokoban\nmap: |2\n"
        + rows("#" * 64, "#@" + " " * 61 + "#", *[f"#{' $' * 30} .#", f"#{' .' * 31}#"] * 30, "#" * 64), "pushes",
    ),
}  # fmt: skip
"""Large boards, and what is counted."""

CASES = {
    "evaluated 2^40 times": by_rules(EXPONENTIAL),
    "loops 2^40 times": by_rules(neighbours(40)),
    "members 2^60 times": by_rules(members(60)),
    "definitions in a long chain": by_rules(chain(2500)),
    "loops over nothing": by_rules(
        HEAD + ONE + "types: {none: [], many: 0..9999}\n" + ADD
        + "goal: any(k == 1 for a in many for b in many for c in many for d in many for e in none)\n",
    ),
    "actions that set nothing": by_rules(
        HEAD + ONE + "types: {many: 0..9999}\nactions:\n  a: {with: {a: many, b: many, c: many}, set: {}}\n"
        "goal: k == 5\n",
    ),
    "many tables": by_rules(
        HEAD + "types: {many: 0..9999}\nstate:\n" + "".join(f"  t{i}: {{of: [many, 0..9]}}\n" for i in range(1500))
        + "actions:\n  a: {set: {t1(1,1): true}}\ngoal: t1[1, 1]\n",
    ),
    "many types": by_rules(
        HEAD + ONE + "actions:\n  a:\n    with:\n"
        + "".join(f"      p{i}: {i}..{i + 9999}\n" for i in range(2500))
        + "    set: {k: 1}\ngoal: k == 5\n",
    ),
    "a range in every place": by_rules(
        HEAD + ONE + ADD + "goal: " + " or ".join(["any(k + x in 0..9999 for x in 0..9999)"] * 90) + "\n",
    ),
    **{name: beside(text, count) for name, (text, count) in BOARDS.items()},
    **{f"{name}, by rules": by_rules(text, count=count) for name, (text, count) in BOARDS.items()},
    "deep": by_rules(HEAD + ONE + ADD + f"goal: {'not ' * 900}k == 5\n"),
    "deeper": by_rules(HEAD + ONE + ADD + f"goal: {'-' * 3900}k == 5\n"),
    "brackets": by_rules(HEAD + ONE + ADD + f"goal: {'(' * 1900}k{')' * 1900} == 5\n"),
    "a number and no end": by_rules(HEAD + ONE + ADD + f"goal: k == {'1' * 3900}x\n"),
    # Boards that were read as others than Budge reads
    "a row of four in a block": beside(N_PUZZLE + "start: |\n  1 . 2 3\n"),
    "a list of four": beside(N_PUZZLE + "start: [1, 0, 3, 2]\n"),
    "36 cells in a list": beside(
        f'format: 1\nfamily: rush-hour\nboard: ["{ROW_36}"]\ngoal: {{piece: A, exit: {{row: 1, col: 3}}}}\n', "slides"
    ),
    "sets that are alike and overlap": beside(
        SLIDING + "board: |2\n  abc.\ngoal: |2\n  .abc\nalike: [ab, bc]\n"
    ),
    "a piece that grants the wishes of two": beside(
        SLIDING + "board: |2\n" + rows("AA..", "BB..") + "goal: |2\n" + rows("..AB", "....") + "alike: [AB]\n"
    ),
    "an argument twice, in other words": by_rules(
        HEAD + "types: {thing: [x, y]}\nstate:\n  at: {of: thing, in: 0..9, start: {x: 1, ' x': 5, y: 5}}\n"
        "actions:\n  go: {set: {'at[y]': 'at[x]'}}\ngoal: at[y] == 1\n", "optimum 1",
    ),
    # Values of other types, and names that a terminal would obey
    "a list where a piece is wanted": beside(RUSH.replace("piece: A", "piece: [A]"), "slides"),
    "a mapping where a piece is wanted": beside(RUSH.replace("piece: A", "piece: {a: b}"), "slides"),
    "a list where a row is wanted": beside(N_PUZZLE + "start: [[1, [2]], [3, .]]\n"),
    "a mapping where a map is wanted": beside("format: 1\nfamily: sokoban\nmap: {a: b}\n", "pushes"),
    "a list where a type is wanted": by_rules(BRIDGE.replace("in: side", "in: [[side]]"), count="crossings"),
    "a list where a metric is wanted": by_rules(BRIDGE.replace("[cross]", "[[cross]]"), count="crossings"),
    "escapes in a name": by_rules(BRIDGE.replace("near", '"\\e[2J"'), count="crossings"),
    "letters that cannot be seen": beside(RUSH.replace("B", "\u200b"), "slides"),
    "letters that change others": beside(RUSH.replace("B", "\u0301"), "slides"),
    # What is counted
    "a count that the puzzle does not have": beside(RUSH, "Slides"),
    "a count that the puzzle does not have, by rules": by_rules(BRIDGE, count="moves,crossings"),
    "no count": by_rules(BRIDGE, count=""),
    "a count of signs": by_rules(BRIDGE, count="\x1b[2J"),
    "another puzzle": beside(RUSH, "slides"),
    "a family that there is not": beside(RUSH.replace("rush-hour", "rush-minute"), "slides"),
    "no text": beside(""),
    "no YAML": beside("{[}]"),
    "nested a thousand times": beside("[" * 1000 + "]" * 1000),
    "names of names of names": beside("a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(9))),
    "a tag that runs something": beside("a: !!python/object/apply:os.system [true]\n"),
    "zero bytes": beside(RUSH + "\0"),
}  # fmt: skip
"""Puzzles. None of them makes a claim valid, but that a problem text holds whose puzzle is not compared."""
