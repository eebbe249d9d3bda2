"""What a heuristic is, and what it is given.

A heuristic is one `Heuristic` in a file (or folder) of `analysis/heuristics`, whose name is its name. Searches find it
there and evaluate it in compiled code; none of them names it. It proves one of three things of a state (`Role`): that
the goal cannot be reached, a lower bound on the cost to the goal, or what may be added to the bound by matching.

Before a search it prepares *tables*, a named tuple of arrays; for a task of which it knows nothing the tables are
empty, but of the same types, so that one compiled form of a search serves all tasks. `docs/adding-a-heuristic.md` has
an example.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from ..models.task import OperatorTask
from ..runtime.arrays import Bytes, Longs, Words
from ..runtime.budget import Budget
from .bitset_task import BitsetTask
from .box_conflicts import ConflictScratch
from .deadlocks.freeze import Boards, LearnedSets
from .matching import Assignment
from .movable_objects import MovableObjects

T = TypeVar("T")


class Role(Enum):
    """The role of a heuristic, that is, what it proves of a state; the value says it in words."""

    BOUND = "a lower bound on the cost to the goal, or a dead end"
    ADDITION = "what adds to the matching on the board without frozen objects, or a dead end"
    LATE_BOUND = "a bound that takes so long that only states about to be expanded get it"

    @property
    def order(self) -> int:
        """The number of this role in the order in which heuristics are prepared."""
        return list(Role).index(self)


class Listed(NamedTuple):
    """The tables of one heuristic, then those of the heuristics after it (0 after the last): a list of mixed types."""

    tables: Any
    rest: Any


class Estimate(NamedTuple):
    """What the bounds of a task's states are computed from.

    All heuristics share `objects` and their `boards`; each has its tables in one of two lists, in the order in which
    they are evaluated. `adds`: 1 if one of the additions knows something. `learned`: dead sets that a search has found.
    """

    objects: MovableObjects
    boards: Boards
    bounds: Any
    additions: Any
    adds: int
    learned: LearnedSets


class Survey(NamedTuple):
    """What was computed of the state that is being expanded, and scratch for its successors.

    `at` (count): the places of its objects; `occupied` (P): the same; `frozen` (P): those that are frozen; `before`:
    their assignment on the board with these as walls; `empty`: the one on the empty board, filled where that is another
    board and additions are known. `standing`, `after`: the same for the successor that is looked at. `choice`: scratch
    of `conflicts_of`.
    """

    at: Longs
    occupied: Bytes
    frozen: Bytes
    before: Assignment
    empty: Assignment
    standing: Bytes
    after: Assignment
    choice: ConflictScratch


class Successor(NamedTuple):
    """A successor of the state surveyed: its `row`, the walker's cell (0 without one).

    Object `moved` (-1: none) has moved, and `Survey.at`, `Survey.occupied` have the places after that. `board` is the
    parent's, `now` its own; `extra`: what the additions add to the matching.
    """

    row: Words
    moved: int
    cell: int
    board: int
    now: int
    extra: int


@dataclass(frozen=True, slots=True)
class Preparation:
    """What a heuristic prepares its tables from. `prepared`: the tables of those before it, by name; `without`: the
    names that are switched off.
    """

    task: OperatorTask
    packed: BitsetTask
    objects: MovableObjects
    boards: Boards
    budget: Budget
    without: frozenset[str] = frozenset()
    prepared: dict[str, Any] = field(default_factory=dict)

    def knows(self, kind: type[T]) -> T | None:
        """The tables of a kind, if a heuristic before this one has made them."""
        return next((tables for tables in self.prepared.values() if isinstance(tables, kind)), None)


@dataclass(frozen=True, slots=True)
class InitialBound:
    """A lower bound on the cost of every plan that needs no tables: `of(task)`, a key of a cost; -1: there is no plan.

    Every engine reports it, whatever it searches with. `words`: what proves it.
    """

    words: str
    of: Callable[[OperatorTask], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heuristic:
    """One heuristic.

    `sentence`: what it says of a state, with the paper; `role`: what it proves; `rank`: of two with the same role the
    one of the smaller rank is prepared and evaluated first.

    `prepare(preparation)` makes its tables, `empty(task, packed)` those that know nothing, `words(tables)` names it in
    proofs ("" if the tables know nothing). `after(tables, estimate, survey, child)` is the value of a successor, or of
    the state surveyed itself, compiled (`njit(inner=True)`): a key of a cost, -1 for a dead end; for a LATE_BOUND that
    of any state, of which nothing is known but its `row` and `cell`. `root`: what it says of the initial state before
    any tables are made.
    """

    sentence: str
    role: Role
    rank: int
    prepare: Callable[[Preparation], Any]
    empty: Callable[[OperatorTask, BitsetTask], Any]
    words: Callable[[Any], str]
    after: Any
    root: InitialBound | None = None
