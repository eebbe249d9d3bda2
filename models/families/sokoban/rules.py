"""The rules of Sokoban.

The player steps to a neighbouring cell. If a box stands there, it is pushed one cell further, which must be
neither a wall nor a box. Nothing here knows the grounded task.
"""

from __future__ import annotations

import string
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from ...cells import DIRECTIONS, Cell, Rows, flood, place, rc, shift
from ...errors import ReplayError, UnreadableError
from ...family import MOVE, Notation
from ...moves import Cost, Metric, Slide, Unit
from ...plan import Plan, Simulator
from ...task import ExactlyInvariant, GroupKind, Operator, OperatorTask, TaskBuilder, Walker, operator
from ...text import counted
from . import xsb
from .xsb import BOX, BOX_ON_GOAL, GOAL, PLAYER, PLAYER_ON_GOAL, WALL

# A Sokoban level: a map with walls and goals, boxes to be pushed, and a player.
#
# A level is solved when every box stands on a goal; there may be more goals than boxes. Boxes that the player can
# never reach are decoration.
#
# Metrics: `pushes`, `moves` (pushes and walking), and both lexicographically, in either order.

NAME = "sokoban"

PUSH = Unit("push", "pushes")
METRICS = (Metric((PUSH,)), Metric((MOVE,)), Metric((PUSH, MOVE)), Metric((MOVE, PUSH)))


@dataclass(frozen=True)
class Sokoban:
    """A Sokoban level. `terrain` is its map without player and boxes: walls, goals and floor (or outside)."""

    terrain: Rows
    boxes: frozenset[Cell]
    player: Cell

    @cached_property
    def goals(self) -> frozenset[Cell]:
        """The cells of all goals, those that the player can never reach included."""
        return frozenset((r, c) for r, row in enumerate(self.terrain) for c, char in enumerate(row) if char == GOAL)

    @cached_property
    def open_cells(self) -> frozenset[Cell]:
        """The cells of the map that are no walls."""
        return frozenset((r, c) for r, row in enumerate(self.terrain) for c, char in enumerate(row) if char != WALL)

    def is_open(self, cell: Cell) -> bool:
        """Whether a cell is on the map and no wall."""
        return cell in self.open_cells

    def draw(self, boxes: frozenset[Cell], player: Cell) -> Rows:
        """XSB rows of a position."""
        rows = [list(row) for row in self.terrain]
        for cell, off_goal, on_goal in [(b, BOX, BOX_ON_GOAL) for b in boxes] + [(player, PLAYER, PLAYER_ON_GOAL)]:
            rows[cell[0]][cell[1]] = on_goal if cell in self.goals else off_goal
        return tuple("".join(row) for row in rows)

    def board(self) -> Rows:
        """XSB rows of the start."""
        return self.draw(self.boxes, self.player)

    def counts(self) -> str:
        return counted(len(self.boxes), "box", "boxes")

    def goal_text(self) -> Rows:
        return ("every box stands on a goal",)


class SokobanSimulator(Simulator[Slide]):
    """A level in play, and the LURD of how its position came about.

    Before each push the player walks by a shortest way to where it is made from. The notation of a move is its LURD
    (`urrR`), `costs` counts pushes and moves.
    """

    def __init__(self, puzzle: Sokoban) -> None:
        self.puzzle = puzzle
        self.boxes = set(puzzle.boxes)
        self.player = puzzle.player
        self.costs = {"pushes": 0, "moves": 0}
        self.lurd = ""

    def step(self, letter: str) -> None:
        """The player steps in a direction (U, D, L, R) and pushes what stands there. Raises `ReplayError`."""
        target = shift(self.player, letter)
        if target in self.boxes:
            beyond = shift(target, letter)
            if not self.puzzle.is_open(beyond) or beyond in self.boxes:
                what = "a box" if beyond in self.boxes else "a wall"
                raise ReplayError(f"the box at {place(target)} cannot be pushed {letter}: {what} is behind it")
            self.boxes.remove(target)
            self.boxes.add(beyond)
            self.lurd += letter
            self.costs["pushes"] += 1
        elif not self.puzzle.is_open(target):
            raise ReplayError(f"the player at {place(self.player)} cannot step {letter} into a wall")
        else:
            self.lurd += letter.lower()
        self.costs["moves"] += 1
        self.player = target

    def walk(self, target: Cell) -> None:
        """Walk by a shortest way, pushing nothing. Raises `ReplayError` if boxes and walls leave none."""
        came, path, cell = self._reach(target), "", target
        if target not in came:
            raise ReplayError(f"the player at {place(self.player)} cannot walk to {place(target)}")
        while came[cell]:
            path = came[cell] + path
            cell = shift(cell, came[cell], -1)
        for letter in path:
            self.step(letter)

    def _reach(self, target: Cell | None = None) -> dict[Cell, str]:
        """The cells that the player can reach, each with the last step of a shortest walk; the search ends at
        `target`.
        """
        came: dict[Cell, str] = {self.player: ""}
        open_cells, boxes, steps = self.puzzle.open_cells, self.boxes, tuple(DIRECTIONS.items())
        queue = deque([self.player])
        while queue and target not in came:
            row, column = queue.popleft()
            for letter, (down, right) in steps:
                cell = row + down, column + right
                if cell not in came and cell in open_cells and cell not in boxes:
                    came[cell] = letter
                    queue.append(cell)
        return came

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        """Every push that the player can walk to, and every walk by a shortest way."""
        came = self._reach()
        for box in sorted(self.boxes) if of is None else self.boxes & {of}:
            for letter in DIRECTIONS:
                beyond = shift(box, letter)
                if shift(box, letter, -1) in came and self.puzzle.is_open(beyond) and beyond not in self.boxes:
                    yield Slide(box, letter)
        paths = {self.player: ""}
        for cell, letter in came.items():  # each after the cell from which it was reached
            if cell != self.player:
                paths[cell] = paths[shift(cell, letter, -1)] + letter
                if of in (None, self.player):
                    yield Slide(self.player, paths[cell])

    def play(self, move: Slide) -> str:
        """A move of a plan: of a box, which is pushed along the path, or of the player, who only walks."""
        played = len(self.lurd)
        if not move.path or not set(move.path) <= DIRECTIONS.keys():
            raise ReplayError(f"`{move.path}` is not a path of the letters U, D, L, R")
        if move.cell in self.boxes:
            box = move.cell
            for letter in move.path:
                self.walk(shift(box, letter, -1))
                self.step(letter)
                box = shift(box, letter)
        elif move.cell == self.player:
            for letter in move.path:
                if shift(self.player, letter) in self.boxes:
                    raise ReplayError(f"the player at {place(self.player)} cannot walk {letter} into a box")
                self.step(letter)
        else:
            raise ReplayError(f"neither a box nor the player stands at {place(move.cell)}")
        return self.lurd[played:]

    def board(self) -> Rows:
        return self.puzzle.draw(frozenset(self.boxes), self.player)

    @property
    def solved(self) -> bool:
        return self.boxes <= self.puzzle.goals


# Plans of Sokoban as text: LURD, `l u r d` for a step of the player, `L U R D` for a push.


def parse(puzzle: Sokoban, text: str) -> Plan:
    """The plan that LURD writes: one move for each push, and one for each walk between two pushes.

    Blanks and line ends are skipped, numbers and parentheses repeat (`3r2U`, `2(rD)`). A text without any
    capital says nothing of pushes; there, a step into a box is one. Raises `UnreadableError` for
    other characters, `ReplayError` for steps that the rules forbid and for letters whose case contradicts the board.
    """
    try:
        letters = xsb.expand(text, skip=string.whitespace)
    except xsb.RunLengthError as error:
        raise UnreadableError(f"character {error.column + 1}: {error}") from None
    cased = any(letter.isupper() for letter, _ in letters)
    simulator = SokobanSimulator(puzzle)
    moves: list[Slide] = []
    walked, start = "", puzzle.player
    for number, (letter, column) in enumerate(letters, 1):
        direction, here = letter.upper(), simulator.player
        if direction not in DIRECTIONS:
            raise UnreadableError(f"character {column + 1}: `{letter}` is none of l u r d L U R D").on(number)
        target = shift(here, direction)
        pushes = target in simulator.boxes
        if cased and pushes != letter.isupper():
            says = "a push, but no box stands there" if letter.isupper() else "a walk, but a box stands there"
            raise ReplayError(f"step {number} (`{letter}`) is {says}: {place(target)}").on(number)
        try:
            simulator.step(direction)
        except ReplayError as error:
            raise ReplayError(f"step {number} (`{letter}`): {error}").on(number) from None
        if not pushes:
            start = start if walked else here
            walked += direction
            continue
        if walked:
            moves.append(Slide(start, walked))
        walked = ""
        moves.append(Slide(target, direction))
    if walked:
        moves.append(Slide(start, walked))
    return Plan(tuple(moves))


NOTATION = Notation("LURD: `l u r d` for a step of the player, `L U R D` for a push: `urrR`", parse, separator="")


# Sokoban as a planning task: boxes that share their facts, and the player as its walker.
#
# Two simplifications, neither of which loses a plan:
# - *dead squares* (Junghanns and Schaeffer, *Sokoban: Enhancing general single-agent search methods using
#   domain knowledge*, 2001): where a box could not be pulled to from any goal, it could never be pushed to a
#   goal from, and there is no operator that pushes it there;
# - *frozen boxes*: a box that can never move again is a wall if it stands on a goal, and what only it gave
#   access to is outside; if it stands elsewhere, there is no plan.

WALKING = {PUSH: 0, MOVE: 1}
"""The cost of a step without a push, in each unit; a push costs 1 in both."""


@dataclass(frozen=True, slots=True)
class LevelRoom:
    """What matters of a level: the cells inside, and the boxes and goals there that are not settled.

    `reach[g]` are the cells from which a single box could be pushed to goal g.
    """

    inside: frozenset[Cell]
    boxes: frozenset[Cell]
    goals: frozenset[Cell]
    reach: dict[Cell, frozenset[Cell]]

    @property
    def live(self) -> frozenset[Cell]:
        """The cells from which a box can be pushed to some goal; all others are dead squares."""
        return frozenset().union(*self.reach.values())


def survey(puzzle: Sokoban) -> tuple[LevelRoom, str | None]:
    """The room in which boxes can move, with frozen boxes on goals as walls; and why no plan exists, if that is
    found.
    """
    fixed: frozenset[Cell] = frozenset()
    room = _room(puzzle, fixed)
    while True:
        frozen = _frozen(room)
        stuck = min(frozen - puzzle.goals, default=None)
        if stuck is not None:
            return room, f"the box at {place(stuck)} can never be moved to a goal"
        if not frozen:
            return room, _unmatched(room)
        fixed |= frozen
        smaller = _room(puzzle, fixed)
        lost = min(room.boxes - frozen - smaller.boxes - puzzle.goals, default=None)
        if lost is not None:
            return room, f"the box at {place(lost)} is behind boxes that can never move"
        fixed |= room.boxes - smaller.boxes
        room = smaller


def pulled_from(goals: Iterable[Cell], inside: Collection[Cell]) -> frozenset[Cell]:
    """The cells to which a box alone on the board could be pulled from some of these goals."""
    return _carried(goals, inside, 2)  # who pulls a box goes before it


def _carried(cells: Iterable[Cell], inside: Collection[Cell], room: int) -> frozenset[Cell]:
    """The cells that a box gets to, one step at a time. For each step the cell `room` steps on must be inside: 2 for a
    pull, as the player goes before the box, and -1 for a push.
    """
    return frozenset(flood(cells, lambda cell, way: shift(cell, way) in inside and shift(cell, way, room) in inside))


def _room(puzzle: Sokoban, fixed: frozenset[Cell]) -> LevelRoom:
    floor = puzzle.open_cells - fixed
    inside = flood([puzzle.player], lambda cell, way: shift(cell, way) in floor)
    goals = puzzle.goals & inside
    reach = {goal: pulled_from([goal], inside) for goal in goals}
    return LevelRoom(frozenset(inside), puzzle.boxes & inside, goals, reach)


def _frozen(room: LevelRoom) -> frozenset[Cell]:
    """The boxes that can never move: the largest set of which none could be the first to be pushed.

    A box cannot be pushed along an axis if a wall or a box of the set stands on either side of it, or if both
    sides are dead squares.
    """
    frozen, live = set(room.boxes), room.live

    def movable(box: Cell) -> bool:
        for pair in ("LR", "UD"):
            sides = [shift(box, direction) for direction in pair]
            blocked = any(side in frozen or side not in room.inside for side in sides)
            if not blocked and any(side in live for side in sides):
                return True
        return False

    while loose := {box for box in frozen if movable(box)}:
        frozen -= loose
    return frozenset(frozen)


def _unmatched(room: LevelRoom) -> str | None:
    """Why the boxes cannot each have a goal of their own that they can reach, in a sentence; None if they can."""
    owner: dict[Cell, Cell] = {}
    for box in sorted(room.boxes):
        # An augmenting path: boxes that have a goal go to other goals, until one goes to a goal that is free.
        came: dict[Cell, Cell] = {}
        queue, free = [box], None
        for other in queue:  # it grows
            wanted = [goal for goal in sorted(room.goals) if goal not in came and other in room.reach[goal]]
            came |= dict.fromkeys(wanted, other)
            free = next((goal for goal in wanted if goal not in owner), None)
            if free is not None:
                break
            queue += [owner[goal] for goal in wanted]
        if not came:
            return f"the box at {place(box)} can never reach a goal"
        if free is None:
            return f"{len(came) + 1} boxes can reach only {len(came)} of the goals"
        while free is not None:
            taker = came[free]
            released = next((goal for goal, other in owner.items() if other == taker), None)
            owner[free], free = taker, released
    return None


def ground(puzzle: Sokoban, metric: Metric) -> OperatorTask:
    """The task of the boxes and goals that are not settled."""
    room, unsolvable_because = survey(puzzle)
    return _task(room, puzzle.player, metric, room.live, unsolvable_because)


def complete(puzzle: Sokoban, metric: Metric) -> OperatorTask:
    """The task of all boxes and goals inside, with pushes onto dead squares."""
    room = _room(puzzle, frozenset())
    return _task(room, puzzle.player, metric, _carried(room.boxes, room.inside, -1) | room.goals)


def _task(
    room: LevelRoom, player: Cell, metric: Metric, live: frozenset[Cell], unsolvable_because: str | None = None
) -> OperatorTask:
    """The task of the boxes in a room.

    Facts: a box at each cell that is `live` or where one starts, and each cell free. Every cell is free or has a box.
    The goal: a box on each goal; where goals are more than boxes, every other cell free of boxes.
    """
    builder, cells, boxes, goals = TaskBuilder(), sorted(room.inside), room.boxes, room.goals
    index = {cell: i for i, cell in enumerate(cells)}
    box = {cell: builder.fact(f"box at {rc(cell)}") for cell in cells if cell in live or cell in boxes}
    free = {cell: builder.fact(f"free {rc(cell)}") for cell in cells}
    groups = [ExactlyInvariant("boxes", GroupKind.OBJECT, tuple(box.values()), len(boxes))] if box else []
    for cell in cells:
        groups.append(ExactlyInvariant(f"cell {rc(cell)}", GroupKind.CELL, (*_facts(box, [cell]), free[cell])))
    if len(boxes) == len(goals):
        goal = _facts(box, sorted(goals))
    else:
        goal = _facts(free, [cell for cell in box if cell not in goals])
    return OperatorTask(
        name="",
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(_pushes(box, free, index, (1,) * len(metric.units))),
        init=tuple(sorted([*_facts(box, boxes), *_facts(free, index.keys() - boxes)])),
        goal=tuple((fact,) for fact in goal),
        metric=metric.components,
        walker=Walker(
            cells=tuple(cells),
            free=_facts(free, cells),
            neighbours=tuple(
                tuple(index[c] for c in (shift(cell, d) for d in DIRECTIONS) if c in index) for cell in cells
            ),
            start=index[player],
            cost=tuple(WALKING[unit] for unit in metric.units),
        ),
        unsolvable_because=unsolvable_because,
    )


def _facts(facts: dict[Cell, int], cells: Iterable[Cell]) -> tuple[int, ...]:
    return tuple(facts[cell] for cell in cells if cell in facts)


def _pushes(box: dict[Cell, int], free: dict[Cell, int], index: dict[Cell, int], cost: Cost) -> list[Operator]:
    """One operator for each box position and direction, if the player can stand behind and a box ahead."""
    operators = []
    for cell, here in box.items():
        for way in DIRECTIONS:
            behind, ahead = shift(cell, way, -1), shift(cell, way)
            if behind not in free or ahead not in box:
                continue
            operators.append(
                operator(
                    f"push {way} from {rc(cell)}",
                    pre=(here, free[ahead], free[behind]),
                    add=(box[ahead], free[cell]),
                    delete=(here, free[ahead]),
                    move=Slide(cell, way),
                    cost=cost,
                    walk=(index[behind], index[cell]),
                )
            )
    return operators
