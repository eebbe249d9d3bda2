"""Reading the keys of a mapping: each reader gives the value, or records what is wrong and gives None."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Seq

from ..cost import MOST_OF_A_STEP
from ..text import closest, suggest
from .document import Mapping, Node, Report, Scalar, Sequence, Span, clip, core_value, describe


class Fields:
    """The keys of one mapping. Unknown keys are reported when the object is made."""

    def __init__(self, mapping: Mapping, report: Report, known: Seq[str], what: str = "a puzzle") -> None:
        self.mapping, self.report, self.what = mapping, report, what
        unknown = [entry.key for entry in mapping.entries if entry.key.text not in known]
        self.meant = {unknown_key(key, report, what, known) for key in unknown}

    def has(self, key: str) -> bool:
        return self.mapping.get(key) is not None

    def node(self, key: str, *, required: bool = False, example: str = "") -> Node | None:
        """The node of a key; an empty value counts as missing."""
        node = self.mapping.get(key)
        if isinstance(node, Scalar) and node.value is None and node.style is None:
            hint = f"write `{example}`" if example else "write a value behind the `:`, or remove the key"
            self.report.error(self.mapping.key(key), f"`{key}` has no value", hint)
            return None
        if node is None and required:
            self.missing(key, example and f"add `{example}`")
        return node

    def missing(self, key: str, hint: str) -> None:
        """Record that a key is missing, unless an unknown one was most likely meant to be it."""
        if key not in self.meant:
            self.report.error(self.mapping, f"{self.what} needs the key `{key}`", hint)

    def text(self, key: str, *, required: bool = False, example: str = "") -> str | None:
        """The text of a scalar, as written (never a number or a truth value), without spaces around it."""
        node = self.mapping.get(key)
        if not isinstance(node, Scalar) or not node.text:
            node = self.node(key, required=required, example=example)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            hint = f"write `{example}`" if example else "put text with brackets in quotes"
            self.report.error(node, f"`{key}` must be text, not {describe(node)}", hint)
            return None
        return node.text.strip()

    def integer(self, key: str, *, minimum: int = 0, required: bool = False, example: str = "") -> int | None:
        """A whole number."""
        node = self.node(key, required=required, example=example)
        return None if node is None else integer(node, self.report, f"`{key}`", minimum)

    def choice(self, key: str, choices: Seq[str], *, required: bool = False, example: str = "") -> str | None:
        """One word of a list."""
        text = self.text(key, required=required, example=example)
        if text is None or text in choices:
            return text
        node = self.mapping.get(key)
        self.report.error(node, f"`{key}` cannot be `{clip(text)}`", suggest(text, choices))
        return None

    def fields(self, key: str, known: Seq[str], *, example: str = "") -> Fields | None:
        """A nested mapping with its own known keys."""
        node = self.node(key, example=example)
        if node is None:
            return None
        if not isinstance(node, Mapping):
            self.report.error(
                node, f"`{key}` must be a mapping, not {describe(node)}", example and f"write `{example}`"
            )
            return None
        return Fields(node, self.report, known, f"`{key}`")


SAME = (("name", "title"), ("author", "by"), ("board", "map", "start", "grid", "level", "position"))
"""Words for one thing: families call it differently, and so do authors."""


def unknown_key(key: Scalar, report: Report, what: str, known: Iterable[str]) -> str | None:
    """Record a key that `what` does not have; what is known is looked up only for errors that are shown.

    Gives the key that was meant, if that can be told.
    """
    name, colon, rest = key.text.partition(":")
    known = list(known)
    same = [k for words in SAME if key.text.lower() in words for k in known if k in words]
    others = {key.text.lower(): same[0]} if same else None
    if report.full:
        hint = ""
    elif not key.text:
        hint = "remove the `:`, or write a key before it"
    elif colon and name in known:
        hint = f"put a space behind the colon: `{name}: {clip(rest)}`"
    else:
        hint = suggest(key.text, known, others)
    report.error(key, f"unknown key `{clip(key.text)}` in {what}", hint)
    return None if report.full else closest(key.text, known, others)


def integer(node: Node, report: Report, what: str, minimum: int = 0, maximum: int = MOST_OF_A_STEP) -> int | None:
    """The whole number of a scalar."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int):
        quoted = isinstance(value, str) and isinstance(core_value(value), int)
        hint = "remove the quotes" if quoted else f"write a whole number, {minimum} or more"
        report.error(node, f"{what} must be a whole number, not {describe(node)}", hint)
        return None
    if not minimum <= value <= maximum:
        bound = f"at least {minimum:,}" if value < minimum else f"at most {maximum:,}"
        hint = f"write a whole number from {minimum:,} to {maximum:,}"
        report.error(node, f"{what} must be {bound}, not {describe(node)}", hint)
        return None
    return value


def span_of(node: Node | Span) -> Span:
    return node if isinstance(node, Span) else node.span


__all__ = ["Fields", "Sequence", "integer", "span_of", "suggest"]
