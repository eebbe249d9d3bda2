"""The family `rush-hour`: vehicles that move along their own axis, one of which must get out.

A board of any size. A vehicle is a straight run of equal letters and moves only along its length; one cell
long, it needs an `orientation`. The goal: the target piece touches the edge of the board on the exit side
(`exit: right`), or covers a named cell (`exit: {row: 3, col: 6}`).

Metrics: `slides` (one piece, one straight line, any distance) and `steps` (one cell).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..errors import ReplayError
from .document import Document, Mapping, Node, Report, Scalar, describe
from .fields import Fields, suggest
from .grid import Grid, check_rectangle, pieces_of, read_grid
from .plan import Plan, Replay, Step
from .puzzle import HEADER_KEYS, Header, Puzzle, read_header
from .task import DIRECTIONS, Cell, Group, Move, Operator, Task, TaskBuilder, operator

EMPTY, WALL = ".o", "#x"
SIDES = {"right": "R", "left": "L", "top": "U", "bottom": "D", "up": "U", "down": "D"}
FORWARD = {True: "R", False: "D"}
BACKWARD = {True: "L", False: "U"}


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A piece: its letter, its cells from the top left, and its axis."""

    letter: str
    cells: tuple[Cell, ...]
    horizontal: bool


@dataclass(frozen=True)
class RushHour(Puzzle):
    """A Rush Hour board. `goal_cells` are the cells of which the target must cover one."""

    header: Header
    height: int
    width: int
    walls: frozenset[Cell]
    vehicles: tuple[Vehicle, ...]
    target: str
    exit_cell: Cell

    family: ClassVar[str] = "rush-hour"
    metrics: ClassVar[tuple[str, ...]] = ("slides", "steps")

    def board(self) -> tuple[str, ...]:
        return self._draw({cell: v.letter for v in self.vehicles for cell in v.cells})

    def _draw(self, letters: dict[Cell, str]) -> tuple[str, ...]:
        return tuple(
            "".join(letters.get((r, c), "#" if (r, c) in self.walls else ".") for c in range(self.width))
            for r in range(self.height)
        )

    def _inside(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width and cell not in self.walls

    def replay(self, plan: Plan) -> Replay:
        """Play the plan cell by cell. Costs: `steps`, and `slides` (a run of equal moves of one piece is one)."""
        letters = {cell: v.letter for v in self.vehicles for cell in v.cells}
        axis = {v.letter: v.horizontal for v in self.vehicles}
        steps: list[Step] = []
        cost = {"slides": 0, "steps": 0}
        previous: tuple[str, str] | None = None
        for number, move in enumerate(plan.moves, 1):
            letter = letters.get(move.cell)
            if letter is None:
                raise ReplayError(f"move {number}: no piece at {_place(move.cell)}")
            direction = move.path[:1]
            if direction not in (FORWARD[axis[letter]], BACKWARD[axis[letter]]) or set(move.path) != {direction}:
                raise ReplayError(f"move {number}: {letter} cannot move {move.path or 'nowhere'}")
            vector = DIRECTIONS[direction]
            for _ in move.path:
                old = {cell for cell, owner in letters.items() if owner == letter}
                new = {(r + vector[0], c + vector[1]) for r, c in old}
                for cell in new - old:
                    if not self._inside(cell) or cell in letters:
                        raise ReplayError(f"move {number}: {letter} is blocked at {_place(cell)}")
                for cell in old:
                    del letters[cell]
                letters.update(dict.fromkeys(new, letter))
            cost["steps"] += len(move.path)
            cost["slides"] += previous != (letter, direction)
            previous = (letter, direction)
            sign = "+" if direction == FORWARD[axis[letter]] else "-"
            steps.append(Step(f"{letter}{sign}{len(move.path)}", self._draw(letters)))
        return Replay(tuple(steps), cost, letters.get(self.exit_cell) == self.target)

    def task(self, metric: str) -> Task:
        return _ground(self, metric)


def _place(cell: Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


# Grounding


def _ground(puzzle: RushHour, metric: str) -> Task:
    """Facts: each vehicle at each place of its lane, and each cell that some lane crosses, free."""
    places = {v.letter: list(_places(puzzle, v)) for v in puzzle.vehicles}
    crossed = sorted({cell for lane in places.values() for cells in lane for cell in cells})
    builder = TaskBuilder()
    at = {
        (letter, cells): builder.fact(f"{letter} at r{cells[0][0] + 1}c{cells[0][1] + 1}")
        for letter, lane in places.items()
        for cells in lane
    }
    free = {cell: builder.fact(f"free r{cell[0] + 1}c{cell[1] + 1}") for cell in crossed}
    taken = {cell for v in puzzle.vehicles for cell in v.cells}
    init = [at[v.letter, v.cells] for v in puzzle.vehicles] + [free[c] for c in crossed if c not in taken]
    groups = [Group(letter, tuple(sorted(at[letter, cells] for cells in lane))) for letter, lane in places.items()]
    for cell in crossed:
        covering = [fact for (_, cells), fact in at.items() if cell in cells]
        groups.append(Group(f"cell r{cell[0] + 1}c{cell[1] + 1}", tuple(sorted([*covering, free[cell]]))))
    vacant = tuple(sorted(free.values()))
    groups.append(Group("free cells", vacant, len(set(init).intersection(vacant))))
    operators: list[Operator] = []
    for vehicle in puzzle.vehicles:
        lane = places[vehicle.letter]
        reach = len(lane) if metric == "slides" else 1
        for i, here in enumerate(lane):
            for j, there in enumerate(lane):
                if i == j or abs(i - j) > reach:
                    continue
                swept = {cell for cells in lane[min(i, j) : max(i, j) + 1] for cell in cells}
                direction = (FORWARD if j > i else BACKWARD)[vehicle.horizontal]
                operators.append(
                    operator(
                        f"{vehicle.letter}{j - i:+d} from r{here[0][0] + 1}c{here[0][1] + 1}",
                        pre=[at[vehicle.letter, here], *(free[c] for c in swept.difference(here))],
                        add=[at[vehicle.letter, there], *(free[c] for c in set(here).difference(there))],
                        delete=[at[vehicle.letter, here], *(free[c] for c in set(there).difference(here))],
                        move=Move(here[0], direction * abs(j - i)),
                    )
                )
    goal = tuple(sorted(at[puzzle.target, cells] for cells in places[puzzle.target] if puzzle.exit_cell in cells))
    return Task(
        name=puzzle.header.name,
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(init)),
        goal=(goal,),
        metric=(metric,),
    )


def _places(puzzle: RushHour, vehicle: Vehicle) -> Iterator[tuple[Cell, ...]]:
    """The places of a vehicle on its lane (no walls between them), from the top left, as cells."""
    row, column = DIRECTIONS[FORWARD[vehicle.horizontal]]

    def shifted(by: int) -> tuple[Cell, ...]:
        return tuple((r + row * by, c + column * by) for r, c in vehicle.cells)

    low = high = 0
    while puzzle._inside(shifted(low - 1)[0]):
        low -= 1
    while puzzle._inside(shifted(high + 1)[-1]):
        high += 1
    return (shifted(by) for by in range(low, high + 1))


# Reading


def read(document: Document) -> RushHour:
    """Read a `rush-hour` document. Raises `PuzzleError` with all problems of the file."""
    report = document.report
    fields = Fields(document.root, report, (*HEADER_KEYS, "board", "goal", "orientation"))
    header = read_header(document, fields, RushHour.metrics)
    node = fields.node("board", required=True, example="board: |")
    grid = _read_board(node, report) if node is not None else None
    if grid is None:
        _check_goal_shape(fields, report)
        report.raise_if_any()
        raise AssertionError
    vehicles = _read_vehicles(grid, fields, report)
    walls = frozenset(cell for cell, char in grid.cells() if char in WALL)
    target, exit_cell = _read_goal(grid, vehicles, fields, report)
    report.raise_if_any()
    return RushHour(header, grid.height, grid.width, walls, tuple(vehicles), target, exit_cell)


def _read_board(node: Node, report: Report) -> Grid | None:
    grid = read_grid(node, report, "board")
    if grid is None:
        return None
    if grid.height == 1:
        grid = _unfold(grid, node, report)
    if grid is None or not check_rectangle(grid, report, "board"):
        return None
    used = {char for _, char in grid.cells()}
    for cell, char in grid.cells():
        if char.isspace():
            report.error(grid.span(cell), "a blank in `board`", "write `.` for an empty cell, `#` for a wall")
            return None
    for pair, meaning in ((EMPTY, "an empty cell"), (WALL, "a wall")):
        if used.issuperset(pair):
            letter = pair[1]
            cell = next(cell for cell, char in grid.cells() if char == letter)
            report.error(
                grid.span(cell),
                f"`{letter}` means {meaning}, as `{pair[0]}` does, but this board uses both",
                f"if `{letter}` is a piece, give it another letter; if not, write `{pair[0]}`",
            )
    return grid


def _unfold(grid: Grid, node: Node, report: Report) -> Grid | None:
    """A one-line board of 36 characters is a 6x6 board."""
    (row,), (origin,) = grid.rows, grid.origins
    if len(row) == 36:
        spans = tuple(type(origin)(origin.line, origin.column + 6 * i, 6) for i in range(6))
        return Grid(tuple(row[i : i + 6] for i in range(0, 36, 6)), spans, grid.exact, node)
    if isinstance(node, Scalar) and node.style != "|":
        report.error(
            node,
            f"a one-line board has 36 characters (6 rows of 6), this one has {len(row)}",
            "for other sizes write `board: |` and one row a line",
        )
        return None
    return grid


def _read_vehicles(grid: Grid, fields: Fields, report: Report) -> list[Vehicle]:
    pieces = pieces_of(grid, EMPTY + WALL)
    turned = _read_orientation(fields, pieces, report)
    vehicles = []
    for letter, cells in pieces.items():
        rows, columns = {r for r, _ in cells}, {c for _, c in cells}
        straight = len(rows) == 1 or len(columns) == 1
        span = max(rows) - min(rows) + max(columns) - min(columns) + 1
        if not straight:
            odd = next((c for c in cells if c[0] != cells[0][0] and c[1] != cells[0][1]), cells[-1])
            report.error(
                grid.span(odd),
                f"piece {letter} is not a straight line of cells",
                "give each vehicle a letter of its own (or use the family `sliding-block`)",
            )
            continue
        if span != len(cells):
            gap = next(b for a, b in zip(cells, cells[1:], strict=False) if abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1)
            report.error(
                grid.span(gap), f"piece {letter} is in two parts", "give each vehicle a letter of its own"
            )
            continue
        if len(cells) == 1 and letter not in turned:
            report.error(
                grid.span(cells[0]),
                f"piece {letter} has one cell, so the board does not show which way it moves",
                f"add `orientation: {{{letter}: horizontal}}` or `vertical`",
            )
            continue
        vehicles.append(Vehicle(letter, tuple(cells), len(rows) == 1 if len(cells) > 1 else turned[letter]))
    return vehicles


def _read_orientation(fields: Fields, pieces: dict[str, list[Cell]], report: Report) -> dict[str, bool]:
    node = fields.node("orientation")
    turned: dict[str, bool] = {}
    if node is None:
        return turned
    if not isinstance(node, Mapping):
        report.error(node, f"`orientation` must be a mapping, not {describe(node)}", "write `{K: vertical}`")
        return turned
    words = {"horizontal": True, "vertical": False}
    for entry in node.entries:
        letter, word = entry.key.text, entry.value.text if isinstance(entry.value, Scalar) else ""
        if word not in words:
            report.error(entry.value, f"an orientation cannot be {describe(entry.value)}", suggest(word, words))
        elif letter not in pieces:
            report.error(entry.key, f"no piece `{letter}` on the board", suggest(letter, pieces))
        elif len(pieces[letter]) > 1:
            report.error(entry.key, f"piece {letter} shows its orientation on the board", "remove this entry")
        else:
            turned[letter] = words[word]
    return turned


def _goal_fields(fields: Fields) -> Fields | None:
    return fields.fields("goal", ("piece", "exit"), example="goal: {piece: A, exit: right}")


def _check_goal_shape(fields: Fields, report: Report) -> None:
    """What can be said of the goal when the board cannot be read."""
    goal = _goal_fields(fields)
    if goal is not None:
        goal.text("piece")
        node = goal.node("exit")
        if isinstance(node, Scalar):
            goal.choice("exit", list(SIDES))


def _read_goal(grid: Grid, vehicles: list[Vehicle], fields: Fields, report: Report) -> tuple[str, Cell]:
    goal = _goal_fields(fields)
    nothing = ("", (0, 0))
    letter = (goal.text("piece") if goal else None) or "A"
    letters = {char for _, char in grid.cells() if char not in EMPTY + WALL}
    if letter not in letters:
        at = (goal.node("piece") if goal else None) or fields.node("goal") or fields.mapping.key("board")
        known = "" if not letters else f"; the pieces are {', '.join(sorted(letters))}"
        report.error(
            at, f"no piece `{letter}` on the board to drive out{known}", "write `goal: {piece: X, exit: right}`"
        )
        return nothing
    vehicle = next((v for v in vehicles if v.letter == letter), None)
    if vehicle is None:  # already reported with its shape
        return nothing
    node = goal.node("exit") if goal else None
    if isinstance(node, Mapping):
        cell = _exit_cell(node, grid, vehicle, report)
    else:
        assert goal is None or node is None or isinstance(node, Node)
        side = goal.choice("exit", list(SIDES)) if goal and node is not None else "right"
        cell = _exit_side(side, node, grid, vehicle, fields, report) if side else None
    return (letter, cell) if cell is not None else nothing


def _exit_side(
    side: str, node: Node | None, grid: Grid, vehicle: Vehicle, fields: Fields, report: Report
) -> Cell | None:
    at = node or fields.node("goal") or fields.mapping.key("board")
    direction = SIDES[side]
    if (direction in "LR") != vehicle.horizontal:
        way, sides = ("horizontally", "left` or `right") if vehicle.horizontal else ("vertically", "top` or `bottom")
        report.error(
            at,
            f"piece {vehicle.letter} moves {way} and cannot leave at the {side}",
            f"write `goal: {{piece: {vehicle.letter}, exit: ...}}` with `{sides}`",
        )
        return None
    row, column = vehicle.cells[0]
    cell = {"R": (row, grid.width - 1), "L": (row, 0), "D": (grid.height - 1, column), "U": (0, column)}[direction]
    if grid[cell] in WALL:
        report.error(
            grid.span(cell),
            f"the exit of piece {vehicle.letter}, {_place(cell)}, is a wall",
            "open it, or name the cell to reach: `exit: {row: 3, col: 6}`",
        )
        return None
    return cell


def _exit_cell(node: Mapping, grid: Grid, vehicle: Vehicle, report: Report) -> Cell | None:
    place = Fields(node, report, ("row", "col"), "`exit`")
    row = place.integer("row", minimum=1, required=True, example="row: 3")
    column = place.integer("col", minimum=1, required=True, example="col: 6")
    if row is None or column is None:
        return None
    cell = (row - 1, column - 1)
    if row > grid.height or column > grid.width:
        report.error(node, f"{_place(cell)} is outside the board of {grid.height} by {grid.width} cells")
    elif grid[cell] in WALL:
        report.error(node, f"the exit, {_place(cell)}, is a wall")
    elif cell[0 if vehicle.horizontal else 1] != vehicle.cells[0][0 if vehicle.horizontal else 1]:
        what = "row" if vehicle.horizontal else "column"
        mine = vehicle.cells[0][0 if vehicle.horizontal else 1] + 1
        report.error(node, f"piece {vehicle.letter} moves in {what} {mine} and never reaches {_place(cell)}")
    else:
        return cell
    return None


