"""Plans as text: the words of a plan with their places, for the families' parsers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import ReplayError

SHOWN = 20
"""Characters of a word that are shown in a message."""


def words(text: str) -> Iterator[tuple[str, str]]:
    """The words of a plan, between blanks, line ends, commas and semicolons, each with its place in a few words."""
    number = 0
    for row, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"[^\s,;]+", line):
            number += 1
            word = match.group()
            shown = word if len(word) <= SHOWN else word[:SHOWN] + "…"
            yield f"step {number} (`{shown}`, line {row}, column {match.start() + 1})", word


def parsed(pattern: str, place: str, word: str, example: str) -> re.Match[str]:
    """The match of a whole word. Raises `ReplayError`, naming the place and an example, if there is none."""
    match = re.fullmatch(pattern, word)
    if match is None:
        raise ReplayError(f"{place} is not a step of this family; write {example}")
    return match
