"""Runs as a page starts and follows them: each kind of work, within the limits of the studio; and what comes of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from .. import parameters
from ..engines.table import DEFAULT_ENGINE
from ..models.documents.files import FileError, inside
from ..models.errors import ReplayError, UsageError
from ..models.moves import Slide
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.outcome import StoppedError
from ..views.player import replay_page
from ..views.report import report
from ..workflows.comparison import Comparison
from ..workflows.jobs import Background, Solving
from ..workflows.playing import Game
from ..workflows.solving import Solution
from . import runs as kinds
from .answers import Began, answer_json, event_json, hint_json, label_of, plot_of
from .asked import Conflict, Fields, Studio, flag, listed, names_of, number_of, words
from .library import FILE
from .reading import Helper
from .runs import StudioRun
from .shown import file_name

MOST_PUZZLES = 60
"""Puzzles of one comparison."""

MOST_PLAN = 200_000
"""Characters of a plan that is pasted."""

HINT_LIMIT = 20.0
"""Seconds of processor time that a hint may take, with those of loading code."""

LOOK, EACH, PLOTTED, SIGN = 0.1, 0.2, 1.0, 15.0
"""Seconds between two looks at the runs, two events of one run, two plots of one run, two signs of life."""

WATCHED = 1.0
"""Seconds between two looks at the file of the text that a page shows."""

RUN, COMPARISON = "run of the studio", "comparison of the studio"
"""Whose limits the table of parameters has."""

CERTIFICATE = ".certificate"
"""The ending of the names of folders with certificates."""


# Starting


def start(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Start a run of some kind; the same work asked for again is one run."""
    kind = words(asked, "kind", most=40)
    starter = KINDS.get(kind)
    if starter is None:
        raise UsageError(f"there is no kind of work `{kind}`: choose one of {', '.join(KINDS)}")
    return {"run": starter(studio, asked).number}


def budget_of(studio: Studio, asked: Fields, command: str = RUN) -> Budget:
    """The limits that are asked for: `60`, `"2m"`; MiB, `"4G"`. Raises `UsageError` for others, or too much."""
    given = {name: asked.get(name) or default for name, default in parameters.defaults(command).items()}
    try:
        limits = parameters.read(command, given)
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    if limits.time_limit > studio.most_seconds:
        raise UsageError(f"a run may take {studio.most_seconds:g} seconds; `--time-limit` allows more")
    if limits.memory_limit > studio.most_memory:
        raise UsageError(f"a run may take {studio.most_memory:,} MiB; `--memory-limit` allows more")
    return Budget(limits.time_limit, limits.memory_limit)


def _solve(studio: Studio, asked: Fields) -> StudioRun:
    puzzle, metric = studio.puzzle(asked)
    engine, played = words(asked, "engine", DEFAULT_ENGINE, 60) or DEFAULT_ENGINE, listed(asked, "played")
    options = asked.get("options") or {}
    if not isinstance(options, dict):
        raise UsageError("`options` are no names with values")
    game = game_at(puzzle, metric, played)
    here = game.here() if played else puzzle
    name = f"{engine}, after {counted(len(played), 'move')}" if played else engine
    same = _text(studio, asked), metric, engine, repr(options), Began(puzzle, game.plan)
    begin = partial(Solving, here, engine, metric, budget_of(studio, asked), options)
    return studio.runs.start(topic_of("solve", asked), "solve", name, same, here, metric, begin)


def _work(kind: str, panel: str, work: Callable[[Puzzle, str], Work]) -> Callable[[Studio, Fields], StudioRun]:
    """A starter of work of which nothing but the puzzle and the metric has to be said."""

    def starter(studio: Studio, asked: Fields) -> StudioRun:
        return _apart(studio, asked, kind, panel, (), work)

    return starter


def _apart(
    studio: Studio, asked: Fields, kind: str, panel: str, same: tuple[Any, ...], work: Callable[[Puzzle, str], Work]
) -> StudioRun:
    """A run of a piece of work about a puzzle in a process of its own. `same`: what else makes it the same run."""
    puzzle, metric = studio.puzzle(asked)
    begin = partial(Background, work(puzzle, metric), budget_of(studio, asked))
    return studio.runs.start(
        topic_of(panel, asked), kind, kind, (_text(studio, asked), metric, *same), puzzle, metric, begin
    )


def topic_of(panel: str, asked: Fields) -> str:
    """Whose work a run is: that of a panel on the text of a key."""
    return f"{panel} {words(asked, 'key')}"


def _text(studio: Studio, asked: Fields) -> str:
    text = asked.get("text")
    return text if isinstance(text, str) else studio.library.text(words(asked, "key"))


def _check(studio: Studio, asked: Fields) -> StudioRun:
    from ..workflows.verification import claim_of  # with numpy, which is slow to import

    plan, cost = words(asked, "plan", most=MOST_PLAN).strip() or None, words(asked, "cost").strip()
    claim = plan, claim_of(cost) if cost else None
    return _apart(studio, asked, "check", "check", claim, lambda puzzle, metric: kinds.checking(puzzle, metric, *claim))


def _certify(studio: Studio, asked: Fields) -> StudioRun:
    from ..workflows.certifying import in_the_way

    puzzle, metric = studio.puzzle(asked)
    folder = folder_of(studio.library.folder, puzzle, words(asked, "key"))
    why = in_the_way(folder, puzzle, metric)
    if why is not None and not flag(asked, "overwrite"):
        raise Conflict(f"{folder.name}: {why}.")
    work = partial(kinds.solve_and_certify, folder)
    return _apart(studio, asked, "certify", "check", (), lambda *about: partial(work, *about))


def _check_certificate(studio: Studio, asked: Fields) -> StudioRun:
    from ..workflows.certifying import checking

    folder = folder_of(studio.library.folder, studio.puzzle(asked)[0], words(asked, "key"))
    if not folder.is_dir():
        raise UsageError(f"There is no {folder.name} yet: write it first.")
    return _apart(studio, asked, "check-certificate", "check", (), partial(checking, folder))


def _compare(studio: Studio, asked: Fields) -> StudioRun:
    keys = names_of(asked, "puzzles", 2000) or [words(asked, "key")]
    engines = names_of(asked, "engines", 100)
    if len(keys) > MOST_PUZZLES:
        raise UsageError(f"{MOST_PUZZLES} puzzles at once are enough; use `budge compare` for more")
    budget, own = budget_of(studio, asked, COMPARISON), words(asked, "key")
    puzzles = [studio.puzzle(asked if key == own else {"key": key})[0] for key in keys]
    work = partial(kinds.run_engines, puzzles, engines, budget.seconds, budget.memory_mib)
    name, same = f"{len(puzzles)} × {len(engines) or 'all'}", (*(p.digest for p in puzzles), "", *engines)
    begin = partial(Background, work, Budget(None, None))
    metric = puzzles[0].header.metric
    return studio.runs.start(topic_of("compare", asked), "compare", name, same, puzzles[0], metric, begin)


def hint(studio: Studio, asked: Fields, wanted: Callable[[], bool]) -> dict[str, Any]:
    """How far the goal is after some moves, and the best moves there, for pages that do not know all states."""
    puzzle, metric = studio.puzzle(asked)
    game, adviser = game_at(puzzle, metric, listed(asked, "played")), Helper(HINT_LIMIT)
    try:
        answer = adviser.run(game.hint, lambda: wanted() and not studio.leaving())
    except StoppedError:
        return {"text": "No hint within the limits.", "moves": [], "pieces": [], "settled": False}
    finally:
        adviser.close()
    return hint_json(answer, bool(game.notation))


KINDS: dict[str, Callable[[Studio, Fields], StudioRun]] = {
    "solve": _solve,
    "explore": _work("explore", "explore", kinds.exploring),
    "why": _work("why", "explore", kinds.explaining),
    "check": _check,
    "certify": _certify,
    "check-certificate": _check_certificate,
    "compare": _compare,
}
"""What starts each kind of run."""


def game_at(puzzle: Puzzle, metric: str, played: list[Any]) -> Game:
    """The game after moves: all are texts in the family's notation, or all `[[row, column], "RR"]`, the piece on a cell
    and its path. Raises `UsageError` for what is no move here.
    """
    game, notation = Game(puzzle, metric), puzzle.record.notation
    in_words = played and all(isinstance(step, str) for step in played)
    try:
        # Texts are read together: a walker's step begins where the one before has ended.
        text = (notation.separator if notation else " ").join(played) if in_words else ""
        for move in puzzle.parse_plan(text).moves if in_words else map(_slide, played):
            game.play(move)
    except (ReplayError, IndexError, KeyError) as error:
        raise UsageError(f"these moves are none of this puzzle: {error}") from None
    return game


def _slide(step: Any) -> Slide:
    match step:
        case [[int(row), int(column)], str(path)]:
            return Slide((row, column), path)
    raise UsageError("`played` is no list of moves")


def folder_of(root: Path, puzzle: Puzzle, key: str = "") -> Path:
    """The folder for the certificate of a puzzle: named as its file, if it has one in this folder, else by its title,
    with a digest of the puzzle if that is not ASCII.

    Raises `UsageError` where a link leads out of `root`.
    """
    title = puzzle.header.name
    stem = Path(file_name(title)).stem
    if key.startswith(FILE):
        stem = key.removeprefix(FILE).rsplit(".", 1)[0]
    elif not title.isascii() or stem == "puzzle":
        stem += f"-{puzzle.digest[:8]}"
    try:
        return inside(root, stem + CERTIFICATE)
    except FileError:
        raise UsageError(
            f"{stem}{CERTIFICATE} is a link that leads out of the folder {root}; remove it first"
        ) from None


# Following


def answer(studio: Studio, asked: Fields) -> dict[str, Any]:
    """The answer of a run, as far as it has one."""
    run = studio.runs.get(number_of(asked, "number"))
    return answer_json(run, words(asked, "of"))


def stop(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Ask a run to end with what it has."""
    run = studio.runs.get(number_of(asked, "number"))
    if not run.over:
        run.stop()
    return {"run": run.number}


def clear(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Forget the runs of a topic that have ended."""
    studio.runs.clear(words(asked, "topic", most=10_000))
    return {}


def download(studio: Studio, asked: Fields) -> tuple[str, str, str]:
    """A file of a run: its type, its name and its text. Raises `UsageError` for a run without such a file."""
    run, what = studio.runs.get(number_of(asked, "number")), words(asked, "what")
    name = file_name(run.puzzle.header.name).removesuffix(".yaml")
    if what == "report" and run.kind == "compare" and isinstance(run.answer, Comparison):
        return "text/html", "budge-compare.html", report(run.answer)
    if isinstance(run.answer, Solution) and (replay := run.answer.replay) is not None:
        if what == "plan.txt":
            return "text/plain", "plan.txt", run.puzzle.plan_text(replay) + "\n"
        if what == "page":
            return "text/html", f"{name}.html", replay_page(run.puzzle, replay, f"{label_of(run)}.")
    raise UsageError(f"this run has no {what}")


class Events:
    """What one page is told of all runs, and of the text that it shows."""

    def __init__(self, studio: Studio, key: str) -> None:
        self.studio, self.key = studio, key
        self._seen: dict[int, tuple[Any, float]] = {}
        self._plots: dict[int, tuple[Any, float, str]] = {}
        self._text: Any = None
        self._looked = 0.0

    async def stream(self) -> AsyncIterator[str]:
        """The events as they come, until the studio ends."""
        said = time.monotonic()
        yield "retry: 1000\n\n"
        while not self.studio.leaving():
            for text in await asyncio.to_thread(self.news):
                said = time.monotonic()
                yield text
            if time.monotonic() - said > SIGN:
                said = time.monotonic()
                yield ": here\n\n"
            await asyncio.sleep(LOOK)

    def news(self) -> list[str]:
        """What is new since it was asked for last."""
        told, now = list[str](), time.monotonic()
        for run in self.studio.runs.all():
            seen = run.revision, run.over, None if run.over else int(run.clock)
            before, when = self._seen.get(run.number, (None, 0.0))
            if seen != before and (now - when >= EACH or run.over):
                self._seen[run.number] = seen, now
                told.append(_message(event_json(run) | self._plot(run, now)))
        if self.key and now - self._looked >= WATCHED:
            self._looked = now
            text = self.studio.library.state(self.key)
            if text != self._text:
                self._text = text
                told.append("event: text\n" + _message(text))
        return told

    def _plot(self, run: StudioRun, now: float) -> dict[str, str]:
        """The plot of a run, if it is another than before; drawn once a second at most while the run goes on."""
        content = len(run.events), run.over
        before, when, svg = self._plots.get(run.number, (None, 0.0, ""))
        if content != before and (now - when >= PLOTTED or run.over):
            drawn = plot_of(run, self.studio.runs)
            self._plots[run.number] = content, now, drawn
            return {"plot_svg": drawn} if drawn and drawn != svg else {}
        return {}


def _message(value: Any) -> str:
    return f"data: {json.dumps(value, separators=(',', ':'))}\n\n"
