"""What a page asks for: the studio that all requests share, and the fields of a request, checked as they are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..models.errors import PuzzleError, UsageError
from ..models.moves import Cost
from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from ..workflows.solving import metric_of
from .library import Library
from .reading import MAX_TEXT, Helper, Reader
from .runs import Runs
from .stores import Stores

Fields = Mapping[str, Any]
"""The query of a GET, or the body of a POST."""


@dataclass
class Studio:
    """The things that all requests share, with the largest limits of a run, and the key of the puzzle to open first."""

    library: Library
    reader: Reader
    helper: Helper
    runs: Runs
    stores: Stores
    most_seconds: float
    most_memory: int
    first: str | None = None
    leaving: Callable[[], bool] = lambda: False

    def check(self, asked: Fields) -> Check:
        """What was read of the text that is asked about: of `text`, or else of what is kept under `key`."""
        key, text = words(asked, "key"), asked.get("text")
        text = self.library.text(key) if text is None else words(asked, "text", most=MAX_TEXT)
        return self.reader.check(text, self.library.name(key), self.library.path(key))

    def puzzle(self, asked: Fields) -> tuple[Puzzle, str]:
        """The puzzle that is asked about, and a metric. Raises `PuzzleError` and `UsageError`."""
        check = self.check(asked)
        if check.puzzle is None:
            raise PuzzleError(list(check.problems), check.dropped)
        return check.puzzle, metric_of(check.puzzle, words(asked, "metric", most=200) or None)

    def best(self, puzzle: Puzzle, metric: str) -> tuple[Cost | None, Cost | None]:
        """The best bounds that runs have found of a puzzle: the lower bound, and the cost of the best plan."""
        outcomes = [
            outcome
            for run in self.runs.all()
            if (run.kind, run.metric, run.puzzle.digest) == ("solve", metric, puzzle.digest)
            and (outcome := getattr(run.answer, "outcome", None)) is not None
        ]
        lower = [one.lower_bound for one in outcomes if one.lower_bound is not None]
        upper = [one.upper_bound for one in outcomes if one.upper_bound is not None]
        return max(lower, default=None), min(upper, default=None)


class Conflict(UsageError):
    """A file or a text would be overwritten, and nobody has said that it may. `more`: what the page shows of it."""

    def __init__(self, sentence: str, **more: Any) -> None:
        super().__init__(sentence)
        self.more = more


def words(asked: Fields, name: str, default: str = "", most: int = 2000) -> str:
    """A field that is text, of at most some characters. Raises `UsageError`."""
    value = asked.get(name)
    if value is None:
        return default
    if not isinstance(value, str):
        raise UsageError(f"`{name}` is not a text")
    if len(value) > most:
        raise UsageError(f"`{name}` has {len(value):,} characters, the studio takes {most:,}")
    return value


def number_of(asked: Fields, name: str, default: int = 0, most: int = 10**15) -> int:
    """A field that is a whole number from 0 on; in a query its digits. Raises `UsageError`."""
    value = asked.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        value = int(value)
    if type(value) is not int or not 0 <= value <= most:
        raise UsageError(f"`{name}` is no number from 0 to {most:,}")
    return value


def listed(asked: Fields, name: str, most: int = 20_000) -> list[Any]:
    """A field that is a list. Raises `UsageError`."""
    value = asked.get(name, [])
    if not isinstance(value, list) or len(value) > most:
        raise UsageError(f"`{name}` is no list of at most {most:,}")
    return value


def names_of(asked: Fields, name: str, most: int = 20_000) -> list[str]:
    """A field that is a list of texts. Raises `UsageError`."""
    return [words({name: value}, name) for value in listed(asked, name, most)]


def flag(asked: Fields, name: str) -> bool:
    """A field that is true or not."""
    return asked.get(name) is True
