"""What the element `<budge-game>` (`web/game.js`) is given: a plan as frames, the rules of a puzzle as data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest
from json import dumps
from typing import Any

from ..models.cells import Rows
from ..models.errors import UsageError
from ..models.moves import Slide
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from .html import Markup, as_script, closed_page, render
from .scene import Scene
from .shapes import page_of, script


def boards_of(puzzle: Puzzle, replay: Replay) -> list[Rows]:
    """The start and the board after each step."""
    return [puzzle.board(), *(step.board for step in replay.steps)]


def plan_json(puzzle: Puzzle, replay: Replay) -> dict[str, Any]:
    """The property `plan`."""
    stage, boards = Scene(puzzle), boards_of(puzzle, replay)
    return {"frames": _frames(puzzle, replay), "scene": {**stage.scene(boards), "view": room_for(stage, boards)}}


def frames_of(puzzle: Puzzle, replay: Replay) -> list[dict[str, Any]] | None:
    """The frames of a plan beside a game; None where they would be too large for a page."""
    frames = _frames(puzzle, replay)
    return frames if len(dumps(frames)) <= LARGEST_REPLAY else None


def _frames(puzzle: Puzzle, replay: Replay) -> list[dict[str, Any]]:
    """For each step its notation, the rows that it changes, by their numbers (null: it is no row any more), and from
    which cell on which way it slides something, or the cell that it names.
    """
    boards, frames = pairwise(boards_of(puzzle, replay)), list[dict[str, Any]]()
    for step, (before, rows) in zip(replay.steps, boards, strict=True):
        changed = {n: row for n, (old, row) in enumerate(zip_longest(before, rows)) if old != row}
        frames.append({"notation": step.notation, "rows": changed})
        if isinstance(step.move, Slide):
            frames[-1]["slide"] = step.move.cell, step.move.path
        elif step.move.where:
            frames[-1]["where"] = step.move.where
    return frames


def room_for(stage: Scene, boards: Sequence[Rows]) -> tuple[int, int, int, int]:
    """Left, top, width and height of a picture that has room for all of some positions."""
    if stage.style != "lines":
        return stage.view
    pages = [page_of(rows) for rows in boards]
    return 0, 0, max(page[2] for page in pages), max(page[3] for page in pages)


LARGEST_REPLAY = 400_000
"""The most characters of the player of one plan among others on a page; of longer plans only the moves are listed."""


def player(puzzle: Puzzle, replay: Replay, *, keys: bool = False) -> Markup:
    """The element with a plan to watch. `keys`: all keys of the page are its own."""
    return render("player", puzzle=puzzle, replay=replay, data=as_script(plan_json(puzzle, replay)), keys=keys)


def played(puzzle: Puzzle, replay: Replay) -> Markup:
    """A plan on a page with more: in the player, or as its moves where that would be too large."""
    shown = player(puzzle, replay)
    return shown if len(shown) <= LARGEST_REPLAY else Markup("<p><code>{}</code></p>").format(puzzle.plan_text(replay))


# A plan as one HTML file that needs nothing from elsewhere: to watch, step through, print and mail.


def replay_page(puzzle: Puzzle, replay: Replay, proof: str = "") -> str:
    """The page of a plan. `proof`: a sentence on what is known of its length."""
    try:
        file = puzzle.to_yaml()
    except UsageError:
        file = ""
    shown = player(puzzle, replay, keys=True)
    code = script("zoom", "plan")
    return closed_page(
        "replay", puzzle.header.name, code, puzzle=puzzle, replay=replay, player=shown, proof=proof, file=file
    )
