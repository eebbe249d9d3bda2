"""The exceptions of Budge.

BudgeError
├── PuzzleError        a puzzle file that cannot be used: every problem in it, with its place
├── UsageError         a call or command line that makes no sense (no such engine, metric, puzzle)
│   ├── GroundingError a puzzle that can be read, but not made a task; also a PuzzleError
│   └── WriteError    a file that cannot be written: the disk is full, or its folder takes none
├── ReplayError        a plan that the rules of its family do not allow
│   └── UnreadableError a text that is not written as plans are: no plan is known, right or wrong; also a UsageError
├── FaultError         a process died, could not be started or failed: there is no answer
└── DisagreementError  two sources of proof contradict each other (a bug, or a wrong `expect`)
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Self

from .text import columns


class BudgeError(Exception):
    """Base of every error that Budge raises on purpose."""


class UsageError(BudgeError):
    """The caller asked for something that does not exist or does not fit."""


class WriteError(UsageError):
    """A file cannot be written: the disk is full, or the system does not allow it."""


class ReplayError(BudgeError):
    """A plan contains a move that the rules of the family forbid, does not reach the goal, or is no plan at all.

    `reason`: what is wrong. Where a move is: `move_number`, counted from 1, its `notation`, if that is known, and
    `position`, the board (rows of text) before it. The text is `move 4 (`D+2`): D is blocked at row 4, column 4`.
    `step`: the number of the first step that is wrong, also of a text that cannot be read; None if none is to blame.
    """

    def __init__(
        self,
        reason: str,
        move_number: int | None = None,
        notation: str | None = None,
        position: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(reason, move_number, notation, position)  # the arguments, so that it can be pickled
        self.reason = reason
        self.step = self.move_number = move_number
        self.notation = notation
        self.position = position

    def __str__(self) -> str:
        if self.move_number is None:
            return self.reason
        return f"move {self.move_number}{f' (`{self.notation}`)' if self.notation else ''}: {self.reason}"

    def on(self, step: int) -> Self:
        """This error, with the number of the first step that is wrong."""
        self.step = step
        return self

    def at(self, move_number: int, position: tuple[str, ...]) -> ReplayError:
        """This error with the number of the move at which it happened, and the position there."""
        return ReplayError(self.reason, move_number, self.notation, position)

    def named(self, notation: str | None) -> ReplayError:
        """The error with the notation of the move, as the author of the plan wrote it."""
        return ReplayError(self.reason, self.move_number, notation, self.position)


class UnreadableError(ReplayError, UsageError):
    """A text is not written as its family's plans are: the log of a planner, an empty file. What plan is meant is not
    known, so it is never called invalid.
    """

    def __str__(self) -> str:
        return f"the plan cannot be read: {super().__str__()}"


class FaultError(BudgeError):
    """A process of Budge died, could not be started, or raised what it should not: there is no answer.

    `solution`: of a run that ended in this way, what it had proven and found before (a `Solution` with the status
    `error`); else None. `details`: where in the program an exception was raised, if it was one.
    """

    solution: Any = None
    details = ""

    @classmethod
    def of(cls, error: Exception) -> FaultError:
        """A fault of Budge, made of an unexpected exception and its traceback."""
        import traceback

        if isinstance(error, ImportError) or (isinstance(error, OSError) and error.errno is None):
            why = str(error).split(". ")[0]
            return cls(f"a library cannot be loaded: {why}; is it installed, and is there enough memory (`ulimit -v`)?")
        named = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
        fault = cls(f"a fault of Budge, not of the puzzle: {named}")
        fault.details = "".join(traceback.format_exception(error))
        return fault


class DisagreementError(BudgeError):
    """A proven value contradicts another proven value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file. `line` and `column` count from 1; 0 means "the file as a whole"."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""
    source: str = ""
    width: int = 1

    @property
    def end_column(self) -> int:
        """The column behind the last character that is marked; 0 if the problem is of the file as a whole."""
        return self.column + max(1, self.width) if self.line else 0

    def render(self) -> str:
        """The problem as people read it: place, message, source line, caret, what to do."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        lines = [f"{place}: error: {self.message}"]
        if self.line and self.source.strip():
            lines += self._excerpt()
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return printable_lines("\n".join(lines))

    def _excerpt(self) -> list[str]:
        """The source line, or the part of a long one around the place, and the carets below it."""
        column = self.column - 1
        start = max(0, column - EXCERPT // 2) if len(self.source) > EXCERPT else 0
        source = self.source[start : start + EXCERPT]
        before, marked = source[: column - start], source[column - start :][: self.width]
        if start:
            before = "…" + before[1:]
        rest = source[column - start + len(marked) :]
        if start + EXCERPT < len(self.source):
            rest += "…"
        # Tabs stay tabs under the source line, so that the caret stands below its character.
        pad = "".join("\t" if char == "\t" else " " * columns(char) for char in before)
        carets = "^" * max(1, columns(marked))
        number = str(self.line)
        return [f"  {number} | {before}{marked}{rest}", f"  {' ' * len(number)} | {pad}{carets}"]


EXCERPT = 120
"""Characters of a source line that are shown."""


def printable(text: str) -> str:
    """Text that a terminal shows as it is: control characters and lone surrogates become U+FFFD."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" or unicodedata.category(c) == "Zs" else "\ufffd" for c in text)


def printable_lines(text: str) -> str:
    """A text of several lines that a terminal shows as it is."""
    return "\n".join(map(printable, text.split("\n")))


class PuzzleError(BudgeError):
    """A puzzle file cannot be used. `problems` holds what was found wrong, in file order.

    `dropped` is the number of further problems that are only counted.
    """

    def __init__(self, problems: list[Problem] | str, dropped: int = 0) -> None:
        self.problems: list[Problem] = []
        self.dropped = dropped
        if isinstance(problems, str):  # the text of one that another process reports
            super().__init__(problems)
            return
        self.problems = sorted(problems, key=lambda p: (p.file, p.line, p.column))
        texts = [p.render() for p in self.problems]
        if dropped:
            texts.append(f"... and {dropped:,} more problems")
        super().__init__("\n".join(texts))

    def __reduce__(self) -> tuple[type[PuzzleError], tuple[list[Problem] | str, int]]:
        return type(self), (self.problems or str(self), self.dropped)


class GroundingError(PuzzleError, UsageError):
    """A puzzle that can be read cannot be made a planning task: too many cases or operators, a negative price."""

    @property
    def reason(self) -> str:
        """What is wrong in a few words for use in another sentence: `this goal (line 12) falls into too many cases`."""
        first = self.problems[0] if self.problems else Problem("", 0, 0, "there are too many")
        return f"{first.message} (line {first.line})" if first.line else first.message
