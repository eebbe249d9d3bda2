"""Task <-> JSON: the grounded task as it is, for programs that have no need of YAML or of any family's rules.

docs/exports.md describes the keys. Facts are numbered from 0 in the order of `facts`; everything else names
them by number.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ...models.errors import UsageError
from ...models.families import move_from_json
from ...models.task import ExactlyInvariant, GroupKind, Operator, Task, Walker

FORMAT, VERSION = "budge-task", 1


def to_json(task: Task) -> str:
    """The task, one fact, group or operator a line."""
    value: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(task)}
    del value["units"]  # words for people
    for row, op in zip(value["operators"], task.operators, strict=True):
        row["move"] = op.move and op.move.as_json()
    parts = []
    for key, part in value.items():
        if key in ("facts", "groups", "operators") and part:
            rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in part)
            parts.append(f"  {json.dumps(key)}: [\n    {rows}\n  ]")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_json(text: str) -> Task:
    """The task that `to_json` wrote. Raises `UsageError` for anything else."""
    try:
        value = json.loads(text)
        if value.get("format") != FORMAT or value.get("version") != VERSION:
            raise UsageError(f"not a task in the format {FORMAT}, version {VERSION}")
        task = Task(
            name=value["name"],
            facts=tuple(value["facts"]),
            groups=tuple(map(_group, value["groups"])),
            operators=tuple(map(_operator, value["operators"])),
            init=tuple(value["init"]),
            goal=_tuples(value["goal"]),
            metric=tuple(value["metric"]),
            walker=_walker(value["walker"]),
            unsolvable_because=value["unsolvable_because"],
        )
        task.validate()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"not a task in the format {FORMAT}: {error}") from None
    return task


def _group(value: dict[str, Any]) -> ExactlyInvariant:
    return ExactlyInvariant(value["name"], GroupKind(value["kind"]), tuple(value["facts"]), value["count"])


def _operator(value: dict[str, Any]) -> Operator:
    walk, displacement = value["walk"], value["displacement"]
    return Operator(
        name=value["name"],
        pre=tuple(value["pre"]),
        add=tuple(value["add"]),
        delete=tuple(value["delete"]),
        move=move_from_json(value["move"]),
        cost=tuple(value["cost"]),
        walk=tuple(walk) if walk else None,
        displacement=tuple(displacement) if displacement else None,
    )


def _walker(value: dict[str, Any] | None) -> Walker | None:
    if value is None:
        return None
    return Walker(
        cells=tuple((row, column) for row, column in value["cells"]),
        free=tuple(value["free"]),
        neighbours=_tuples(value["neighbours"]),
        start=value["start"],
        cost=tuple(value["cost"]),
        silent=value.get("silent", False),
    )


def _tuples(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in rows)
