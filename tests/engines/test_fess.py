"""Feature space search: features and macro moves by their definitions, sound deadlock tests, plans, limits."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from budge import Budget, Status, load
from budge.analysis.boxes.board import (
    AT_CELL,
    AT_REGIONS,
    AT_ROOT,
    FAR,
    NO_ROOM,
    Board,
    broken_edges,
    find_rooms,
    label_regions,
)
from budge.analysis.boxes.box_board import BoxBoard, find_box_board
from budge.analysis.boxes.macro_moves import first_stop, next_stop
from budge.analysis.boxes.packing_plan import STAYS, PackingEntry, entries, no_plan, packed_steps, packing_plan
from budge.engines.fess.engine import PushLimit, Replayer
from budge.engines.fess.engine import solve as feature_space_search
from budge.engines.fess.search import FeatureSearch, find_packing_plan, labels, level_of
from budge.engines.fess.space import BASE, FOURTH, MOST, Strategy, hotspots, score_of
from budge.models.task import OperatorTask
from budge.runtime.kernel_calls import njit
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.pushes import LARGE, numbered, pushed, put, regions, task_of, view_of
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels


@pytest.fixture(scope="module", autouse=True)
def _shortening_takes_a_moment() -> Iterator[None]:
    """Not all of its ten seconds, on each of the large levels: no test here depends on how far it gets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("budge.engines.fess.engine.SHORTEN_SECONDS", 1.0)
        yield


EASY = settings(max_examples=examples(60))


# Macro moves


@njit(effort=1)
def _stops(board, s, box, player, pull, found):  # type: ignore[no-untyped-def]
    count = 0
    first_stop(s, box, player)
    while next_stop(board.neighbour, board.live, s, pull):
        found[count, 0], found[count, 1], found[count, 2] = s.at[AT_CELL], s.at[AT_ROOT], s.at[AT_REGIONS]
        count += 1
    s.occupied[box] = 1
    return count


@given(rows=levels(), pull=st.booleans())
@EASY
def test_macro_moves_are_all_that_pushes_of_one_box_lead_to(rows: tuple[str, ...], pull: bool) -> None:
    view = view_of(list(rows))
    if not view.boxes:
        return
    forward, _, boxes, _, player = numbered(view)
    board = forward._replace(live=np.append(np.ones(len(forward.goal) - 1, np.uint8), np.uint8(0)))
    for box in boxes:
        scratch, found = put(board, boxes), np.zeros((999, 3), np.int64)
        count = _stops(board, scratch, box, player, pull, found)
        others = set(boxes) - {box}
        met, queue = {(box, player)}, [(box, player)]
        for cell, root in queue:
            for moved, (after, there) in pushed(board, (tuple(sorted(others | {cell})), root), pull=pull):
                now = set(after) - others
                if moved == cell and (stop := (now.pop(), there)) not in met:
                    met.add(stop)
                    queue.append(stop)
        assert {(int(cell), int(root)) for cell, root, _ in found[:count]} == met
        assert count == len(met)
        for cell, _, parts in found[:count]:
            assert parts == len(set(regions(board, [*others, int(cell)]).values()))


def test_distances_of_a_lone_box() -> None:
    view = view_of(["######", "#@$ .#", "#  ###", "######"])
    board, _, (box,), (goal,), _ = numbered(view)
    assert board.pushes[box, goal] == 2
    assert board.pushes[goal, box] == FAR
    assert board.walks[box, goal] == 2
    assert board.live[goal]
    assert not board.live[0]


# Features


def test_rooms_and_corridors() -> None:
    view = view_of(["#########", "#   #   #", "#  .$ @ #", "#########"])
    room, edges = find_rooms(view.cells)
    named = {cell: int(room[i]) for i, cell in enumerate(view.cells)}
    assert named[1, 1] == named[2, 3] == 0
    assert named[1, 5] == named[2, 7] == 1
    assert named[2, 4] == NO_ROOM
    assert edges.tolist() == [2, 1]


@njit(effort=1)
def _features(board, plan, s, pull):  # type: ignore[no-untyped-def]
    parts = label_regions(board.neighbour, s.occupied, s.label, s.stack)
    broken = broken_edges(board.neighbour, board.room, board.edges, s.occupied, s.mark, s.stack, s.intact)
    score = score_of(board, plan, s, parts, pull)
    return parts, broken, hotspots(board, s), packed_steps(plan, board, s), score


def broken_by_definition(board: Board, boxes: list[int]) -> int:
    """An edge is broken unless the player could walk from every part of either room to the other through corridors."""
    room, neighbour, wall = board.room.tolist(), board.neighbour.tolist(), len(board.goal) - 1

    def sees(cell: int) -> set[int]:
        queue, seen, met = [cell], {cell}, set()
        for here in queue:
            for other in neighbour[here]:
                if other == wall or other in boxes or other in seen:
                    continue
                if room[other] not in (NO_ROOM, room[cell]):
                    met.add(room[other])
                    continue
                seen.add(other)
                queue.append(other)
        return met

    rooms = range(len(board.edges))
    parts = [[sees(cell) for cell in range(wall) if room[cell] == i and cell not in boxes] for i in rooms]
    return sum(
        not (parts[i] and parts[k] and all(k in met for met in parts[i]) and all(i in met for met in parts[k]))
        for i in rooms
        for k in rooms
        if i < k and int(board.edges[i]) >> k & 1
    )


def hot_by_definition(board: Board, boxes: list[int]) -> int:
    """Boxes that, as walls, leave another box fewer goals; pairs on goals or dead squares aside."""
    neighbour, wall = board.neighbour.tolist(), len(board.goal) - 1

    def goals_from(cell: int, blocked: int) -> int:
        queue, seen = [cell], {cell}
        for here in queue:
            for d in range(4):
                ahead, behind = neighbour[here][d], neighbour[here][d ^ 1]
                if wall not in (ahead, behind) and blocked not in (ahead, behind) and ahead not in seen:
                    seen.add(ahead)
                    queue.append(ahead)
        return sum(int(board.goal[c]) for c in seen)

    counted = [box for box in boxes if board.live[box] and not board.goal[box]]
    return sum(any(goals_from(p, q) < goals_from(p, -1) for p in counted if p != q) for q in counted)


ROOMY = [
    [
        "###########",
        "#   #     #",
        "#         #",
        "#   #  #  #",
        "### #  #  #",
        "#       . #",
        "#   #.. @ #",
        "###########",
    ],
    ["##########", "#  .  #  #", "#     .  #", "## #######", "#   #    #", "# @    . #", "#   #    #", "##########"],
]


@given(seed=st.integers(0, 10**9), which=st.integers(0, 1))
@EASY
def test_features_by_their_definitions(seed: int, which: int) -> None:
    rows, draw = ROOMY[which], random.Random(seed)
    spaces = [(r, c) for r, row in enumerate(rows) for c, char in enumerate(row) if char == " "]
    chosen = set(draw.sample(spaces, 3))
    drawn = ["".join("$" if (r, c) in chosen else char for c, char in enumerate(row)) for r, row in enumerate(rows)]
    view = view_of(drawn)
    if len(view.boxes) < 3:
        return
    board, _, _, _, _ = numbered(view)
    free = [cell for cell in range(len(view.cells)) if board.live[cell]]
    boxes = sorted(draw.sample(free, 3))
    parts, broken, hot, packed, _ = _features(board, no_plan(board), put(board, boxes), False)
    assert parts == len(set(regions(board, boxes).values()))
    assert broken == broken_by_definition(board, boxes)
    assert hot == hot_by_definition(board, boxes)
    assert packed == sum(int(board.goal[box]) for box in boxes)


def test_without_a_plan_no_box_is_out_of_it() -> None:
    # Two boxes on goals count as packed; a plan without entries has one zone, whatever lies in memory behind it.
    board, *_ = numbered(view_of(["#########", "#@$$$   #", "#   ... #", "#########"]))
    memory = np.ones((9, len(board.live)), np.uint8)
    memory[0] = 0
    plan = no_plan(board)._replace(zone=memory[:1])
    boxes = [*np.nonzero(board.goal)[0].tolist()[:2], 3]
    *_, packed, score = _features(board, plan, put(board, boxes), False)
    assert packed == 2
    assert score >> FOURTH & MOST == 0


def test_the_plan_of_pulls() -> None:
    # Box 5 was pulled to 7, then 3 to the sink at 9, then 7 on to the sink at 8; the box on 1 stayed.
    listed = entries([(5, 7, False), (3, 9, True), (7, 8, True)], [1])
    assert listed == [
        PackingEntry(to=1, until=STAYS, initial=True),
        PackingEntry(to=7, until=3, initial=False),
        PackingEntry(to=3, until=STAYS, initial=False),
        PackingEntry(to=5, until=STAYS, initial=False),
    ]
    # Two pulls of one box in a row are one.
    assert entries([(5, 7, False), (7, 8, True)], []) == [PackingEntry(to=5, until=STAYS, initial=False)]


def test_packed_is_the_longest_prefix_that_the_board_does_not_contradict() -> None:
    board, *_ = numbered(view_of(["#########", "#@$$$   #", "#   ... #", "#########"]))
    cells = {name: number for number, name in enumerate("abcdefghijklmn")}
    plan = packing_plan(
        [
            PackingEntry(cells["c"], 2, False),
            PackingEntry(cells["k"], STAYS, False),
            PackingEntry(cells["l"], STAYS, False),
        ],
        board.neighbour,
        board.live,
    )
    for where, wanted in (("def", 0), ("cef", 1), ("ckf", 2), ("lkf", 3), ("kef", 0), ("lef", 0), ("lce", 1)):
        boxes = sorted(cells[name] for name in where)
        assert _features(board, plan, put(board, boxes), False)[3] == wanted, where


def test_a_goal_room_is_filled_from_its_end() -> None:
    view = view_of(
        [
            "##############",
            "#@     #######",
            "# $ $     ...#",
            "#      #######",
            "#  $   #######",
            "#      #######",
            "##############",
        ]
    )
    forward, *_ = numbered(view)
    plan, expanded = find_packing_plan(level_of(view, Budget()), Budget(), Strategy(), 1_000)
    assert expanded > 2
    assert find_packing_plan(level_of(view, Budget()), Budget(), Strategy(), 2)[1] == 2
    assert [view.cells[cell] for cell in plan.to.tolist()] == [(2, 12), (2, 11), (2, 10)]
    # Once the room is full, every other cell is out of plan; before, none is.
    assert not plan.zone[0].any()
    assert forward.live[np.nonzero(plan.zone[1])[0]].all()


# The engine


@given(rows=levels(), metric=st.sampled_from(["pushes", "moves", "pushes,moves"]))
@settings(max_examples=examples(60))
def test_a_plan_is_found_if_and_only_if_there_is_one(rows: tuple[str, ...], metric: str) -> None:
    puzzle = level(list(rows))
    best, found = solve(puzzle, "plain", metric), solve(puzzle, "fess", metric)
    assert (best.status is Status.UNSOLVABLE) == (found.status is Status.UNSOLVABLE), rows
    if best.outcome.upper_bound is not None:
        assert found.replay is not None
        assert found.replay.solved
        assert found.outcome.upper_bound is not None
        assert found.outcome.upper_bound >= best.outcome.upper_bound


@pytest.mark.weekly
def test_a_large_level_takes_few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.fess.engine.OTHER_PLANS", 0)  # those of the first plan count
    solution = solve(level(LARGE), "fess")
    assert solution.status is Status.FEASIBLE
    assert solution.outcome.lower_bound is None
    stats = solution.outcome.stats
    assert int(stats["states"]) < 1_000
    assert stats["plan_entries"] == 6
    assert int(stats["macro_moves"]) < 40


@pytest.mark.weekly
def test_plans_are_shortened_and_stay_plans() -> None:
    task = task_of(LARGE)
    outcome = feature_space_search(task, Budget())
    assert outcome.plan is not None
    first, last = int(outcome.stats["first_pushes"]), len(outcome.plan.moves)
    assert 97 <= last <= first  # 97 is the optimum
    assert outcome.upper_bound == (last,)


@given(rows=levels(max_boxes=3))
@EASY
def test_a_plan_of_a_small_level_is_made_shortest(rows: tuple[str, ...]) -> None:
    # All states of such a level are near the plan.
    puzzle = level(list(rows))
    assert solve(puzzle, "fess").outcome.upper_bound == solve(puzzle, "plain").outcome.upper_bound, rows


def test_limits_and_interruptions() -> None:
    task = task_of(LARGE)
    assert feature_space_search(task, Budget(0.0)).stopped_by == "time limit"
    budget = Budget()
    budget.interrupted.set()
    outcome = feature_space_search(task, budget)
    assert (outcome.status, outcome.plan) == (Status.INTERRUPTED, None)
    small = feature_space_search(task, Budget(memory_mib=1))
    assert small.status in (Status.UNKNOWN, Status.FEASIBLE)


@pytest.mark.parametrize("name", ["microban-001", "microban-033", "xsokoban-01"])
def test_a_limit_of_pushes_allows_every_plan_within_it(name: str) -> None:
    task = load(f"sokoban/{name}").task("pushes")
    assert isinstance(task, OperatorTask)
    board = find_box_board(task)
    assert isinstance(board, BoxBoard)
    made = level_of(board, Budget())
    root = int(labels(made.forward, made.boxes)[board.player])
    replayer = Replayer(made.forward, made.boxes, root)

    def searched(most: int | None) -> FeatureSearch:
        search = FeatureSearch(made.forward, no_plan(made.forward), made.boxes, BASE, Budget(), pull=False)
        search.plant(made.boxes, root)
        allows = None if most is None else PushLimit(made, replayer, search.tree, most)
        assert search.run(lambda: None, 100_000, allows) is None
        return search

    search = searched(None)
    nodes = [search.goal]
    while (parent := int(search.tree.node[nodes[-1]]["parent"])) >= 0:
        nodes.append(parent)
    steps = [(step.start, step.end, step.after) for step in search.way(search.goal)]
    pushes = len(replayer.unfold(steps))
    for less, allowed in ((0, True), (1, False)):
        limit = PushLimit(made, replayer, search.tree, pushes - less)
        answers = [limit(node) for node in range(1, search.positions)]
        assert limit.paid[search.goal] == pushes
        assert answers[search.goal - 1] is allowed
        assert all(answers[node - 1] for node in nodes if node) is allowed
    least = solve(load(f"sokoban/{name}"), "astar", "pushes").outcome.upper_bound
    assert least is not None
    below = searched(least[0] - 1)  # nothing is left, or a plan whose last macro move is above the limit
    steps = [(step.start, step.end, step.after) for step in below.way(below.goal)] if below.goal >= 0 else []
    assert not steps or len(replayer.unfold(steps)) >= least[0]
