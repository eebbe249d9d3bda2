"""Which maker makes puzzles of a family, with what was asked for and with what is usual; for any family, random play
from a given puzzle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from ..engines.table import kind_of, line_up, members
from ..models.errors import PuzzleError, UsageError
from ..models.families import load_text
from ..models.family import Keys
from ..models.plan import Plan
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask
from ..models.text import suggest
from ..runtime.budget import Budget
from ..runtime.events import Progress
from ..runtime.kernels import ensure_kernels
from ..runtime.outcome import Status
from ..workflows.playing import Game
from ..workflows.solving import grounding, metric_of, solve
from .blocks import LETTERS, RushHourMaker, SlidingBlockMaker
from .generator import Graded, Maker
from .rooms import SIZE, RoomMaker

# Any family: random moves from a given puzzle, and the distance of where they lead to, by an engine: for puzzles whose
# states are too many to visit, or that only their own definition knows how to make.

PLAY_SECONDS = 20.0
"""Seconds that the engine has for a board; a board whose optimum it cannot prove in this time is dropped."""

Walk = tuple[int, ...]
"""A random walk: for each move a number that selects one of those that are possible."""


@dataclass(frozen=True)
class PlayMaker:
    """Positions that random play from a puzzle (the `text` of its file) leads to, at most `length` moves away."""

    evaluations: ClassVar[int] = 5

    text: str
    metric: str
    length: int
    engine: str

    @property
    def family(self) -> str:
        return _base(self.text).family

    def new(self, chance: random.Random) -> Walk:
        """A new random walk."""
        return tuple(chance.randrange(1 << 16) for _ in range(self.length))

    def mutate(self, board: Walk, chance: random.Random) -> Walk:
        """Replace the end or the beginning of the walk."""
        cut = chance.randrange(len(board))
        new = self.new(chance)
        return board[:cut] + new[cut:] if chance.random() < 0.7 else new[:cut] + board[cut:]

    def grade(self, board: Walk) -> Graded | None:
        """See `Maker`; the start is not moved, and `states` is what the engine counted."""
        text = self._text(board)
        solution = solve(load_text(text), self.engine, self.metric, Budget(PLAY_SECONDS))
        if solution.status is not Status.OPTIMAL or solution.outcome.upper_bound is None:
            return None
        stats = solution.outcome.stats
        count = next((int(stats[name]) for name in ("states", "nodes") if name in stats), 0)
        return Graded(board, solution.outcome.upper_bound[0], count)

    def minimal(self, graded: Graded) -> Graded:
        """The pieces are those of the puzzle: nothing is taken away."""
        return graded

    def same(self, board: Walk) -> Hashable:
        """See `Maker`: walks that lead to the same position are equal."""
        return load_text(self._text(board)).digest

    def keys(self, board: Walk) -> Keys:
        """See `Maker`."""
        return _base(self.text).keys(after=_played(_base(self.text), self.metric, board))

    def _text(self, board: Walk) -> str:
        return _base(self.text).to_yaml(after=_played(_base(self.text), self.metric, board))


@lru_cache(maxsize=4)
def _base(text: str) -> Puzzle:
    return load_text(text)


def _played(puzzle: Puzzle, metric: str, walk: Walk) -> Plan:
    """The plan of a walk; a move that would undo the one before is avoided if another one is possible."""
    game, before = Game(puzzle, metric), None
    for choice in walk:
        moves, here = game.moves(), game.board
        for number in range(len(moves)):
            game.play(moves[(choice + number) % len(moves)])
            if game.board != before or number == len(moves) - 1:
                break
            game.undo()
        before = here
    return game.plan


FAMILIES = ("rush-hour", "sliding-block", "sokoban", "n-puzzle")
"""Those of which new boards are made; of any other, positions of a given puzzle."""

BASE = "`--from` (from Python: `base`)"
"""The option that names a puzzle from which others are made, as messages call it."""

Range = tuple[int, int]


def maker_for(
    family: str,
    *,
    size: tuple[int, int] | None = None,
    pieces: Range | None = None,
    walls: int = 0,
    metric: str | None = None,
    base: str | None = None,
    length: int = 60,
) -> Maker:
    """The maker. `size` is columns and rows; `base`: the text of a puzzle to play from. Raises `UsageError`."""
    if base is not None or family == "n-puzzle":
        return _player(family, base or _solved(_checked(size or (3, 3), 2, 8)), metric, length)
    if family == "rush-hour":
        columns, rows = _checked(size or (6, 6), 3, 8)
        _check_metric(metric, ("slides", "steps"))
        return RushHourMaker(rows, columns, _most(pieces or (6, 13)), walls, metric or "slides")
    if family == "sliding-block":
        columns, rows = _checked(size or (4, 5), 2, 8)
        _check_metric(metric, ("moves", "slides", "steps"))
        return SlidingBlockMaker(rows, columns, _most(pieces or (5, 12)), walls, metric or "moves")
    if family == "sokoban":
        columns, rows = _checked(size or (8, 8), 2, SIZE)
        _check_metric(metric, ("pushes",))
        return RoomMaker(rows, columns, (pieces or (4, 4))[1])
    if family == "custom":
        raise UsageError(f"puzzles of a custom family are made from one of them: name it with {BASE}")
    hint = suggest(family, FAMILIES)
    raise UsageError(f"no boards of the family `{family}` can be made; {hint} (or name a puzzle, with {BASE})")


def maker_within(choose: Callable[[], Maker], budget: Budget, progress: Progress) -> Maker:
    """`maker_for` as a piece of work for another process (`Apart.run`)."""
    with grounding(budget, progress):
        return choose()


def _player(family: str, text: str, metric: str | None, length: int) -> PlayMaker:
    try:
        puzzle = load_text(text)
    except PuzzleError as error:
        raise UsageError(f"the puzzle to play from cannot be read:\n{error}") from None
    if puzzle.family != family:
        raise UsageError(f"the puzzle to play from is of the family {puzzle.family}, not {family}")
    chosen = metric_of(puzzle, metric)
    task = puzzle.form(chosen)
    if (isinstance(task, OperatorTask) and (task.walker or task.compound_moves)) or "," in chosen:
        why = f"in `{chosen}` moves are free, compound or of two costs, which random play does not count"
        raise UsageError(f"{why}; choose another metric, `--metric NAME`")
    able = [engine for engine in members() if engine.runs(task)]
    if isinstance(task, ProgramTask):
        ensure_kernels()  # which of them refuse it is found out by compiled code
    queue = line_up(kind_of(task), [engine for engine in able if engine.refusal(task) is None])[0]
    return PlayMaker(puzzle.to_yaml(), chosen, length, queue[0].name)


def _solved(size: tuple[int, int]) -> str:
    """The n-puzzle that is solved already."""
    columns, rows = size
    tiles = [str(n) for n in range(1, columns * rows)] + ["."]
    lines = ("  " + " ".join(tiles[r * columns : (r + 1) * columns]) for r in range(rows))
    return "format: 1\nfamily: n-puzzle\nstart: |\n" + "\n".join(lines) + "\n"


def _checked(size: tuple[int, int], least: int, most: int) -> tuple[int, int]:
    if not all(least <= side <= most for side in size):
        raise UsageError(f"the size is from {least}x{least} to {most}x{most}, not {size[0]}x{size[1]}")
    return size


def _most(pieces: Range) -> Range:
    if pieces[1] > len(LETTERS):
        raise UsageError(f"a board has at most {len(LETTERS)} pieces: there are no more letters")
    return pieces


def _check_metric(metric: str | None, known: tuple[str, ...]) -> None:
    if metric is not None and metric not in known:
        raise UsageError(f"no metric `{metric}` for these boards; {suggest(metric, known)}")
