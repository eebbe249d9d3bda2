"""Lines of code of the rooms of the package (docs/rooms.md): without blank lines, comments and docstrings."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_ROOM = {"tests", "benchmarks", "docs", "build", "dist", "puzzles"}
LAB = ("lab",)
"""Many puzzles on many machines: a room by itself, also while its parts are folders of other rooms."""

PEOPLE = ("views", "commands", "cli.py", "api.py")
"""What people see and type. The other files of the root are counted with it."""

LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER),
}


def modules(root: Path = ROOT) -> Iterator[tuple[str, Path]]:
    """The modules of the package, each with its room."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] not in NO_ROOM and not any(part.startswith((".", "__pycache__")) for part in parts):
            yield room("/".join(parts)), path


def room(name: str) -> str:
    """The room of a module, by its path: a row of the table in docs/rooms.md."""
    first = name.split("/")[0]
    if name.startswith(tuple(f"{folder}/" for folder in LAB)):
        return "lab"
    if "/" not in name or first in PEOPLE:
        return "views, commands, root"
    return "studio, up_engine" if first in ("studio", "up_engine") else first


def code_and_comments(source: str) -> tuple[int, int]:
    """(lines with code, lines with a comment). A string that stands alone is no code: it says what something is."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code: set[int] = set()
    comments: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in LAYOUT:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docstrings), len(comments)
