"""Cells of the notebooks, run as they stand."""

from __future__ import annotations

import ast
from typing import Any


def run_cell(source: str, names: dict[str, Any]) -> object:
    """Run a cell as a notebook does; gives the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if isinstance(last, ast.Expr) else None
