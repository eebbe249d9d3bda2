"""A game by the rules in Python, as `<budge-board>` shows it: what pages do by rules as data is held against it."""

from __future__ import annotations

from typing import Any

from budge.models.cells import Cell
from budge.models.moves import Move, Slide
from budge.views.player import ways
from budge.views.scene import Scene
from budge.workflows.playing import Game


class Playable:
    """A game as the element shows it, with the moves that it may ask for. Moves are numbered as in `options`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.stage = Scene(game.puzzle)
        self.options: list[Move] = []
        self._played = 0

    def scene(self) -> dict[str, Any]:
        """The property `scene`."""
        return self.stage.scene()

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

    def moves(self) -> list[dict[str, Any]]:
        """The property `moves`: for each option the piece that it moves, and where to; `tap` where it moves none."""
        self.options = self.game.moves()
        return [self._option(move) for move in self.options]

    def _option(self, move: Move) -> dict[str, Any]:
        said = {"notation": self.game.notation_of(move)}
        if isinstance(move, Slide):
            straight = {"way": move.path[0]} if move.path == move.path[0] * len(move.path) else {}
            return {"piece": self.stage.piece_at(move.cell), "to": move.end, **straight, **said}
        after = self.stage.look(self.game.after(move), move.where)
        before = self.stage.last.at
        moved = [(id, after.at[id][:2]) for id in after.moved if id in before]
        mover: tuple[str, Cell] | None = moved[0] if len(moved) == 1 else None
        if mover is None:
            mover = next((pair for pair in moved if self._named(pair[0]) in move.what), None)
        if mover is None and move.where and (id := self.stage.piece_at(move.where)):
            mover = next((pair for pair in moved if pair[0] == id), None)
        if mover is not None:
            way = _way(before[mover[0]][:2], mover[1])
            return {"piece": mover[0], "to": mover[1], **({"way": way} if way else {}), **said}
        return {"piece": None, "to": None, **({"tap": move.where} if move.where else {}), **said}

    def _named(self, id: str) -> str | None:
        """What is written on a piece, if that is a name, as of a car: a number may be that of a place."""
        label = self.stage.pieces[id].label
        return None if label.isdigit() else label


def _way(here: Cell, there: Cell) -> str | None:
    """The direction in which one cell lies straight from another."""
    down, right = there[0] - here[0], there[1] - here[1]
    if (down == 0) == (right == 0):
        return None
    return ("D" if down > 0 else "U") if down else ("R" if right > 0 else "L")
