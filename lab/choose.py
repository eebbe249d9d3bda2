"""Which maker makes puzzles of a family, with what was asked for and with what is usual."""

from __future__ import annotations

from collections.abc import Callable

from ..engines.table import kind_of, line_up, members
from ..models.errors import PuzzleError, UsageError
from ..models.families import load_text
from ..models.program import ProgramTask
from ..models.task import Task
from ..models.text import suggest
from ..runtime.budget import Budget
from ..runtime.events import Progress
from ..runtime.kernels import ensure_kernels
from ..workflows.solving import grounding, metric_of
from .blocks import LETTERS, RushHourMaker, SlidingBlockMaker
from .maker import Maker
from .play import PlayMaker
from .rooms import SIZE, RoomMaker

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
    if (isinstance(task, Task) and (task.walker or task.compound_moves)) or "," in chosen:
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
    if not all(least <= one <= most for one in size):
        raise UsageError(f"the size is from {least}x{least} to {most}x{most}, not {size[0]}x{size[1]}")
    return size


def _most(pieces: Range) -> Range:
    if pieces[1] > len(LETTERS):
        raise UsageError(f"a board has at most {len(LETTERS)} pieces: there are no more letters")
    return pieces


def _check_metric(metric: str | None, known: tuple[str, ...]) -> None:
    if metric is not None and metric not in known:
        raise UsageError(f"no metric `{metric}` for these boards; {suggest(metric, known)}")
