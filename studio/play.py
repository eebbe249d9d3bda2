"""The view `Play`: the board under one's fingers, by the rules of the family; counters, undo, hints."""

from __future__ import annotations

import json
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..engines.table import DEFAULT_ENGINE
from ..models.moves import Move
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.playable import Playable
from ..views.svg import board_svg
from ..workflows.hinted import DEGREES, FAR, MILESTONE, MOVE, PIECE, piece_of
from ..workflows.playing import HINT_SECONDS, Advice, Game
from ..workflows.streaming import Solving
from . import work
from .desk import Desk
from .parts import choice, errors_shown, flat
from .runs import StudioRun

SHOWN_MOVES = 400
"""The most moves of the history that are listed: the last ones."""

GOAL_WIDTH = 120
"""Pixels of the picture of a goal."""

LOOK = 0.15
"""Seconds between two checks for a hint."""


class Play:
    """The board, with counters, buttons and moves beside it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.playable: Playable | None = None
        self.advising: StudioRun | None = None
        self.advised: tuple[tuple[str, ...], Advice, str] | None = None
        """The last advice: the position by its metric and moves, and how much of it was told (one of `DEGREES`)."""
        self.played: list[str] = []
        with ui.element("div").classes("beside"):
            with ui.element("div").classes("board-box"):
                self.board = ui.element("budge-board").classes("play-board")
                self.board.on("move", self._moved, args=["detail"])
                self.board.on("walk", self._walked, args=["detail"])
                self.none = ui.label("").classes("empty")
            with ui.element("div").classes("side"):
                self.goal = ui.element("div").classes("goal")
                self.state = ui.element("div").classes("play-state").props('role="status"')
                self.counters = ui.element("div").classes("counters panel")
                with ui.element("div").classes("buttons"):
                    self.undo = self._button("Undo", "undo", self._undo)
                    self.redo = self._button("Redo", "redo", self._redo)
                    self.again = self._button("Start again", "restart_alt", self._restart)
                    self.hint = self._button("Hint", "lightbulb", self._hint)
                    self.solve = self._button("Solve from here", "query_stats", self._solve)
                    self.replay = self._button("Watch", "play_circle", self._watch)
                self.metric = choice([], label="One move goes", on_change=self._metric_chosen, name="wide")
                self.advice = ui.element("div").classes("advice").props('role="status"')
                self.moves = ui.element("div").classes("history panel").props('aria-label="Moves so far"')
                self.keys = ui.label("").classes("about keys")
        desk.on_puzzle.append(self._puzzle_changed)
        ui.timer(LOOK, self._look)

    def _button(self, text: str, icon: str, do: object) -> ui.button:
        button = flat(text, icon=icon, on_click=do)  # type: ignore[arg-type]
        return button.classes(f"play-{text.split()[0].lower()}")

    # The game

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        self.none.set_visibility(puzzle is None)
        self.none.text = (
            "This is the last board that could be read: the text has problems now."
            if self.playable
            else "The board is here as soon as the text is a puzzle."
        )
        if puzzle is None:
            return
        shown = self.playable.game if self.playable else None
        game = shown or self.desk.memory.game
        if game is None or (game.puzzle.family, game.puzzle.value) != (puzzle.family, puzzle.value):
            game = None  # else only its name or the like has changed, or the page was loaded again: the game goes on
        if game is None or game is not shown:
            self._begin(puzzle, puzzle.header.metric if game is None else str(game.metric), game)
            self.metric.set_options(
                list(puzzle.metrics), value=None if self.playable is None else self.playable.game.metric
            )

    def _metric_chosen(self) -> None:
        game = self.playable.game if self.playable else None
        if game is not None and self.metric.value in game.puzzle.metrics and self.metric.value != game.metric:
            self._begin(game.puzzle, str(self.metric.value))

    def _begin(self, puzzle: Puzzle, metric: str, game: Game | None = None) -> None:
        """Show a puzzle at its start, or with the game that was begun before."""
        self.playable = None
        with errors_shown():
            self.playable = Playable(game or Game(puzzle, metric))
            self.desk.memory.game = self.playable.game
            self._show_goal(puzzle)
            self._tell(scene=True)
            self.keys.text = _keys(self.playable)

    def _show_goal(self, puzzle: Puzzle) -> None:
        """Show the goal in words; or as a small board, if the large board does not mark it."""
        goal = puzzle.goal_text()
        self.goal.clear()
        with self.goal:
            if len(goal) == 1:
                ui.label(f"Goal: {goal[0]}")
            elif puzzle.record.drawing.goal_cells is None:
                ui.label("Goal:")
                ui.html(board_svg(puzzle, goal, width=GOAL_WIDTH, style=False), sanitize=False)

    def _tell(self, scene: bool = False) -> None:
        """Show the current position on the board, with counters and moves beside it."""
        playable = self.playable
        if playable is None:
            return
        game = playable.game
        message: dict[str, object] = {"scene": playable.scene()} if scene else {}
        message |= {"state": playable.state(), "moves": playable.moves()}
        texts, kept = game.notation, 0
        while not scene and kept < min(len(texts), len(self.played)) and texts[kept] == self.played[kept]:
            kept += 1
        self.played = texts
        message["played"] = {"kept": kept, "more": texts[kept:], "shown": SHOWN_MOVES}
        message["counters"] = [[game.puzzle.unit(name).many, f"{cost:,}"] for name, cost in game.costs.items()]
        message["solved"] = game.solved
        beside = [self.state.id, self.counters.id, self.moves.id]
        ui.run_javascript(f"budgeStudio.play({self.board.id}, {beside}, {json.dumps(message)})")
        self._beside(game)

    def _beside(self, game: Game) -> None:
        """Enable the buttons that do something now. (Only changes cost time: the page is drawn again for each.)"""
        for button in (self.undo, self.again, self.replay):
            button.set_enabled(game.undoable > 0)
        self.redo.set_enabled(game.redoable > 0)
        self.advising = None
        if any(self.advice):
            self.advice.clear()

    def _moved(self, event: GenericEventArguments) -> None:
        detail = event.args.get("detail") if isinstance(event.args, dict) else None
        index = detail.get("index") if isinstance(detail, dict) else None
        if self.playable is None or not isinstance(index, int) or not 0 <= index < len(self.playable.options):
            return
        with errors_shown():
            self.playable.game.play(self.playable.options[index])
        self._tell()

    def _walked(self, event: GenericEventArguments) -> None:
        """Let the player walk to the cell that was clicked; if that is impossible, the page gets the same position
        again.
        """
        detail = event.args.get("detail") if isinstance(event.args, dict) else None
        match detail:
            case {"to": [int(row), int(column)]} if self.playable is not None:
                self.playable.walk((row, column))
                self._tell()

    def _undo(self) -> None:
        if self.playable and self.playable.game.undo():
            self._tell()

    def _redo(self) -> None:
        if self.playable and self.playable.game.redo():
            self._tell()

    def _restart(self) -> None:
        if self.playable:
            self.playable.game.restart()
            self._tell()

    def _watch(self) -> None:
        """Show the moves of the game in the view `Replay`."""
        if self.playable is not None:
            game = self.playable.game
            self.desk.replay(game.puzzle, game.puzzle.replay(game.plan), "Your own moves")
            self.desk.show("replay")

    # From here

    def _hint(self) -> None:
        """Compute a hint for this position in a process of its own; if there is one, tell one step more of it."""
        if self.playable is None:
            return
        game = self.playable.game
        metric, played = str(game.metric), tuple(game.notation)
        if self.advised and self.advised[0] == (metric, *played):
            degrees = [degree for degree in DEGREES if degree != MILESTONE or self.advised[1].milestone]
            told = degrees.index(self.advised[2])
            self.advised = *self.advised[:2], degrees[min(told + 1, len(degrees) - 1)]
            self._show_advice()
            return
        begin = partial(work.under, Budget(2 * HINT_SECONDS, 1024), work.advising(game.puzzle, metric, game.plan))
        with errors_shown():
            topic = f"hint {self.desk.key}"
            self.advising = self.desk.studio.runs.start(topic, "hint", (metric, played), game.puzzle, metric, begin)
            self.advice.clear()
            with self.advice:
                ui.label("thinking ...").classes("about")

    def _look(self) -> None:
        run = self.advising
        if run is None or not run.over or self.playable is None:
            return
        self.advising = None
        game = self.playable.game
        if isinstance(run.answer, Advice):
            self.advised = (str(game.metric), *game.notation), run.answer, FAR
            self._show_advice()
            return
        self.advice.clear()
        with self.advice:
            ui.label(str(run.error or "No hint within the limits.")).classes("bad")

    def _show_advice(self) -> None:
        """What is told of the last advice: how far the goal is; a milestone; which piece to move; the best moves."""
        assert self.playable is not None
        assert self.advised is not None
        game, (_, advice, degree) = self.playable.game, self.advised
        moves = [move for move in advice.moves if move in game.moves()]
        self.advice.clear()
        with self.advice:
            ui.label(_far(advice, game)).classes("bad" if advice.unsolvable else "far")
            if degree == MILESTONE and advice.milestone:
                ui.label(f"On the way, in every plan: {advice.milestone}.").classes("milestone")
            if moves and degree == PIECE:
                pieces = dict.fromkeys(piece_of(game.board, move, game.notation_of(move)) for move in moves)
                ui.label(f"Move {' or '.join(pieces)}.").classes("piece")
            if moves and degree != MOVE:
                ui.label("Press Hint again to be told more.").classes("about")
            for move in moves if degree == MOVE else ():
                ui.button(game.notation_of(move), on_click=partial(self._play, move)).props(
                    "outline dense no-caps"
                ).classes("best")

    def _play(self, move: Move) -> None:
        if self.playable is not None and move in self.playable.game.moves():
            self.playable.game.play(move)
            self._tell()

    def _solve(self) -> None:
        """Solve the position that is on the board."""
        if self.playable is None:
            return
        game = self.playable.game
        with errors_shown():
            here, metric, played = game.here(), str(game.metric), tuple(game.notation)
            begin = partial(Solving, here, DEFAULT_ENGINE, metric, Budget(60.0, 2048), {})
            name = f"{DEFAULT_ENGINE}, after {counted(len(played), 'move')}" if played else DEFAULT_ENGINE
            self.desk.studio.runs.start(
                f"solve {self.desk.key}", name, (self.desk.text, metric, played), here, metric, begin
            )
            self.desk.show("solve")


def _keys(playable: Playable) -> str:
    """The meaning of the keys on this board."""
    scene = playable.stage.scene()
    if scene["walker"]:
        moves = "arrows walk and push"
    elif scene["direct"]:
        moves = "arrows move the piece beside the gap"
    else:
        moves = "a letter takes a piece, or Tab and Enter do; arrows move it"
    return f"Keys: {moves}; Z takes a move back, Y makes it again, R starts again."


def _far(advice: Advice, game: Game) -> str:
    """The distance to the goal in words, exact or as bounds."""
    unit = game.puzzle.metric(str(game.metric)).units[0]
    if advice.unsolvable:
        return "There is no way to the goal from here."
    if advice.distance is not None:
        return f"{unit.counted(advice.distance)} to the goal."
    low = f"at least {unit.counted(advice.at_least)}" if advice.at_least is not None else "an unknown number"
    high = f", at most {advice.at_most:,}" if advice.at_most is not None else ""
    return f"{low}{high} to the goal.".capitalize()
