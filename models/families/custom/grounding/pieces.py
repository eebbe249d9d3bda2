"""Pieces that an author writes as values of cells: `tile[c] == 7` says where piece 7 is.

A table of cells with other values than truth values is read in two ways. What is on a cell is one of the values; and
where every action only carries values from cell to cell, a value is on as many cells as at the start: it is as many
pieces, and what engines know of pieces (distances, matchings, patterns) holds for them. In the 8-puzzle written so

    tile r1c1: 0, 1, ... 8        nine groups of kind `cell`, one for each cell
    tile 7: r1c1, r1c2, ...       nine groups of kind `object`, one for each value: `slide` changes two of them

Of the two pieces that an exchange moves, the one that moves in more operators (the blank) comes last: a move counts as
that of the first (`models.task.Task`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ....task import ExactlyInvariant, GroupKind
from ..language.expressions import Value, text_of
from .draft import Draft


def with_pieces(draft: Draft, tables: Mapping[str, Mapping[Value, tuple[int, ...]]]) -> Draft:
    """The task with an object for each value of such tables, where no operator makes or destroys one.

    `tables`: for each table of cells the facts of each value, one for each cell that may have it.
    """
    for name, facts_of in tables.items():
        value_of = {fact: value for value, facts in facts_of.items() for fact in facts}
        if all(_carries(op.add, op.delete, value_of) for op in draft.operators):
            draft = _with_objects(draft, name, facts_of)
    return draft


def _carries(add: tuple[int, ...], delete: tuple[int, ...], value_of: Mapping[int, Value]) -> bool:
    """Whether an operator only exchanges values: as many cells get each value as lose it."""
    gained = Counter(value_of[fact] for fact in add if fact in value_of)
    return gained == Counter(value_of[fact] for fact in delete if fact in value_of)


def _with_objects(draft: Draft, name: str, facts_of: Mapping[Value, tuple[int, ...]]) -> Draft:
    moved = Counter(fact for op in draft.operators for fact in op.delete)
    objects = [
        ExactlyInvariant(
            f"{name} {text_of(value)}", GroupKind.OBJECT, tuple(sorted(facts)), len(draft.init.intersection(facts))
        )
        for value, facts in facts_of.items()
        if len(facts) > 1
    ]
    objects.sort(key=lambda group: sum(moved[fact] for fact in group.facts))
    own, found = {fact for facts in facts_of.values() for fact in facts}, {group.facts for group in objects}
    others = [
        replace(group, kind=GroupKind.CELL) if own.issuperset(group.facts) else group
        for group in draft.groups
        if group.facts not in found
    ]
    return replace(draft, groups=(*objects, *others))
