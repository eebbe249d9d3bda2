"""Names of facts and operators as other programs' formats allow them."""

from __future__ import annotations

import re
from collections.abc import Collection

WORDS = {"+": " plus ", "-": " minus "}


class Identifiers:
    """Gives texts names of small ASCII letters, digits and one separator, that begin with a letter.

    No two names of one object are equal, whatever the texts (`A at r1c1`, `a at r1c1`).
    """

    def __init__(self, separator: str, prefix: str, reserved: Collection[str] = ()) -> None:
        """`prefix`: what is put before a name that would not begin with a letter."""
        self.separator, self.prefix = separator, prefix
        self._taken = set(reserved)

    def new(self, text: str) -> str:
        """A name for a text that no other call has got."""
        for char, word in WORDS.items():
            text = text.replace(char, word)
        text = "".join(c if c.isascii() else f" u{ord(c):x} " for c in text.lower())
        name = self.separator.join(re.findall(r"[a-z0-9]+", text))
        if not name[:1].isalpha():
            name = self.prefix + (self.separator + name if name else "")
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}{self.separator}{number}"
        self._taken.add(unique)
        return unique
