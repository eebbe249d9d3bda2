"""Boards of pieces and of boxes as actions over the places of a state, from which `derivation` derives problem texts.

    a piece of its own       a place with the cell where it stands (its first one, row by row)
    pieces that are alike    for each spot of their kind a place: whether one of them stands there
    the blank                a place, where pieces of one cell each leave one cell free
    a free cell              a place: whether no piece covers it, where the text has a variable for that
    the mover                a place: which piece moved last, where a move is a row of steps of one piece
    a box                    for each cell a place: whether a box stands there; and one place for the player's cell

A move of a piece is one action for each spot from which and to which it goes, a push one for each cell and direction.
Of a row of steps that counts as one move the first one costs 1, and those that go on with it nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from itertools import product
from typing import Any

from .acting import Change, GroundAction, GroundGame, written
from .core.limits import Limits
from .core.problem import Cost
from .pieces import PiecePuzzle, Places
from .reading import DIRECTIONS, Cell, shifted
from .rules_sokoban import Level
from .state_classes import OneOf
from .terms import NUMBER, Run, Term, Value, running

Part = tuple[int, frozenset[Value]]
"""A place, and values of it."""

Parts = tuple[Part, ...]

NO, YES = frozenset[Value]((False,)), frozenset[Value]((True,))


class _Board(GroundGame):
    """The places of a board, and its actions as they are found. `allowed`: the values of each place. A state has the
    value of each place.
    """

    def __init__(self, metric: str, limits: Limits) -> None:
        super().__init__(metric, limits)
        self.allowed: list[frozenset[Value]] = []

    def place(self, start: Value, domain: Sequence[Value], *names: str) -> int:
        """A new place of the state; the result is its number."""
        self.names |= dict.fromkeys(names, len(self.start))
        self.start, self.size = (*self.start, start), 120 + 8 * len(self.allowed)
        self.domains = (*self.domains, tuple(domain))
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

    @cached_property
    def by_place(self) -> dict[tuple[int, Value], list[tuple[list[Parts], list[tuple[int, Value]], Cost]]]:
        """The actions by what acts, a piece or the player, and where it stands: the first that they need is one value
        of one place. Of each what else it needs, what it makes, and its cost.
        """
        acts: dict[tuple[int, Value], list[tuple[list[Parts], list[tuple[int, Value]], Cost]]] = {}
        for act in self.acts.values():
            ((place, (value,)),), *needs = map(_parts, act.conditions)
            makes = [(change.place, change.value(())) for change in act.changes if isinstance(change.place, int)]
            acts.setdefault((place, value), []).append((needs, makes, self.price(act, ())))
        return acts

    def solved(self, state: Any) -> bool:
        """Whether every part of the goal holds."""
        return all(_met(_parts(condition), state) for condition in self.goal)

    def successors(self, state: Any) -> Iterator[tuple[Cost, Any]]:
        """The states after one action, each with what it costs."""
        for here in enumerate(state):
            for needs, makes, cost in self.by_place.get(here, ()):
                self.limits.tick()
                if all(_met(parts, state) for parts in needs):
                    after = list(state)
                    for place, value in makes:
                        after[place] = value
                    yield cost, tuple(after)


def _parts(condition: Run) -> Parts:
    assert isinstance(condition, OneOf)
    return condition.parts


def _met(parts: Parts, state: Any) -> bool:
    """Whether one of some places has one of its values in a state."""
    return any(state[place] in values for place, values in parts)


def one_of(*parts: Part) -> OneOf:
    """That one of some places has one of its values."""
    return OneOf(parts)


class _Pieces(_Board):
    """A board of pieces whose `steps`, `slides` or `moves` are counted. `words`: the variables of the text, which say
    whether a piece has a place of its own, and of which cells it is said that they are free.
    """

    def __init__(self, board: PiecePuzzle, count: str, words: Collection[str], limits: Limits) -> None:
        super().__init__(count, limits)
        self.spots = spots = Places(board, limits)
        self.first: list[Value] = [min(cells) for cells in spots.cells]
        self.at: dict[int, Part] = {}  # of each spot: that a piece of its kind stands there
        self._spots({piece.letter: piece.name for piece in board.pieces}, words)
        free = {cell for cell in spots.all_cells if not any(cell in spots.cells[number] for number in spots.start)}
        self.most_swept = len(free)  # as many cells stay free, whatever moves
        # With one free cell, which any piece can take, the text may say where it is instead of what covers each cell.
        every = set(spots.all_cells)
        single = "blank" in words and len(free) == 1
        single = single and all(len(piece.cells) == 1 and piece.open >= every for piece in board.pieces)
        self.blank = self.place(min(free), spots.all_cells, "blank") if single else None
        told = [cell for cell in spots.all_cells if f"free.{written(cell)}" in words]
        self.free = {cell: self.place(cell in free, (False, True), f"free.{written(cell)}") for cell in told}
        # Of several names of a place the one in the text counts: it comes last.
        word = {place: name for name, place in sorted(self.names.items(), key=lambda item: item[0] in words)}
        self.who = [word.get(self.at[number][0], f"spot {number}") for number in range(len(self.first))]
        self.mover = self.place("none", ["none", *dict.fromkeys(self.who)], "mover") if count == "moves" else None
        # Of each cell, by places: the values that say that a piece covers it.
        self.covers: dict[Cell, dict[int, frozenset[Value]]] = {cell: {} for cell in spots.all_cells}
        for number, covered in enumerate(spots.cells):
            place, values = self.at[number]
            for cell in covered:
                self.covers[cell][place] = self.covers[cell].get(place, frozenset()) | values

    def _spots(self, called: dict[str, str], words: Collection[str]) -> None:
        """Add the places that say where pieces stand. `called`: the names of pieces, by their letters."""
        alike = {"".join(sorted(word)): word for word in (name.partition("@")[0] for name in words)}
        for kind in self.spots.kinds:
            letter, name = kind.letters[0], called[kind.letters[0]]
            own = letter, f"tile.{name}"
            if len(kind.start) == 1 and not {*own}.isdisjoint(words):
                place = self.place(self.first[kind.start[0]], [self.first[number] for number in kind.places], *own)
                self.at |= {number: (place, frozenset((self.first[number],))) for number in kind.places}
                continue
            for number in kind.places:
                rows, columns = ({cell[axis] for cell in self.spots.cells[number]} for axis in (0, 1))
                said = alike.get("".join(sorted(kind.letters)))  # else another kind may have this size, too
                several = [said] if said else [f"{len(rows)}x{len(columns)}", *([name] if name else [])]
                names = [f"{word}@{written(self.first[number])}" for word in several]
                self.at[number] = self.place(number in kind.start, (False, True), *names), YES

    def slide(self, number: int, there: int, swept: frozenset[Cell]) -> None:
        """Add the action that takes a piece from a spot to another one in line with it, over cells that are swept; of
        a row of steps that is one move also the action that goes on with it.
        """
        (before, value), (after, values), cells = self.at[number], self.at[there], self.spots.cells
        needs = [one_of((before, value))]
        makes: list[tuple[int, Value]] = [(after, new) for new in values]
        makes += [(before, False)] if before != after else []
        if self.blank is None:
            needs += (one_of((self.free[cell], YES)) for cell in swept if cell in self.free)
            unsaid = (part for cell in swept if cell not in self.free for part in self.covers[cell].items())
            needs += (one_of(self._others(*part)) for part in unsaid if part[0] != before)
        else:
            needs.append(one_of((self.blank, frozenset((self.first[there],)))))
            makes.append((self.blank, self.first[number]))
        left = {cell: cell in cells[number] for cell in cells[number] ^ cells[there]}
        makes += [(self.free[cell], leaves) for cell, leaves in left.items() if cell in self.free]
        if self.mover is None:
            self.act(needs, makes, (1,))
            return
        goes_on = one_of((self.mover, frozenset((self.who[number],))))
        says_who = [(self.mover, self.who[there])]
        self.act(needs, [*makes, *says_who], (1,))
        self.act([*needs, goes_on], [*makes, *(says_who if self.who[there] != self.who[number] else [])], (0,))

    def _others(self, place: int, values: frozenset[Value]) -> Part:
        """The values of a place but some."""
        return place, self.allowed[place] - values

    def never_overlapping(self) -> Iterator[Run]:
        """A cell is free if and only if nothing covers it: so at the start, and after each move, as nothing moves to
        where another piece is.
        """
        for cell, place in self.free.items():
            yield one_of((place, YES), *self.covers[cell].items())
            yield from (one_of((place, NO), self._others(*part)) for part in self.covers[cell].items())


def piece_rules(board: PiecePuzzle, count: str, words: Collection[str], limits: Limits) -> GroundGame:
    """A board of pieces, whose `steps`, `slides` or `moves` are counted, for a text with these variables."""
    made = _Pieces(board, count, words, limits)
    spots = made.spots
    for number, near in enumerate(spots.next):
        for way in near:
            swept: frozenset[Cell] = frozenset()
            for there in spots.line(number, way)[: None if count == "slides" else 1]:
                swept |= spots.cells[there] - spots.cells[number]
                if len(swept) <= made.most_swept:
                    made.slide(number, there, swept)
    made.goal = [one_of(*(made.at[number] for number in wished)) for wished in spots.wished]
    # Where each piece and the blank have a cell as their value, these differ.
    alike = any(YES in part for part in made.at.values())
    apart = range(0) if made.blank is None or alike else range(made.blank + 1)
    made.invariants, made.apart = list(made.never_overlapping()), dict.fromkeys(apart, apart)
    return made


def box_rules(level: Level, count: str, limits: Limits) -> GroundGame:
    """A level of Sokoban. A box on a cell from which it cannot be pushed to any goal, were it alone, stays off the
    goals whatever happens: so there is no plan (dead squares).
    """
    made, cells = _Board(count, limits), sorted(level.open)
    number = {cell: made.place(cell in level.boxes, (False, True), written(cell)) for cell in cells}
    player = made.place(level.player, cells, "walker")
    came_from: dict[Cell, list[Cell]] = {cell: [] for cell in cells}  # of each cell: where a push takes a box here from
    for cell, way in product(cells, DIRECTIONS):
        if (there := shifted(cell, way)) in number:
            here = one_of((player, frozenset((cell,))))
            cost = tuple(0 if part == "pushes" else 1 for part in count.split(","))
            made.act([here, one_of((number[there], NO))], [(player, there)], cost)
            if (behind := shifted(there, way)) in number:
                needs = [here, one_of((number[there], YES)), one_of((number[behind], NO))]
                made.act(needs, [(player, there), (number[there], False), (number[behind], True)], (1,) * len(cost))
                came_from[behind].append(there)
    alive, waiting = set(level.goals), list(level.goals)
    while waiting:
        for before in came_from[waiting.pop()]:
            if before not in alive:
                alive.add(before)
                waiting.append(before)
    # Every box on a goal; pushes leave as many boxes as there were, so with as many goals it is a box on every goal.
    made.goal = [one_of((number[cell], NO)) for cell in cells if cell not in level.goals]
    if len(level.boxes) == len(level.goals):
        made.goal = [one_of((number[cell], YES)) for cell in cells if cell in level.goals]
    # No box stands where the player does: so at the start, and after each step and push.
    made.invariants = [partial(_apart, number[cell], player, cell) for cell in cells]
    made.hopeless = frozenset((number[cell], True) for cell in cells if cell not in alive)
    return made


def _apart(box: int, player: int, cell: Cell, state: Any) -> bool:
    """Whether a cell does not have both a box and the player."""
    if cell not in state.known[player] or one_of((box, NO))(state):
        return True
    return not one_of((player, frozenset((cell,))))(state)
