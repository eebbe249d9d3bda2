"""Moves: what one step of a plan does to a puzzle, in terms of the puzzle.

A move is all that passes from an engine to the rules that replay its plan. A family that is not about sliding defines
a move of its own, a frozen dataclass of numbers, texts and tuples of them:

    @dataclass(frozen=True, slots=True)
    class Pour(Move):
        kind: ClassVar[str] = "pour"
        source: str
        target: str
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from .cells import Cell


@dataclass(frozen=True, slots=True)
class Move:
    """The base of all moves. Moves are values: hashable, equal if their fields are, and writable as JSON."""

    kind: ClassVar[str]
    """The name of this kind of move in JSON."""

    @property
    def where(self) -> Cell | None:
        """The cell that a person would point at to make the move, if there is one."""
        return None

    @property
    def what(self) -> tuple[str, ...]:
        """The names of the things that the move is about, where it names them."""
        return ()

    def then(self, after: Move) -> Move:
        """This move and the one `after` it as one move: how the parts of a compound move are joined.

        Raises `TypeError` for a kind of move that cannot be a part of a compound move.
        """
        raise TypeError(f"moves of the kind `{self.kind}` are not joined into compound moves")

    @property
    def singles(self) -> tuple[Move, ...]:
        """The single moves of a `Chain`, in order; any other move is its own only one."""
        return (self,)

    def as_json(self) -> dict[str, Any]:
        """The kind and the fields, for `json.dumps`."""
        return {"kind": self.kind, **{field.name: getattr(self, field.name) for field in fields(self)}}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The move of this kind that `as_json` wrote. Raises `KeyError` if a field is missing."""
        return cls(**{field.name: _frozen(value[field.name]) for field in fields(cls)})


@dataclass(frozen=True, slots=True)
class Slide(Move):
    """The object that stands on `cell` moves along `path` (letters U, D, L, R, one a cell).

    `cell` is the object's first cell in reading order (a piece), or where it stands (a box, a player).
    """

    kind: ClassVar[str] = "slide"
    cell: Cell
    path: str

    @property
    def where(self) -> Cell:
        return self.cell

    @property
    def end(self) -> Cell:
        """Where the path leads to."""
        row, column = self.cell
        up, down, left = map(self.path.count, "UDL")
        return row + down - up, column + len(self.path) - up - down - 2 * left

    def then(self, after: Move) -> Slide:
        """The path of both: `after` starts where this one ends."""
        if not isinstance(after, Slide):
            raise TypeError(f"a slide is not joined with a move of the kind `{after.kind}`")
        return Slide(self.cell, self.path + after.path)


@dataclass(frozen=True, slots=True)
class Chain(Move):
    """Several moves in a row, which an engine makes as one; plans have them one by one."""

    kind: ClassVar[str] = "chain"
    moves: tuple[Move, ...]

    @property
    def singles(self) -> tuple[Move, ...]:
        return self.moves


def chained(moves: Iterable[Move | None]) -> Move | None:
    """Moves in a row as one; None if none of them is visible."""
    visible = tuple(single for move in moves if move is not None for single in move.singles)
    return visible[0] if len(visible) == 1 else Chain(visible) if visible else None


def alike(one: object, other: object) -> bool:
    """Whether two moves do the same: equal ones, and slides of one object to one cell by different paths."""
    if isinstance(one, Slide) and isinstance(other, Slide):
        return (one.cell, one.end) == (other.cell, other.end)
    return one == other


def compound(moves: Iterable[Move | None]) -> Move | None:
    """The moves of a compound move as one; None if none of its parts is visible."""
    whole: Move | None = None
    for move in moves:
        if move is not None:
            whole = move if whole is None else whole.then(move)
    return whole


def _frozen(value: Any) -> Any:
    """JSON's lists as tuples, at any depth."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
