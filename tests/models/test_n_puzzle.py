"""The n-puzzle: the ways to write it, parity against exhaustive search, replay, errors."""

from __future__ import annotations

from collections import deque
from itertools import permutations

import pytest
from budge import PuzzleError, ReplayError, Status, UsageError, load_text, solve
from budge.analysis.parity import impossible
from budge.models.documents.fields import Header
from budge.models.families import n_puzzle
from budge.models.families.n_puzzle.rules import NPuzzle
from budge.models.families.n_puzzle.rules import Tiles as Rows
from budge.models.families.sliding_block import rules as blocks
from budge.models.moves import Slide
from budge.models.plan import Plan
from budge.models.puzzle import Puzzle
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.reference import optimal
from ..helpers.seeds import examples

Tiles = tuple[int, ...]


def read(source: str) -> Puzzle:
    puzzle = load_text("format: 1\nfamily: n-puzzle\n" + source)
    assert isinstance(puzzle.value, NPuzzle)
    return puzzle


def rows(tiles: Tiles, width: int) -> Rows:
    return tuple(tuple(tiles[i : i + width]) for i in range(0, len(tiles), width))


def puzzle(start: Tiles, goal: Tiles, width: int) -> Puzzle:
    value = NPuzzle(rows(start, width), rows(goal, width))
    return Puzzle(n_puzzle.FAMILY, Header("test", "test", "moves"), value)


def distances(goal: Tiles, width: int) -> dict[Tiles, int]:
    """The number of moves from every state that reaches the goal, by exhaustive search."""
    found = {goal: 0}
    queue = deque([goal])
    while queue:
        state = queue.popleft()
        blank = state.index(0)
        near = [blank - width, blank + width]
        near += [blank - 1] * (blank % width > 0) + [blank + 1] * (blank % width < width - 1)
        for cell in near:
            if 0 <= cell < len(state):
                child = list(state)
                child[blank], child[cell] = child[cell], 0
                if tuple(child) not in found:
                    found[tuple(child)] = found[state] + 1
                    queue.append(tuple(child))
    return found


@pytest.mark.parametrize(
    ("goal", "width"),
    [
        ((1, 2, 3, 0), 2),
        ((1, 2, 3, 0), 4),
        ((1, 0, 2, 3), 4),
        ((1, 2, 3, 0), 1),
        ((1, 2, 3, 4, 5, 0), 3),
        ((0, 1, 2, 3, 4, 5), 3),
        ((1, 2, 3, 4, 5, 0), 2),
        ((5, 3, 0, 1, 2, 4), 2),
        ((1, 1, 2, 0), 2),
        ((2, 1, 2, 0), 4),
        ((1, 1, 2, 2, 3, 0), 3),
        ((7, 7, 7, 7, 7, 0), 2),
    ],
)
def test_parity_agrees_with_exhaustive_search(goal: Tiles, width: int) -> None:
    solvable = distances(goal, width)
    for start in set(permutations(goal)):
        because = impossible(puzzle(start, goal, width).task("moves"))
        assert because is None or start not in solvable
        if 1 < width < len(goal) and len(set(goal)) == len(goal):  # in a line there are more that cannot be solved
            assert because or start in solvable


@given(st.permutations(range(6)), st.permutations(range(6)), st.sampled_from([1, 2, 3, 6]), st.booleans())
@settings(max_examples=examples(80))
def test_optimum_is_that_of_the_definition(start: list[int], goal: list[int], width: int, repeated: bool) -> None:
    if repeated:
        start, goal = ([tile - (tile == 5) for tile in tiles] for tiles in (start, goal))
    one = puzzle(tuple(start), tuple(goal), width)
    task = one.task("moves")
    task.validate()
    found = optimal(task)
    expected = distances(tuple(goal), width).get(tuple(start))
    assert (found and found[0]) == (None if expected is None else (expected,))
    assert impossible(task) is None or expected is None
    if found:
        replay = one.replay(Plan.of(found[1]))
        assert replay.solved
        assert replay.costs == {"moves": expected}


@given(st.permutations(range(6)), st.permutations(range(1, 6)))
@settings(max_examples=20)
def test_optimum_does_not_depend_on_how_it_is_drawn(start: list[int], numbers: list[int]) -> None:
    goal = (1, 2, 3, 4, 5, 0)
    name = dict(enumerate([0, *numbers]))
    expected = optimal(puzzle(tuple(start), goal, 3).task("moves"))

    def mirrored(tiles: Tiles) -> Tiles:
        return tuple(tile for i in (0, 3) for tile in tiles[i : i + 3][::-1])

    def rotated(tiles: Tiles) -> Tiles:
        return tuple(tiles[i + 3 * j] for i in range(3) for j in (1, 0))

    def renamed(tiles: Tiles) -> Tiles:
        return tuple(name[tile] for tile in tiles)

    for change, width in ((mirrored, 3), (rotated, 2), (renamed, 3)):
        found = optimal(puzzle(change(tuple(start)), change(goal), width).task("moves"))
        assert (found and found[0]) == (expected and expected[0])


def test_the_longest_five_puzzle() -> None:
    found = optimal(read("start: 4 5 . / 1 2 3\n").task("moves"))
    assert found
    assert found[0] == (21,)
    assert max(distances((1, 2, 3, 4, 5, 0), 3).values()) == 21


@pytest.mark.parametrize(
    "source",
    [
        "start: |\n  8 7 6\n  . 4 1\n  2 5 3\n",
        "start: |\n  8, 7, 6\n  0, 4, 1\n  2, 5, 3\n",
        "start: |\n  |8|7|6|\n  |_|4|1|\n  |2|5|3|\n",
        "start: |\n  876\n  041\n  253\n",
        "start:\n  8 7 6\n  0 4 1\n  2 5 3\n",
        "start:\n  - 8 7 6\n  - 0 4 1\n  - 2 5 3\n",
        'start:\n  - "876"\n  - ".41"\n  - "253"\n',
        "start: [[8, 7, 6], [0, 4, 1], [2, 5, 3]]\n",
        "start:\n- [8, 7, 6]\n- [., 4, 1]\n- [2, 5, 3]\n",
        "start: [8, 7, 6, 0, 4, 1, 2, 5, 3]\n",
        "start: 8 7 6 0 4 1 2 5 3\n",
        "start: 8 7 6 / . 4 1 / 2 5 3\n",
        'start: "8 7 6/. 4 1/2 5 3"\n',
        "start: 876041253\n",
        "start: 876.41253\n",
        "start: |\n  876041253\n",
        'start: "8 7 6\\n. 4 1\\n2 5 3"\n',
    ],
)
def test_ways_to_write_a_puzzle(source: str) -> None:
    one = read(source)
    assert one.value.start == ((8, 7, 6), (0, 4, 1), (2, 5, 3))
    assert one.value.goal == ((1, 2, 3), (4, 5, 6), (7, 8, 0))
    assert one.board() == ("876", ".41", "253")


def test_rectangles_and_large_numbers() -> None:
    one = read("start: |2\n     1  2 10\n    20  . 30\ngoal: |\n  1  2  10\n  20 30 .\n")
    assert one.value.start == ((1, 2, 10), (20, 0, 30))
    assert one.board() == ("123", "4.5")
    assert one.goal_text() == ("123", "45.")
    assert one.labels() == {"1": "1", "2": "2", "3": "10", "4": "20", "5": "30"}
    replay = one.replay(Plan((Slide((1, 2), "L"),)))
    assert replay.notation == ["30L"]
    assert replay.solved
    assert impossible(read("start: |\n  2 . 1\n").task("moves"))
    assert impossible(read("start: |\n  1 . 2\n").task("moves")) is None


def test_equal_tiles_are_interchangeable_but_drawn_apart() -> None:
    one = read("start: 1 1 / 2 .\ngoal: 1 2 / . 1\n")
    assert one.board() == ("12", "3.")
    assert one.labels() == {"1": "1", "2": "1", "3": "2"}
    groups = {group.name: group.count for group in one.task("moves").groups}
    assert groups["tile 1"] == 2
    assert groups["tile 2"] == groups["blank"] == 1


def test_facts_and_operators() -> None:
    task = read("start: 1 2 / 3 .\n").task("moves")
    assert "3 at r2c1" in task.facts
    assert "free r2c2" in task.facts
    assert len(task.operators) == 3 * 8
    assert task.unsolvable_because is None


def test_unsolvable_says_why() -> None:
    sentence = (
        "permutation parity: start and goal differ by an odd permutation, "
        "but `{}` can be true after an even number of moves only"
    )
    unsolvable = read("start: 1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 15 14 .\n")
    assert impossible(unsolvable.task("moves")) == sentence.format("free r4c4")
    written = load_text(
        "format: 1\nfamily: custom\ngrid: |\n  ....\n  ....\n  ....\n  ....\n"
        "state:\n  on:\n    of: cell\n    in: 0..15\n    different: true\n"
        "    start: {r1c1: 1, r1c2: 2, r1c3: 3, r1c4: 4, r2c1: 5, r2c2: 6, r2c3: 7, r2c4: 8, r3c1: 9,"
        " r3c2: 10, r3c3: 11, r3c4: 12, r4c1: 13, r4c2: 15, r4c3: 14, r4c4: 0}\nactions:\n  slide:\n"
        "    with: {c: cell, d: direction}\n    when: on[c + d] == 0\n"
        "    set:\n      on[c + d]: on[c]\n      on[c]: 0\n"
        "goal: all(on[c] == (4 * row(c) + col(c) - 4) % 16 for c in cell)\n"
    )
    assert impossible(written.task("moves")) == sentence.format("on r4c4 0")
    for one in (unsolvable, written):
        solution = solve(one, "astar")
        assert (solution.status, solution.proof) == (Status.UNSOLVABLE, impossible(one.task("moves")))


def test_even_moves_make_even_permutations() -> None:
    """Three discs in a ring of four places exchange in circles of three: two of them never alone."""
    text = (
        "format: 1\nfamily: custom\ntypes: {way: [left, right]}\ngrid: |\n  abcd\nlegend: "
        "{a: floor, b: floor, c: floor, d: floor}\nstate:\n  on: {of: cell, in: 1..4, different: true, "
        "start: [2, 1, 3, 4]}\nactions:\n  turn:\n    with: {c: cell}\n    when: c + 2*right in cell\n    set:\n"
        "      on[c]: on[c + right]\n      on[c + right]: on[c + 2*right]\n      on[c + 2*right]: on[c]\n"
        "goal: all(on[c] == col(c) for c in cell)\n"
    )
    assert str(impossible(load_text(text).task("moves"))).endswith("odd permutation, and every move is an even one")
    assert impossible(load_text(text.replace("[2, 1, 3, 4]", "[2, 1, 4, 3]")).task("moves")) is None
    assert solve(load_text(text.replace("[2, 1, 3, 4]", "[2, 1, 4, 3]")), "plain").status is Status.OPTIMAL


def test_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MAX_OPERATORS", 100)
    with pytest.raises(UsageError, match="there are more than 100 ways to move a piece"):
        read("start: 876041253\n").task("moves")


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (Slide((1, 0), "U"), "move 1: no piece at row 2, column 1"),
        (Slide((7, 0), "U"), "move 1: no piece at row 8, column 1"),
        (Slide((0, 0), "R"), "move 1: 8 is blocked at row 1, column 2"),
        (Slide((0, 0), "U"), "move 1: 8 is blocked at row 0, column 1"),
        (Slide((0, 0), "DD"), "move 1: a tile moves one cell, not DD"),
        (Slide((0, 0), ""), "move 1: a tile moves one cell, not nowhere"),
    ],
)
def test_replay_refuses(move: Slide, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        read("start: 876041253\n").replay(Plan((move,)))


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("goal: 1 2 / 3 .\n", 1, 1, "a puzzle needs the key `start`"),
        ("start: |\n  1 2\n  3 4 .\n", 4, 3, "row 1 of `start` has 2 numbers, the other rows have 3"),
        ("start: |\n  1 2\n  x .\n", 5, 3, "`x` is not the number of a tile"),
        ("start: |\n  1 -2\n  3 .\n", 4, 5, "`-2` is not the number of a tile"),
        ("start: |\n  1 2\n  3 4\n", 3, 8, "no blank in `start`"),
        ("start: |\n  1 .\n  3 .\n", 5, 5, "a second blank in `start` (the first in line 4)"),
        ("start: |\n  1 2\n  2 .\n", 5, 3, "tile 2 stands here a second time (first in line 4); missing: 3"),
        ("start: |\n  1 2\n  10 .\n", 5, 3, "tile 10 is not one of 1 to 3; missing: 3"),
        ("start: 1 2 / 3 .\ngoal: 1 2 / 4 .\n", 4, 13, "tile 4 is not in `start`"),
        ("start: 1 2 / 3 .\ngoal: 1 2 / 4 .\n", 3, 14, "tile 3 is not in `goal`"),
        ("start: 1 2 / 3 .\ngoal: 1 2 / 2 .\n", 4, 13, "tile 2 stands in `goal` more often than in `start`"),
        ("start: 1 2 / 3 .\ngoal: 1 2 3\n", 4, 7, "`goal` has 3 numbers in one line, which are not a square"),
        ("start: 1 2 / 3 .\ngoal: 1 2 3 / 4 5 .\n", 4, 7, "`goal` has 2 rows of 3, `start` has 2 rows of 2"),
        ("start: 1 2 / 3 .\ngoal: {a: 1}\n", 4, 7, "`goal` must be a drawing, not `key: value` pairs"),
        ("start: [[1, 2], 3]\n", 3, 17, "a row of `start` is a list of numbers, not `3`"),
        ("start: [[1, [2]], [3, .]]\n", 3, 13, "a row of `start` holds numbers, not a list"),
        ("start: ','\n", 3, 8, "`start` has 0 numbers in one line"),
        ("start: []\n", 3, 8, "`start` is empty"),
        ("start: |\n  .\n", 3, 8, "`start` has a single cell"),
        ("start: 1 2 / 3 .\nmetric: steps\n", 4, 9, "`metric` cannot be `steps`"),
        ("start: 1 2 / 3 .\nsize: 2\n", 4, 1, "unknown key `size`"),
    ],
)
def test_error(source: str, line: int, column: int, message: str) -> None:
    with pytest.raises(PuzzleError) as caught:
        read(source)
    found = [(p.line, p.column, f"{p.message}; {p.hint}") for p in caught.value.problems]
    assert [said for *place, said in found if place == [line, column] and message in said], found
