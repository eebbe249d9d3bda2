"""Words for people: counts with their nouns, widths in a terminal, suggestions for what was mistyped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

LISTED = 40
"""The most words that a message lists."""


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun in the right form: `1 row`, `2 rows`, `3 boxes` with `plural="boxes"`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def with_article(noun: str) -> str:
    """A noun with `a` or `an`: `an action`."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def listing(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence: `A`, `A and B`, `A, B and C`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def being(amount: str) -> str:
    """An amount with its verb: `1 slide is`, `9 slides are`, `weight 92 is`."""
    single = amount.partition(" ")[0] == "1" and "," not in amount
    return f"{amount} {'is' if single or not amount[0].isdigit() else 'are'}"


def cut(text: str, width: int) -> str:
    """A text, cut to a number of characters; dots show where."""
    return text if len(text) <= width else text[: width - 3] + "..."


def clip(text: str, length: int = 40) -> str:
    """Text for a message, shortened if it is longer than `length`."""
    return text if len(text) <= length else text[: length - 1] + "…"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: combining marks none, wide characters two (Unicode Annex 11).

    The library `wcwidth` would add emoji that are joined from several characters; they are no cells of a board
    (`grid` refuses joiners), and a caret one column off below such a name is not worth a dependency.
    """
    if text.isascii():
        return len(text)
    marks = sum(unicodedata.category(char) in ("Mn", "Me") for char in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(char) in "WF" for char in text)


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def wide(text: str) -> int:
    """How many columns a line takes, codes for colours not counted."""
    return columns(_COLOURS.sub("", text) if "\x1b" in text else text)


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Lines with the cells of each row in columns; those of the numbers `right` are aligned to the right."""
    to_right = set(right)
    widths = [max(map(wide, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        parts = []
        for number, (text, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - wide(text))
            parts.append(space + text if number in to_right else text + space)
        lines.append("  ".join(parts).rstrip())
    return lines


def closest(word: str, choices: Iterable[str], others: Mapping[str, str] | None = None) -> str | None:
    """The known word that a mistyped one most likely means. `others`: words that people use instead of known ones."""
    lowered = {k.lower(): k for k in choices}
    meant = (others or {}).get(word.lower())
    if meant in lowered.values():
        return meant
    import difflib  # slow to import, and only mistakes need it

    close = difflib.get_close_matches(word.lower()[:80], lowered, n=1, cutoff=0.6)
    return lowered[close[0]] if close else None


def meant(word: str, choices: Iterable[str], others: Mapping[str, str] | None = None) -> str:
    """The question `did you mean ...?` for a mistyped word; empty if no known one is near."""
    near = closest(word, choices, others)
    return f"did you mean `{near}`?" if near else ""


def suggest(word: str, choices: Iterable[str], others: Mapping[str, str] | None = None) -> str:
    """The end of a message about an unknown word: `did you mean ...?`, or the list of what is known."""
    choices = list(choices)
    if question := meant(word, choices, others):
        return question
    if not choices:
        return ""
    more = len(choices) - LISTED
    listed = ", ".join(f"`{k}`" for k in choices[:LISTED]) + (f" or {more:,} others" if more > 0 else "")
    return f"choose one of {listed}" if len(choices) > 1 else f"the only choice is {listed}"
