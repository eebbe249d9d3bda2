"""Whose moves are whose, by the rules of a puzzle; and the puzzle in which the moves of all others are free.

    vehicles, blocks    the letter of the piece                     A
    tiles               the number, of all tiles that have it       5
    Sokoban             where the box stands at the start           r4c3
                        steps of the player that push nothing       player
    custom puzzles      an action, or with its first parameters     carry, carry:wolf
    tasks in PDDL       an action, or with its first object         drive, drive:truck1

Every move has one owner. Pieces that can stand for each other are told apart where a share of some of them is asked: a
position goes with the places where these are now. If all pieces of a kind are asked for, that is not needed.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any

from .acting import ActingGame, ActionPuzzle
from .boxes import BoxGame
from .core.claim import FILE
from .core.limits import Invalid, Limits
from .core.problem import Cost
from .games import Game, game_of
from .pieces import PiecePuzzle, Places
from .puzzles import Puzzle
from .reading import Cell
from .rules_pddl import PddlGame, PddlPuzzle
from .rules_sokoban import Level

PLAYER = "player"

EACH = 64
"""Bytes by which a position is larger if equal pieces are told apart, beside 8 for the place of each."""


class Owners(ABC):
    """The owners of the moves of a puzzle, each by its word."""

    def __init__(self, puzzle: Puzzle, metric: str, limits: Limits) -> None:
        self.metric, self.limits = metric, limits
        self.rules = game_of(puzzle, metric, limits)

    @abstractmethod
    def named(self, word: str) -> Collection[str]:
        """What a word names; nothing, if it is the word of no owner."""

    @abstractmethod
    def everyone(self) -> list[tuple[str, ...]]:
        """The words of all owners; those that can stand for each other are together."""

    @abstractmethod
    def label(self, word: str) -> str:
        """An owner as the verdict calls it."""

    @abstractmethod
    def priced(self, words: Sequence[str]) -> Game:
        """The puzzle in which only moves of some owners cost something."""

    def check(self, words: Sequence[str]) -> None:
        """Raises `Invalid` if a word names nothing, or two of them the same."""
        found = list[str]()
        for word in words:
            here = self.named(word)
            if not here:
                raise Invalid(f"`{word[:40]}` names nothing in the puzzle that has moves", FILE)
            found += here
        if len(set(found)) < len(found):
            raise Invalid("the moves of one owner are counted twice", FILE)


def owners_of(puzzle: Puzzle, metric: str, limits: Limits) -> Owners:
    """The owners of a puzzle's moves. Raises `Unsupported` where the rules do not count the metric."""
    if isinstance(puzzle, PiecePuzzle):
        return PieceOwners(puzzle, metric, limits)
    if isinstance(puzzle, Level):
        return BoxOwners(puzzle, metric, limits)
    if isinstance(puzzle, ActionPuzzle):
        return ActOwners(puzzle, metric, limits)
    return TaskOwners(puzzle, metric, limits)


class PieceOwners(Owners):
    """Pieces on a board."""

    def __init__(self, puzzle: PiecePuzzle, metric: str, limits: Limits) -> None:
        super().__init__(puzzle, metric, limits)
        self.places = Places(puzzle, limits)
        self.words = {piece.letter: piece.name or piece.letter for piece in puzzle.pieces}
        self.tiles = any(piece.name for piece in puzzle.pieces)
        self.compound = puzzle.counted(metric) == "moves"

    def named(self, word: str) -> Collection[str]:
        self.limits.tick(len(self.words))
        # A letter that is written in another way in problem.txt would name another variable there.
        return [letter for letter, own in self.words.items() if own == word and word.isascii() and word.isalnum()]

    def everyone(self) -> list[tuple[str, ...]]:
        kinds = ([self.words[letter] for letter in kind.letters] for kind in self.places.kinds if len(kind.places) > 1)
        return [tuple(dict.fromkeys(words)) for words in kinds]

    def label(self, word: str) -> str:
        return f"tile {word}" if self.tiles else word

    def priced(self, words: Sequence[str]) -> Game:
        whole, told_apart = set[int](), list[int]()
        for kind in self.places.kinds:
            own = [self.words[letter] in words for letter in kind.letters]
            if all(own):
                whole |= {*kind.places}
            else:
                told_apart += [place for place, mine in zip(kind.start, own, strict=True) if mine]
        return _priced(self.rules, self._moved, whole, told_apart)

    def _moved(self, here: Any, then: Any) -> tuple[int, int]:
        before, after = (set(state[0] if self.compound else state) for state in (here, then))
        (left,), (came,) = before - after, after - before
        return left, came


class BoxOwners(Owners):
    """Boxes, and the player who walks."""

    def __init__(self, level: Level, metric: str, limits: Limits) -> None:
        super().__init__(level, metric, limits)
        masks = BoxGame(level, limits)
        self.boxes = {cell_word(box): masks.mask(frozenset((box,))) for box in sorted(level.boxes)}

    def named(self, word: str) -> Collection[str]:
        self.limits.tick(len(self.boxes))
        return {word} & {*self.boxes, PLAYER}

    def everyone(self) -> list[tuple[str, ...]]:
        walking = [(PLAYER,)] if "moves" in self.metric.split(",") else []
        return [*((box,) for box in self.boxes), *walking]

    def label(self, word: str) -> str:
        return "the player" if word == PLAYER else f"the box on {word}"

    def priced(self, words: Sequence[str]) -> Game:
        own = [mask for word, mask in self.boxes.items() if word in words]
        whole = {0} if PLAYER in words else set[int]()
        return _priced(self.rules, self._moved, whole, own)

    def _moved(self, here: Any, then: Any) -> tuple[int, int]:
        """The cells of the box that was pushed; 0, if none was."""
        return here[0] & ~then[0], then[0] & ~here[0]


class ActOwners(Owners):
    """The actions of a custom puzzle."""

    def __init__(self, puzzle: ActionPuzzle, metric: str, limits: Limits) -> None:
        super().__init__(puzzle, metric, limits)
        self.game = ActingGame(puzzle, metric, limits)
        self.words = {name: re.sub("[(,]", ":", name.removesuffix(")")) for name in self.game.acts}

    def named(self, word: str) -> Collection[str]:
        self.limits.tick(len(self.words))
        return [name for name, own in self.words.items() if is_of(own, word)]

    def everyone(self) -> list[tuple[str, ...]]:
        return [(word,) for word in dict.fromkeys(":".join(own.split(":")[:2]) for own in self.words.values())]

    def label(self, word: str) -> str:
        return act_label(word)

    def priced(self, words: Sequence[str]) -> Game:
        game, nothing = self.game, self.rules.nothing
        own = {id(game.acts[name]) for word in words for name in self.named(word)}

        def moves(state: Any) -> Iterator[tuple[Cost, Hashable]]:
            for work, acts in game.batches:
                self.limits.tick(work)
                for act in acts:
                    after = game.after(act, state)
                    if after is not None:
                        yield game.price(act, state) if id(act) in own else nothing, after

        return Game(game.start, nothing, game.size, moves, game.solved)


class TaskOwners(Owners):
    """The actions of a task in PDDL."""

    def __init__(self, puzzle: PddlPuzzle, metric: str, limits: Limits) -> None:
        super().__init__(puzzle, metric, limits)
        self.game = PddlGame(puzzle, metric, limits)
        self.words: dict[str, list[str]] = {}
        for name, action in puzzle.actions.items():
            able = action.parameters[0][1] if action.parameters else ()
            self.words[name] = [f"{name}:{one}" for one in able] or [name]

    def named(self, word: str) -> Collection[str]:
        own = self.words.get(word.split(":")[0], [])
        self.limits.tick(1 + len(own))
        return own if word in self.words else {word} & {*own}

    def everyone(self) -> list[tuple[str, ...]]:
        return [(word,) for own in self.words.values() for word in own]

    def label(self, word: str) -> str:
        return act_label(word)

    def priced(self, words: Sequence[str]) -> Game:
        game, nothing, own = self.game, self.rules.nothing, {*words}

        def moves(state: Any) -> Iterator[tuple[Cost, Hashable]]:
            for name, objects, cost, after in game.acts(state):
                mine = name in own or (objects and f"{name}:{objects[0]}" in own)
                yield cost if mine else nothing, after

        return Game(game.start, nothing, game.size, moves, game.solved)


def act_label(word: str) -> str:
    """An action, or several that begin alike, as the verdict calls them: `carry(wolf)`."""
    name, *values = word.split(":")
    return f"{name}({','.join(values)})" if values else name


def is_of(action: str, owner: str) -> bool:
    """Whether an action has an owner: `carry:wolf` owns `carry:wolf:left`, and its cases `carry:wolf.2` in a text."""
    return action == owner or action.startswith((f"{owner}:", f"{owner}.", f"{owner}*"))


def cell_word(cell: Cell) -> str:
    """A cell as a word: `r4c3`."""
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def _priced(
    game: Game, moved: Callable[[Any, Any], tuple[int, int]], whole: Collection[int], told_apart: Sequence[int]
) -> Game:
    """A game in which a move costs something only if it leaves one of some places (`whole`), or if it is that of a
    piece which began on one of the others. `moved`: the place that is left, and the one that is come to.
    """

    def moves(state: Any) -> Iterator[tuple[Cost, Hashable]]:
        here, pieces = state
        for cost, then in game.moves(here):
            left, came = moved(here, then)
            own = left in whole or left in pieces
            yield cost if own else game.nothing, (then, tuple([came if at == left else at for at in pieces]))

    size = game.size + EACH + 8 * len(told_apart)
    return Game((game.start, tuple(told_apart)), game.nothing, size, moves, lambda state: game.solved(state[0]))
