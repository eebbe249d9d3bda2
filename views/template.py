"""A puzzle file to begin with: what `budge new` writes, made of a family's record."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from ..models.documents.document import parse
from ..models.documents.fields import HEADER_KEYS, Key
from ..models.family import Family

WIDTH = 96


def template(family: Family[Any, Any], sample: str | None = None) -> str:
    """A sample (default: the first) with the family's keys explained, and all other keys of its files as comments.

    A comment that begins with one `#` is a key to use: without the `# ` it is valid. What explains begins with `##`.
    """
    sample = sample or family.sample
    has = {entry.key.text for entry in parse(sample, "<sample>").root.entries}
    known = {key.name: key for key in family.keys}
    lines = _words(f"{family.title}. {family.sentence}")
    lines += _words("To use a line that begins with one `#`, remove the `# `.")
    for line in sample.rstrip("\n").split("\n"):
        name = line.split(":")[0]
        if name in known:
            lines += ["", *_words(_explained(known[name]))]
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
    yield from _words(f"{key.name}: {text}" if not example else text)
    if example:
        yield f"# {key.name}: {example}"


def _explained(key: Key) -> str:
    """The help of a key, and of the keys within it."""
    inner = "; ".join(f"`{inner.name}`: {inner.help}" for inner in key.keys)
    return key.help + (f" ({inner})" if inner else "")


def _words(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="## ", subsequent_indent="## ")
