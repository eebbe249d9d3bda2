"""Task <-> JSON: the grounded task as it is, for programs that have no need of YAML or of any family's rules.

docs/exports.md describes the keys. Facts are numbered from 0 in the order of `facts`; everything else names
them by number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
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
        operators = tuple(_operator(op) for op in value["operators"])
        task = Task(
            name=value["name"],
            facts=tuple(value["facts"]),
            groups=_groups(value["groups"], operators),
            operators=operators,
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


def _groups(values: list[dict[str, Any]], operators: Sequence[Operator]) -> tuple[ExactlyInvariant, ...]:
    """The groups. Files of older versions do not name their kinds: these are derived then."""
    kinds: list[Any] = [value.get("kind") for value in values]
    if None in kinds:
        kinds = list(_derived_kinds([frozenset(value["facts"]) for value in values], operators))
    return tuple(
        ExactlyInvariant(value["name"], GroupKind(kind), tuple(value["facts"]), value["count"])
        for value, kind in zip(values, kinds, strict=True)
    )


def _derived_kinds(groups: Sequence[frozenset[int]], operators: Sequence[Operator]) -> Iterator[GroupKind]:
    """An object is a group that for some operator is the first in which it replaces a fact; the others are resources.

    Objects share no facts: of two groups that do, the first is one. (So it was before kinds had names: the groups of
    objects came first.)
    """
    first = set()
    for op in operators:
        replaced = (
            number
            for number, facts in enumerate(groups)
            if facts.intersection(op.delete) and facts.intersection(op.add)
        )
        first.add(next(replaced, None))
    taken: set[int] = set()
    for number, facts in enumerate(groups):
        is_object = number in first and taken.isdisjoint(facts)
        taken.update(facts if is_object else ())
        yield GroupKind.OBJECT if is_object else GroupKind.RESOURCE


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
