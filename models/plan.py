"""Plans, and playing them by the rules of a family."""

from __future__ import annotations

import copy
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeVar

from .cells import Cell, Rows, shift
from .errors import ReplayError, UnreadableError
from .moves import Cost, Move, Slide, compound
from .task import Operator
from .text import clip, counted, cut

M = TypeVar("M", bound=Move)

SHOWN = 3
"""Moves in the `repr` of a plan."""


class Boards:
    """The boards of a replay: the plan is played once more when one is asked for, since to draw a large map takes a
    thousand times as long as a move on it.
    """

    def __init__(self, start: Callable[[], Simulator[Any]], moves: Sequence[Move]) -> None:
        self._start, self._moves = start, moves
        self._now: Simulator[Any] | None = None
        self._played = 0
        self._drawn: dict[int, Rows] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Boards], tuple[Callable[[], Simulator[Any]], Sequence[Move]]]:
        return Boards, (self._start, self._moves)

    def after(self, number: int) -> Rows:
        """The board after the first `number` moves of a plan."""
        with self._lock:
            if number not in self._drawn:
                if self._now is None or number < self._played:
                    self._now, self._played = self._start(), 0
                for move in self._moves[self._played : number]:
                    self._now.play(move)
                self._played = number
                self._drawn[number] = self._now.board()
            return self._drawn[number]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replayed plan, of this `number`: its notation for people, the move, and the board after it."""

    notation: str
    move: Move = field(repr=False)
    number: int
    boards: Boards = field(repr=False, compare=False)

    @property
    def board(self) -> Rows:
        return self.boards.after(self.number)


@dataclass(frozen=True, slots=True)
class Replay:
    """A plan played by the rules of its family.

    `costs` counts the plan in every unit of the family's metrics in which all of its moves have a cost. The boards are
    rows of text, as the author would write them, and drawn when they are asked for.
    """

    steps: tuple[Step, ...]
    costs: dict[str, int]
    solved: bool

    def __repr__(self) -> str:
        return f"Replay({counted(len(self.steps), 'step')}, {'solved' if self.solved else 'not solved'})"

    @property
    def notation(self) -> list[str]:
        return [step.notation for step in self.steps]


@dataclass(frozen=True, slots=True)
class Plan:
    """The moves that an engine found, in order."""

    moves: tuple[Move, ...]

    def __repr__(self) -> str:
        """How many moves there are, and the first of them: plans are long."""
        shown = ", ".join(map(str, self.moves[:SHOWN])) + (", ..." if len(self.moves) > SHOWN else "")
        return f"Plan({counted(len(self.moves), 'move')}{': ' if shown else ''}{cut(shown, 150)})"

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def __bool__(self) -> bool:
        """Always true, even for a plan without moves: that no plan is known is written as None."""
        return True

    @staticmethod
    def of(operators: Iterable[Operator]) -> Plan:
        """The moves of operators; operators that do nothing visible are left out."""
        return Plan(tuple(move for op in operators if op.move is not None for move in op.move.singles))

    @staticmethod
    def of_compound_moves(chains: Iterable[Sequence[Operator]]) -> Plan:
        """The moves of a plan of compound moves, each given as its operators."""
        moves = (compound(op.move for op in chain) for chain in chains)
        return Plan(tuple(move for move in moves if move is not None))


class Simulator(ABC, Generic[M]):
    """A puzzle while it is played: a position, and what came about so far.

    Written from the definition of the puzzle, so that it can judge the plans of engines: it sees moves, and nothing
    of the grounded task.
    """

    costs: dict[str, int]
    """The cost of the moves played so far, in each unit of the family's metrics in which all of them have one."""

    @abstractmethod
    def play(self, move: M) -> str:
        """Make a move; gives its notation. Raises `ReplayError` with the reason if the rules forbid it."""

    def moves(self, of: Cell | None = None) -> Iterable[M] | None:
        """The moves that the rules allow here, each as short as the rules have it (one cell, one action); `of`: only
        those of what stands on a cell. None if the family does not list them: then its puzzles cannot be played by
        hand.
        """
        return None

    @property
    def position(self) -> Hashable | None:
        """What tells this position from all others; None if the family does not say."""
        return None

    def fork(self) -> Self:
        """A game of its own from the same position: what is played in one does not change the other.

        Values that a simulator changes in place are its own dicts, sets and lists.
        """
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | set | list):
                setattr(twin, name, value.copy())
        return twin

    @abstractmethod
    def board(self) -> Rows:
        """The position as rows of text, in the author's own letters."""

    @property
    @abstractmethod
    def solved(self) -> bool:
        """Whether the position is a goal."""


def play(plan: Plan, start: Callable[[], Simulator[M]], kind: type[M]) -> Replay:
    """Play a plan from the start; `kind` is the kind of moves that the simulator knows.

    Raises `ReplayError`, with the number of the move and the board before it, for a move that the rules forbid.
    """
    steps: list[Step] = []
    simulator, boards = start(), Boards(start, plan.moves)
    for number, move in enumerate(plan.moves, 1):
        try:
            if not isinstance(move, kind):
                raise ReplayError(f"`{move}` is no move of this family")
            steps.append(Step(simulator.play(move), move, number, boards))
        except ReplayError as error:
            raise error.at(number, boards.after(number - 1)) from None
    return Replay(tuple(steps), simulator.costs, simulator.solved)


V = TypeVar("V")
P = TypeVar("P")


def fitting(
    parameters: Sequence[tuple[str, Sequence[V]]],
    conditions: Sequence[P],
    names: dict[str, V],
    names_in: Callable[[P], Iterable[str]],
    holds: Callable[[P, dict[str, V]], bool],
) -> Iterator[dict[str, V]]:
    """Values for parameters, beside the `names` that have one, for which all conditions hold; each condition is tested
    as soon as all parameters in it have values.
    """
    turn = {name: number for number, (name, _) in enumerate(parameters, 1)}
    due: list[list[P]] = [[] for _ in range(len(parameters) + 1)]
    for condition in conditions:
        due[max((turn.get(name, 0) for name in names_in(condition)), default=0)].append(condition)

    def further(names: dict[str, V], number: int) -> Iterator[dict[str, V]]:
        if all(holds(condition, names) for condition in due[number]):
            if number == len(parameters):
                yield names
            else:
                name, values = parameters[number]
                for value in values:
                    yield from further({**names, name: value}, number + 1)

    return further(names, 0)


S = TypeVar("S", bound=Simulator[Any])


def end_of(plan: Plan, start: Callable[[], S], kind: type[Move]) -> S:
    """The game where a plan ends. Raises `ReplayError` as `play` does."""
    play(plan, start, kind)
    simulator = start()
    for move in plan.moves:
        simulator.play(move)
    return simulator


def apply(state: frozenset[int], op: Operator) -> frozenset[int]:
    """The successor of a state, by the definition of STRIPS. Raises `ValueError` if `op` is not applicable."""
    if not state.issuperset(op.pre):
        raise ValueError(f"{op.name} is not applicable")
    return (state - set(op.delete)) | set(op.add)


def cost_in(replay: Replay, metric: str) -> Cost:
    """A replayed plan's cost in a metric, lexicographic ones included. Raises `ReplayError` where a move has none."""
    for part in metric.split(","):
        if part not in replay.costs:
            raise ReplayError(f"a move of the plan has no cost in {part}, or one below 0")
    return tuple(replay.costs[part] for part in metric.split(","))


# Plans as text: the words of a plan with their places, for the families' parsers.

T = TypeVar("T")

SHOWN_OF_WORD = 21
"""Characters of a word that are shown in a message."""


class Word(NamedTuple):
    """A word of a plan: the `number` of its step, and where it stands, from 1."""

    text: str
    number: int
    row: int
    column: int

    @property
    def place(self) -> str:
        return f"step {self.number} (`{clip(self.text, SHOWN_OF_WORD)}`, line {self.row}, column {self.column})"

    def parsed(self, pattern: str, example: str) -> re.Match[str]:
        """The match of the whole word. Raises `UnreadableError`, naming the place and an example, if there is none."""
        match = re.fullmatch(pattern, self.text)
        if match is None:
            error = UnreadableError(f"{self.place} is not a step of this family; write {example}")
            raise error.on(self.number)
        return match

    def wrong(self, reason: str) -> ReplayError:
        """The error of a step that is written well, and cannot be meant."""
        return ReplayError(f"{self.place}: {reason}").on(self.number)


def words(text: str) -> Iterator[Word]:
    """The words of a plan, between blanks, line ends, commas and semicolons."""
    number = 0
    for row, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(r"[^\s,;]+", line):
            number += 1
            yield Word(match.group(), number, row, match.start() + 1)


def slides(text: str, pattern: str, example: str, first: dict[str, Cell], path: Callable[..., str]) -> Plan:
    """The plan of a text whose steps name a piece by its letter: `pattern` finds the letter and what `path` makes the
    way of, in letters of UDLR. `first`: the first cell of each piece. Raises `ReplayError` for any other text.
    """
    moves, cells = [], dict(first)
    for word in words(text):
        letter, *rest = word.parsed(pattern, example).groups()
        if letter not in cells:
            raise word.wrong(f"no piece {letter} on this board; its pieces are {' '.join(sorted(cells))}")
        moves.append(Slide(cells[letter], path(letter, *rest)))
        for way in moves[-1].path:
            cells[letter] = shift(cells[letter], way)
    return Plan(tuple(moves))


def by_time(steps: Iterable[tuple[str | None, T]]) -> list[T]:
    """The steps of a planner's plan in the order of the times before them, as they stand where no step has a time:
    `2: (b)`, `1: (a)` gives a, b. Raises `UnreadableError` if only some have one.
    """
    from decimal import Decimal  # 10 ms, for plans with times only

    timed = [(None if time is None else Decimal(time), step) for time, step in steps]
    times = [time for time, _ in timed if time is not None]
    if times and len(times) < len(timed):
        raise UnreadableError("some steps have a time before them, `0.001: (a)`, and others none; write all or none")
    return [step for _, step in sorted(timed, key=lambda pair: pair[0] or 0)]
