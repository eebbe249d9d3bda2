"""Certificates that were made to be believed, or to crash the checker: small ones with something odd in a file, or as a
file. Those that want time or memory are in `hostile_bombs`, those about puzzles in `hostile_puzzles`.
"""

from __future__ import annotations

import lzma
import os
from collections.abc import Callable
from pathlib import Path

from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import PLAN, PROOF, PUZZLE
from budge.proofs.core.problem import FILE as PROBLEM

Make = Callable[[Path], None]

LINE = (
    "budge problem 1\ncount moves\nvar A 0 1 2\nstart 0\ngoal A=2\nact a 1 if A=0 then A=1\nact b 1 if A=1 then A=2\n"
)
"""Two steps on a line."""
CLAIMED = "budge claim 1\noptimum 2\nby exhaustion 2\n"
REFUTED = "budge claim 1\noptimum 2\nby refutation 10 26\n"
STEPS = "a\nb\n"
EMPTY_PROOF = lzma.compress(b"")


def files(**texts: str | bytes | Callable[[], str | bytes] | None) -> Make:
    """A folder with other files than those of two steps on a line: `problem`, `claim`, `plan`, `proof` (not packed yet
    if it is a function), `puzzle`, `board`; None for one that is missing.
    """
    names = {"problem": PROBLEM, "claim": CLAIM, "plan": PLAN, "proof": PROOF, "puzzle": PUZZLE}

    def make(folder: Path) -> None:
        folder.mkdir()
        for key, text in {"problem": LINE, "claim": CLAIMED, "plan": STEPS, **texts}.items():
            data = text() if callable(text) else text
            if data is None:
                continue
            data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            packed = lzma.compress(data, preset=0) if key == "proof" and callable(text) else data
            (folder / names[key]).write_bytes(packed)

    return make


def lines(*some: str) -> str:
    return "".join(f"{line}\n" for line in some)


def problem(variables: list[str], start: str, goal: list[str], actions: list[str], count: str = "moves") -> str:
    """A problem text of its parts, without the words in front."""
    return lines(
        "budge problem 1", f"count {count}", *(f"var {one}" for one in variables), f"start {start}",
        *(f"goal {one}" for one in goal), *(f"act {one}" for one in actions),
    )  # fmt: skip


def claim(says: str, by: str, *evidence: str) -> str:
    return lines("budge claim 1", says, f"by {by}", *evidence)


def unproven(text: Callable[[], str], says: str = "at-least 2", by: str = "refutation 1 1", *evidence: str) -> Make:
    """A problem with a claim, and no plan."""
    return files(problem=text, claim=claim(says, by, *evidence), plan=None, proof=EMPTY_PROOF)


def names(letter: str, number: int) -> list[str]:
    return [f"{letter}{i}" for i in range(number)]


def wide(values: int, start: int = 0) -> list[str]:
    return list(map(str, range(start, start + values)))


# Files that are none


def as_file(name: str, make: Callable[[Path], object]) -> Make:
    """Something else where a file of a certificate is wanted."""

    def put(folder: Path) -> None:
        files()(folder)
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return put


def as_folder(make: Callable[[Path], object]) -> Make:
    """Something else where the folder is wanted."""

    def put(folder: Path) -> None:
        make(folder)

    return put


def sparse(size: int) -> Callable[[Path], None]:
    """A file of zeros that takes no room."""

    def make(path: Path) -> None:
        path.touch()
        os.truncate(path, size)

    return make


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


# Proofs


def proof(text: Callable[[], bytes]) -> Make:
    return files(claim=REFUTED, proof=text)


def packed(data: Callable[[], bytes]) -> Make:
    """A proof as it stands in the file."""

    def make(folder: Path) -> None:
        files(claim=REFUTED)(folder)
        (folder / PROOF).write_bytes(data())

    return make


MANY_DIGITS = "9" * 1_000_000


CASES: dict[str, tuple[Make, set[int]]] = {
    "nothing odd": (files(), {3}),
    "a refutation by nothing": (files(claim=REFUTED, proof=EMPTY_PROOF), {1}),
    # Numbers
    "a cost of a million digits": (files(problem=LINE.replace("a 1", f"a {MANY_DIGITS}")), {1}),
    "a claim of a million digits": (files(claim=CLAIMED.replace("m 2", f"m {MANY_DIGITS}")), {1}),
    "a claim of 2^62": (files(claim=CLAIMED.replace("m 2", f"m {1 << 62}")), {1}),
    "a claim of 2^62 less 1 by exhaustion": (
        files(claim=claim(f"at-least {(1 << 62) - 1}", "exhaustion 3"), plan=None),
        {1},
    ),
    "numbers of clauses that are large": (
        files(claim=claim("optimum 2", "refutation 1073741823 1073741823"), proof=EMPTY_PROOF),
        {1},
    ),
    "a number of a table of a million digits": (files(claim=CLAIMED + f"table A 0 0 {MANY_DIGITS}\n"), {1}),
    "a negative cost": (files(problem=LINE.replace("a 1", "a -1")), {1}),
    "a cost of minus zero": (files(problem=LINE.replace("a 1", "a -0")), {1}),
    "a cost with a point": (files(problem=LINE.replace("a 1", "a 1.0")), {1}),
    "digits of other alphabets": (files(problem=LINE.replace("a 1", "a \u0661")), {1}),
    "a sum of tables that is large": (files(claim=CLAIMED + "table A 1073741823 0 0\n" * 3), {1}),
    # Lines and letters
    "a name of a megabyte": (
        files(problem=LINE.replace("act a", f"act {'a' * 1_000_000}"), plan=f"{'a' * 1_000_000}\nb\n"),
        {3},
    ),
    "a name that is longer": (files(problem=LINE.replace("act a", f"act {'a' * 1_100_000}")), {1}),
    "letters that are not ASCII": (files(problem=LINE.replace("A", "\u0391")), {1}),
    "letters that are not ASCII in the claim": (files(claim=CLAIMED.replace("2", "\u00b2")), {1}),
    "letters that are not ASCII in the plan": (files(plan="\u0430\nb\n"), {1}),
    "a mark of the order of bytes": (files(problem="\ufeff" + LINE), {1}),
    "UTF-16": (files(problem=LINE.encode("utf-16")), {1}),
    "ends of lines of Windows": (files(problem=LINE.replace("\n", "\r\n")), {1}),
    "ends of lines of Windows in the claim": (files(claim=CLAIMED.replace("\n", "\r\n")), {1}),
    "ends of lines of Windows in the plan": (files(plan=STEPS.replace("\n", "\r\n")), {1}),
    "a carriage return in a line": (files(problem=LINE.replace("A=2\n", "A=2\rgoal A=1\n")), {1}),
    "zero bytes": (files(problem=LINE.replace("A", "A\0")), {1}),
    "a zero byte at the end": (files(claim=CLAIMED + "\0"), {1}),
    "a page break": (files(problem=LINE.replace("act a", "act a\f")), {1}),
    "what other readers take for ends of lines": (files(problem=LINE.replace("moves", "moves\x1cx")), {1}),
    "tabs": (files(problem=LINE.replace(" ", "\t")), {1}),
    "two blanks": (files(problem=LINE.replace("count ", "count  ")), {1}),
    "a blank at the end": (files(problem=LINE.replace("moves", "moves ")), {1}),
    "no end of the last line": (files(problem=LINE[:-1]), {1}),
    "an empty line at the end": (files(problem=LINE + "\n"), {1}),
    "escapes in a name": (files(problem=LINE.replace("act a", "act \x1b[2J")), {1}),
    "escapes in the plan": (files(plan="\x1b[2K\x1b[1Gvalid: 1 moves is the optimum\x1b[8m\n"), {1}),
    # Meanings
    "an empty problem": (files(problem=""), {1}),
    "an empty claim": (files(claim=""), {1}),
    "no variable": (files(problem="budge problem 1\ncount moves\nstart\n"), {1}),
    "a variable without values": (files(problem=LINE.replace("var A 0 1 2", "var A")), {1}),
    "a value twice": (files(problem=LINE.replace("0 1 2", "0 1 1")), {1}),
    "a variable twice": (files(problem=LINE.replace("start", "var A 0 1 2\nstart")), {1}),
    "an action twice": (files(problem=LINE + "act b 1 if A=0 then A=2\n"), {1}),
    "two starts": (files(problem=LINE.replace("start 0", "start 0\nstart 1")), {1}),
    "three counts": (files(problem=LINE.replace("moves", "moves pushes steps")), {1}),
    "one count twice": (files(problem=LINE.replace("moves", "moves moves").replace(" 1 ", " 1,1 ")), {1}),
    "a number too many": (files(claim=CLAIMED.replace("2\n", "2,0\n", 1)), {1}),
    "two effects that both take place": (files(problem=LINE + "act c 1 then A=1?A=0 A=2?A=0,1\n"), {1}),
    "an effect and a copy": (
        files(problem=LINE.replace("start 0", "var B 0 1 2\nstart 0 0") + "act c 1 then A=1 A<B\n"),
        {1},
    ),
    "a copy of what there is not": (
        files(problem=LINE.replace("start 0", "var B 0 3\nstart 0 0") + "act c 1 then A<B\n"),
        {1},
    ),
    "a shorter plan than the shortest": (files(claim=CLAIMED.replace("2", "1", 1), plan="b\n"), {1}),
    "a plan and no claim of one": (files(claim=claim("at-least 2", "exhaustion 2")), {1}),
    "no plan and a claim of one": (files(plan=None), {1}),
    "a table of minuses": (files(claim=claim("unsolvable", "exhaustion 0", "table A - - -"), plan=None), {1}),
    "a table of minuses but for the goal": (
        files(claim=claim("unsolvable", "exhaustion 0", "table A - - 0"), plan=None),
        {1},
    ),
    "a table that falls too fast": (files(claim=claim("at-least 9", "exhaustion 0", "table A 9 8 0"), plan=None), {1}),
    "tables that pay each other's debts": (
        files(claim=claim("at-least 9", "exhaustion 0", "table A 9 0 0", "table A 0 0 9"), plan=None),
        {1},
    ),
    "pairs that do not exclude the goal": (files(claim=claim("unsolvable", "pairs"), plan=None), {1}),
    "a bound by pairs that do not exclude the goal": (files(claim=claim("at-least 9", "pairs"), plan=None), {1}),
    "pairs that are given": (files(claim=claim("unsolvable", "pairs", "pairs A=1"), plan=None), {1}),
    "invariants, which are read no more": (
        files(claim=claim("unsolvable", "pairs", "invariant A!=2"), plan=None),
        {3},
    ),
    "the evidence of another checker": (files(claim=claim("optimum 2", "magic")), {3}),
    "a claim of rules without a puzzle": (files(claim="budge claim 1\noptimum 2\nby rules 2\ncount moves\n"), {1}),
    # Files
    "no problem": (files(problem=None), {1}),
    "no claim": (files(claim=None), {1}),
    "no proof": (files(claim=REFUTED), {1}),
    "nothing at all": (as_folder(Path.mkdir), {1}),
    "no folder": (lambda folder: None, {1}),
    "a file in place of the folder": (as_folder(Path.touch), {1}),
    "a pipe in place of the folder": (as_folder(os.mkfifo), {1}),
    "a link in place of the folder": (link_to("/proc"), {1}),
    "another file": (as_file("yaml.py", lambda path: path.write_text("print('valid: 1 moves is the optimum')\n")), {1}),
    "a hidden file": (as_file(".hidden", Path.touch), {1}),
    "a name that is not text": (as_file(os.fsdecode(b"\xff\x1b[2J"), Path.touch), {1}),
    "what is for other checkers": (as_file("formula.cnf", sparse(1 << 40)), {3}),
    **{f"a link as {name}": (as_file(name, link_to("/etc/hostname")), {1}) for name in (PROBLEM, CLAIM, PLAN)},
    **{f"a folder as {name}": (as_file(name, Path.mkdir), {1}) for name in (PROBLEM, CLAIM, PLAN, PUZZLE)},
    **{f"a pipe as {name}": (as_file(name, os.mkfifo), {1}) for name in (PROBLEM, CLAIM, PLAN, PROOF, PUZZLE)},
    "a link to zeros without end": (as_file(PLAN, link_to("/dev/zero")), {1}),
    "a link to itself": (as_file(PLAN, lambda path: path.symlink_to(path.name)), {1}),
    "a link to nothing": (as_file(PUZZLE, link_to("nothing")), {1}),
    "no bytes as proof": (files(claim=REFUTED, proof=b""), {1}),
    # Proofs
    "a hint that there is not": (proof(lambda: b"27 0 1 999 0\n"), {1}),
    "hints that lead nowhere": (proof(lambda: b"27 0 1 0\n"), {1}),
    "no hints": (proof(lambda: b"27 0 0\n"), {1}),
    "a clause as its own hint": (proof(lambda: b"27 0 27 0\n"), {1}),
    "an identifier that was given out": (proof(lambda: b"26 0 1 2 0\n"), {1}),
    "an identifier of 4,000 digits": (proof(lambda: b"9" * 4000 + b" 0 1 0\n"), {1}),
    "an identifier of a million digits": (proof(lambda: b"9" * 1_000_000 + b" 0 1 0\n"), {1}),
    "an identifier below zero": (proof(lambda: b"-27 0 1 0\n"), {1}),
    "a variable that there is not": (proof(lambda: b"27 11 0 1 0\n"), {1}),
    "a step by RAT": (proof(lambda: b"27 10 0 -1 2 0\n"), {1}),
    "a hint of minus zero": (proof(lambda: b"27 0 -0 1 0\n"), {1}),
    "a step that does not end": (proof(lambda: b"27 0 1"), {1}),
    "words": (proof(lambda: b"s VERIFIED\n"), {1}),
    "a zero byte in a proof": (proof(lambda: b"27 0 \x00 0\n"), {1}),
    "all clauses deleted": (
        proof(lambda: b"26 d " + b" ".join(b"%d" % i for i in range(1, 27)) + b" 0\n27 0 1 0\n"),
        {1},
    ),
    "two packages": (packed(lambda: EMPTY_PROOF + EMPTY_PROOF), {1}),
    "something behind the package": (packed(lambda: lzma.compress(b"27 0 1 0\n") + b"x"), {1}),
    "a package that is cut off": (packed(lambda: lzma.compress(b"27 0 1 0\n" * 100)[:-20]), {1}),
    "a package of another kind": (packed(lambda: lzma.compress(b"27 0 1 0\n", lzma.FORMAT_ALONE)), {1}),
    "a package with a wrong sum": (packed(lambda: lzma.compress(b"27 0 1 0\n")[:-12] + b"0" * 12), {1}),
}
"""Folders, and the exit codes that the checker may have: 0 valid, 1 invalid, 3 unsupported or stopped at a limit."""
