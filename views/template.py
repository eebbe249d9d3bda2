"""A puzzle file to begin with: what `budge new` writes, made of a family's record."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from ..models.documents.document import parse
from ..models.documents.keys import Key
from ..models.family import Family

WIDTH = 96

SHARED = (
    ("name", "the title; default: the name of the file", "My first puzzle"),
    ("author", "who made it", "Ann Example"),
    ("credit", "where it comes from", "a magazine of 1912"),
    ("notes", "anything else", "drawn from memory"),
)
"""The keys that every puzzle may have: name, what it is for, an example."""


def template(family: Family[Any, Any]) -> str:
    """The family's sample, with the keys that it has explained above them, and those that it lacks as comments."""
    document = parse(family.sample, "<sample>")
    has = [entry.key.text for entry in document.root.entries]
    lines = [f"# {family.title}. {family.sentence}", "# A line that begins with `#` is a comment.", ""]
    known = {key.name: key for key in family.keys}
    for line in family.sample.rstrip("\n").split("\n"):
        name = line.split(":")[0]
        if name in known:
            lines += ["", *_comment(_explained(known[name]))]
        lines.append(line)
    missing = [key for key in family.keys if key.name not in has]
    if missing:
        lines += ["", *_comment("What else this family knows:")]
        for key in missing:
            lines += _comment(f"{key.name}: {_explained(key)}", "  ")
    lines += ["", *_comment("What every puzzle may say:")]
    lines += [f"# {name}: {example}    # {what}" for name, what, example in SHARED if name not in has]
    if "metric" not in has:
        names = [f"[{name.replace(',', ', ')}]" if "," in name else name for name in family.metric_names]
        lines += [f"# metric: {names[0]}    # what counts as one move: {'; '.join(names)}"]
    if "expect" not in has:
        lines += ["# expect: {cost: 1}    # the optimum, if you know it; `budge solve` says if it is wrong"]
    return "\n".join(lines) + "\n"


def _explained(key: Key) -> str:
    """What a key is for, and the keys within it."""
    inner = "; ".join(f"`{inner.name}`: {inner.help}" for inner in key.keys)
    return key.help + (f" ({inner})" if inner else "")


def _comment(text: str, indent: str = "") -> Iterable[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"# {indent}", subsequent_indent=f"# {indent}  ")
