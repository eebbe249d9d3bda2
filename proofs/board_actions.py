"""Boards of pieces and of boxes as actions over the places of a state, from which `derivation` derives problem texts.

    a piece of its own       a place with the cell where it stands (its first one, row by row)
    pieces that are alike    for each spot of their kind a place: whether one of them stands there
    the blank                a place, where pieces of one cell each leave one cell free
    a box                    for each cell a place: whether a box stands there; and one place for the player's cell

A move of a piece is one action for each spot from which and to which it goes, a push one for each cell and direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from .acting import Change, GroundAction, written
from .core.limits import Limits
from .core.problem import Cost
from .derivation import Makes, Rules
from .pieces import PiecePuzzle, Places
from .reading import DIRECTIONS, Cell, shifted
from .rules_sokoban import Level
from .state_classes import OneOf
from .terms import NUMBER, Run, Term, Value, running

Part = tuple[int, frozenset[Value]]
"""A place, and values of it."""

FREE, TAKEN = frozenset[Value]((False,)), frozenset[Value]((True,))


@dataclass
class _Board:
    """The places of a board, and its actions as they are found. `allowed`: the values of each place."""

    limits: Limits
    start: list[Value] = field(default_factory=list)
    domains: list[tuple[Value, ...]] = field(default_factory=list)
    allowed: list[frozenset[Value]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    acts: dict[str, GroundAction] = field(default_factory=dict)
    by_change: dict[Makes, list[GroundAction]] = field(default_factory=dict)

    def place(self, start: Value, domain: Sequence[Value], *names: str) -> int:
        """A new place of the state; the result is its number."""
        self.names |= dict.fromkeys(names, len(self.start))
        self.start.append(start)
        self.domains.append(tuple(domain))
        self.allowed.append(frozenset(domain))
        self.limits.hold(300 + 80 * len(domain))
        return len(self.start) - 1

    def act(self, needs: Sequence[Run], makes: Sequence[tuple[int, Value]], cost: Cost) -> None:
        """A new action."""
        self.limits.tick(len(needs))
        self.limits.hold(1500 + 500 * len(needs) + 600 * len(makes))
        changes = tuple(Change(None, place, running(Term("", value)), self.allowed[place]) for place, value in makes)
        act = GroundAction(tuple(needs), changes, (), tuple(Term(NUMBER, part) for part in cost))
        self.acts[f"action {len(self.acts)}"] = act
        self.by_change.setdefault(frozenset(makes), []).append(act)

    def rules(self, goal: list[Run], **more: Any) -> Rules:
        """All of it."""
        start, domains = tuple(self.start), self.domains
        return Rules(start, domains, self.names, self.acts, _price, goal, by_change=self.by_change, **more)


def _price(act: GroundAction, _state: Any) -> Cost:
    return tuple(price.of(()) for price in act.prices)


def one_of(*parts: Part) -> OneOf:
    """That one of some places has one of its values."""
    return OneOf(parts)


def piece_rules(board: PiecePuzzle, count: str, words: Collection[str], limits: Limits) -> Rules:
    """A board of pieces, whose `steps` or `slides` are counted. `words`: the variables of the text, which say whether a
    piece has a place of its own.
    """
    made, spots = _Board(limits), Places(board, limits)
    first = [min(cells) for cells in spots.cells]
    at = _spots(made, spots, {piece.letter: piece.name for piece in board.pieces}, words)
    free = [cell for cell in spots.all_cells if not any(cell in spots.cells[number] for number in spots.start)]
    over: dict[Cell, list[Part]] = {cell: [] for cell in spots.all_cells}
    for number, covered in enumerate(spots.cells):
        for cell in covered:
            over[cell].append(at[number])
    # With one free cell, which any piece can take, the text may say where it is instead of what covers each cell.
    single = len(free) == 1 and all(len(p.cells) == 1 and p.open >= set(spots.all_cells) for p in board.pieces)
    blank = made.place(free[0], spots.all_cells, "blank") if single else len(made.start)

    def cleared(swept: frozenset[Cell], mover: int) -> Iterator[Run]:
        """That no piece but the one that moves covers one of some cells."""
        blocked: dict[int, set[Value]] = {}
        for place, values in (part for cell in swept for part in over[cell] if part[0] != mover):
            blocked.setdefault(place, set()).update(values)
        for place, taken in sorted(blocked.items()):
            yield one_of((place, made.allowed[place] - taken))

    for number, near in enumerate(spots.next):
        for way in near:
            swept: frozenset[Cell] = frozenset()
            for there in spots.line(number, way)[: 1 if count == "steps" else None]:
                swept |= spots.cells[there] - spots.cells[number]
                if len(swept) > len(free):  # as many cells stay free, whatever moves
                    break
                (mover, before), (after, then) = at[number], at[there]
                makes: list[tuple[int, Value]] = [(after, value) for value in then]
                makes += [(mover, False)] if mover != after else []
                makes += [(blank, first[number])] if single else []
                clear = [one_of((blank, frozenset((first[there],))))] if single else cleared(swept, mover)
                made.act([one_of((mover, before)), *clear], makes, (1,))
    goal: list[Run] = [one_of(*(at[number] for number in wished)) for wished in spots.wished]
    alone = single and not any(TAKEN in part for part in at.values())  # each piece and the blank have a cell as value
    return made.rules(goal, apart=dict.fromkeys(range(blank + 1), range(blank + 1)) if alone else {})


def _spots(made: _Board, spots: Places, called: dict[str, str], words: Collection[str]) -> dict[int, Part]:
    """Of each spot: the place and the value that say that a piece of its kind stands there. `called`: names of pieces,
    by their letters.
    """
    at: dict[int, Part] = {}
    for kind in spots.kinds:
        letter, name = kind.letters[0], called[kind.letters[0]]
        own = letter, f"tile.{name}"
        cells = {number: min(spots.cells[number]) for number in kind.places}
        if len(kind.start) == 1 and not {*own}.isdisjoint(words):
            place = made.place(cells[kind.start[0]], list(cells.values()), *own)
            at |= {number: (place, frozenset((cell,))) for number, cell in cells.items()}
            continue
        for number, cell in cells.items():
            rows, columns = ({covered[axis] for covered in spots.cells[number]} for axis in (0, 1))
            size = f"{len(rows)}x{len(columns)}"
            names = [f"{word}@{written(cell)}" for word in (size, name, kind.letters)]
            at[number] = made.place(number in kind.start, (False, True), *names), TAKEN
    return at


def box_rules(level: Level, count: str, limits: Limits) -> Rules:
    """A level of Sokoban. A box on a cell from which it cannot be pushed to any goal, were it alone, stays off the
    goals whatever happens: so there is no plan (dead squares).
    """
    made, cells = _Board(limits), sorted(level.open)
    number = {cell: made.place(cell in level.boxes, (False, True), written(cell)) for cell in cells}
    player = made.place(level.player, cells, "walker")
    came_from: dict[Cell, list[Cell]] = {cell: [] for cell in cells}  # of each cell: where a push takes a box here from
    for cell, way in product(cells, DIRECTIONS):
        if (there := shifted(cell, way)) in number:
            here = one_of((player, frozenset((cell,))))
            cost = tuple(0 if part == "pushes" else 1 for part in count.split(","))
            made.act([here, one_of((number[there], FREE))], [(player, there)], cost)
            if (behind := shifted(there, way)) in number:
                needs = [here, one_of((number[there], TAKEN)), one_of((number[behind], FREE))]
                made.act(needs, [(player, there), (number[there], False), (number[behind], True)], (1,) * len(cost))
                came_from[behind].append(there)
    alive, waiting = set(level.goals), list(level.goals)
    while waiting:
        for before in came_from[waiting.pop()]:
            if before not in alive:
                alive.add(before)
                waiting.append(before)
    # Every box on a goal; pushes leave as many boxes as there were, so with as many goals it is a box on every goal.
    goal: list[Run] = [one_of((number[cell], FREE)) for cell in cells if cell not in level.goals]
    if len(level.boxes) == len(level.goals):
        goal = [one_of((number[cell], TAKEN)) for cell in cells if cell in level.goals]
    # No box stands where the player does: so at the start, and after each step and push.
    apart = [partial(_apart, number[cell], player, cell) for cell in cells]
    dead = frozenset((number[cell], True) for cell in cells if cell not in alive)
    return made.rules(goal, hopeless=dead, invariants=apart)


def _apart(box: int, player: int, cell: Cell, state: Any) -> bool:
    """Whether a cell does not have both a box and the player."""
    if cell not in state.known[player] or one_of((box, FREE))(state):
        return True
    return not one_of((player, frozenset((cell,))))(state)
