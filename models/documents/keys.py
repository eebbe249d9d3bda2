"""Keys of puzzle files as a table: what reading knows, what a schema for editors is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TEXT, NUMBER, LIST, MAPPING = ("string",), ("integer",), ("array",), ("object",)
"""Types of values, in the words of JSON Schema."""

MAP = ("string", "array")
"""The type of a map: a block of rows, or a list of them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping in a puzzle file.

    `types`: the types that its value may have, in the words of JSON Schema. `choices`: the words that a text may be,
    if they are limited. `keys`: the keys of the value where it is a mapping with fixed keys.
    """

    name: str
    types: tuple[str, ...]
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()


def names(keys: Iterable[Key]) -> tuple[str, ...]:
    """The names of keys, for `Fields`."""
    return tuple(key.name for key in keys)
