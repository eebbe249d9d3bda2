"""What the element `<budge-game>` (`web/game.js`) is given: a plan as frames, the rules of a puzzle as data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from json import dumps
from typing import Any

from ..models.cells import Cell, shift
from ..models.errors import UsageError
from ..models.moves import Move, Slide
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from .html import Markup, as_script, closed_page, render
from .scene import Scene, ScenePosition
from .shapes import page_of, script


def states(stage: Scene, replay: Replay) -> list[ScenePosition]:
    """The start and the position after each step."""
    stage.show(stage.start)
    steps = (stage.state(step.board, step.move.where if step.move else None) for step in replay.steps)
    return [stage.start, *steps]


def plan_json(puzzle: Puzzle, replay: Replay) -> dict[str, Any]:
    """The property `plan`."""
    stage = Scene(puzzle)
    return {
        "frames": _frames(stage, replay),
        "scene": {**stage.scene(), "view": room_for(stage, states(stage, replay))},
    }


def frames_of(puzzle: Puzzle, replay: Replay) -> list[dict[str, Any]] | None:
    """The frames of a plan beside a game; None where they would be too large for a page."""
    frames = _frames(Scene(puzzle), replay)
    return frames if len(dumps(frames)) <= LARGEST_REPLAY else None


def _frames(stage: Scene, replay: Replay) -> list[dict[str, Any]]:
    shown = states(stage, replay)
    frames: list[dict[str, Any]] = [{"notation": "", **shown[0].json()}]
    for (before, after), step in zip(pairwise(shown), replay.steps, strict=True):
        changed = {id: place for id, place in after.at.items() if before.at.get(id) != place}
        gone = dict.fromkeys(id for id in before.at if id not in after.at)
        frame = after.json(pieces=False) | {"notation": step.notation, "at": changed | gone}
        if via := ways(stage, before, step.move, step.notation):
            frame["via"] = via
        frames.append(frame)
    return frames


def room_for(stage: Scene, shown: Sequence[ScenePosition]) -> tuple[int, int, int, int]:
    """Left, top, width and height of a picture that has room for all of some positions."""
    if stage.style != "lines":
        return stage.view
    pages = [page_of(state.lines or ()) for state in shown]
    return 0, 0, max(page[2] for page in pages), max(page[3] for page in pages)


def ways(stage: Scene, before: ScenePosition, move: Move | None, notation: str) -> dict[str, list[Cell]]:
    """The cells that pieces go over in a move, where these are known and more than one: the property `via`.

    A player's notation is the letters of all steps, capitals push (`urrR`). The box waits until the player is there, so
    it has as many cells: `urrR` moves it in the last of four.
    """
    at = next((id for id, place in before.at.items() if isinstance(move, Slide) and place[:2] == move.cell), None)
    if stage.walker and len(notation) > 1 and set(notation.upper()) <= set("UDLR"):
        via = {stage.walker: _cells(before.at[stage.walker][:2], notation.upper())}
        if at not in (None, stage.walker):
            via[str(at)] = _cells(before.at[str(at)][:2], "".join(x if x.isupper() else "-" for x in notation))
        return via
    if at is not None and isinstance(move, Slide) and len(move.path) > 1:
        return {at: _cells(move.cell, move.path)}
    return {}


def _cells(here: Cell, path: str) -> list[Cell]:
    """The cells of a path; `-` is a step in which nothing moves."""
    return [here := here if way == "-" else shift(here, way) for way in path]


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
