"""How large the package is and how it reads: files, lines, functions, parameters, comments, class names, constants.

    python benchmarks/house.py [FOLDER]            a table by room, of this checkout or another one
    python benchmarks/house.py --names             also each class name that is used twice, each loose constant

A line of code is a line that holds a token other than a comment, a docstring or white space. Tests, benchmarks and
documentation are left out. A constant counts as outside a table if a module gives an upper-case name a number, or a
tuple of numbers, anywhere but in a file called `tunables.py`. Facts, which nobody can choose, are not counted:

- codes: several names with consecutive numbers, `A, B, C = range(3)` or `A, B = -1, -2`;
- sentinels: 0 or a negative number;
- words of bits: an unsigned word, `np.uint64(6)`, or a number written in hexadecimal;
- by the last word of the name: a `VERSION`, `FORMAT`, `SCHEMA`, a number of `BITS`, a `SHIFT`, a `SEED`, `MIB`.
"""

from __future__ import annotations

import argparse
import ast
import io
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

LEFT_OUT = {"tests", "benchmarks", "docs", "build", "dist", "puzzles"}
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
FACTS = {"VERSION", "FORMAT", "SCHEMA", "BITS", "SHIFT", "SEED", "MIB"}
HARD = ("kernel", "encoders")
"""Where four comments in a hundred lines are asked for: kernels (files that use `njit`) and the encoders."""


@dataclass
class Measures:
    """What is counted of one room."""

    files: int = 0
    lines: int = 0
    code: int = 0
    comments: int = 0
    docstrings: int = 0
    lengths: list[int] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)

    def add(self, other: Measures) -> None:
        for name in ("files", "lines", "code", "comments", "docstrings"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.lengths += other.lengths
        self.parameters += other.parameters


def docstring_lines(tree: ast.AST) -> set[int]:
    """The lines of all strings that stand alone: docstrings, and those behind a constant."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def measure(text: str) -> Measures:
    """The measures of one file."""
    tree = ast.parse(text)
    told = docstring_lines(tree)
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in SILENT and token.type != tokenize.ENDMARKER:
            code.update(range(token.start[0], token.end[0] + 1))
    result = Measures(1, text.count("\n"), len(code - told), len(comments), len(told))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            own = [a for a in names if a.arg not in ("self", "cls")]
            result.parameters.append(len(own))
            end = node.end_lineno or node.lineno
            result.lengths.append(len((code - told) & set(range(node.lineno, end + 1))))
    return result


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number, or arithmetic of numbers, or a tuple of such."""
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return True
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.Tuple(elts=elements):
            return bool(elements) and all(map(is_number, elements))
        case ast.Call(args=[argument]):
            return is_number(argument)  # np.uint64(6)
    return False


def is_fact(names: list[str], value: ast.expr, text: str) -> bool:
    """Whether the number that is given these names is a fact: see the head of this file."""
    if all(name.split("_")[-1] in FACTS for name in names) or "0x" in text or "np.uint64(" in text:
        return True
    try:
        found = ast.literal_eval(value)
    except ValueError:  # arithmetic
        return False
    if isinstance(found, tuple) and len(found) == len(names) > 1:
        return all(abs(b - a) == 1 for a, b in pairwise(found))
    return isinstance(found, int | float) and found <= 0


def constants(tree: ast.Module, text: str) -> Iterator[str]:
    """Upper-case names that a module gives a number that is no fact."""
    for node in tree.body:
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign):
            targets, value = [node.target], node.value
        if value is None or (isinstance(value, ast.Call) and getattr(value.func, "id", "") == "range"):
            continue
        names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        if is_number(value) and not is_fact(names, value, ast.get_source_segment(text, value) or ""):
            yield from filter(str.isupper, names)


def percentile(values: list[int], part: float) -> int:
    """The value that `part` of all values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else 0


def row(name: str, m: Measures) -> str:
    lengths, parameters = m.lengths, m.parameters
    return (
        f"{name:12}{m.files:6}{m.lines:8,}{m.code:8,}"
        f"{100 * m.comments / max(m.code, 1):8.1f}{100 * (m.comments + m.docstrings) / max(m.code, 1):8.1f}"
        f"{percentile(lengths, 0.5):6}/{percentile(lengths, 0.95)}/{max(lengths, default=0)}"
        f"{percentile(parameters, 0.95):6}/{max(parameters, default=0)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--names", action="store_true")
    args = parser.parse_args()
    rooms: dict[str, Measures] = defaultdict(Measures)
    hard, total = Measures(), Measures()
    classes: dict[str, list[str]] = defaultdict(list)
    loose: Counter[str] = Counter()
    for path in sorted(args.folder.rglob("*.py")):
        parts = path.relative_to(args.folder).parts
        if parts[0] in LEFT_OUT or any(part.startswith(".") for part in parts):
            continue
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        measures = measure(text)
        rooms[parts[0] if len(parts) > 1 else "root"].add(measures)
        total.add(measures)
        if "encoders" in parts or "njit" in text:
            hard.add(measures)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append("/".join(parts))
        if path.name != "tunables.py":
            loose.update(f"{'/'.join(parts)}: {name}" for name in constants(tree, text))
    print(f"{'room':12}{'files':>6}{'lines':>8}{'code':>8}{'com/100':>8}{'+docs':>8}   fn p50/95/max  params p95/max")
    for name in sorted(rooms):
        print(row(name, rooms[name]))
    print(row("all", total))
    print(row("hard", hard), "  (files with kernels, and encoders)")
    repeated = {name: places for name, places in classes.items() if len(places) > 1}
    longer = sum(length >= 40 for length in total.lengths)
    print(f"class names used more than once: {len(repeated)}, by {sum(map(len, repeated.values()))} classes")
    print(f"functions of 40 lines of code or more: {longer}; with more than 8 parameters: ", end="")
    print(sum(count > 8 for count in total.parameters))
    print(f"numeric constants outside a table: {sum(loose.values())}")
    if args.names:
        for name, places in sorted(repeated.items()):
            print(f"  class {name}: {', '.join(places)}")
        for place in sorted(loose):
            print(f"  constant {place}")


if __name__ == "__main__":
    main()
