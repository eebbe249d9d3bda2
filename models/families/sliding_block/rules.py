"""The rules of sliding blocks: a piece moves cell by cell over cells that are free and open to it; it never turns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from ...cells import DIRECTIONS, Cell, Rows, bits, draw, place, rc, shift
from ...errors import ReplayError, UsageError
from ...family import MOVE, SLIDE, Notation
from ...family import STEP as METRIC_STEP
from ...moves import Metric, Slide
from ...plan import Plan, Simulator, slides
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Operator, OperatorTask, TaskBuilder
from ...text import counted

# A sliding-block puzzle: pieces of any shape that slide on a board of any shape (Klotski and its kin).
#
# Pieces slide from cell to neighbouring cell and never turn. A goal may name several pieces, and may show only some
# of a piece's cells: every position that covers the cells shown will do. Pieces of one shape that the goal does not
# name are interchangeable; pieces that it names are themselves, even if others look the same.
#
# Metrics: `moves` (one piece along any path, corners included), `slides` (one piece, one straight line, any distance)
# and `steps` (one cell).

MOVES, SLIDES, STEPS = Metric((MOVE,)), Metric((SLIDE,)), Metric((METRIC_STEP,))
METRICS = (MOVES, SLIDES, STEPS)


@dataclass(frozen=True, slots=True)
class BlockPiece:
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
class SlidingBlock:
    """A sliding-block puzzle.

    `doors` are the cells that only some pieces, given by letter, may enter. `goal` lists letters with the
    cells that the piece must cover; `alike` are sets of letters of which each can stand for the others in
    the goal.
    """

    height: int
    width: int
    walls: frozenset[Cell]
    pieces: tuple[BlockPiece, ...]
    goal: tuple[tuple[str, tuple[Cell, ...]], ...]
    doors: tuple[tuple[Cell, frozenset[str]], ...] = ()
    alike: tuple[frozenset[str], ...] = ()

    def goal_cells(self) -> dict[Cell, str]:
        return {cell: letter for letter, cells in self.goal for cell in cells}

    def goal_text(self) -> Rows:
        return draw(self.height, self.width, self.goal_cells(), self.walls)

    def counts(self) -> str:
        return counted(len(self.pieces), "piece")

    def inside(self, cell: Cell) -> bool:
        """Whether a cell is on the board and no wall."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width and cell not in self.walls

    def closed_to(self, piece: BlockPiece) -> frozenset[Cell]:
        """The cells that a piece may never enter: walls, and doors that are not open to it."""
        return self.walls.union(cell for cell, letters in self.doors if piece.letter not in letters)

    def stand_ins(self, letter: str) -> frozenset[str]:
        """The pieces that count as the piece with this letter in the goal: itself, and those that the file says are
        alike.
        """
        return next((letters for letters in self.alike if letter in letters), frozenset(letter))


# Plans of the family `sliding-block` as text: `X:D2R b:L`, a piece and its path; a number repeats a letter.

STEP = r"(.):((?:[UDLR][0-9]{0,3})+)"


def written(letter: str, path: str) -> str:
    """A step for people: `X:D2R` is piece X two cells down and one to the right."""
    runs = [(direction, len(list(run))) for direction, run in groupby(path)]
    return f"{letter}:" + "".join(f"{direction}{count if count > 1 else ''}" for direction, count in runs)


def parse(puzzle: SlidingBlock, text: str) -> Plan:
    """The plan that a text writes, not yet held against the rules. Raises `ReplayError` for any other text."""

    across = max(puzzle.height, puzzle.width)  # further than any piece can go, however far the text says

    def path(_letter: str, runs: str) -> str:
        return "".join(way * min(int(count or 1), across) for way, count in re.findall("([UDLR])([0-9]*)", runs))

    cells = {piece.letter: piece.cells[0] for piece in puzzle.pieces}
    return slides(text, STEP, "a piece, a colon and a path, as `X:D2R`", cells, path)


NOTATION = Notation("a piece, a colon and its path, a number repeats a letter: `X:D2R b:L`", parse)


class SlidingBlockSimulator(Simulator[Slide]):
    """A board in play: pieces move cell by cell over cells that are empty and open to them.

    Counted are `steps`; `slides`, in which consecutive steps of one piece in one direction are one; and `moves`, in
    which all consecutive steps of one piece are one.
    """

    def __init__(self, puzzle: SlidingBlock) -> None:
        self.puzzle = puzzle
        self.ways = {piece.letter: piece.directions for piece in puzzle.pieces}
        self.closed = {piece.letter: puzzle.closed_to(piece) for piece in puzzle.pieces}
        self.cells = {piece.letter: set(piece.cells) for piece in puzzle.pieces}
        self.letters = {cell: piece.letter for piece in puzzle.pieces for cell in piece.cells}
        self.costs = {"moves": 0, "slides": 0, "steps": 0}
        self._last = "", ""  # the piece that moved last, and its direction

    def piece_at(self, cell: Cell) -> str:
        """The letter of the piece on a cell. Raises `ReplayError` if there is none."""
        if cell not in self.letters:
            raise ReplayError(f"no piece at {place(cell)}")
        return self.letters[cell]

    def go(self, letter: str, path: str) -> None:
        """Move a piece along a path, and count. Raises `ReplayError` if it may not, or something is in its way."""
        for way in path:
            if way not in self.ways[letter]:
                raise ReplayError(f"{letter} may not move {way}")
            self.step(letter, way)
            new = {"steps": True, "slides": self._last != (letter, way), "moves": self._last[0] != letter}
            for unit in self.costs:
                self.costs[unit] += new[unit]
            self._last = letter, way

    def step(self, letter: str, direction: str, name: str = "") -> None:
        """Move a piece by one cell. Raises `ReplayError` if something is in its way. `name`: if not its letter."""
        blocked = self._blocked(letter, direction)
        if blocked:
            raise ReplayError(f"{name or letter} is blocked at {place(blocked)}")
        old = self.cells[letter]
        new = {shift(cell, direction) for cell in old}
        for cell in old:
            del self.letters[cell]
        self.letters.update(dict.fromkeys(new, letter))
        self.cells[letter] = new

    def _blocked(self, letter: str, direction: str) -> Cell | None:
        """The first cell, outside the board or occupied, that keeps a piece from moving by one cell; None if it can
        move.
        """
        old = self.cells[letter]
        for cell in sorted({shift(cell, direction) for cell in old} - old):
            if cell in self.letters or cell in self.closed[letter] or not self.puzzle.inside(cell):
                return cell
        return None

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        for letter in self.cells if of is None else [self.letters[of]]:
            for way in self.ways[letter]:
                if self._blocked(letter, way) is None:
                    yield Slide(min(self.cells[letter]), way)

    def board(self) -> Rows:
        puzzle = self.puzzle
        return draw(puzzle.height, puzzle.width, self.letters, puzzle.walls)

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        if not move.path:
            raise ReplayError(f"{letter} moves nowhere")
        self.go(letter, move.path)
        return written(letter, move.path)

    @property
    def solved(self) -> bool:
        return all(
            any(self.cells[other].issuperset(wanted) for other in self.puzzle.stand_ins(letter))
            for letter, wanted in self.puzzle.goal
        )


# Grounding of sliding blocks: the places that each piece can have, an operator for each way between two.
#
# Sets of cells are bit masks in Python integers. A cell (r, c) is bit `r * stride + c`; the stride is one more than
# the board's width, so that a step over the right or left edge ends in a column that is never part of the board.
#
# A piece's *place* is the bit of its first cell in reading order. The places considered are those that it could reach
# if it were alone with the pieces that can never move. Interchangeable pieces form one *kind* and share facts.
#
# In the metric `moves` a piece may take any path through free cells: the operators are those of `steps`, and the task
# has compound moves: consecutive steps of one piece cost one.

Way = tuple[int, int, str]
"""A straight way of a piece: its end, the mask of cells that it sweeps, its path as letters."""


class _Board:
    """Cells as bits of an integer, row by row with one spare column, so that a shape is moved by a shift."""

    def __init__(self, height: int, width: int) -> None:
        self.height, self.width, self.stride = height, width, width + 1
        self.steps = {letter: r * self.stride + c for letter, (r, c) in DIRECTIONS.items()}

    def bit(self, cell: Cell) -> int:
        return cell[0] * self.stride + cell[1]

    def cell(self, bit: int) -> Cell:
        return divmod(bit, self.stride)

    def mask(self, cells: Sequence[Cell] | frozenset[Cell]) -> int:
        return sum(1 << self.bit(cell) for cell in cells)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Interchangeable pieces with one shape, and all positions that they can reach, in order, with their facts. `mask`:
    of the cells that a piece covers at a place.
    """

    name: str
    pieces: tuple[BlockPiece, ...]
    mask: Callable[[int], int]
    at: dict[int, int]


def ground(
    puzzle: SlidingBlock,
    metric: Metric,
    named: Callable[[str, str], str] = "{}:{}".format,
    *,
    distinct: bool = False,
    called: Callable[[str], str] | None = None,
) -> OperatorTask:
    """The task of a sliding-block puzzle.

    Facts: a piece (or one of n interchangeable pieces) at a place, and each cell that a piece can enter or
    leave, free. Raises `UsageError` if there are more than `MAX_OPERATORS` operators. `named`: the name of an operator
    by that of its piece, and its path. `distinct`: every piece is the only one of its kind. `called`: the name of a
    kind by the letter of its first piece; by its shape and letters if not given.
    """
    board = _Board(puzzle.height, puzzle.width)
    reach, fixed = _reach(puzzle, board)
    builder, kinds = TaskBuilder(), list[_Kind]()
    for pieces in _alike(puzzle, distinct):
        name = called(pieces[0].letter) if called else _kind_name(pieces, {kind.name for kind in kinds})
        places = sorted({p for piece in pieces for p in reach[piece.letter]})
        at = {p: builder.fact(f"{name} at {rc(board.cell(p))}") for p in places}
        kinds.append(_Kind(name, tuple(pieces), _masks(board, pieces[0]), at))
    _check_size(metric, board, kinds)
    covering: dict[int, list[int]] = {}
    for kind in kinds:
        for p, fact in kind.at.items():
            for bit in bits(kind.mask(p)):
                covering.setdefault(bit, []).append(fact)
    start = {bit for piece in puzzle.pieces for bit in map(board.bit, piece.cells)}
    coverable = sorted(bit for bit in covering if not fixed >> bit & 1)
    free = {bit: builder.fact(f"free {rc(board.cell(bit))}") for bit in coverable}
    vacant = [fact for bit, fact in free.items() if bit not in start]
    init = [kind.at[board.bit(piece.cells[0])] for kind in kinds for piece in kind.pieces]
    groups = [
        ExactlyInvariant(kind.name, GroupKind.OBJECT, tuple(kind.at.values()), len(kind.pieces)) for kind in kinds
    ]
    groups += [
        ExactlyInvariant(f"cell {rc(board.cell(bit))}", GroupKind.CELL, (*covering[bit], free[bit]))
        for bit in coverable
    ]
    groups.append(ExactlyInvariant("free cells", GroupKind.RESOURCE, tuple(free.values()), len(vacant)))
    goal, unreachable = _goal(puzzle, board, kinds)
    return OperatorTask(
        name="",
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(_operators(metric, board, kinds, free, len(vacant), named)),
        init=tuple(sorted(init + vacant)),
        goal=goal,
        metric=metric.components,
        unsolvable_because=unreachable and f"piece {unreachable} cannot get to its goal even on an empty board",
    )


# Kinds and their places


def _alike(puzzle: SlidingBlock, distinct: bool) -> Iterable[list[BlockPiece]]:
    """The pieces by kind, in the order of the board."""
    named = {other for letter, _ in puzzle.goal for other in puzzle.stand_ins(letter)}
    sets: dict[object, list[BlockPiece]] = {}
    for piece in puzzle.pieces:
        look = (piece.shape, piece.directions, puzzle.closed_to(piece))
        key = piece.letter if distinct else puzzle.stand_ins(piece.letter) if piece.letter in named else look
        sets.setdefault(key, []).append(piece)
    return sets.values()


def _kind_name(pieces: list[BlockPiece], taken: set[str]) -> str:
    """The letter of a single piece; `2x1` (rows x columns) for equal rectangles; else all letters."""
    height = max(r for r, _ in pieces[0].shape) + 1
    width = len({c for _, c in pieces[0].shape})
    size = f"{height}x{width}"
    if len(pieces) > 1 and height * width == len(pieces[0].cells) and size not in taken:
        return size
    return "".join(piece.letter for piece in pieces)


def _masks(board: _Board, piece: BlockPiece) -> Callable[[int], int]:
    """The function that gives the mask of a piece's cells by its place, the bit of its first cell."""
    base = board.mask(piece.cells) >> board.bit(piece.cells[0])
    return lambda place: base << place


def _reach(puzzle: SlidingBlock, board: _Board) -> tuple[dict[str, frozenset[int]], int]:
    """The places of each piece, by letter, on a board with only the pieces that can never move; their cells.

    Such pieces are found by repetition: what cannot move between walls is a wall to the others.
    """
    fixed: dict[str, int] = {}
    while True:
        blocked = sum(fixed.values())
        regions: dict[object, list[frozenset[int]]] = {}
        reach: dict[str, frozenset[int]] = {}
        for piece in puzzle.pieces:
            closed = board.mask(puzzle.closed_to(piece)) | (blocked & ~fixed.get(piece.letter, 0))
            start = board.bit(piece.cells[0])
            # Where every step can be undone, pieces that look alike have the same region or disjoint ones.
            of_shape = regions.setdefault((piece.shape, len(piece.directions) == 4 or piece, closed), [])
            region = next((r for r in of_shape if start in r), None)
            if region is None:
                region = _region(board, piece, start, closed)
                of_shape.append(region)
            reach[piece.letter] = region
        now = {p.letter: board.mask(p.cells) for p in puzzle.pieces if len(reach[p.letter]) == 1}
        if now.keys() == fixed.keys():
            return reach, blocked
        fixed = now


def _region(board: _Board, piece: BlockPiece, start: int, closed: int) -> frozenset[int]:
    """All positions that a piece can reach if only the cells of the mask `closed` are closed to it."""
    mask = _masks(board, piece)
    left, right = min(c for _, c in piece.shape), max(c for _, c in piece.shape)
    below = piece.shape[-1][0]
    steps = [board.steps[letter] for letter in piece.directions]
    seen, queue = {start}, [start]
    for here in queue:
        for step in steps:
            there = here + step
            row, column = board.cell(there)
            inside = 0 <= row < board.height - below and -left <= column < board.width - right
            if inside and there not in seen and not mask(there) & closed:
                seen.add(there)
                queue.append(there)
    return frozenset(seen)


# Goal and operators


def _goal(puzzle: SlidingBlock, board: _Board, kinds: list[_Kind]) -> tuple[tuple[tuple[int, ...], ...], str | None]:
    """The goal as clauses of facts, one for each of its letters; and the first letter whose piece can never get
    there.
    """
    clauses = []
    unreachable = None
    for letter, cells in puzzle.goal:
        wanted = board.mask(cells)
        kind = next(kind for kind in kinds if any(piece.letter == letter for piece in kind.pieces))
        clause = tuple(fact for p, fact in kind.at.items() if not wanted & ~kind.mask(p))
        clauses.append(clause)
        if not clause:
            unreachable = unreachable or letter
    return tuple(clauses), unreachable


def _operators(
    metric: Metric, board: _Board, kinds: list[_Kind], free: dict[int, int], room: int, named: Callable[[str, str], str]
) -> Iterator[Operator]:
    """One operator for each kind, place and straight way from there. `free`: the facts of free cells, by bit; `room`:
    how many cells are free.

    Built in normal form: position facts come before free cells, and `bits` gives the latter in order.
    """
    longest, compound = _longest(metric, board), metric == MOVES
    facts_of: dict[int, tuple[int, ...]] = {}
    changing = sum(1 << bit for bit in free)

    def vacant(mask: int) -> tuple[int, ...]:
        if mask not in facts_of:
            facts_of[mask] = tuple(free[bit] for bit in bits(mask))
        return facts_of[mask]

    for kind in kinds:
        for here, fact in kind.at.items():
            old = kind.mask(here)
            cell = board.cell(here)
            origin = rc(cell)
            for there, swept, path in _lines(board, kind, here, room, longest):
                if swept & ~changing:  # into a piece of the same kind that can never move
                    continue
                new = kind.mask(there)
                yield Operator(
                    name=f"{named(kind.name, path)} from {origin}",
                    pre=(fact, *vacant(swept)),
                    add=(kind.at[there], *vacant(old & ~new)),
                    delete=(fact, *vacant(new & ~old)),
                    move=Slide(cell, path),
                    displacement=(fact, kind.at[there]) if compound else None,
                )


def _longest(metric: Metric, board: _Board) -> int:
    """The most cells that a piece moves by one operator."""
    return max(board.height, board.width) if metric == SLIDES else 1


def _lines(board: _Board, kind: _Kind, here: int, room: int, longest: int) -> Iterator[Way]:
    """Straight ways of up to `longest` cells from a position, as far as they stay on its places and sweep few enough
    cells.
    """
    old = kind.mask(here)
    for letter in kind.pieces[0].directions:
        there, swept = here, 0
        for length in range(1, longest + 1):
            there += board.steps[letter]
            if there not in kind.at:
                break
            swept |= kind.mask(there) & ~old
            if swept.bit_count() > room:
                break
            yield there, swept, letter * length


def _check_size(metric: Metric, board: _Board, kinds: list[_Kind]) -> None:
    """Raise `UsageError` if the pieces have too many ways to move: boards that no engine can make use of."""
    longest = _longest(metric, board)
    if 4 * longest * sum(len(kind.at) for kind in kinds) <= MAX_OPERATORS:
        return
    room = board.height * board.width
    ways = (way for kind in kinds for here in kind.at for way in _lines(board, kind, here, room, longest))
    if next(islice(ways, MAX_OPERATORS, None), None) is not None:
        raise UsageError(
            f"this board is too large for the metric `{metric.name}`: "
            f"there are more than {MAX_OPERATORS:,} ways to move a piece"
            + ("" if metric == STEPS else "; try the metric `steps`")
        )
