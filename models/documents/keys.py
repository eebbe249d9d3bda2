"""Keys of puzzle files as a table: what reading knows, what a schema for editors is made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WORD, NUMBER, LIST, MAPPING = ("string",), ("integer",), ("array",), ("object",)
"""Types of values, in the words of JSON Schema. `string` is a scalar, taken as text as it is written: `12`, `no`."""

TEXT = ("string", "null")
"""The type of a text: `null` and `~` are words like others here (`Fields.text` reads them so)."""

MAP = ("string", "array")
"""The type of a map: a block of rows, or a list of them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping in a puzzle file.

    `types`: the types that its value may have, in the words of JSON Schema. `choices`: the words that a text may be,
    if they are limited. `minimum`: of a number. `items`: the items of a list, as a key without a name; scalars if not
    given. `keys`: the keys of the value where it is a mapping with fixed keys; `values`: the values of one whose keys
    are the author's own. `instead_of`: the key that need not be there if this one is. `examples`: values for people to
    start from, as they stand in a file.
    """

    name: str
    types: tuple[str, ...]
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    minimum: int = 0
    items: Key | None = None
    values: Key | None = None
    instead_of: str = ""
    examples: tuple[str, ...] = ()


ROW = Key("", TEXT, "a row of the map")
"""The schema of one row of a map that is written as a list."""


def names(keys: Iterable[Key]) -> tuple[str, ...]:
    """The names of keys that a mapping may have, for `Fields`."""
    return tuple(key.name for key in keys)
