"""The exceptions of Budge.

BudgeError
├── PuzzleError        a puzzle file that cannot be used: every problem in it, with its place
├── UsageError         a call or command line that makes no sense (no such engine, metric, puzzle)
├── ReplayError        a plan that the rules of its family do not allow
└── DisagreementError  two sources of proof contradict each other (a bug, or a wrong `expect`)
"""

from __future__ import annotations

from dataclasses import dataclass


class BudgeError(Exception):
    """Base of every error that Budge raises on purpose."""


class UsageError(BudgeError):
    """The caller asked for something that does not exist or does not fit."""


class ReplayError(BudgeError):
    """A plan contains a move that the rules of the family forbid, or does not reach the goal."""


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

    def render(self) -> str:
        """The problem as people read it: place, message, source line, caret, what to do."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        lines = [f"{place}: error: {self.message}"]
        if self.line and self.source.strip():
            number = str(self.line)
            # Tabs stay tabs under the source line, so that the caret stands below its character.
            pad = "".join("\t" if c == "\t" else " " for c in self.source[: self.column - 1])
            carets = "^" * max(1, min(self.width, len(self.source) - self.column + 1))
            lines.append(f"  {number} | {self.source}")
            lines.append(f"  {' ' * len(number)} | {pad}{carets}")
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return "\n".join(lines)


class PuzzleError(BudgeError):
    """A puzzle file cannot be used. `problems` holds everything that was found wrong, in file order."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems, key=lambda p: (p.file, p.line, p.column))
        super().__init__("\n".join(p.render() for p in self.problems))
