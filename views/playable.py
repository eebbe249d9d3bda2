"""A game for the element `<budge-board>`: its position, and its legal moves as what pieces can be dragged to.

board = Playable(game)
board.scene(), board.state(), board.moves()     the element's properties
game.play(board.options[index])                 what the element's event `move` asks for; then both again
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..models.cells import Cell
from ..models.moves import Move, Slide
from ..workflows.playing import Game
from .player import ways
from .scene import Scene

NAMED = 200
"""The most moves that are sent with their notation. Where there are more, as on large boards of Sokoban, walks of more
than one cell are not listed: a hall of 60x60 cells has 3,400 of them, which take 15 ms to find and 130 kB to send.
"""


class Playable:
    """A game as the element shows it, with the moves that it may ask for. Moves are numbered as in `options`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.stage = Scene(game.puzzle)
        self.options: list[Move] = []
        self._played = 0

    def scene(self) -> dict[str, Any]:
        """The property `scene`."""
        return self.stage.scene() | ({"far": True} if self.far else {})

    def state(self) -> dict[str, Any]:
        """The property `state`: where the pieces are now, and which of them have moved since it was last asked for, and
        on which way, if that was by one move.
        """
        moves, before = self.game.plan.moves, self.stage.last
        last = moves[-1] if moves else None
        state = self.stage.state(self.game.board, last.where if last else None).json()
        if len(moves) == self._played + 1 and (via := ways(self.stage, before, last, self.game.notation[-1])):
            state["via"] = via
        self._played = len(moves)
        return state

    @cached_property
    def far(self) -> bool:
        """Whether only the next steps of the player are listed, of more than `NAMED` moves; `walk` finds the others."""
        return len(self.game.moves()) > NAMED and self.game.near_moves() is not None

    def walk(self, to: Cell) -> bool:
        """Have the player walk to a cell, as the element's event `walk` asks; whether there was a way."""
        move = self.game.walk(to)
        if move is not None:
            self.game.play(move)
        return move is not None

    def moves(self) -> list[dict[str, Any]]:
        """The property `moves`: for each option the piece that it moves, and where to; `tap` where it moves none."""
        self.options = (self.game.near_moves() if self.far else None) or self.game.moves()
        named = len(self.options) <= NAMED
        return [self._option(move, named) for move in self.options]

    def _option(self, move: Move, named: bool) -> dict[str, Any]:
        said = {"notation": self.game.notation_of(move)} if named else {}
        if isinstance(move, Slide):
            straight = {"way": move.path[0]} if move.path == move.path[0] * len(move.path) else {}
            return {"piece": self.stage.piece_at(move.cell), "to": move.end, **straight, **said}
        after = self.stage.look(self.game.after(move), move.where)
        before = self.stage.last.at
        moved = [(id, after.at[id][:2]) for id in after.moved if id in before]
        found: tuple[str, Cell] | None = moved[0] if len(moved) == 1 else None
        if found is None:
            found = next((pair for pair in moved if self.stage.pieces[pair[0]].label in move.what), None)
        if found is None and move.where and (id := self.stage.piece_at(move.where)):
            found = next((pair for pair in moved if pair[0] == id), None)
        if found is not None:
            way = _way(before[found[0]][:2], found[1])
            return {"piece": found[0], "to": found[1], **({"way": way} if way else {}), **said}
        return {"piece": None, "to": None, **({"tap": move.where} if move.where else {}), **said}


def _way(here: Cell, there: Cell) -> str | None:
    """The direction in which one cell lies straight from another."""
    down, right = there[0] - here[0], there[1] - here[1]
    if (down == 0) == (right == 0):
        return None
    return ("D" if down > 0 else "U") if down else ("R" if right > 0 else "L")
