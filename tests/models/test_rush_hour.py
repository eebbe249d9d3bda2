"""Rush Hour: what boards can be read, the task against a search written from the rules, replay, symmetries."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field, replace

import pytest
from budge.models.cells import DIRECTIONS, Cell
from budge.models.errors import ReplayError, UsageError
from budge.models.families import load_text
from budge.models.families.rush_hour.rules import RushHour
from budge.models.moves import Slide
from budge.models.plan import Plan
from budge.models.puzzle import Puzzle
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers import random_boards
from ..helpers.reference import optimal
from ..helpers.seeds import examples

HEAD = "format: 1\nfamily: rush-hour\n"
CARD = "..IBBB\n..IKLM\nAAJKLM\nCCJDDM\n..JEE.\n..FF..\n"
LINE = "..B.CC..B...AAB...DDD..E.....E.....E"


def read(board: str, more: str = "") -> Puzzle:
    """The puzzle of a board given as lines."""
    rows = "".join(f"  {row}\n" for row in board.split())
    puzzle = load_text(HEAD + "board: |\n" + rows + more)
    assert isinstance(puzzle.value, RushHour)
    return puzzle


# Reading


def test_the_example_card() -> None:
    puzzle = read(CARD, "name: Example card\nexpect: {cost: 16}\n")
    assert puzzle.board() == tuple(CARD.split())
    assert (puzzle.header.name, puzzle.header.metric, puzzle.value.target) == ("Example card", "slides", "A")
    assert puzzle.header.expect.costs == {"slides": (16,)}
    assert puzzle.value.exit_cell == (2, 5)
    assert {p.letter: (len(p.cells), p.directions) for p in puzzle.value.pieces}["M"] == (3, "DU")


@pytest.mark.parametrize("board", [LINE, f'"{LINE}"', f"'{LINE}'", f"|\n  {LINE}", f"[{LINE}]", f"\n  {LINE}"])
def test_one_line_boards(board: str) -> None:
    puzzle = load_text(HEAD + f"board: {board}\n")
    assert "".join(puzzle.board()) == LINE


def test_a_one_line_board_in_other_marks() -> None:
    line = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM"
    assert "".join(load_text(HEAD + f"board: {line}\n").board()) == line.replace("o", ".").replace("x", "#")


@pytest.mark.parametrize(
    "board",
    [
        "|\n  ......\n  AAB...\n  ..B...\n",
        "|2\n  ......\n  AAB...\n  ..B...\n\n\n",
        "|-\n      ......\n      AAB...   \n      ..B...",
        "\n- ......\n- AAB...\n- ..B...",
        "['......', \"AAB...\", ..B...]",
        '"......\\nAAB...\\n..B..."',
        "|  # the card\n\n  ......\n  AAB...\n  ..B...\n  \n# behind it\n",
    ],
)
def test_ways_to_write_a_board(board: str) -> None:
    text = HEAD + f"board: {board}\nmetric: steps\n"
    for variant in (text, text.replace("\n", "\r\n"), "\ufeff" + text, text.rstrip("\n")):
        assert load_text(variant).board() == ("......", "AAB...", "..B...")


@pytest.mark.parametrize("letters", ["ab", "01", "Ä你", "éß", "НО", "OX", "+*"])
def test_pieces_of_any_letter(letters: str) -> None:
    one, two = tuple(letters)
    board = f"{one}{one}{two}\n..{two}\n"
    puzzle = read(board, f"goal: {{piece: '{two}', exit: bottom}}\n")
    assert puzzle.board() == tuple(board.split())
    assert [piece.letter for piece in puzzle.value.pieces] == [one, two]


def test_letters_that_yaml_would_read_as_values() -> None:
    puzzle = read("NN.\n1.y\n1.y\n", "goal: {piece: N, exit: right}\nname: NO\nauthor: 012\nnotes: 1:20\n")
    assert (puzzle.value.target, puzzle.header.name, puzzle.header.author) == ("N", "NO", "012")
    assert read("1.\n1.\n", "goal: {piece: 1, exit: bottom}\nname: null\n").value.target == "1"


@pytest.mark.parametrize(("height", "width"), [(1, 2), (1, 256), (256, 1), (3, 11), (256, 256)])
def test_sizes(height: int, width: int) -> None:
    rows = [["."] * width for _ in range(height)]
    horizontal = width > 1
    for i in range(2):
        rows[0 if horizontal else i][i if horizontal else 0] = "A"
    board = "\n".join(map("".join, rows))
    puzzle = read(board, f"goal: {{exit: {'right' if horizontal else 'bottom'}}}\n")
    task = puzzle.task("steps")
    assert (puzzle.value.height, puzzle.value.width) == (height, width)
    assert len(task.operators) == 2 * (max(width if horizontal else height, 2) - 2)


@pytest.mark.parametrize(
    ("goal", "cell"),
    [
        ("{exit: right}", (1, 3)),
        ("{piece: A}", (1, 3)),
        ("{piece: A, exit: left}", (1, 0)),
        ("{piece: B, exit: top}", (0, 3)),
        ("{piece: B, exit: up}", (0, 3)),
        ("{piece: B, exit: bottom}", (3, 3)),
        ("{piece: B, exit: down}", (3, 3)),
        ("{exit: {row: 2, col: 3}}", (1, 2)),
        ("\n  piece: B\n  exit:\n    row: 4\n    col: 4", (3, 3)),
    ],
)
def test_goals(goal: str, cell: Cell) -> None:
    puzzle = read("....\nAA..\n...B\n...B\n", f"goal: {goal}\n")
    assert puzzle.value.exit_cell == cell


def test_orientation_of_one_cell_pieces() -> None:
    puzzle = read("A..\n..B\nCC.\n", "orientation: {A: horizontal, B: vertical, C: horizontal}\n")
    assert {p.letter: p.directions for p in puzzle.value.pieces} == {"A": "RL", "B": "DU", "C": "RL"}
    assert [op.name for op in puzzle.task("steps").operators if op.name.startswith("B")] == [
        "B+1 from r1c3",
        "B-1 from r2c3",
        "B+1 from r2c3",
        "B-1 from r3c3",
    ]


# Replay


def moves(*plan: tuple[int, int, str]) -> Plan:
    """A plan from rows and columns (from 0) and paths."""
    return Plan(tuple(Slide((row, column), path) for row, column, path in plan))


def test_replay_counts_slides_and_steps() -> None:
    puzzle = read("..B..\nAAB..\n.....\n", "goal: {exit: right}\n")
    replay = puzzle.replay(moves((0, 2, "D"), (1, 2, "U"), (0, 2, "D")))
    assert replay.costs == {"slides": 3, "steps": 3}
    assert not replay.solved
    puzzle = read("..B..\nAAB..\n.....\n.....\n", "goal: {exit: right}\n")
    replay = puzzle.replay(moves((0, 2, "D"), (1, 2, "D"), (1, 0, "RRR")))
    assert replay.costs == {"slides": 2, "steps": 5}
    assert replay.solved
    assert replay.notation == ["B+1", "B+1", "A+3"]
    assert replay.steps[-1].board == (".....", "...AA", "..B..", "..B..")


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([(0, 0, "R")], "move 1: no piece at row 1, column 1"),
        ([(1, 0, "R")], "move 1: A is blocked at row 2, column 3"),
        ([(1, 0, "L")], "move 1: A is blocked at row 2, column 0"),
        ([(1, 0, "D")], "move 1: A cannot move D"),
        ([(0, 2, "R")], "move 1: B cannot move R"),
        ([(0, 2, "DU")], "move 1: B cannot move DU"),
        ([(0, 2, "")], "move 1: B cannot move nowhere"),
        ([(0, 2, "X")], "move 1: B cannot move X"),
        ([(0, 2, "D"), (1, 0, "RR")], "move 2: A is blocked at row 2, column 3"),
        ([(0, 2, "DDD")], "move 1: B is blocked at row 4, column 3"),
    ],
)
def test_replay_refuses(plan: list[tuple[int, int, str]], message: str) -> None:
    puzzle = read("..B.\nAAB.\n....\n#.#.\n")
    with pytest.raises(ReplayError) as caught:
        puzzle.replay(moves(*plan))
    assert str(caught.value) == message


# The task


def test_a_wall_before_the_exit_proves_that_there_is_no_plan() -> None:
    task = read("AA.#..\n......\n").task("slides")
    assert task.unsolvable_because == "a wall stands between piece A and its exit, row 1, column 6"
    assert optimal(task) is None
    assert read("AA....\n......\n").task("slides").unsolvable_because is None


def test_boards_with_too_much_room_for_slides() -> None:
    rows = "\n".join(chr(0x4E00 + i) * 2 + "." * 254 for i in range(7)) + "\nAA" + "." * 254
    puzzle = read(rows)
    with pytest.raises(UsageError, match=r"too large for the metric `slides`.*try the metric `steps`"):
        puzzle.task("slides")
    assert len(puzzle.task("steps").operators) == 8 * 2 * 254


@dataclass(frozen=True)
class Board:
    """A random board, with what it takes to write it as a file and to turn it around."""

    rows: tuple[str, ...]
    side: str
    orientation: dict[str, str] = field(default_factory=dict)

    def puzzle(self) -> Puzzle:
        turned = ", ".join(f"{letter}: {way}" for letter, way in self.orientation.items())
        return read("\n".join(self.rows), f"goal: {{piece: A, exit: {self.side}}}\norientation: {{{turned}}}\n")

    def mirrored(self) -> Board:
        side = {"right": "left", "left": "right"}.get(self.side, self.side)
        return replace(self, rows=tuple(row[::-1] for row in self.rows), side=side)

    def transposed(self) -> Board:
        side = {"right": "bottom", "left": "top", "bottom": "right", "top": "left"}[self.side]
        ways = {"horizontal": "vertical", "vertical": "horizontal"}
        orientation = {letter: ways[way] for letter, way in self.orientation.items()}
        return Board(tuple(map("".join, zip(*self.rows, strict=True))), side, orientation)

    def renamed(self, names: dict[str, str]) -> Board:
        table = str.maketrans(names)
        orientation = {names.get(letter, letter): way for letter, way in self.orientation.items()}
        return Board(tuple(row.translate(table) for row in self.rows), self.side, orientation)


def random_board(seed: int) -> Board:
    """A random board, on which up to two empty cells become pieces of one cell."""
    choose = random.Random(seed)
    text = random_boards.rush_hour(seed)
    rows = [list(line.strip()) for line in text.splitlines() if line.startswith("  ")]
    orientation = {}
    for letter in "12":
        row, column = choose.randrange(len(rows)), choose.randrange(len(rows[0]))
        if rows[row][column] == ".":
            rows[row][column] = letter
            orientation[letter] = choose.choice(["horizontal", "vertical"])
    side = text.split("exit: ")[1].strip(" }\n")
    return Board(tuple(map("".join, rows)), side, orientation)


boards = st.integers(0, 2**32).map(random_board)


def by_the_rules(board: Board, metric: str) -> int | None:
    """The optimum by breadth-first search over drawn boards, from the rules of the puzzle alone."""

    def cells_of(rows: tuple[str, ...], letter: str) -> list[Cell]:
        return [(r, c) for r, row in enumerate(rows) for c, char in enumerate(row) if char == letter]

    def out(rows: tuple[str, ...]) -> bool:
        cells = cells_of(rows, "A")
        return {
            "right": any(c == len(rows[0]) - 1 for _, c in cells),
            "left": any(c == 0 for _, c in cells),
            "top": any(r == 0 for r, _ in cells),
            "bottom": any(r == len(rows) - 1 for r, _ in cells),
        }[board.side]

    def moved(rows: tuple[str, ...], letter: str, way: str) -> tuple[str, ...] | None:
        old = cells_of(rows, letter)
        new = [(r + DIRECTIONS[way][0], c + DIRECTIONS[way][1]) for r, c in old]
        for r, c in new:
            if not (0 <= r < len(rows) and 0 <= c < len(rows[0]) and rows[r][c] in ("." + letter)):
                return None
        drawn = [[char if char != letter else "." for char in row] for row in rows]
        for r, c in new:
            drawn[r][c] = letter
        return tuple(map("".join, drawn))

    letters = sorted(set("".join(board.rows)) - set(".#"))
    ways = {}
    for letter in letters:
        cells = cells_of(board.rows, letter)
        lies = cells[0][0] == cells[-1][0] if len(cells) > 1 else board.orientation[letter] == "horizontal"
        ways[letter] = "LR" if lies else "UD"
    queue, seen = deque([(board.rows, 0)]), {board.rows}
    while queue:
        rows, cost = queue.popleft()
        if out(rows):
            return cost
        for letter in letters:
            for way in ways[letter]:
                child = moved(rows, letter, way)
                while child is not None:
                    if child not in seen:
                        seen.add(child)
                        queue.append((child, cost + 1))
                    child = moved(child, letter, way) if metric == "slides" else None
    return None


def solve(board: Board, metric: str) -> int | None:
    """The optimum of the task, by a plan that replays to the same cost."""
    puzzle = board.puzzle()
    task = puzzle.task(metric)
    task.validate()
    result = optimal(task)
    if result is None:
        return None
    cost: int
    (cost,), operators = result
    replay = puzzle.replay(Plan.of(operators))
    assert replay.solved
    assert replay.costs[metric] == cost
    return cost


@settings(max_examples=examples(400))
@given(boards, st.sampled_from(["slides", "steps"]))
def test_the_task_follows_the_rules(board: Board, metric: str) -> None:
    assert solve(board, metric) == by_the_rules(board, metric)


@settings(max_examples=examples(150))
@given(boards, st.sampled_from(["slides", "steps"]))
def test_symmetric_boards_have_equal_optima(board: Board, metric: str) -> None:
    cost = solve(board, metric)
    assert solve(board.mirrored(), metric) == cost
    assert solve(board.transposed(), metric) == cost
    assert solve(board.mirrored().transposed().mirrored(), metric) == cost
    assert solve(board.renamed({"B": "é", "C": "你", "D": "7", "E": "Z", "F": "a", "1": "B"}), metric) == cost


@pytest.mark.parametrize(
    ("line", "target", "slides", "steps"),
    [
        (LINE, "A", 9, 21),
        ("BCDDE.BCFFE.AAGH....GHI...JHI...J...", "A", 16, 34),
        ("ABCDEEABCDFGA.XXFG..HHHG..I.JJKKI.LL", "X", 24, 34),
        ("A..BBBACCD..XXED.F..E..F..GHHF..GIII", "X", 10, 18),
        ("ooooooooooooAAoooooooooooooooooooooo", "A", 1, 4),
    ],
)
def test_known_optima(line: str, target: str, slides: int, steps: int) -> None:
    """Levels 1 and 3 of fogleman/rush, Bird's first and second grid, an empty board."""
    puzzle = load_text(HEAD + f"board: {line}\ngoal: {{piece: {target}}}\n")
    for metric, cost in (("slides", slides), ("steps", steps)):
        task = puzzle.task(metric)
        task.validate()
        result = optimal(task)
        assert result is not None
        assert result[0] == (cost,)
        assert puzzle.replay(Plan.of(result[1])).costs[metric] == cost
