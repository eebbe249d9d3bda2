"""The family `sliding-block`: pieces of any shape that slide on a board of any shape (Klotski and its kin).

    board: |            # equal letters are one piece, `.` is an empty cell, `#` a wall
      aXXb
      aXXb
      cdde
      cfge
      h..i
    goal: |             # `.` is anything; a letter is a cell that this piece must cover; `#` repeats a wall
      ....
      ....
      ....
      .XX.
      .XX.

Pieces slide from cell to neighbouring cell and never turn. A goal may name several pieces, and may show
only some of a piece's cells: every position that covers the cells shown will do. Pieces of one shape that
the goal does not name are interchangeable; pieces that it names are themselves, even if others look the
same.

Keys that a puzzle may add; `ABC` stands for the three pieces A, B and C:

- `directions: {AB: horizontal, C: LRU, d: none}`: where a piece may go: letters of `UDLR`, or the words `up`,
  `down`, `left`, `right`, `horizontal`, `vertical`, `any` and `none`. Pieces not named here go anywhere.
- `doors`: cells that only named pieces may enter: a map of the board's size, in which a letter is a cell
  for this piece alone and `.` a cell for all, or a list, in which a cell can be for several pieces:
  `- {row: 6, col: 2, pieces: AB}`.
- `alike: BCD` (or a list of such sets): pieces of one shape that stay interchangeable although the goal names
  them: where it names one of them, any of them will do.
- `detached: X`: pieces in several parts that move together. Without it, a letter that stands in two
  unconnected places is an error.

Metrics: `moves` (one piece along any path, corners included), `slides` (one piece, one straight line, any
distance) and `steps` (one cell).

Notation of a step: the piece, a colon, and its path in letters U, D, L, R, each with the number of cells
where that is more than one: `a:R`, `b:DL`, `X:D2R`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from ...cells import DIRECTIONS, Cell, draw, parts_of, place
from ...documents.write import flow, quoted
from ...errors import ReplayError
from ...plan import Plan, Replay, Step
from ...puzzle import Header, Puzzle
from ...task import Task
from . import notation as sliding_plan
from .grounding import ground


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: its letter, its cells in reading order, the directions that it may take (letters of UDLR)."""

    letter: str
    cells: tuple[Cell, ...]
    directions: str = "UDLR"

    @property
    def shape(self) -> tuple[Cell, ...]:
        """The cells relative to the first one."""
        row, column = self.cells[0]
        return tuple((r - row, c - column) for r, c in self.cells)


@dataclass(frozen=True)
class SlidingBlock(Puzzle):
    """A sliding-block puzzle.

    `doors` are the cells that only some pieces, given by letter, may enter. `goal` lists letters with the
    cells that the piece must cover; `alike` are sets of letters of which each can stand for the others in
    the goal.
    """

    header: Header
    height: int
    width: int
    walls: frozenset[Cell]
    pieces: tuple[Piece, ...]
    goal: tuple[tuple[str, tuple[Cell, ...]], ...]
    doors: tuple[tuple[Cell, frozenset[str]], ...] = ()
    alike: tuple[frozenset[str], ...] = ()

    family: ClassVar[str] = "sliding-block"
    metrics: ClassVar[tuple[str, ...]] = ("moves", "slides", "steps")

    def board(self) -> tuple[str, ...]:
        return self._draw({cell: piece.letter for piece in self.pieces for cell in piece.cells})

    def goal_text(self) -> tuple[str, ...]:
        return self._draw({cell: letter for letter, cells in self.goal for cell in cells})

    def _draw(self, letters: dict[Cell, str]) -> tuple[str, ...]:
        return draw(self.height, self.width, letters, self.walls)

    def keys(self, board: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
        keys: dict[str, str | tuple[str, ...]] = {"board": board, "goal": self.goal_text()}
        directions = {p.letter: p.directions or "none" for p in self.pieces if p.directions != "UDLR"}
        if directions:
            keys["directions"] = flow(directions)
        if self.doors:
            doors = [
                f"{{row: {row + 1}, col: {column + 1}, pieces: {quoted(''.join(sorted(letters)))}}}"
                for (row, column), letters in self.doors
            ]
            keys["doors"] = f"[{', '.join(doors)}]"
        if self.alike:
            keys["alike"] = f"[{', '.join(quoted(''.join(sorted(letters))) for letters in self.alike)}]"
        detached = [piece.letter for piece in self.pieces if len(parts_of(list(piece.cells))) > 1]
        if detached:
            keys["detached"] = quoted("".join(detached))
        return keys

    def parse_plan(self, text: str) -> Plan:
        return sliding_plan.parse(self, text)

    def task(self, metric: str) -> Task:
        return ground(self, metric)

    def closed_to(self, piece: Piece) -> frozenset[Cell]:
        """Walls, and doors that the piece may not enter."""
        return self.walls.union(cell for cell, letters in self.doors if piece.letter not in letters)

    def stand_ins(self, letter: str) -> frozenset[str]:
        """The pieces that may stand where the goal names a letter."""
        return next((letters for letters in self.alike if letter in letters), frozenset(letter))

    def replay(self, plan: Plan) -> Replay:
        """Play the plan cell by cell.

        Costs: `steps`; `slides`, in which consecutive steps of one piece in one direction are one; `moves`,
        in which all consecutive steps of one piece are one.
        """
        pieces = {piece.letter: piece for piece in self.pieces}
        closed = {piece.letter: self.closed_to(piece) for piece in self.pieces}
        letters = {cell: piece.letter for piece in self.pieces for cell in piece.cells}
        cells = {piece.letter: set(piece.cells) for piece in self.pieces}
        steps: list[Step] = []
        cost = dict.fromkeys(self.metrics, 0)
        last_piece = last_direction = ""
        for number, move in enumerate(plan.moves, 1):
            letter = letters.get(move.cell)
            if letter is None:
                raise ReplayError(f"move {number}: no piece at {place(move.cell)}")
            if not move.path:
                raise ReplayError(f"move {number}: {letter} moves nowhere")
            for direction in move.path:
                if direction not in pieces[letter].directions:
                    raise ReplayError(f"move {number}: {letter} may not move {direction}")
                row, column = DIRECTIONS[direction]
                old = cells[letter]
                new = {(r + row, c + column) for r, c in old}
                for cell in sorted(new - old):
                    inside = 0 <= cell[0] < self.height and 0 <= cell[1] < self.width
                    if not inside or cell in closed[letter] or cell in letters:
                        raise ReplayError(f"move {number}: {letter} is blocked at {place(cell)}")
                for cell in old:
                    del letters[cell]
                letters.update(dict.fromkeys(new, letter))
                cells[letter] = new
                cost["steps"] += 1
                cost["slides"] += (letter, direction) != (last_piece, last_direction)
                cost["moves"] += letter != last_piece
                last_piece, last_direction = letter, direction
            steps.append(Step(notation(letter, move.path), self._draw(letters)))
        return Replay(tuple(steps), cost, self._solved(cells))

    def _solved(self, cells: dict[str, set[Cell]]) -> bool:
        return all(
            any(cells[other].issuperset(wanted) for other in self.stand_ins(letter)) for letter, wanted in self.goal
        )


def notation(letter: str, path: str) -> str:
    """A step for people: `X:D2R` is piece X two cells down and one to the right."""
    runs = [(direction, len(list(run))) for direction, run in groupby(path)]
    return f"{letter}:" + "".join(f"{direction}{count if count > 1 else ''}" for direction, count in runs)
