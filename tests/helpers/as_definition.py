"""Built-in puzzles as custom families: the rules are the files in `tests/definitions/`, the boards are converted.

The rules of a family do not know how far a piece goes at once, so the metric decides it: the type `distance` is `1..1`
in steps, and reaches across the board in slides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from budge.models.cells import Cell, draw, rc
from budge.models.documents.write import read_mapping
from budge.models.families import read_puzzle
from budge.models.families.n_puzzle.rules import NPuzzle
from budge.models.families.rush_hour.rules import RushHour
from budge.models.families.sliding_block.rules import BlockPiece, SlidingBlock
from budge.models.families.sokoban.rules import Sokoban
from budge.models.puzzle import Puzzle

FOLDER = Path(__file__).parents[1] / "definitions"
WAYS = {"U": "up", "D": "down", "L": "left", "R": "right"}

Keys = dict[str, Any]


def as_definition(puzzle: Puzzle, metric: str) -> Puzzle:
    """The same puzzle in a metric of its own, with its rules written out. Raises `PuzzleError` if the language cannot
    say them.
    """
    keys = {"format": 1, "name": puzzle.header.name, **_keys(puzzle.value, metric)}
    return read_mapping(keys, puzzle.header.file, lambda text: read_puzzle(replace(text, path=FOLDER / "board.yaml")))


def _keys(value: object, metric: str) -> Keys:
    match value:
        case RushHour():
            return _rush_hour(value, metric)
        case SlidingBlock():
            return _sliding_block(value, metric)
        case NPuzzle():
            return _n_puzzle(value)
        case Sokoban():
            return {
                "family": "sokoban.family.yaml",
                "metric": metric.split(","),
                "grid": "\n".join(value.board()) + "\n",
            }
    raise ValueError(f"there is no definition of {type(value).__name__}")


def _rush_hour(board: RushHour, metric: str) -> Keys:
    names = {vehicle.letter: f"car{number}" for number, vehicle in enumerate(board.vehicles, 1)}
    longest = max(len(vehicle.cells) for vehicle in board.vehicles)
    constants = {
        "length": _table("vehicle", f"1..{longest}", {names[v.letter]: len(v.cells) for v in board.vehicles}),
        "ahead": _table("vehicle", "direction", {names[v.letter]: WAYS["DR"[v.horizontal]] for v in board.vehicles}),
        "target": {"in": "vehicle", "value": names[board.target]},
        "exit": {"in": "cell", "value": rc(board.exit_cell)},
    }
    return {
        "family": "rush-hour.family.yaml",
        "types": {"vehicle": [*names.values()], "part": f"0..{longest - 1}", "distance": _distance(board, metric)},
        "grid": _grid(board),
        "constants": constants,
        "start": {
            "at": {names[v.letter]: rc(v.cells[0]) for v in board.vehicles},
            "free": _free(board, (v.cells for v in board.vehicles)),
        },
        "metrics": {metric: ["forward", "back"]},
    }


def _sliding_block(board: SlidingBlock, metric: str) -> Keys:
    kinds = _kinds(board)
    first = {kind: pieces[0] for kind, pieces in kinds.items()}
    kind_of = {piece.letter: kind for kind, pieces in kinds.items() for piece in pieces}
    longest = max(len(piece.cells) for piece in board.pieces)
    closed = {k: [rc(c) for c in sorted(board.closed_to(p) - board.walls)] for k, p in first.items()}
    wishes = {f"wish{number}": wish for number, wish in enumerate(board.goal, 1)}
    moves = metric == "moves"

    def offsets(axis: int) -> Keys:
        return {k: {i: offset[axis] for i, offset in enumerate(p.shape)} | {"others": 0} for k, p in first.items()}

    constants = {
        "size": _table("kind", f"1..{longest}", {kind: len(piece.cells) for kind, piece in first.items()}),
        "down_by": _table(["kind", "part"], f"0..{board.height}", offsets(0)),
        "right_by": _table(["kind", "part"], f"{-board.width}..{board.width}", offsets(1)),
        "may": {"of": ["kind", "direction"], "value": {k: [WAYS[d] for d in p.directions] for k, p in first.items()}},
        "closed": {"of": ["kind", "cell"], "value": {k: cells for k, cells in closed.items() if cells} or False},
        "who": _table("wish", "kind", {wish: kind_of[letter] for wish, (letter, _) in wishes.items()}),
        "wanted": {"of": ["wish", "cell"], "value": {w: [*map(rc, cells)] for w, (_, cells) in wishes.items()}},
    }
    at: dict[str, list[str]] = {rc(p.cells[0]): [kind_of[p.letter]] for p in board.pieces}
    free = _free(board, (piece.cells for piece in board.pieces))
    return {
        "family": "sliding-block-moves.family.yaml" if moves else "sliding-block.family.yaml",
        "types": {
            "kind": [*kinds],
            "part": f"0..{longest - 1}",
            "distance": _distance(board, metric),
            "wish": [*wishes],
        },
        "grid": _grid(board),
        "constants": constants,
        "start": {"piece": at, "free": free},
        **({} if moves else {"metrics": {metric: ["move"]}}),
    }


def _n_puzzle(board: NPuzzle) -> Keys:
    names = {tile: f"tile{tile}" if tile else "blank" for tile in sorted({t for row in board.start for t in row})}

    def on(rows: tuple[tuple[int, ...], ...]) -> Keys:
        return {rc((r, c)): names[tile] for r, row in enumerate(rows) for c, tile in enumerate(row)}

    return {
        "family": "n-puzzle.family.yaml",
        "types": {"tile": [*names.values()]},
        "grid": _lines("." * len(row) for row in board.start),
        "constants": {"home": _table("cell", "tile", on(board.goal))},
        "start": {"on": on(board.start)},
    }


def _kinds(board: SlidingBlock) -> dict[str, list[BlockPiece]]:
    """The pieces that stand for each other: those that the file says, and of the others those that look the same."""
    named = {other for letter, _ in board.goal for other in board.stand_ins(letter)}
    found: dict[object, list[BlockPiece]] = {}
    for piece in board.pieces:
        look = (piece.shape, piece.directions, board.closed_to(piece))
        found.setdefault(board.stand_ins(piece.letter) if piece.letter in named else look, []).append(piece)
    return {f"kind{number}": pieces for number, pieces in enumerate(found.values(), 1)}


def _table(of: str | list[str], domain: str, value: Mapping[str, Any]) -> Keys:
    return {"of": of, "in": domain, "value": value}


def _distance(board: RushHour | SlidingBlock, metric: str) -> str:
    return f"1..{max(2, board.height, board.width) - 1 if metric == 'slides' else 1}"


def _grid(board: RushHour | SlidingBlock) -> str:
    return _lines(draw(board.height, board.width, {}, board.walls))


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _free(board: RushHour | SlidingBlock, pieces: Iterable[tuple[Cell, ...]]) -> list[str]:
    taken = board.walls.union(*pieces)
    return [rc((r, c)) for r in range(board.height) for c in range(board.width) if (r, c) not in taken]
