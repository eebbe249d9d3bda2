"""The view `Play`: the board under one's fingers, by the rules of the family; counters, undo, hints. The view `Replay`:
a plan in the player.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from ..engines.table import DEFAULT_ENGINE
from ..models.errors import BudgeError
from ..models.moves import Move
from ..models.plan import Plan, Replay
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.player import Playable, plan_json, replay_page
from ..views.svg import board_svg
from ..workflows.exploration import DEGREES, MILESTONE, MOVE, PIECE, piece_of
from ..workflows.playing import HINT_SECONDS, Advice, Game
from ..workflows.streaming import Solving
from . import runs
from .desk import Desk
from .editor import file_name
from .library import address
from .runs import StudioRun
from .widgets import choice, copy_button, errors_shown, flat, round_button, strong

# Hints by degrees, and the gauge that shows after each move how far the goal is, for the view `Play`.

LOOK = 0.15
"""Seconds between two checks for an answer."""

LOADING = 30.0
"""The most seconds that a hint's process may take to load code, on a busy machine."""

MEMORY = 1024
"""MiB that finding out a distance may take."""

Place = tuple[str, tuple[str, ...]]
"""A position of a game: the metric, and the moves that lead there."""


def place_of(game: Game) -> Place:
    """The place of a game's position."""
    return str(game.metric), tuple(game.notation)


class Hints:
    """What is known of the distances of a game's positions, each found out in a process of its own.

    `play`: makes a move that was pressed; `learnt`: called when the least cost of the puzzle has become known.
    """

    def __init__(self, desk: Desk, play: Callable[[Move], None], learnt: Callable[[], None]) -> None:
        self.desk, self.play, self.learnt = desk, play, learnt
        self.game: Game | None = None
        self.hinted: dict[Place, Advice] = {}
        self.measured: dict[Place, Advice] = {}
        """What is known for hints, and for the gauge, which does not wait for milestones."""
        self.told = -1
        """How many degrees are told of this position, less one; -1: nothing."""
        self.run: StudioRun | None = None
        self.about: Place | None = None
        self.fully, self.refused = False, ""
        with ui.element("div").classes("gauge").props('role="status"'):
            self.bar = ui.element("div").classes("gauge-bar").props('aria-hidden="true"')
            self.far = ui.label("").classes("gauge-far")
        self.advice = ui.element("div").classes("advice").props('role="status"')
        self._draw()
        ui.timer(LOOK, self._look)

    def changed(self, game: Game) -> None:
        """The game has come to another position."""
        if self.game is None or self.game.puzzle != game.puzzle:
            self.hinted.clear()
            self.measured.clear()
        self.game, self.told = game, -1
        if any(self.advice):
            self.advice.clear()
        self._draw()

    def best(self, game: Game) -> int | None:
        """The least cost of the whole puzzle in the metric of the game, as far as the file or a distance says it."""
        metric = str(game.metric)
        expected = game.puzzle.header.expect.costs.get(metric)
        if expected is not None:
            return expected[0] if len(expected) == 1 else None
        advice = self._known((metric, ()))
        return advice.distance if advice else None

    def _known(self, place: Place) -> Advice | None:
        return self.hinted.get(place) or self.measured.get(place)

    def ask(self) -> None:
        """Tell one degree more of this position."""
        if self.game is not None:
            if not settled(self.hinted.get(place_of(self.game))):
                self.hinted.pop(place_of(self.game), None)  # a limit is no answer: asked again, there may be one
            self.told += 1
            self._show()

    def switch(self) -> None:
        """Add a switch that shows or hides how far the goal is, at the place of the page where elements are added."""
        switch = ui.switch("Distance to the goal", value=self.desk.studio.gauge, on_change=self._turned)
        switch.props("dense").classes("gauge-on")

    def _turned(self, event: object) -> None:
        self.desk.studio.gauge = bool(getattr(event, "value", False))
        self._draw()
        self._show()

    # Finding out

    def _look(self) -> None:
        run, game = self.run, self.game
        if run is not None and run.over and self.about is not None:
            failure = Advice(failure=str(run.error or "No hint within the limits."))
            advice = run.answer if isinstance(run.answer, Advice) else failure
            (self.hinted if self.fully else self.measured)[self.about] = advice
            self.run = None
            self._show()
            self._draw()
            if game is not None and game.solved and self.about == (str(game.metric), ()):
                self.learnt()
        if self.run is None and game is not None and self.desk.view in ("play", "write"):
            self._start(game)

    def _start(self, game: Game) -> None:
        """Begin to find out what is wanted and not known: this position, or the start once the puzzle is solved."""
        metric, plan, wanted = str(game.metric), game.plan, place_of(game)
        if game.solved and self.best(game) is None:
            plan, wanted = Plan(()), (metric, ())
        elif game.solved or not (self.told >= 0 or self.desk.studio.gauge):
            return
        fully = self.told >= 0
        if (wanted in self.hinted) if fully else self._known(wanted) is not None:
            return
        orders = partial(runs.advise, game.puzzle, metric, plan, fully)
        begin = partial(runs.under, Budget(LOADING + 2 * HINT_SECONDS, MEMORY), orders)
        try:
            topic, asked = f"hint {self.desk.key}", (*wanted, fully)
            self.run = self.desk.studio.runs.start(topic, "hint", asked, game.puzzle, metric, begin)
            self.about, self.fully = wanted, fully
            self.refused = ""
        except BudgeError as error:  # no answer: the next look tries again
            if self.refused != str(error):
                self.refused = str(error)
                self._show()

    # Showing

    def _draw(self) -> None:
        """The gauge: full at the goal, empty as far from it as the game has been."""
        on, game = self.desk.studio.gauge, self.game
        self.bar.set_visibility(on)
        self.far.set_visibility(on)
        if not on or game is None:
            return
        advice = self._known(place_of(game))
        far = 0 if game.solved else advice.distance if advice else None
        every = self.hinted | self.measured
        seen = [past.distance or 0 for (metric, _), past in every.items() if metric == game.metric]
        most = max([self.best(game) or 0, far or 0, *seen, 1])
        if far is not None:
            self.bar.style(f"--share: {100 * (1 - far / most):.0f}%")
        self.far.text = "at the goal" if game.solved else distance(advice, game) if advice else "..."

    def _show(self) -> None:
        """What is told of this position: how far the goal is; a milestone; which piece to move; the best moves."""
        game = self.game
        if game is None or self.told < 0:
            return
        advice = self.hinted.get(place_of(game))
        milestone = advice.milestone if advice else ""
        degrees = [degree for degree in DEGREES if degree != MILESTONE or milestone]
        degree = degrees[min(self.told, len(degrees) - 1)]
        self.advice.clear()
        with self.advice:
            if advice is None:
                ui.label(self.refused or "thinking ...").classes("about")
                return
            moves = [move for move in advice.moves if move in game.moves()]
            bad = advice.unsolvable or bool(advice.failure)
            if bad or not self.desk.studio.gauge:  # else the gauge says it
                ui.label(distance(advice, game)).classes("bad" if bad else "far")
            if degree == MILESTONE:
                ui.label(f"On the way, in every plan: {milestone}.").classes("milestone")
            if moves and degree == PIECE:
                pieces = dict.fromkeys(piece_of(game.board, move, game.notation_of(move)) for move in moves)
                ui.label(f"Move {' or '.join(pieces)}.").classes("piece")
            if moves and degree != MOVE:
                ui.label("Press Hint again to be told more.").classes("about")
            for move in moves if degree == MOVE else ():
                best = ui.button(game.notation_of(move), on_click=partial(self.play, move))
                best.props("outline dense no-caps").classes("best")


def settled(advice: Advice | None) -> bool:
    """Whether an answer is final: a proven distance, or that there is no way; never a limit or an error."""
    return advice is not None and (advice.distance is not None or advice.unsolvable)


def distance(advice: Advice, game: Game) -> str:
    """The distance to the goal in words, exact or as bounds; or why it was not found out."""
    metric = game.puzzle.metric(str(game.metric))
    unit = metric.units[0]
    if advice.unsolvable or advice.failure:
        return advice.failure or "There is no way to the goal from here."
    if advice.distance is not None:
        return f"{unit.counted(advice.distance)} to the goal."
    low = f"at least {unit.counted(advice.at_least)}" if advice.at_least is not None else "an unknown number"
    high = f", at most {advice.at_most:,}" if advice.at_most is not None else ""
    expected = None if game.notation else game.puzzle.header.expect.costs.get(str(game.metric))
    said = f" The file expects {metric.counted(expected)}." if expected else ""
    return f"{low}{high} to the goal.".capitalize() + said


SHOWN_MOVES = 400
"""The most moves of the history that are listed: the last ones."""

GOAL_WIDTH = 120
"""Pixels of the picture of a goal."""


class PlayView:
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
                    self.undo = round_button("Undo (Z)", "undo", partial(self._go, Game.undo), "play-undo")
                    self.redo = round_button("Redo (Y)", "redo", partial(self._go, Game.redo), "play-redo")
                    self.again = round_button(
                        "Start again (R)", "restart_alt", partial(self._go, Game.restart), "play-start"
                    )
                    ui.element("div").classes("spring")
                    self.hint = strong("Hint", icon="lightbulb", on_click=lambda: self.hints.ask(), name="play-hint")
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
        last = "This is the last board that could be read: the text has problems now."
        self.none.text = last if self.playable else "The board is here as soon as the text is a puzzle."
        if puzzle is None:
            return
        shown = self.playable.game if self.playable else None
        game = shown or self.desk.memory.game
        if game is None or (game.puzzle.family, game.puzzle.value) != (puzzle.family, puzzle.value):
            game = None  # else only its name or the like has changed, or the page was loaded again: the game goes on
        if game is None or game is not shown:
            self._begin(puzzle, puzzle.header.metric if game is None else str(game.metric), game)
            self.metric.set_options(list(puzzle.metrics), value=self.playable and self.playable.game.metric)

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

    def _go(self, move: Callable[[Game], object]) -> None:
        """Take a move back, make one again, or start again; where there is none, nothing changes."""
        if self.playable and move(self.playable.game) is not False:
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


# The view `Replay`: a plan in the player `<budge-replay>`, and the same as one page to keep or to mail.

MOST_STEPS = 5000
"""Steps of a plan that is shown; longer ones can be saved and replayed on the command line."""


class ReplayView:
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
