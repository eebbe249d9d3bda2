"""The verdict about a certificate, whatever it holds: never an exception, and never valid by a fault."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .core.claim import AT_LEAST, UNSOLVABLE
from .core.limits import Rejected, Unsupported

VALID, FOR_PROBLEM, INVALID, UNSUPPORTED = "valid", "valid for problem.txt", "invalid", "unsupported"
"""What is known of a claim: that it is true of the puzzle, or of problem.txt, whatever puzzle that is; that it is not
shown; or nothing.
"""

CODES = {VALID: 0, INVALID: 1, FOR_PROBLEM: 3, UNSUPPORTED: 3}
"""The exit code of each verdict: 0 only if the claim is shown of the puzzle."""

SINGULAR = re.compile("(?<=sh|ch|ss)es$|(?<=x)es$|(?<=[^s])s$")
"""The ending of a plural, which a unit loses where there is one of it: `1 slide`, `1 push`."""


@dataclass(frozen=True, slots=True)
class CertificateVerdict:
    """The result of a check. `shown`: what has been shown; `by`: by what; `trust`: what one still has to believe;
    `problem`: why it is not accepted; `board`: the puzzle as it was read; `puzzle`: its text; `metric`: its unit;
    `open`: what is not known, where the status is `FOR_PROBLEM`.
    """

    status: str
    shown: str = ""
    by: tuple[str, ...] = ()
    trust: str = ""
    problem: str = ""
    board: tuple[str, ...] = ()
    puzzle: str = ""
    metric: str = ""
    open: str = ""

    @property
    def headline(self) -> str:
        """The verdict as one line: `valid: 24 slides is the optimum`."""
        return f"{self.status}{self.open and f'; {self.open}'}: {self.shown or self.problem}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The verdict as lines for people."""
        if not self.shown:
            return (self.headline,)
        board = ("the puzzle, as read:", *(f"  {row}" for row in self.board)) if self.board else ()
        return self.headline, *(f"  {line}" for line in (*self.by, f"to be trusted: {self.trust}")), *board


def guarded(checked: Callable[[], CertificateVerdict]) -> CertificateVerdict:
    """The verdict of a check, whatever it raises but `KeyboardInterrupt`."""
    try:
        return checked()
    except Unsupported as problem:
        return CertificateVerdict(UNSUPPORTED, problem=printable(str(problem)))
    except Rejected as problem:
        return CertificateVerdict(INVALID, problem=printable(str(problem)))
    except MemoryError:
        return CertificateVerdict(UNSUPPORTED, problem="not decided: it takes more memory than there is")
    except RecursionError:
        return CertificateVerdict(UNSUPPORTED, problem="not decided: something is nested too deeply for this checker")
    except Exception as error:  # a fault of the checker: it shows nothing, least of all that the claim is right
        return CertificateVerdict(UNSUPPORTED, problem=printable(f"not decided: this checker failed: {error!r}"))


def visible(char: str) -> bool:
    """Whether a character is visible by itself: no control or combining character, and no space but the blank."""
    return char.isprintable() and unicodedata.category(char) not in ("Mn", "Me")


def printable(text: str) -> str:
    """A text without control sequences for a terminal: what is not visible is written as an escape."""
    return "".join(char if visible(char) else char.encode("unicode_escape").decode() for char in text)


def in_words(says: str, cost: Sequence[int], counts: Sequence[str]) -> tuple[str, str]:
    """A claim in words, and what it says of plans that cost less; `cost` is empty if the claim is `unsolvable`.

    Of two counts the second one is compared where the first is equal: `no plan has fewer than 8 pushes, or 8 pushes and
    fewer than 33 moves`.
    """
    if says == UNSOLVABLE:
        return "there is no plan", "there is no plan"
    first, *second = (said([number], [unit]) for number, unit in zip(cost, counts, strict=True))
    least = ", ".join([f"at least {first}", *(f"and with {first} at least {part}" for part in second)])
    fewer = [f"{'fewer' if unit.endswith('s') else 'less'} than" for unit in counts]
    less = ", or ".join([f"{fewer[0]} {first}", *(f"{first} and {fewer[1]} {part}" for part in second)])
    shown = f"every plan has {least}" if says == AT_LEAST else f"{said(cost, counts)} is the optimum"
    return shown, f"no plan has {less}"


def said(cost: Sequence[int], counts: Sequence[str]) -> str:
    """A cost in words: `24 slides`, `1 push and 33 moves`, `weight 92`."""
    return " and ".join(
        f"{number} {SINGULAR.sub('', unit) if number == 1 else unit}" if unit.endswith("s") else f"{unit} {number}"
        for number, unit in zip(cost, counts, strict=True)
    )
