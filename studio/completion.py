"""Completion in the editor: keys and their values, from the same schema that other editors get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..models.families import families
from ..views.schema import puzzle_schema

Completions = dict[str, dict[str, Any]]
"""By family: the keys of its files, each with what it is for and the words that it takes. Under `""` those of all."""


def completions() -> Completions:
    """The words of all families."""
    schema = puzzle_schema(families().values())
    shared = dict(_keys(schema.get("properties", {})))
    found: Completions = {"": shared}
    for name, branch in _branches(schema):
        found[name] = shared | dict(_keys(branch))
    return found


def _branches(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The properties that a family adds, by its name: where `family` is that word, then these."""
    for branch in schema.get("allOf", ()):
        for name in _words(branch.get("if", {}).get("properties", {}).get("family", {})):
            yield name, schema.get("$defs", {}).get(name, {}).get("properties", {})


def _keys(properties: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in properties.items():
        if isinstance(value, Mapping):
            yield name, {"help": value.get("description", ""), "words": list(dict.fromkeys(_words(value)))}


def _words(value: Any) -> Iterator[str]:
    """The words that a value may be."""
    if not isinstance(value, Mapping):
        return
    if isinstance(value.get("const"), str | int):
        yield str(value["const"])
    yield from (str(word) for word in value.get("enum", ()))
    for part in ("anyOf", "oneOf"):
        for choice in value.get(part, ()):
            yield from _words(choice)
