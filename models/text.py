"""Words for people: suggestions for what was mistyped."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggest(word: str, known: Iterable[str]) -> str:
    """`did you mean ...?`, or the list of what is known."""
    known = list(known)
    if not known:
        return ""
    lowered = {k.lower(): k for k in known}
    close = difflib.get_close_matches(word.lower()[:80], lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean `{lowered[close[0]]}`?"
    return "known here: " + ", ".join(f"`{k}`" for k in known)
