"""Boards of built-in families as puzzles by rules: their rules are a page in the language of custom puzzles.

    rush-hour, n-puzzle, sliding-block     pieces.family.yaml, or pieces-in-moves.family.yaml where moves are counted
    sokoban                                sokoban.family.yaml

A page says what a board of its family may do. Here it gets the board: the grid, the types and constants, and the start;
then `rules_custom` reads both as it reads any custom puzzle.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from .acting import ActingGame, written
from .boards import Level, Piece, PiecePuzzle, shape
from .core.limits import Invalid, Limits, Unsupported
from .reading import DIRECTIONS, Cell, Text, document
from .rules_custom import read
from .terms import Places

FOLDER = Path(__file__).parent / "rules"
WAYS = dict(zip(DIRECTIONS, ("up", "down", "left", "right"), strict=True))

Keys = dict[Any, Any]


@dataclass(frozen=True)
class Page:
    """A page of rules: its name, its keys, and the beginning of the SHA-256 of its text."""

    name: str
    fields: Keys
    digest: str

    def __str__(self) -> str:
        return f"{self.name} (SHA-256 {self.digest}...)"


def page(name: str) -> Page:
    """A page of rules, from the folder `rules`."""
    data = (FOLDER / name).read_bytes()
    return Page(name, document(data.decode(), name), sha256(data).hexdigest()[:12])


def page_of(puzzle: PiecePuzzle | Level, count: str) -> Page:
    """The page of rules of a board, where `count` is counted."""
    if isinstance(puzzle, Level):
        return page("sokoban.family.yaml")
    return page("pieces-in-moves.family.yaml" if count == "moves" else "pieces.family.yaml")


def board_game(puzzle: PiecePuzzle | Level, count: str, words: Collection[str], limits: Limits) -> ActingGame:
    """A board by the rules of its page, for a problem text with these variables. Raises `Unsupported`."""
    made = _made(puzzle, count, words)
    rules = page_of(puzzle, count).fields
    fields = {**rules, **made.keys, "constants": {**rules.get("constants", {}), **made.keys["constants"]}}
    try:
        game = ActingGame(read(texts(fields), "the page of rules", limits), count, limits)
    except Invalid as problem:  # the board is right; but it may be too large for the tables of a page
        raise Unsupported(str(problem)) from None
    made.called(game)
    return game


def _made(puzzle: PiecePuzzle | Level, count: str, words: Collection[str]) -> _LevelKeys | _PieceKeys:
    return _LevelKeys(puzzle) if isinstance(puzzle, Level) else _PieceKeys(puzzle, count, words)


def texts(value: Any) -> Any:
    """A value with texts in place of words and numbers, as a file has them."""
    if isinstance(value, dict):
        return {texts(key): texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [texts(one) for one in value]
    if isinstance(value, Text):
        return value
    return Text(written(value), "|" if isinstance(value, str) and value.endswith("\n") else None)


def _grid(floor: Collection[Cell]) -> str:
    """The rows of a map with walls around and between the cells of the floor."""
    height, width = (max(cell[axis] for cell in floor) + 1 for axis in (0, 1))
    rows = ("".join("." if (r, c) in floor else "#" for c in range(width)) for r in range(height))
    return "".join(f"{row}\n" for row in rows)


class _LevelKeys:
    """A level of Sokoban for its page."""

    def __init__(self, level: Level) -> None:
        self.level = level
        boxes, goals = ([*map(written, sorted(cells))] for cells in (level.boxes, level.goals))
        self.keys: Keys = {
            "grid": _grid(level.open),
            "constants": {"target": {"of": "cell", "value": goals}},
            "start": {"player": written(level.player), "box": boxes},
        }

    def called(self, game: ActingGame) -> None:
        """Give places the names that problem texts have for them."""
        game.names |= {"walker": game.names["player"]}
        game.names |= {written(cell): game.names[f"box.{written(cell)}"] for cell in self.level.open}


class _PieceKeys:
    """A board of pieces for its page. `words`: the variables of a text, which tell the pieces that are a kind of their
    own.
    """

    def __init__(self, board: PiecePuzzle, count: str, words: Collection[str]) -> None:
        self.board, self.count, self.words = board, count, words
        self.kinds = self._kinds()
        first = {kind: pieces[0] for kind, pieces in self.kinds.items()}
        floor = frozenset().union(*(piece.open for piece in board.pieces))
        height, width = (max(cell[axis] for cell in floor) + 1 for axis in (0, 1))
        longest = max(len(piece.cells) for piece in board.pieces)
        far = max(1, height - 1, width - 1) if count == "slides" else 1
        self.who = {
            (kind, cell): kind if len(pieces) == 1 else f"{kind}_{written(cell)}"
            for kind, pieces in self.kinds.items()
            for cell in sorted(floor)
        }
        constants = {
            "size": table("kind", f"1..{longest}", {kind: len(piece.cells) for kind, piece in first.items()}),
            "may": {"of": ["kind", "direction"], "value": {k: [WAYS[w] for w in p.ways] for k, p in first.items()}},
            "closed": {"of": ["kind", "cell"], "value": {k: cells_of(floor - p.open) for k, p in first.items()}},
            "fulfils": {"of": ["wish", "kind"], "value": {}},
            "wanted": {"of": ["wish", "cell"], "value": {}},
        }
        for name, axis, low, high in (("down_by", 0, 0, height), ("right_by", 1, -width, width)):
            values = {kind: self._offsets(piece, axis) for kind, piece in first.items()}
            constants[name] = table(["kind", "part"], f"{low}..{high}", values)
        for number, wish in enumerate(board.wishes, 1):
            able = [kind for kind, pieces in self.kinds.items() if pieces[0].letter in wish.letters]
            constants["fulfils"]["value"][f"wish{number}"] = able
            constants["wanted"]["value"][f"wish{number}"] = cells_of(wish.cells)
        taken = frozenset().union(*(piece.cells for piece in board.pieces))
        at: dict[str, list[str]] = {}
        for kind, pieces in self.kinds.items():
            for piece in pieces:
                at.setdefault(written(min(piece.cells)), []).append(kind)
        types = {
            "kind": [*self.kinds],
            "part": f"0..{longest - 1}",
            "wish": [f"wish{number}" for number in range(1, len(board.wishes) + 1)],
        }
        self.keys: Keys = {
            "types": types,
            "grid": _grid(floor),
            "constants": constants,
            "start": {"piece": at, "free": cells_of(floor - taken)},
        }
        if count == "moves":
            types["who"] = ["nobody", *dict.fromkeys(self.who.values())]
            names: dict[str, dict[str, str]] = {}
            for (kind, cell), name in self.who.items():
                names.setdefault(kind, {})[written(cell)] = name
            constants["name"] = table(["kind", "cell"], "who", names)
        else:
            types["distance"] = f"1..{far}"
            self.keys["metrics"] = {count: ["move"]}

    def _kinds(self) -> dict[str, list[Piece]]:
        """The pieces that stand for each other: each by itself that has a variable of its own, and of the others those
        of one shape, with the same directions, open cells and wishes. (Exchanging two of them changes nothing.)
        """
        groups: dict[object, list[Piece]] = {}
        for piece in self.board.pieces:
            wishes = frozenset(number for number, wish in enumerate(self.board.wishes) if piece.letter in wish.letters)
            look = (shape(piece.cells), piece.ways, piece.open, wishes)
            own = not self._own(piece).isdisjoint(self.words)
            groups.setdefault(piece.letter if own else look, []).append(piece)
        return {f"kind{number}": pieces for number, pieces in enumerate(groups.values(), 1)}

    def _own(self, piece: Piece) -> set[str]:
        """The names that a text may have for a piece by itself."""
        return {_word(piece.letter), f"tile.{piece.name}"}

    def _offsets(self, piece: Piece, axis: int) -> Keys:
        first = min(piece.cells)
        return {n: cell[axis] - first[axis] for n, cell in enumerate(sorted(piece.cells))} | {"others": 0}

    def called(self, game: ActingGame) -> None:
        """Give places and values the names that problem texts have for them: `A`, `2x1@r1c1`, `ab@r1c1`, `blank`."""
        tables = game.meaning.names.tables
        pieces, free = tables["piece"].places or Places(), tables["free"].places or Places()
        game.owners["blank"] = {key[0]: place for key, place in free.items()}
        game.words["none"] = "nobody"
        game.redundant |= {*free.values()}
        prefixes = {name.partition("@")[0] for name in self.words if "@" in name}
        for kind, members in self.kinds.items():
            places = {cell: pieces[cell, kind] for cell in sorted(game.meaning.names.cells)}
            letters = {piece.letter for piece in members}
            if names := self._own(members[0]).intersection(self.words):
                for name in names:
                    game.owners[name] = dict(places)
                    game.words[name] = kind
                continue
            rows, columns = ({cell[axis] for cell in members[0].cells} for axis in (0, 1))
            said = [prefix for prefix in prefixes if set(prefix) <= letters]
            if not said and not prefixes.intersection(several := [f"{len(rows)}x{len(columns)}", members[0].name]):
                game.redundant |= {*places.values()}
            for word in said or several:
                for cell, place in places.items():
                    game.names[f"{word}@{written(cell)}"] = place
                    game.words[f"{word}@{written(cell)}"] = self.who[kind, cell]


def _word(letter: str) -> str:
    """A letter as problem texts have it."""
    return re.sub(r"[^A-Za-z0-9_.:+*#@$/-]", "_", letter if letter.isascii() else f"u{ord(letter):x}")


def table(of: str | list[str], domain: str, value: Keys) -> Keys:
    """A constant with arguments."""
    return {"of": of, "in": domain, "value": value}


def cells_of(cells: Iterable[Cell]) -> list[str]:
    """Cells as they are written."""
    return [*map(written, sorted(cells))]
