"""Puzzle files as a JSON Schema (draft 2020-12): for editors, which complete and check while one types.

The schema is made from the families' own key tables (`Key`), metrics and samples, so it knows families of other
packages as well. It sees what can be said of one value: unknown keys, missing keys, wrong types, words and numbers out
of range. What a map shows is judged by the reader alone. No file that the reader accepts is invalid under the schema:
it takes every scalar as text where the reader does (`name: 12`), and words with spaces around them.

Keywords are those that editors have long known (`if`, `then`, `$ref` without neighbours); `prefixItems` is the only one
that older ones pass over.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from ..models.documents.compose import Mapping, Node, Scalar
from ..models.documents.document import parse
from ..models.documents.fields import HEADER_KEYS, Key
from ..models.family import Family
from ..models.moves import MOST_COMPONENTS, MOST_OF_A_STEP, Metric

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
OF_THE_FAMILY = ("metric", "expect")
"""Header keys whose values depend on the family."""


def puzzle_schema(families: Iterable[Family[Any, Any]]) -> Schema:
    """The schema of the puzzle files of some families."""
    families = list(families)
    common = {key.name: _value(key) for key in HEADER_KEYS if key.name not in OF_THE_FAMILY}
    common["format"] = {"description": common["format"]["description"], "enum": [1, "1"], "default": 1}
    common["family"] = {
        "description": common["family"]["description"],
        "anyOf": [
            {
                "enum": [family.name for family in families],
                "enumDescriptions": [f"{family.title}: {family.sentence}" for family in families],
            },
            {"description": "a file of rules", "type": "string", "pattern": "[.]family[.]yaml$"},
        ],
    }
    return {
        "$schema": DRAFT,
        "$comment": "Made by `budge schema` from the families' own tables of keys.",
        "title": "A puzzle of Budge",
        "type": "object",
        "properties": common,
        "required": [key.name for key in HEADER_KEYS if key.required],
        "allOf": [
            {
                "if": {"properties": {"family": {"const": family.name}}, "required": ["family"]},
                "then": {"$ref": f"#/$defs/{family.name}"},
            }
            for family in families
        ],
        "$defs": {family.name: _family(family) for family in families},
    }


def plain(node: Node) -> Any:
    """The value of a node as JSON has it, under the YAML 1.2 core schema: what an editor sees."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Mapping):
        return {entry.key.text: plain(entry.value) for entry in node.entries}
    return [plain(item) for item in node.items]


def _family(family: Family[Any, Any]) -> Schema:
    """The schema of the files of one family. The values of the common keys are described at the root."""
    header = {key.name: key for key in HEADER_KEYS}
    properties: Schema = {name: True for name in header if name not in OF_THE_FAMILY}
    own = family.own_metrics is not None  # then any name may be that of a metric
    properties["metric"] = {"description": header["metric"].help} | ({} if own else _metric(family.metrics))
    properties["expect"] = _described(header["expect"]) | ({"type": "object"} if own else _expect(family.metrics))
    others = {key.instead_of for key in family.keys}
    schema = {
        "title": family.title,
        "description": family.sentence,
        "type": "object",
        "properties": properties | {key.name: _value(key) for key in family.keys},
        "required": [key.name for key in family.keys if key.required and key.name not in others],
        "additionalProperties": False,
        "examples": [plain(parse(family.sample).root)],
    }
    choices = [
        {"oneOf": [{"required": [key.instead_of]}, {"required": [key.name]}]} for key in family.keys if key.instead_of
    ]
    return schema | ({"allOf": choices} if choices else {})


def _described(key: Key) -> Schema:
    """The help and the examples that an editor shows for a key."""
    described: Schema = {"description": key.help}
    if key.examples:
        documents = [parse(f"{key.name}: {example}\n") for example in key.examples]
        described["examples"] = [plain(document.root)[key.name] for document in documents]
    return described


def _value(key: Key) -> Schema:
    """The schemas of the values that a key may have, one for each kind of value."""
    kinds: list[Schema] = []
    if "string" in key.types:
        scalars = ["string", "number", "boolean", *(["null"] if "null" in key.types else [])]
        kinds += _words(key.choices) if key.choices else [{"type": scalars}]
    elif "integer" in key.types:
        kinds.append(_number(key.minimum))
    if "array" in key.types:
        kinds.append({"type": "array"} | ({"items": _value(key.items)} if key.items else {}))
    if "object" in key.types:
        chosen = {"additionalProperties": _value(key.values)} if key.values else {}  # keys that the author chooses
        kinds.append({"type": "object"} | (_mapping(key.keys) if key.keys else {}) | chosen)
    return _described(key) | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _words(words: Iterable[str]) -> list[Schema]:
    """One of some words, which editors can offer; or the same with spaces around it or its parts, which is allowed."""
    words = list(words)
    return [{"enum": words}, {"type": "string", "pattern": _pattern(words)}]


def _pattern(words: Iterable[str]) -> str:
    """An expression of ECMA-262, as schemas have it: it knows no escapes but those of signs with a meaning."""
    safe = [re.sub(r"[][\\^$.|?*+(){}/]", r"\\\g<0>", word) for word in words]
    spaced = (word.replace(",", r"\s*,\s*") for word in safe)
    return rf"^\s*(?:{'|'.join(spaced)})\s*$"


def _number(minimum: int = 0) -> Schema:
    return {"type": "integer", "minimum": minimum, "maximum": MOST_OF_A_STEP}


def _mapping(keys: Iterable[Key]) -> Schema:
    """A mapping with fixed keys."""
    keys = list(keys)
    return {
        "properties": {key.name: _value(key) for key in keys},
        "required": [key.name for key in keys if key.required],
        "additionalProperties": False,
    }


def _metric(metrics: Iterable[Metric]) -> Schema:
    """A metric's name, or its parts as a list."""
    metrics = list(metrics)
    parts: list[list[str]] = [[metric.name] for metric in metrics]
    parts += [list(metric.components) for metric in metrics if len(metric.components) > 1]
    lists = [
        {
            "type": "array",
            "prefixItems": [{"type": "string", "pattern": _pattern([part])} for part in names],
            "minItems": len(names),
            "maxItems": len(names),
        }
        for names in parts
    ]
    return {"default": metrics[0].name, "anyOf": [*_words(metric.name for metric in metrics), *lists]}


def _expect(metrics: Iterable[Metric]) -> Schema:
    """Costs by metric, or that there is no plan. `cost` is in the puzzle's metric, whichever that is."""
    metrics = list(metrics)
    sizes = {len(metric.components) for metric in metrics}
    costs = {metric.name: _cost({len(metric.components)}) for metric in metrics}
    costs = {name: {"description": f"the least cost in `{name}`"} | cost for name, cost in costs.items()}
    costs["cost"] = {"description": "the least cost in the puzzle's own metric"} | _cost(sizes)
    unsolvable = {"description": "`true` if the puzzle has no solution", "type": "boolean"}
    many = "how many shortest plans there are, up to swapping moves that do not touch each other"
    plans = {"description": many, "type": "integer", "minimum": 1}
    properties: dict[str, Schema] = {"plans": plans, **costs, "unsolvable": unsolvable}
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": {_pattern(properties): True},  # the same with spaces
        "additionalProperties": False,
        "if": {"properties": {"unsolvable": {"const": True}}, "required": ["unsolvable"]},
        "then": {"propertyNames": {"pattern": _pattern(["unsolvable"])}},
    }


def _cost(sizes: Iterable[int]) -> Schema:
    """A number, or a list of as many numbers as the metric has parts."""
    kinds = []
    for size in sorted(sizes):
        assert 1 <= size <= MOST_COMPONENTS
        kinds += [_number()] if size == 1 else []
        kinds.append({"type": "array", "items": _number(), "minItems": size, "maxItems": size})
    return {"anyOf": kinds} if len(kinds) > 1 else kinds[0]


# A puzzle file to begin with: what `budge new` writes, made of a family's record.

WIDTH = 96


def template(family: Family[Any, Any], sample: str | None = None) -> str:
    """A sample (default: the first) with the family's keys explained, and all other keys of its files as comments.

    A comment that begins with one `#` is a key to use: without the `# ` it is valid. What explains begins with `##`.
    """
    sample = sample or family.sample
    has = {entry.key.text for entry in parse(sample, "<sample>").root.entries}
    keys = {key.name: key for key in family.keys}
    lines = _words_template(f"{family.title}. {family.sentence}")
    lines += _words_template("To use a line that begins with one `#`, remove the `# `.")
    for line in sample.rstrip("\n").split("\n"):
        name = line.split(":")[0]
        if name in keys:
            lines += ["", *_words_template(_explained(keys[name]))]
        lines.append(line)
    for key in (*family.keys, *HEADER_KEYS):
        if key.name not in has:
            lines += ["", *_key(key, family)]
    return "\n".join(lines) + "\n"


def _key(key: Key, family: Family[Any, Any]) -> Iterable[str]:
    """The lines of a key that the sample does not use: its help and an example, as comments."""
    text, example = _explained(key), key.examples[0] if key.examples else ""
    if key.name == "metric":
        names = [f"[{name.replace(',', ', ')}]" if "," in name else name for name in family.metric_names]
        text, example = f"{text} ({'; '.join(names)})", names[0]
    yield from _words_template(f"{key.name}: {text}" if not example else text)
    if example:
        yield f"# {key.name}: {example}"


def _explained(key: Key) -> str:
    """The help of a key, and of the keys within it."""
    inner = "; ".join(f"`{inner.name}`: {inner.help}" for inner in key.keys)
    return key.help + (f" ({inner})" if inner else "")


def _words_template(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="## ", subsequent_indent="## ")
