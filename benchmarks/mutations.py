"""Mutation testing: plant small faults in the package, one at a time, and see which of them the tests catch.

    python benchmarks/mutations.py                   40 faults in 40 files, each against the tests that import its file
    python benchmarks/mutations.py --whole           ... and then against all others
    python benchmarks/mutations.py --beside ../old   only faults that can be planted in another checkout as well, and
                                                     the tests of that one against them

A fault changes one operator: `<` to `<=`, `+` to `-`, `and` to `or`, a number to the next, a condition to its
negation (DeMillo, Lipton, Sayward, *Hints on test data selection*, 1978). Which ones is drawn by `--seed`. The
checkout is copied, and only the copy is changed. Not every fault that survives is a gap: some change nothing that can
be observed, as `<` for `<=` between numbers that are never equal.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROOMS = ("models", "runtime", "analysis", "encoders", "engines", "workflows", "views", "commands", "proofs")
NOT_COPIED = shutil.ignore_patterns(".git", "build", "*.egg-info", ".*_cache", ".hypothesis")

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The text of an expression in a file, and what stands there instead."""

    path: str
    line: int
    text: str
    instead: str

    def planted(self, source: str) -> str | None:
        """The source with the fault; `None` unless its expression can be found there exactly once."""
        if source.count(self.text) != 1:
            return None
        return source.replace(self.text, self.instead)


def operators(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(expression, what it becomes) for every fault in a node itself."""
    match node:
        case ast.Compare(left, [operator], rights) if type(operator) in COMPARED:
            yield node, ast.Compare(left, [COMPARED[type(operator)]()], rights)
        case ast.BinOp(left, operator, right) if type(operator) in COMPUTED:
            yield node, ast.BinOp(left, COMPUTED[type(operator)](), right)
        case ast.BoolOp(operator, values):
            yield node, ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield test, ast.UnaryOp(ast.Not(), test)
        case ast.Subscript(value, ast.Constant(value=int(number)), context):
            yield node, ast.Subscript(value, ast.Constant(number + 1), context)


def faults(root: Path, path: Path) -> list[Fault]:
    """The faults that can be planted in a file: within functions, on one line, and where their text stands once."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    written = {
        (node, f"({ast.unparse(instead)})")
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for inner in ast.walk(statement)
        for node, instead in operators(inner)
    }
    made = []
    for node, instead in sorted(written, key=lambda one: (one[0].lineno, one[0].col_offset, one[1])):
        text = ast.get_source_segment(source, node)
        if text and "\n" not in text and source.count(text) == 1 and "isinstance" not in text:
            made.append(Fault(path.relative_to(root).as_posix(), node.lineno, text, instead))
    return made


def drawn(root: Path, rooms: list[str], count: int, seed: int, beside: Path | None) -> list[Fault]:
    """One fault in each of `count` files; with `beside`, of those that can be planted there, too."""
    draw = random.Random(seed)
    paths = sorted(path for room in rooms for path in (root / room).rglob("[!_]*.py"))
    draw.shuffle(paths)
    chosen: list[Fault] = []
    for path in paths:
        possible = faults(root, path)
        if beside is not None:
            there = beside / path.relative_to(root)
            source = there.read_text(encoding="utf-8") if there.exists() else ""
            possible = [fault for fault in possible if fault.planted(source)]
        if possible:
            chosen.append(draw.choice(possible))
        if len(chosen) == count:
            break
    return chosen


@cache
def imports_of_tests(root: Path) -> dict[str, set[str]]:
    """What each test module imports of the package."""
    imported = {}
    for test in sorted((root / "tests").rglob("test_*.py")):
        nodes = ast.walk(ast.parse(test.read_text(encoding="utf-8")))
        froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
        names = {str(node.module) for node in froms}
        names |= {f"{node.module}.{alias.name}" for node in froms for alias in node.names}
        imported[test.relative_to(root).as_posix()] = names
    return imported


def tests_of(root: Path, path: str) -> list[str]:
    """The test modules that import a file of the package, or else its folder, or else anything of its room."""
    parts, imported = ["budge", *path.removesuffix(".py").split("/")], imports_of_tests(root)
    for length in range(len(parts), 1, -1):
        name = ".".join(parts[:length])
        if found := [test for test, names in imported.items() if any(f"{n}.".startswith(f"{name}.") for n in names)]:
            return found
    return []


def verdict(root: Path, fault: Fault, whole: bool, minutes: float) -> str:
    """What the tests of a copy say of a fault: the first that fails, `hangs`, or `survives`."""
    target = root / fault.path
    right = target.read_text(encoding="utf-8")
    wrong = fault.planted(right)
    assert wrong is not None
    target.write_text(wrong, encoding="utf-8")
    try:
        for tests in (tests_of(root, fault.path), *([["tests"]] if whole else [])):
            command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-q", "--no-header", "--tb=no", *tests]
            environment = {**os.environ, "PYTHONPATH": str(root.parent)}
            try:
                ran = subprocess.run(
                    command,
                    cwd=root,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=60 * minutes,
                )
            except subprocess.TimeoutExpired:
                return "hangs"
            if ran.returncode not in (0, 5):
                failed = [line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
                return failed[0].split(" - ")[0] if failed else f"exit code {ran.returncode}"
        return "survives"
    finally:
        target.write_text(right, encoding="utf-8")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--faults", type=int, default=40, help="how many, each in a file of its own")
    arguments.add_argument("--rooms", nargs="+", choices=ROOMS, default=list(ROOMS), help="folders of the package")
    arguments.add_argument("--seed", type=int, default=54, help="what draws them")
    arguments.add_argument("--beside", type=Path, help="another checkout whose tests are compared")
    arguments.add_argument("--whole", action="store_true", help="all tests, after those that import the file")
    arguments.add_argument("--minutes", type=float, default=15.0, help="after which the tests are said to hang")
    given = arguments.parse_args()
    chosen = drawn(HERE, given.rooms, given.faults, given.seed, given.beside)
    caught: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        copies = {}
        for name, checkout in (("here", HERE), *([("beside", given.beside)] if given.beside else [])):
            copies[name] = Path(shutil.copytree(checkout, Path(folder, name, "budge"), ignore=NOT_COPIED))
            caught[name] = 0
        for number, fault in enumerate(chosen, 1):
            print(f"{number:3} {fault.path}:{fault.line}  `{fault.text}` -> `{fault.instead}`")
            for name, copy in copies.items():
                began = time.monotonic()
                said = verdict(copy, fault, given.whole, given.minutes)
                caught[name] += said != "survives"
                print(f"    {name}: {said}  ({time.monotonic() - began:.0f} s)", flush=True)
    for name, count in caught.items():
        print(f"{name}: {count} of {len(chosen)} faults caught")


if __name__ == "__main__":
    main()
