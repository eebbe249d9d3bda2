"""The view `Play`: the board under one's fingers, by the rules of the family; counters, undo, hints."""

from __future__ import annotations

import json
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from ..engines.table import DEFAULT_ENGINE
from ..models.moves import Move
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.player import Playable
from ..views.svg import board_svg
from ..workflows.playing import Game
from ..workflows.streaming import Solving
from .desk import Desk
from .hints import Hints
from .library import address
from .parts import choice, errors_shown, flat, round_button, strong

SHOWN_MOVES = 400
"""The most moves of the history that are listed: the last ones."""

GOAL_WIDTH = 120
"""Pixels of the picture of a goal."""


class Play:
    """The board, with counters, buttons and moves beside it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.playable: Playable | None = None
        self.played: list[str] = []
        with ui.element("div").classes("beside"):
            with ui.element("div").classes("board-box"):
                self.board = ui.element("budge-board").classes("play-board")
                self.board.on("move", self._moved, args=["detail"])
                self.board.on("walk", self._walked, args=["detail"])
                self.none = ui.label("").classes("empty")
            with ui.element("div").classes("side"):
                self.goal = ui.element("div").classes("goal")
                with ui.element("div").classes("finish"):
                    self.state = ui.element("div").classes("play-state").props('role="status"')
                    self.next = strong("Next puzzle", icon="arrow_forward", on_click=self._next, name="next-puzzle")
                    self.next.set_visibility(False)
                self.counters = ui.element("div").classes("counters")
                with ui.element("div").classes("buttons"):
                    self.undo = round_button("Undo (Z)", "undo", self._undo, "play-undo")
                    self.redo = round_button("Redo (Y)", "redo", self._redo, "play-redo")
                    self.again = round_button("Start again (R)", "restart_alt", self._restart, "play-start")
                    ui.element("div").classes("spring")
                    self.hint = strong("Hint", icon="lightbulb", on_click=self._ask, name="play-hint")
                self.choices = ui.element("div").classes("choices").props('role="group" aria-label="Moves to make"')
                self.hints = Hints(desk, self._play, self._tell)
                self.moves = ui.element("div").classes("history panel").props('aria-label="Moves so far"')
                with ui.element("div").classes("buttons more"):
                    self.solve = flat("Solve from here", icon="query_stats", on_click=self._solve, name="play-solve")
                    self.replay = flat("Watch", icon="play_circle", on_click=self._watch, name="play-watch")
                with ui.element("details").classes("settings"):
                    with ui.element("summary"):
                        ui.icon("tune", size="1.4em").props('aria-hidden="true"')
                        ui.label("Settings and keys")
                    self.metric = choice([], label="One move goes", on_change=self._metric_chosen, name="wide")
                    self.hints.switch()
                    self.motion = ui.switch("Animation", value=True, on_change=self._motion).props("dense")
                    self.keys = ui.label("").classes("about keys")
        desk.on_puzzle.append(self._puzzle_changed)
        ui.on("studio-motion", lambda event: self.motion.set_value(bool(event.args)))

    @staticmethod
    def _motion(event: ValueChangeEventArguments[bool | None]) -> None:
        ui.run_javascript(f"budgeStudio.motion({json.dumps(bool(event.value))})")

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
        goal, said = puzzle.goal_text(), goal_words(puzzle)
        self.goal.clear()
        with self.goal:
            ui.label(f"Goal: {said}" if said else "Goal:")
            if not said:
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
        message["solved"] = self._solved(game)
        beside = [self.state.id, self.counters.id, self.moves.id, self.choices.id]
        ui.run_javascript(f"budgeStudio.play({self.board.id}, {beside}, {json.dumps(message)})")
        self._beside(game)

    def _beside(self, game: Game) -> None:
        """Enable the buttons that do something now. (Only changes cost time: the page is drawn again for each.)"""
        for button in (self.undo, self.again, self.replay):
            button.set_enabled(game.undoable > 0)
        self.redo.set_enabled(game.redoable > 0)
        self.next.set_visibility(game.solved and self.desk.studio.library.next(self.desk.key) is not None)
        self.hint.set_visibility(not game.solved)
        self.hints.changed(game)

    def _solved(self, game: Game) -> str:
        """What is said of a game that has come to the goal, beside the best that is known; else nothing."""
        if not game.solved:
            return ""
        metric = game.puzzle.metric(str(game.metric))
        unit, cost = metric.units[0], game.costs[metric.units[0].many]
        best = self.hints.best(game)
        if len(metric.units) == 1 and game.undoable:
            self.desk.studio.solved.note(game.puzzle.digest, metric.name, cost)
        if best is None:
            return f"Solved in {unit.counted(cost)}."
        if cost <= best:
            return f"Solved: {cost:,} of {unit.counted(best)}, a shortest solution!"
        return f"Solved in {unit.counted(cost)}; the best is {best:,}."

    def _ask(self) -> None:
        if self.playable is not None:
            self.hints.ask()

    def _next(self) -> None:
        following = self.desk.studio.library.next(self.desk.key)
        if following is not None:
            ui.navigate.to(address(following))

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


def goal_words(puzzle: Puzzle) -> str:
    """The goal in a sentence; nothing where only a picture says it."""
    goal, cells = puzzle.goal_text(), puzzle.record.drawing.goal_cells
    if len(goal) == 1:
        return goal[0]
    if cells is None:
        return ""
    *rest, last = (puzzle.labels().get(piece, piece) for piece in dict.fromkeys(cells(puzzle.value).values()))
    if not rest:
        return f"bring the red piece {last} to the dashed outline"
    return f"bring {', '.join(rest)} and {last} to the outlines in their colours"


def _keys(playable: Playable) -> str:
    """The meaning of the keys on this board."""
    scene = playable.stage.scene()
    if scene["walker"]:
        moves = "arrows walk and push"
    elif scene["direct"]:
        moves = "arrows move the piece beside the gap"
    else:
        moves = "a letter takes a piece, or Tab and Enter do; arrows move it"
    return f"Keys: {moves}; Z takes a move back, Y or Shift-Z makes it again, R starts again."
