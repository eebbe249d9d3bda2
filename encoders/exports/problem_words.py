"""Names of variables, values and actions in the text of a problem: words of `A-Z a-z 0-9 _ . : + * # @ $ / -`.

A+1 from r1c1        A+1@r1c1             an operator of Rush Hour
move(2,last)         move:2:last          an action with its parameters
at[1]                at:1                 a variable of a program
tile 7               tile.7               a group of facts
A at r1c1, A at r1c2 r1c1, r1c2           the values of a variable: what its facts do not have in common
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

NO, YES = "no", "yes"
"""The values of a fact that is a variable of its own."""


CELL = re.compile(r"(r\d+)(c\d+)")


class Words:
    """Gives texts words, no two of them equal: `A`, and where that is taken `A*2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """A new word for a text, unlike all words given before."""
        word = unique = word_of(text)
        number = 1
        while unique in self._taken:
            number += 1
            unique = f"{word}*{number}"
        self._taken.add(unique)
        return unique


def words_of(texts: Sequence[str]) -> tuple[str, ...]:
    """A word for each of some texts, no two of them equal."""
    new = Words().new
    return tuple(new(text) for text in texts)


def word_of(text: str) -> str:
    """A text as one word; different texts may have the same word."""
    text = re.sub(r" (?:from|at) ", "@", text)
    text = re.sub(r"[)\]]", "", re.sub(r"[\[(]|, ?", ":", text))
    text = "".join(c if c.isascii() else f"u{ord(c):x}" for c in text)
    return re.sub(r"[^A-Za-z0-9_.:+*#@$/-]", "_", ".".join(text.split())) or "_"


def named_values(name: str, facts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The text of a variable and the words of its values, from the name of its group and the names of its facts."""
    negated = next((fact for fact in facts if f"not {fact}" in facts), None)
    if negated is not None and len(facts) == 2:
        return negated, tuple(YES if fact == negated else NO for fact in facts)
    name = name.removeprefix("cell ")
    split = [fact.split() for fact in facts]
    first = _alike(split)
    last = _alike([words[first:][::-1] for words in split])
    if any(len(words) <= first + last for words in split):
        return name, words_of(facts)
    own = [words[first : len(words) - last] for words in split]
    texts = [" ".join(words[:-1] if words[-1] == "at" and words[1:] else words) for words in own]
    cells = [CELL.fullmatch(text) for text in texts]
    for part in (1, 2):
        if len(texts) > 1 and all(cells) and len({cell[part] for cell in cells if cell}) == 1:
            texts = [cell[3 - part] for cell in cells if cell]
            break
    return name, words_of(texts)


def _alike(several: list[list[str]]) -> int:
    """With how many words in common some lists begin."""
    columns = zip(*several, strict=False)
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
