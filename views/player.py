"""A plan as frames for the element `<budge-replay>` (`web/replay.js`): the start, and what each step changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from json import dumps
from typing import Any

from ..models.cells import Cell, shift
from ..models.moves import Move, Slide
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from .html import escape
from .scene import Scene, ScenePosition
from .shapes import page_of
from .svg import board_svg


def states(stage: Scene, replay: Replay) -> list[ScenePosition]:
    """The start and the position after each step."""
    steps = (stage.state(step.board, step.move.where if step.move else None) for step in replay.steps)
    return [stage.start, *steps]


def plan_json(puzzle: Puzzle, replay: Replay) -> dict[str, Any]:
    """The property `plan`."""
    stage = Scene(puzzle)
    shown = states(stage, replay)
    frames: list[dict[str, Any]] = [{"notation": "", **shown[0].json()}]
    for (before, after), step in zip(pairwise(shown), replay.steps, strict=True):
        changed = {id: place for id, place in after.at.items() if before.at.get(id) != place}
        gone = dict.fromkeys(id for id in before.at if id not in after.at)
        frame = after.json(pieces=False) | {"notation": step.notation, "at": changed | gone}
        if via := ways(stage, before, step.move, step.notation):
            frame["via"] = via
        frames.append(frame)
    return {"scene": {**stage.scene(), "view": room_for(stage, shown)}, "frames": frames}


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
        found = {stage.walker: _cells(before.at[stage.walker][:2], notation.upper())}
        if at not in (None, stage.walker):
            found[str(at)] = _cells(before.at[str(at)][:2], "".join(x if x.isupper() else "-" for x in notation))
        return found
    if at is not None and isinstance(move, Slide) and len(move.path) > 1:
        return {at: _cells(move.cell, move.path)}
    return {}


def _cells(here: Cell, path: str) -> list[Cell]:
    """The cells of a path; `-` is a step in which nothing moves."""
    return [here := here if way == "-" else shift(here, way) for way in path]


def element(puzzle: Puzzle, replay: Replay, attributes: str = "", instead: str | None = None) -> str:
    """The element as HTML. The HTML `instead` is shown where no scripts run: by default the start
    and the moves.
    """
    if instead is None:
        listed = " ".join(f"<code>{escape(step.notation)}</code>" for step in replay.steps)
        instead = f"{board_svg(puzzle, style=False)}<p>{listed}</p>"
    return f"<budge-replay{attributes}>{instead}{as_script(plan_json(puzzle, replay))}</budge-replay>"


def as_script(value: Any, id: str = "") -> str:
    """A value as JSON in a `<script>`: nothing in it ends the script, begins a comment or turns text around."""
    text = dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = "".join(one if one.isprintable() else dumps(one)[1:-1] for one in text)
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    named = f' id="{id}"' if id else ""
    return f'<script{named} type="application/json">{text}</script>'
