"""The view `Replay`: a plan in the player `<budge-replay>`, and the same as one page to keep or to mail."""

from __future__ import annotations

import json

from nicegui import ui

from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..views.player import plan_json, replay_page
from .desk import Desk
from .editor import file_name
from .parts import copy_button, flat, strong

MOST_STEPS = 5000
"""Steps of a plan that is shown; longer ones can be saved and replayed on the command line."""


class Replays:
    """The panel that plays the plan that was selected last."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.shown: tuple[Puzzle, Replay, str] | None = None
        desk.replay = self.take
        with ui.element("div").classes("empty") as self.empty:
            ui.label(
                "Nothing to replay yet. Solve the puzzle and choose Replay beside the answer, or play it yourself and "
                "watch your own moves."
            )
            strong("Solve", icon="query_stats", on_click=lambda: desk.show("solve"))
            flat("Play", icon="touch_app", on_click=lambda: desk.show("play"))
        self.box = ui.element("div").classes("replay")
        with self.box:
            with ui.element("div").classes("toolbar"):
                self.about = ui.label("").classes("heading")
                ui.element("div").classes("spring")
                flat("Save as a page", icon="download", on_click=self._page, name="save-page")
                flat("Save the plan", icon="notes", on_click=self._plan)
                copy_button(self._plan_text)
            self.player = ui.element("budge-replay")
        self.box.set_visibility(False)

    def take(self, puzzle: Puzzle, replay: Replay, about: str) -> None:
        """Show a plan, from its start."""
        self.shown = self.desk.memory.replayed = puzzle, replay, about
        self.about.text = about
        self.empty.set_visibility(False)
        self.box.set_visibility(True)
        if len(replay.steps) > MOST_STEPS:
            self.about.text = f"{about}: {counted(len(replay.steps), 'step')} are too many to show here"
            return
        ui.run_javascript(f"budgeStudio.replay({self.player.id}, {json.dumps(plan_json(puzzle, replay))})")

    def _page(self) -> None:
        if self.shown:
            puzzle, replay, about = self.shown
            name = file_name(puzzle.header.name).removesuffix(".yaml")
            ui.download.content(replay_page(puzzle, replay, f"{about}.").encode(), f"{name}.html")

    def _plan(self) -> None:
        ui.download.content(f"{self._plan_text()}\n".encode(), "plan.txt")

    def _plan_text(self) -> str:
        return self.shown[0].plan_text(self.shown[1]) if self.shown else ""
