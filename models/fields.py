"""Reading the keys of a mapping: each reader gives the value, or records what is wrong and gives None."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence as Seq

from .document import Mapping, Node, Report, Scalar, Sequence, Span, describe


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean ...?`, or the list of what is known."""
    known = list(known)
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{lowered[close[0]]}`?"
    return "known here: " + ", ".join(f"`{k}`" for k in known)


class Fields:
    """The keys of one mapping. Unknown keys are reported when the object is made."""

    def __init__(self, mapping: Mapping, report: Report, known: Seq[str], what: str = "a puzzle") -> None:
        self.mapping, self.report, self.what = mapping, report, what
        for entry in mapping.entries:
            if entry.key.text not in known:
                report.error(entry.key, f"unknown key `{entry.key.text}` in {what}", suggest(entry.key.text, known))

    def has(self, key: str) -> bool:
        return self.mapping.get(key) is not None

    def node(self, key: str, *, required: bool = False, example: str = "") -> Node | None:
        """The node of a key; an empty value counts as missing."""
        node = self.mapping.get(key)
        if isinstance(node, Scalar) and node.value is None and node.style is None:
            self.report.error(self.mapping.key(key), f"`{key}` has no value", example and f"write `{example}`")
            return None
        if node is None and required:
            self.report.error(self.mapping, f"{self.what} needs the key `{key}`", example and f"add `{example}`")
        return node

    def text(self, key: str, *, required: bool = False, example: str = "") -> str | None:
        """The text of a scalar, as written (never a number or a truth value)."""
        node = self.node(key, required=required, example=example)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.report.error(node, f"`{key}` must be text, not {describe(node)}", example and f"write `{example}`")
            return None
        return node.text.strip()

    def integer(self, key: str, *, minimum: int = 0, required: bool = False, example: str = "") -> int | None:
        node = self.node(key, required=required, example=example)
        return None if node is None else integer(node, self.report, f"`{key}`", minimum)

    def choice(self, key: str, choices: Seq[str], *, required: bool = False, example: str = "") -> str | None:
        """One word of a list."""
        text = self.text(key, required=required, example=example)
        if text is None or text in choices:
            return text
        node = self.mapping.get(key)
        self.report.error(node, f"`{key}` cannot be `{text}`", suggest(text, choices))
        return None

    def fields(self, key: str, known: Seq[str], *, example: str = "") -> Fields | None:
        """A nested mapping with its own known keys."""
        node = self.node(key)
        if node is None:
            return None
        if not isinstance(node, Mapping):
            self.report.error(
                node, f"`{key}` must be a mapping, not {describe(node)}", example and f"write `{example}`"
            )
            return None
        return Fields(node, self.report, known, f"`{key}`")


def integer(node: Node, report: Report, what: str, minimum: int = 0) -> int | None:
    """The whole number of a scalar."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int):
        report.error(node, f"{what} must be a whole number, not {describe(node)}")
        return None
    if value < minimum:
        report.error(node, f"{what} must be at least {minimum}, not {value}")
        return None
    return value


def span_of(node: Node | Span) -> Span:
    return node if isinstance(node, Span) else node.span


__all__ = ["Fields", "Sequence", "integer", "span_of", "suggest"]
