"""Sliding blocks: what can be written, what is wrong with it, and the optimum against the definition."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

import pytest
from budge import PuzzleError, ReplayError, Status, UsageError, load, load_text, solve
from budge.models.cells import DIRECTIONS, Cell
from budge.models.families.sliding_block import FAMILY
from budge.models.families.sliding_block import rules as sliding_ground
from budge.models.families.sliding_block.rules import SlidingBlock, written
from budge.models.moves import Slide
from budge.models.plan import Plan
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers import random_boards
from ..helpers.reference import optimal
from ..helpers.seeds import examples

KLOTSKI = "aXXb aXXb cdde cfge h..i"
KLOTSKI_GOAL = ".... .... .... .XX. .XX."
METRICS = FAMILY.metric_names


def text(board: str, goal: str, extra: str = "") -> str:
    """A puzzle from maps whose rows are separated by spaces. The board starts in line 4, column 3."""
    lines = ["format: 1", "family: sliding-block", "board: |"]
    lines += ["  " + row for row in board.split()] + ["goal: |"] + ["  " + row for row in goal.split()]
    return "\n".join(lines) + "\n" + extra


def read(board: str, goal: str, extra: str = "") -> Puzzle:
    puzzle = load_text(text(board, goal, extra))
    assert isinstance(puzzle.value, SlidingBlock)
    return puzzle


def cost(puzzle: Puzzle, metric: str, max_states: int = 4_000) -> int | None:
    """The optimum by the reference search, its plan replayed."""
    task = puzzle.task(metric)
    task.validate()
    try:
        found = optimal(task, max_states)
    except OverflowError:
        assume(False)
    if found is None:
        return None
    replay = puzzle.replay(Plan.of(found[1]))
    assert replay.solved
    assert replay.costs[metric] == found[0][0]
    return int(found[0][0])


# The definition, without a task


Places = tuple[frozenset[Cell], ...]


def successors(puzzle: SlidingBlock, metric: str, state: Places) -> Iterator[Places]:
    for i, piece in enumerate(puzzle.pieces):
        others = frozenset().union(*(cells for j, cells in enumerate(state) if j != i))

        def steps(cells: frozenset[Cell], direction: str) -> Iterator[frozenset[Cell]]:
            row, column = DIRECTIONS[direction]
            there = frozenset((r + row, c + column) for r, c in cells)
            doors = dict(puzzle.doors)
            if all(
                0 <= r < puzzle.height
                and 0 <= c < puzzle.width
                and (r, c) not in puzzle.walls
                and (r, c) not in others  # noqa: B023
                and piece.letter in doors.get((r, c), piece.letter)  # noqa: B023
                for r, c in there
            ):
                yield there

        ends: set[frozenset[Cell]] = set()
        queue = [(state[i], direction) for direction in piece.directions]
        while queue:
            cells, direction = queue.pop()
            for there in steps(cells, direction):
                if metric == "slides":
                    queue.append((there, direction))
                elif metric == "moves" and there not in ends:
                    queue.extend((there, d) for d in piece.directions)
                ends.add(there)
        for there in ends:
            yield (*state[:i], there, *state[i + 1 :])


def by_definition(puzzle: SlidingBlock, metric: str) -> int | None:
    """The optimum by breadth-first search over where each piece stands."""
    letters = [piece.letter for piece in puzzle.pieces]

    def solved(state: Places) -> bool:
        where = dict(zip(letters, state, strict=True))
        return all(
            any(where[other].issuperset(cells) for other in puzzle.stand_ins(letter)) for letter, cells in puzzle.goal
        )

    start = tuple(frozenset(piece.cells) for piece in puzzle.pieces)
    distance = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if solved(state):
            return distance[state]
        for child in successors(puzzle, metric, state):
            if child not in distance:
                distance[child] = distance[state] + 1
                queue.append(child)
    return None


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150))
def test_optimum_is_that_of_the_definition(seed: int) -> None:
    puzzle = load_text(random_boards.sliding_block(seed).text)
    assert isinstance(puzzle.value, SlidingBlock)
    costs = [cost(puzzle, metric) for metric in METRICS]
    assert costs == [by_definition(puzzle.value, metric) for metric in METRICS]
    moves, slides, steps = costs
    if moves is None:
        assert slides is steps is None
    else:
        assert slides is not None
        assert steps is not None
        assert moves <= slides <= steps


def mirrored(maps: random_boards.SlidingBlock) -> random_boards.SlidingBlock:
    """Left and right exchanged."""
    turned = {"L": "R", "R": "L"}
    board, goal, doors = (tuple(row[::-1] for row in rows) for rows in (maps.board, maps.goal, maps.doors))
    directions = {k: "".join(turned.get(d, d) for d in v) for k, v in maps.directions.items()}
    return random_boards.SlidingBlock(board, goal, doors, directions)


def rotated(maps: random_boards.SlidingBlock) -> random_boards.SlidingBlock:
    """A quarter turn clockwise."""
    turned = dict(zip("URDL", "RDLU", strict=True))
    board, goal, doors = (
        tuple("".join(column) for column in zip(*rows[::-1], strict=True))
        for rows in (maps.board, maps.goal, maps.doors)
    )
    directions = {k: "".join(turned[d] for d in v) for k, v in maps.directions.items()}
    return random_boards.SlidingBlock(board, goal, doors, directions)


def renamed(maps: random_boards.SlidingBlock) -> random_boards.SlidingBlock:
    new = str.maketrans("ABCDEF", "y曹1AR_")
    board, goal, doors = (tuple(row.translate(new) for row in rows) for rows in (maps.board, maps.goal, maps.doors))
    return random_boards.SlidingBlock(board, goal, doors, {k.translate(new): v for k, v in maps.directions.items()})


def test_a_piece_does_not_enter_one_of_its_kind_that_can_never_move() -> None:
    """B and C are alike, but B is stuck: where it stands is a place of their kind that C never gets to."""
    puzzle = load_text(random_boards.sliding_block(7316).text)
    assert isinstance(puzzle.value, SlidingBlock)
    for metric in METRICS:
        assert cost(puzzle, metric) == 2


@pytest.mark.parametrize("change", [mirrored, rotated, renamed])
@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(30))
def test_optimum_does_not_depend_on_how_it_is_drawn(change, seed: int) -> None:  # type: ignore[no-untyped-def]
    maps = random_boards.sliding_block(seed)
    one, other = load_text(maps.text), load_text(change(maps).text)
    assert isinstance(one.value, SlidingBlock)
    assert isinstance(other.value, SlidingBlock)
    for metric in METRICS:
        assert cost(one, metric) == cost(other, metric)


@pytest.mark.parametrize("name", ["simplicity", "moving-day"])
def test_shipped_puzzle_by_the_reference_search(name: str) -> None:
    puzzle = load(name)
    assert isinstance(puzzle.value, SlidingBlock)
    assert puzzle.header.expect.costs == {metric: (cost(puzzle, metric),) for metric in METRICS}


# The task


def free_cells(task: OperatorTask, facts: tuple[int, ...]) -> set[str]:
    return {task.facts[f].removeprefix("free ") for f in facts if task.facts[f].startswith("free ")}


def test_moves_are_carries_of_the_operators_of_steps() -> None:
    puzzle = load("simplicity")
    moves, steps = puzzle.task("moves"), puzzle.task("steps")
    assert moves.compound_moves
    assert not steps.compound_moves
    assert [replace(op, displacement=None) for op in moves.operators] == list(steps.operators)


def test_every_way_sweeps_what_its_operator_requires() -> None:
    puzzle = read("AA.. A.BB ...B", "..AA ..A. ....")
    shape = {"A": ((0, 0), (0, 1), (1, 0)), "B": ((0, 0), (0, 1), (1, 1))}
    task = puzzle.task("slides")
    for op in task.operators:
        assert isinstance(op.move, Slide)
        cells = {(op.move.cell[0] + r, op.move.cell[1] + c) for r, c in shape[op.name[0]]}
        start, swept = set(cells), set()
        for letter in op.move.path:
            row, column = DIRECTIONS[letter]
            cells = {(r + row, c + column) for r, c in cells}
            swept |= cells - start
        assert {f"r{r + 1}c{c + 1}" for r, c in swept} == free_cells(task, op.pre)


def test_interchangeable_pieces_share_their_facts() -> None:
    task = read(KLOTSKI, KLOTSKI_GOAL).task("steps")
    counts = {group.name: group.count for group in task.groups}
    assert counts["2x1"] == 4
    assert counts["1x1"] == 4
    assert counts["X"] == counts["d"] == 1
    assert counts["free cells"] == 2
    assert "2x1 at r1c1" in task.facts
    assert "free r5c2" in task.facts


def test_pieces_that_the_goal_names_are_themselves() -> None:
    assert cost(read("AB .. ..", "BA .. .."), "moves") == 3
    assert cost(read("AB .. ..", "BA .. ..", "alike: AB\n"), "moves") == 0
    assert cost(read("AB .. ..", ".. .. A."), "moves") == 1
    assert cost(read("AB .. ..", ".. .. .A", "alike: [A, B]\n"), "steps") == 2


def test_alike_goal_needs_as_many_pieces_as_it_shows() -> None:
    puzzle = read("ABC ... ...", "... ... CA.", "alike: ABC\n")
    assert cost(puzzle, "moves") == 2
    assert {group.name: group.count for group in puzzle.task("moves").groups}["1x1"] == 3


def test_goal_that_shows_a_part_of_a_piece() -> None:
    task = read("AA.. A... ....", ".... .... ..A.").task("steps")
    assert [task.facts[f] for f in task.goal[0]] == ["A at r2c3"]
    assert cost(read("AA.. A... ....", "..A. .... ...."), "steps") == 1


def test_piece_with_a_hole_and_one_inside_it() -> None:
    assert cost(read("AAA. ABA. AAA. ....", ".... .... .... ..B."), "steps") is None
    assert cost(read("AAA. A.A. ABA. AAA. ....", ".... .... .... .B.. ...."), "steps") == 2


def test_pieces_that_cannot_move_are_walls_to_the_others() -> None:
    task = read("A#BB ..CC ..CC", ".... ..A. ....", "directions: {BC: none}\n").task("steps")
    assert "free r2c3" not in task.facts
    assert "A at r2c3" not in task.facts
    assert task.unsolvable_because
    task.validate()


def test_one_way_piece() -> None:
    assert cost(read("A.. ...", "..A ...", "directions: {A: R}\n"), "steps") == 2
    assert cost(read("..A ...", "A.. ...", "directions: {A: R}\n"), "steps") is None
    assert cost(read("A.. ...", "..A ...", "directions: {A: [down, up]}\n"), "steps") is None


def test_door() -> None:
    row = "A.B"
    assert cost(read(row, "..A"), "steps") is None
    assert cost(read(row + " ...", "B.A ..."), "steps") == 6
    assert cost(read(row + " ...", "B.A ...", "doors: |\n  ...\n  .A.\n"), "steps") == 6
    assert cost(read(row + " .#.", "B.A .#."), "steps") is None
    doors = "doors:\n  - {row: 2, col: 2, pieces: A}\n  - {row: 1, col: 2, pieces: A}\n"
    assert cost(read(row + " ...", "B.A ...", doors), "steps") is None
    both = doors.replace("pieces: A}", "pieces: [A, B]}")
    assert cost(read(row + " ...", "B.A ...", both), "steps") == 6


def test_detached_parts_move_together() -> None:
    puzzle = read("A.A. ....", ".... .A.A", "detached: A\n")
    assert [cost(puzzle, metric) for metric in METRICS] == [1, 2, 2]


def test_board_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = read(KLOTSKI, KLOTSKI_GOAL)
    monkeypatch.setattr(sliding_ground, "MAX_OPERATORS", 200)
    assert len(puzzle.task("steps").operators) == len(puzzle.task("moves").operators) == 188
    with pytest.raises(UsageError, match="too large for the metric `slides`"):
        puzzle.task("slides")


@pytest.mark.parametrize("engine", ["bfs", "cp-sat"])
def test_roomy_board_in_moves(engine: str) -> None:
    """So much room that the paths of a single move could not be listed."""
    puzzle = read(
        "A....... ........ ..##.... ........ .....B.. ........ ........ .......C", "........ " * 7 + "C......A"
    )
    solution = solve(puzzle, engine, "moves")
    assert solution.outcome.status is Status.OPTIMAL
    assert solution.cost == 2


# Replay


def test_replay_draws_and_names_the_pieces_of_the_author() -> None:
    puzzle = read(KLOTSKI, KLOTSKI_GOAL)
    replay = puzzle.replay(Plan((Slide((3, 1), "D"), Slide((4, 3), "L"), Slide((2, 3), "D"))))
    assert replay.notation == ["f:D", "i:L", "e:D"]
    assert replay.costs == {"moves": 3, "slides": 3, "steps": 3}
    assert not replay.solved
    assert replay.steps[-1].board == ("aXXb", "aXXb", "cdd.", "c.ge", "hfie")


def test_consecutive_steps_of_a_piece_are_one_move() -> None:
    puzzle = read("A... ....", ".... ...A")
    replay = puzzle.replay(Plan((Slide((0, 0), "R"), Slide((0, 1), "RD"), Slide((1, 2), "R"))))
    assert replay.costs == {"moves": 1, "slides": 3, "steps": 4}
    assert replay.notation == ["A:R", "A:RD", "A:R"]
    assert replay.solved


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([((1, 1), "U")], "move 1: no piece at row 2, column 2"),
        ([((9, 9), "U")], "move 1: no piece at row 10, column 10"),
        ([((0, 0), "")], "move 1: A moves nowhere"),
        ([((0, 0), "U")], "move 1: A is blocked at row 0, column 1"),
        ([((0, 0), "DL")], "move 1: A is blocked at row 2, column 0"),
        ([((0, 0), "DR"), ((1, 1), "DD")], "move 2: A is blocked at row 4, column 2"),
        ([((0, 0), "DD")], "move 1: A is blocked at row 3, column 1"),
        ([((0, 2), "DL")], "move 1: B is blocked at row 2, column 2"),
        ([((2, 2), "U")], "move 1: C may not move U"),
    ],
)
def test_replay_refuses(moves: list[tuple[Cell, str]], message: str) -> None:
    puzzle = read("A.B ... #.C", "..A ... #..", "doors: |\n  ...\n  .A.\n  ...\ndirections: {C: LR}\n")
    with pytest.raises(ReplayError, match=message):
        puzzle.replay(Plan(tuple(Slide(*move) for move in moves)))


def test_notation() -> None:
    assert written("X", "DDRUUU") == "X:D2RU3"
    assert written("U", "U") == "U:U"


# Errors


def problems(source: str) -> list[tuple[int, int, str]]:
    with pytest.raises(PuzzleError) as caught:
        load_text(source)
    return [(p.line, p.column, f"{p.message}; {p.hint}") for p in caught.value.problems]


@pytest.mark.parametrize(
    ("board", "goal", "extra", "line", "column", "message"),
    [
        ("aXX a.X", "... ..X", "directions: {q: U}\n", 9, 14, "no piece `q` on the board"),
        ("aXXb aXX cdde", "....", "", 5, 3, "row 2 of `board` has 3 cells, the other rows have 4"),
        ("AA. ...", "... ... .AA", "", 7, 3, "`goal` has 3 rows and 3 columns, the board has 2 and 3"),
        ("AA. ...", "...A ....", "", 7, 3, "`goal` has 2 rows and 4 columns"),
        ("AA. ...", "... .aa", "", 8, 4, "no piece `a` on the board; did you mean `A`?"),
        ("AA. ...", "... A..", "doors: |\n  ...\n  B..\n", 11, 3, "no piece `B` on the board"),
        ("AA. ...", "A.. A..", "", 7, 3, "piece A has another shape in the goal than on the board"),
        ("AA. ...", "... AAA", "", 8, 3, "piece A has 3 cells in the goal and 2 on the board"),
        ("AA# ...", ".AA ...", "", 7, 5, "the goal of piece A is on a wall, row 1, column 3"),
        ("AA. ...", "AA. ..#", "", 8, 5, "a wall in `goal` where the board has none, row 2, column 3"),
        ("AAA# ....", "A... .A..", "", 7, 3, "piece A has another shape"),
        ("AA.. ..#.", ".... ...A", "", 8, 6, "piece A cannot cover these cells: the rest of it would be in a wall"),
        ("AA. ...", "... ...", "", 6, 7, "the goal names no piece"),
        ("AAB ...", "AA. ...", "doors: |\n  ..A\n  ...\n", 10, 5, "piece B stands on a door that it may not enter"),
        ("AB. ...", "... A..", "doors: |\n  ...\n  B..\n", 8, 3, "piece A may not enter its goal: row 2, column 1 is"),
        ("AB. ..#", "... A..", "doors: |\n  ...\n  ..B\n", 11, 5, "a door where the board has a wall, row 2"),
        ("AB. ...", "... A..", "doors: |\n  ...\n", 10, 3, "`doors` has 1 row and 3 columns"),
        ("AB. ...", "... A..", "doors: []\n", 9, 8, "`doors` is empty"),
        ("AB. ...", "... A..", "doors: {A: B}\n", 9, 8, "`doors` must be a map or a list"),
        ("AB. ...", "... A..", "doors:\n  - {row: 3, col: 1, pieces: A}\n", 10, 5, "row 3, column 1 is outside"),
        ("AB. ...", "... A..", "doors:\n  - {row: 2, col: 1}\n", 10, 5, "a door needs the key `pieces`"),
        ("AB. ...", "... A..", "doors:\n  - {row: 2, col: 1, pieces: AC}\n", 10, 30, "no piece `C` on the board"),
        ("ABA ...", "... .B.", "", 4, 5, "piece A is in two unconnected parts, the second one here; give each piece"),
        ("A_B A_B _.. .._", "A.. A.. ... ...", "", 6, 3, "piece _ is in 3 unconnected parts, the second one here; wr"),
        ("AAB CCB", "... AA.", "", 3, 8, "no empty cell on the board, nothing can move; write `.` for an empty"),
        ("..# ...", "... ...", "", 3, 8, "no piece on the board"),
        ("AB. ...", "... A..", "directions: A\n", 9, 13, "`directions` must be a mapping, not `A`"),
        ("AB. ...", "... A..", "directions: {A: sideways}\n", 9, 17, "directions cannot be `sideways`"),
        ("AB. ...", "... A..", "directions: {A: [L, 7]}\n", 9, 21, "directions cannot be `7`"),
        ("AB. ...", "... A..", "directions: {AB: L, A: R}\n", 9, 21, "the directions of piece A are given twice"),
        ("AAB ...", "... ..B", "alike: AB\n", 9, 8, "pieces A and B cannot be alike: they differ in shape"),
        ("A.B ...", "... ..B", "alike: AB\ndirections: {A: U}\n", 9, 8, "they differ in directions"),
        ("A.B ...", "... ..B", "alike: A\n", 9, 8, "piece A is alone here"),
        ("ABC ...", "... ..B", "alike: [AB, BC]\n", 9, 13, "piece B is in two sets of `alike`"),
        ("AABB ....", "...A ....", "alike: AB\n", 7, 6, "the goal shows only a part of piece A, which is `alike`"),
        ("AB. ...", "... A..", "alike: {A: B}\n", 9, 8, "`alike` must name pieces by their letters"),
        ("AB. ...", "... A..", "detached: Q\n", 9, 11, "no piece `Q` on the board"),
        ("AB. ...", "... A..", "metric: pushes\n", 9, 9, "`metric` cannot be `pushes`"),
    ],
)
def test_error(board: str, goal: str, extra: str, line: int, column: int, message: str) -> None:
    found = problems(text(board, goal, extra))
    assert [said for *place, said in found if place == [line, column] and message in said], found


def test_missing_maps_and_spaces() -> None:
    assert [p[2][:32] for p in problems("format: 1\nfamily: sliding-block\n")] == [
        "a puzzle needs the key `board`; ",
        "a puzzle needs the key `goal`; a",
    ]
    source = text("AB. ...", "... A..").replace("  AB.", "  A B").replace("  A..", "  A.x")
    assert problems(source)[0][:2] == (4, 4)
    assert "a space in `board`" in problems(source)[0][2]


def test_all_problems_are_reported_at_once() -> None:
    extra = "alike: Q\ndirections: {Z: U}\ncolour: red\n"
    assert len(problems(text("ABA ...", "..C #..", extra))) == 6
