"""Playing a puzzle by hand: the legal moves of a position as data, what was played so far, a hint. No user interface.

game = Game(load("bird-1"), "slides")
game.moves()                    the legal moves here: [Slide(cell=(0, 0), path='D'), ...]
game.play(game.moves()[0])      its notation, by the rules of the family
game.undo(), game.redo()
game.hint(seconds=2)            how far the goal is from here, and every move that a shortest plan begins with
game.here()                     the puzzle that starts at this position, to solve it or to save it
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..models.cells import Cell, Rows
from ..models.documents.fields import Expect
from ..models.errors import ReplayError, UsageError
from ..models.families import load_text
from ..models.moves import Move, Slide
from ..models.plan import Plan, Simulator
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from .solving import metric_of

if TYPE_CHECKING:
    from .exploration import Answer  # its module loads more than playing needs

HINT_SECONDS = 5.0
"""The default time limit of a hint in seconds."""


@dataclass
class Game:
    """A puzzle in play. `metric` (default: the puzzle's own) says how far one move may go: a cell, a line, any path.
    `start`: the position that it begins with, if that is another than the puzzle's.
    """

    puzzle: Puzzle
    metric: str | None = None
    start: InitVar[Simulator[Any] | None] = None
    _games: list[Simulator[Any]] = field(init=False, repr=False)
    _played: list[tuple[Move, str]] = field(default_factory=list, init=False, repr=False)
    _undone: list[Move] = field(default_factory=list, init=False, repr=False)
    _moves: list[Move] | None = field(default=None, init=False, repr=False)

    def __post_init__(self, start: Simulator[Any] | None) -> None:
        self.metric = metric_of(self.puzzle, self.metric)
        self._games = [start or self.puzzle.record.simulate(self.puzzle.value)]

    # The position

    @property
    def _now(self) -> Simulator[Any]:
        return self._games[-1]

    @property
    def board(self) -> Rows:
        """The position as rows of text."""
        return self._now.board()

    @property
    def solved(self) -> bool:
        return self._now.solved

    @property
    def costs(self) -> dict[str, int]:
        """The cost of the moves played so far, in every unit of the puzzle's metrics in which all of them have one."""
        return dict(self._now.costs)

    @property
    def plan(self) -> Plan:
        """The moves from the start to here."""
        return Plan(tuple(move for move, _ in self._played))

    @property
    def notation(self) -> list[str]:
        """The moves from the start to here, as people write them."""
        return [text for _, text in self._played]

    # Moves

    def moves(self) -> list[Move]:
        """Every legal move here, as far as one move goes in the metric.

        Raises `UsageError` if the family does not list its moves.
        """
        if self._moves is None:
            listed = self._now.moves()
            if listed is None:
                raise UsageError(f"the family {self.puzzle.family} does not list the moves of a position")
            self._moves = self._far(list(listed))
        return self._moves

    def _far(self, moves: list[Move]) -> list[Move]:
        """Slides of one cell, and what they grow to: further cells belong to a move while they cost nothing more.

        A family whose moves have several cells lists them itself.
        """
        if any(not isinstance(move, Slide) or len(move.path) != 1 for move in moves):
            return moves
        slides: dict[tuple[Cell, Cell], Slide] = {}
        queue: list[tuple[Simulator[Any], Slide, tuple[int, ...]]] = []
        for move in moves:
            assert isinstance(move, Slide)
            slides[move.cell, move.end] = move
            queue.append((game := self._after(self._now, move), move, self._cost(game)))
        for game, move, cost in queue:  # grows while it is read
            for step in game.moves(move.end) or ():
                place = move.cell, step.end
                if step.end == move.cell or place in slides:
                    continue
                longer = self._after(game, step)
                if self._cost(longer) == cost:
                    slides[place] = Slide(move.cell, move.path + step.path)
                    queue.append((longer, slides[place], cost))
        return list(slides.values())

    @staticmethod
    def _after(game: Simulator[Any], move: Move) -> Simulator[Any]:
        twin = game.fork()
        twin.play(move)
        return twin

    def _cost(self, game: Simulator[Any]) -> tuple[int, ...]:
        return tuple(game.costs[part] for part in str(self.metric).split(","))

    def notation_of(self, move: Move) -> str:
        """A legal move as people write it, without making it."""
        return str(self._now.fork().play(move))

    def after(self, move: Move) -> Rows:
        """The board after a move that is not made. Raises `ReplayError` if the rules forbid it."""
        return self._after(self._now, move).board()

    def play(self, move: Move) -> str:
        """Make a move; gives its notation. Raises `ReplayError` with the reason if the rules forbid it."""
        text = self._play(move)
        self._undone.clear()
        return text

    def _play(self, move: Move) -> str:
        if not isinstance(move, self.puzzle.record.moves):
            raise ReplayError(f"`{move}` is no move of this family")
        game = self._now.fork()
        text = game.play(move)
        self._games.append(game)
        self._played.append((move, text))
        self._moves = None
        return text

    def undo(self) -> bool:
        """Take the last move back; False if there is none."""
        if not self._played:
            return False
        self._undone.append(self._played.pop()[0])
        self._games.pop()
        self._moves = None
        return True

    def redo(self) -> bool:
        """Make the move again that was taken back last; False if there is none, or another was made since."""
        if not self._undone:
            return False
        self._play(self._undone.pop())
        return True

    # From here

    def here(self) -> Puzzle:
        """The puzzle that starts at this position. Raises `UsageError` if the family cannot write one."""
        header = replace(self.puzzle.header, expect=Expect())
        text = self.puzzle.to_yaml(header, after=self.plan)
        return load_text(text, self.puzzle.header.file)

    def hint(self, seconds: float = HINT_SECONDS) -> Answer:
        """How far the goal is, and the best moves, as far as that can be found out in some seconds."""
        from .exploration import hint

        return hint(self.here(), self.metric, Budget(seconds))
