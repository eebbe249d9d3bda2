"""Hints by degrees, and the gauge that shows after each move how far the goal is, for the view `Play`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from ..models.errors import BudgeError
from ..models.moves import Move
from ..models.plan import Plan
from ..runtime.budget import Budget
from ..workflows.exploration import DEGREES, MILESTONE, MOVE, PIECE, piece_of
from ..workflows.playing import HINT_SECONDS, Advice, Game
from . import work
from .desk import Desk
from .runs import StudioRun

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
        self.hinted: dict[Place, Advice | str] = {}
        self.measured: dict[Place, Advice | str] = {}
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
        found = self._known((metric, ()))
        return found.distance if isinstance(found, Advice) else None

    def _known(self, place: Place) -> Advice | str | None:
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
            answer = run.answer if isinstance(run.answer, Advice) else str(run.error or "No hint within the limits.")
            (self.hinted if self.fully else self.measured)[self.about] = answer
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
        orders = work.advising(game.puzzle, metric, plan, fully)
        begin = partial(work.under, Budget(LOADING + 2 * HINT_SECONDS, MEMORY), orders)
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
        found = self._known(place_of(game))
        far = 0 if game.solved else found.distance if isinstance(found, Advice) else None
        metric = str(game.metric)
        known = (self.hinted | self.measured).items()
        seen = [one.distance or 0 for (m, _), one in known if m == metric and isinstance(one, Advice)]
        most = max([self.best(game) or 0, far or 0, *seen, 1])
        if far is not None:
            self.bar.style(f"--share: {100 * (1 - far / most):.0f}%")
        self.far.text = distance(found, game) if isinstance(found, Advice) else found or "..."
        if game.solved:
            self.far.text = "at the goal"

    def _show(self) -> None:
        """What is told of this position: how far the goal is; a milestone; which piece to move; the best moves."""
        game = self.game
        if game is None or self.told < 0:
            return
        advice = self.hinted.get(place_of(game))
        milestone = advice.milestone if isinstance(advice, Advice) else ""
        degrees = [degree for degree in DEGREES if degree != MILESTONE or milestone]
        degree = degrees[min(self.told, len(degrees) - 1)]
        self.advice.clear()
        with self.advice:
            if not isinstance(advice, Advice):
                ui.label(advice or self.refused or "thinking ...").classes("bad" if advice else "about")
                return
            moves = [move for move in advice.moves if move in game.moves()]
            if advice.unsolvable or not self.desk.studio.gauge:  # else the gauge says it
                ui.label(distance(advice, game)).classes("bad" if advice.unsolvable else "far")
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


def settled(known: Advice | str | None) -> bool:
    """Whether an answer is final: a proven distance, or that there is no way; never a limit or an error."""
    return isinstance(known, Advice) and (known.distance is not None or known.unsolvable)


def distance(advice: Advice, game: Game) -> str:
    """The distance to the goal in words, exact or as bounds."""
    metric = game.puzzle.metric(str(game.metric))
    unit = metric.units[0]
    if advice.unsolvable:
        return "There is no way to the goal from here."
    if advice.distance is not None:
        return f"{unit.counted(advice.distance)} to the goal."
    low = f"at least {unit.counted(advice.at_least)}" if advice.at_least is not None else "an unknown number"
    high = f", at most {advice.at_most:,}" if advice.at_most is not None else ""
    expected = None if game.notation else game.puzzle.header.expect.costs.get(str(game.metric))
    said = f" The file expects {metric.counted(expected)}." if expected else ""
    return f"{low}{high} to the goal.".capitalize() + said
