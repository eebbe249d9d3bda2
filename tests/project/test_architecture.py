"""The house: rooms import downward only (`.importlinter`), and no two files import each other in a circle.

Imports inside functions and under `TYPE_CHECKING` count as well: a circle that is hidden is still a circle.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import budge
import pytest
from budge.engines.table import ENGINES

ROOT = Path(budge.__file__).parent
ROOMS = (
    *("proofs", "models", "runtime", "analysis", "encoders", "engines", "workflows", "lab", "views", "studio"),
    *("commands", "up_engine"),
)


def files() -> dict[str, Path]:
    """The modules of the package by name: `analysis.hm.fixpoint`; a folder's name stands for its `__init__`."""
    found = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules that a module imports relatively; `from . import x` is x if that is a module."""
    base = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            origin = ".".join([*base[: len(base) - node.level + 1], *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                member = f"{origin}.{alias.name}"
                yield member if member in known else origin


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan 1972, by two depth-first searches)."""
    order: list[str] = []
    seen: set[str] = set()

    def visit(node: str, graph: dict[str, set[str]], out: list[str]) -> None:
        if node in seen:
            return
        seen.add(node)
        for other in sorted(graph.get(node, ())):
            visit(other, graph, out)
        out.append(node)

    for node in sorted(edges):
        visit(node, edges, order)
    back: dict[str, set[str]] = {}
    for node, others in edges.items():
        for other in others:
            back.setdefault(other, set()).add(node)
    seen.clear()
    found = []
    for node in reversed(order):
        component: list[str] = []
        visit(node, back, component)
        if len(component) > 1:
            found.append(sorted(component))
    return found


def test_no_circle_of_files() -> None:
    known = files()
    edges = {name: {other for other in imports(name, path, known) if other in known} for name, path in known.items()}
    assert sum(map(len, edges.values())) > 500  # the imports are found at all
    assert circles(edges) == []


def test_a_circle_would_be_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


NOT_ENGINES = {
    ("workflows/exporting.py", "cp-sat"),  # a format of models
    ("workflows/why/removals.py", "cp-sat"),  # the one that takes a horizon and needs not all states
    ("workflows/certifying.py", "auto"),  # a kind of evidence
    ("workflows/evidence_finder/choose_evidence.py", "auto"),
    ("workflows/evidence_finder/choose_evidence.py", "auto"),
    ("views/terminal.py", "auto"),  # when to use colours
}
"""Words that are names of engines as well: where, and which."""


@pytest.mark.parametrize("room", ["runtime", "views", "studio", "workflows"])
def test_no_engine_is_named_outside_its_folder(room: str) -> None:
    named = set()
    for path in sorted((ROOT / room).rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ENGINES:
                named.add((where, node.value))
            if isinstance(node, ast.ImportFrom) and "engines." in (node.module or ""):
                folder = str(node.module).split("engines.")[1].split(".")[0]
                if (ROOT / "engines" / folder / "__init__.py").exists() and folder != "common":
                    named.add((where, folder))
    assert named - NOT_ENGINES == set()


def test_tests_do_not_import_each_other() -> None:
    """What several tests use is in `tests/helpers`: a test module can go, or move, with the part that it tests."""
    imported = {
        (path.name, alias.name)
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.level or str(node.module).startswith("tests"))
        for alias in (*node.names, ast.alias(str(node.module).split(".")[-1]))
        if alias.name.startswith("test_")
    }
    assert imported == set()
