"""Shares, milestones and numbers of shortest plans, against brute force over positions, written apart."""

from __future__ import annotations

import json
import random
from collections.abc import Hashable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from math import inf
from pathlib import Path

import pytest
from budge import hint, load, load_text, plans, solve, why
from budge.cli import main
from budge.engines.common.state_graph import state_graph
from budge.models.errors import PuzzleError, UsageError
from budge.models.plan import apply
from budge.models.task import OperatorTask
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.runtime.outcome import StoppedError
from budge.workflows.why import shares
from budge.workflows.why.plans import counted_plans
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.random_tasks import random_task
from ..helpers.rooms_of_walks import fact, routes, walks
from ..helpers.seeds import examples
from ..helpers.vehicle_positions import Positions, Slide, positions_of

Wanted = tuple[str, object]
"""A piece with the first cell on which it stands, or with how far it goes."""

SEEDS = st.integers(0, 10**6)
SMALL = settings(max_examples=examples(60, 8), suppress_health_check=list(HealthCheck))


def classes(plans_: list[tuple[Hashable, ...]]) -> int:
    """The number of classes of plans that come from each other by swapping neighbours that do not touch."""
    left, found = set(plans_), 0
    while left:
        found += 1
        stack = [left.pop()]
        while stack:
            plan = stack.pop()
            for i in range(len(plan) - 1):
                swapped = (*plan[:i], plan[i + 1], plan[i], *plan[i + 2 :])
                if swapped in left and not touch(plan[i], plan[i + 1]):  # type: ignore[arg-type]
                    left.remove(swapped)
                    stack.append(swapped)
    return found


def touch(one: Slide, other: Slide) -> bool:
    """Whether a slide sweeps over a cell on which the other starts or ends, or both are of one piece."""
    return one[0] == other[0] or bool(one[2] & other[3]) or bool(other[2] & one[3])


def compared(seed: int) -> str:
    """What came of a random board: whether it has a plan, and all that is said of it equals brute force."""
    puzzle = load_text(rush_hour(seed))
    try:
        positions = positions_of(puzzle)
    except OverflowError:
        return "large"
    optimum = positions.least(positions.start)
    found = why(puzzle, "slides")
    assert found.states == len(positions.steps)
    if optimum == inf:
        assert found.optimum is None
        assert found.shares is None
        return "unsolvable"
    assert found.optimum == optimum
    assert found.shares
    assert found.milestones
    assert found.plans
    for share in (*found.shares.single, *found.shares.joint):
        assert share.least == positions.least(positions.start, set(share.owners)), (seed, share)
    single = {share.owners[0]: share.least for share in found.shares.single}
    assert found.shares.bound <= optimum
    for letter in {letter for letter, _ in positions.start}:  # type: ignore[attr-defined]
        assert single.get(letter, 0) == positions.least(positions.start, {letter})
    for one in (*found.milestones.chain, *found.milestones.others):
        assert positions.least(positions.start, without=fact(positions, one.text)) == inf
    if len(positions.steps) < 100:
        for letter, least in single.items():
            ways = routes(positions, letter, least)
            assert (letter in found.routes) == (len(ways) == 1 and least > 0), (seed, letter, ways)
    for letter, cost in found.without.items():
        try:
            fewer = load_text(rush_hour(seed).replace(letter, "."))
        except PuzzleError:  # the letter stands in words, too
            continue
        assert cost == positions_of(fewer).least(positions_of(fewer).start)
    assert found.plans.longer == tuple(walks(positions, int(optimum) + 2)[-2:])
    try:
        every = positions.shortest()
    except OverflowError:
        return "many"
    assert found.plans.number == len(every)
    assert found.plans.up_to_order == classes(every)
    assert len(found.first) == len({plan[0] for plan in every if plan})
    names = [[move[:2] for move in plan] for plan in every]  # type: ignore[index]
    forced = sum(min(plan.count(move) for plan in names) for move in {move for plan in names for move in plan})
    assert found.plans.length == optimum
    assert found.plans.forced <= optimum
    assert found.plans.forced <= forced
    return "plans" if optimum else "solved"


@given(SEEDS)
@SMALL
def test_random_boards(seed: int) -> None:
    compared(seed)


@pytest.mark.slow
def test_many_random_boards() -> None:
    outcomes = [compared(seed) for seed in range(500)]
    assert outcomes.count("plans") > 100
    assert outcomes.count("unsolvable") > 50


def kept(positions: Positions, avoid: Wanted, through: Wanted, most: int) -> tuple[int, int] | None:
    """The least cost of plans that avoid a place or move and pass another, and how many have it; None above `most`."""

    def met(wanted: Wanted, state: Hashable, move: object = None) -> bool:
        return (move is not None and move == wanted) or wanted in {(name, own[0]) for name, own in state}  # type: ignore[attr-defined]

    here = {(positions.start, met(through, positions.start)): 1}
    for cost in range(most + 1):
        if found := sum(many for (state, passed), many in here.items() if state in positions.goals and passed):
            return cost, found
        after: dict[tuple[Hashable, bool], int] = {}
        for (state, passed), many in here.items():
            if state not in positions.goals:
                for _, move, _, there in positions.steps[state]:
                    if not met(avoid, there, move[:2]):  # type: ignore[index]
                        key = there, passed or met(through, there, move[:2])  # type: ignore[index]
                        after[key] = after.get(key, 0) + many
        here = after
    return None


def conditions_compared(seed: int) -> bool:
    """Whether a random board has a plan that keeps random conditions; it is as brute force says."""
    puzzle, chosen = load_text(rush_hour(seed)), random.Random(seed)
    try:
        positions = positions_of(puzzle)
    except OverflowError:
        return False
    places = sorted({(name, own[0]) for state in positions.steps for name, own in state})  # type: ignore[attr-defined]
    moves = sorted({move[:2] for steps in positions.steps.values() for _, move, _, _ in steps})  # type: ignore[index]
    at_first = {(name, own[0]) for name, own in positions.start}  # type: ignore[attr-defined]
    avoid, through = (chosen.choice([place for place in places if place not in at_first] + moves) for _ in range(2))
    words = [
        f"{name}{what:+d}" if isinstance(what, int) else f"{name} at r{what[0] + 1}c{what[1] + 1}"
        for name, what in (avoid, through)
    ]
    found = plans(puzzle, "slides", avoid=words[0], through=words[1:])
    expected = kept(positions, avoid, through, min(150, len(positions.steps) * 2)) if found.optimum is None else None
    if found.optimum is None:
        assert expected is None
        return False
    assert found.plans
    assert kept(positions, avoid, through, found.optimum) == (found.optimum, found.plans.number)
    assert found.optimum_of_all == positions.least(positions.start)
    assert len(found.example) == found.optimum
    return True


@given(SEEDS)
@SMALL
def test_conditions_on_plans(seed: int) -> None:
    with suppress(IndexError):  # nothing can move
        conditions_compared(seed)


def test_conditions_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plans", "eight-15", "-q", "--through", "8U", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cost"], found["cost_without_conditions"], found["plans"]) == (17, 15, 1)
    assert "8U" in found["example"]
    assert main(["plans", "level-26", "-q", "--avoid", "B at r4c1"]) == 1
    assert "plans that avoid `B at r4c1`" in (out := capsys.readouterr().out)
    assert "no plan, however long, keeps them" in out
    assert main(["plans", "wolf-goat-cabbage", "-q", "--through", "carry(wolf)", "--avoid", "at goat rigth"]) == 2
    assert "did you mean `at goat right`?" in capsys.readouterr().err
    with pytest.raises(UsageError, match="no plan avoids `A at r3c2`: it is so at the start"):
        plans("level-26", avoid="A at r3c2")
    with pytest.raises(UsageError, match="is held against all plans"):
        plans("level-26", avoid="B+3", intended=solve("level-26").plan)


def test_moves_are_named_by_those_that_lead_to_them() -> None:
    """Pushes and moves along any way do not say by themselves what moves from where."""
    level = "microban-001"
    only = solve(level).notation
    assert only == ["dlU", "rrrdL", "ullddrU", "luR", "uulD", "rddrruL", "dlU", "U"]
    for many in range(1, 9):
        text = "".join(only[:many])
        assert plans(level, avoid=text).optimum is None
        assert plans(level, through=text).optimum == 8
    klotski = "klotski/heng-dao-li-ma"
    assert plans(klotski, "moves", avoid="G:D").example[0] != "G:D"
    assert plans(klotski, "moves", through="G:D").optimum == plans(klotski, "moves").optimum
    with pytest.raises(UsageError, match="write a move after those that lead to it"):
        plans(klotski, "moves", avoid="A:D")


def by_costs(task: OperatorTask) -> tuple[int, int] | None:
    """The optimum and the number of shortest plans of a task without free operators; None without a plan."""
    start = frozenset(task.init)
    best, ways = {start: 0}, {start: 1}
    heap, tick, done = [(0, 0, start)], count(1), set()
    while heap:
        cost, _, here = heappop(heap)
        if here in done:
            continue
        done.add(here)
        if task.holds(here):
            every = [state for state in best if best[state] == cost and task.holds(state)]
            return cost, sum(ways[state] for state in every)
        for op in task.operators:
            if here.issuperset(op.pre) and op.pre and (op.add or op.delete):
                after, total = apply(here, op), cost + op.cost[0]
                if total < best.get(after, 1 << 60):
                    best[after], ways[after] = total, ways[here]
                    heappush(heap, (total, next(tick), after))
                elif total == best[after]:
                    ways[after] += ways[here]
    return None


@given(SEEDS)
@SMALL
def test_numbers_of_plans_of_random_tasks(seed: int) -> None:
    task = random_task(seed)
    assume(all(op.cost[0] and op.pre for op in task.operators))
    expected = by_costs(task)
    graph = state_graph(task, Budget(), silent)
    assert graph.optimum == (expected and expected[0])
    if expected is not None and expected[0]:
        found = counted_plans(graph, Budget())
        assert found is not None
        assert found.number == expected[1]


@example(112, sliding_block)  # without a block, others go where it made the way impossible
@given(SEEDS, st.sampled_from([n_puzzle, sliding_block]))
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
def test_shares_are_a_lower_bound(seed: int, make: object) -> None:
    try:
        made = make(seed)  # type: ignore[operator]
        text = made if isinstance(made, str) else made.text
        found = why(load_text(text), "moves", time_limit=20)
    except (PuzzleError, StoppedError):
        return
    if found.optimum is not None:
        assert found.shares
        assert sum(share.least for share in found.shares.single) <= found.shares.bound <= found.optimum
    for letter, cost in found.without.items():
        lines = [line for line in text.split("\n") if not line.startswith(f"  {letter}:")]
        goal = lines.index("goal: |")
        rows = [line if ":" in line else line.replace(letter, ".") for line in lines[:goal]] + lines[goal:]
        with suppress(PuzzleError):  # its door is named, or nothing is left under a key
            assert hint(load_text("\n".join(rows)), "moves").distance == cost


def test_a_single_box_is_told_from_the_others() -> None:
    """Two boxes in corridors of their own: each needs its own pushes, whichever goal it ends on."""
    puzzle = load_text("format: 1\nfamily: sokoban\nmap: |\n  #######\n  #@$ . #\n  #     #\n  # $  .#\n  #######\n")
    found = why(puzzle, "pushes")
    assert found.shares
    assert {share.owners[0]: share.least for share in found.shares.single} == {
        "the box on r2c3": 2,
        "the box on r4c3": 3,
    }
    assert found.optimum == found.shares.bound == 5


def test_known_numbers() -> None:
    """Those of the forty levels that were found by another program (level 12: 628,992 plans, 28 up to order)."""
    found = why("level-12")
    assert found.plans
    assert found.shares
    assert (found.plans.number, found.plans.up_to_order, found.plans.forced) == (628_992, 28, 11)
    assert [(share.owners, share.least) for share in found.shares.joint] == [(("C", "E"), 4)]
    assert found.shares.bound == 20
    found = plans("level-16")
    assert found.plans
    assert (found.plans.number, found.plans.up_to_order) == (58_060_800, 1)
    assert found.shares is None


def test_the_goat_makes_three_crossings() -> None:
    found = why("wolf-goat-cabbage")
    assert found.shares
    assert found.plans
    assert {share.owners[0]: share.least for share in found.shares.single} == {
        "goat": 3,
        "boat": 2,
        "wolf": 1,
        "cabbage": 1,
    }
    assert (found.plans.number, found.first) == (2, ("carry(goat)",))
    assert found.routes["goat"] == ("carry(goat)",) * 3


def test_a_file_that_expects_one_plan(capsys: pytest.CaptureFixture[str]) -> None:
    puzzle = load("level-26")
    text = puzzle.to_yaml().replace("expect:\n", "expect:\n  plans: 1\n")
    again = load_text(text)
    assert again.header.expect.plans == 1
    assert plans(again).contradicts is None
    assert load_text(again.to_yaml()).header.expect == again.header.expect
    other = plans(load_text(text.replace("plans: 1", "plans: 2")))
    assert other.contradicts == "the file expects 2 shortest plans up to order, and there are 1"
    with pytest.raises(PuzzleError, match="`plans` must be at least 1"):
        load_text(text.replace("plans: 1", "plans: 0"))


def test_an_intended_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("level-26", "microban-001", "klotski/bi-yi-heng-kong", "wolf-goat-cabbage", "snake-5"):
        solution = solve(name)
        found = plans(name, intended=solution.plan)
        assert found.intended
        assert found.intended.cost == found.optimum
        assert found.intended.detours == (), name
    file = tmp_path / "plan.txt"
    file.write_text(f"B+1 B-1 {' '.join(solve('level-26').notation)}")
    assert main(["plans", "level-26", "-q", "--intended", str(file)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "there is a shortcut: the plan has 25 slides, 2 more than needed; it loses" in out
    assert main(["plans", "level-26", "-q", "--json", "--intended", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sum(detour["loses"] for detour in told["intended"]["detours"]) == 2
    file.write_text("B+1 B-1")
    assert main(["plans", "level-26", "-q", "--intended", str(file)]) == 2
    assert "stops after 2 moves and the goal is not reached" in capsys.readouterr().err
    file.write_text("A+9")
    assert main(["plans", "level-26", "-q", "--intended", str(file)]) == 4


def test_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["plans", "level-26", "-q"]) == 0
    assert "8 shortest plans, the same one if moves that do not touch each other may swap" in capsys.readouterr().out
    assert main(["explain", "level-26", "--why", "-q"]) == 0
    out = capsys.readouterr().out
    assert "A  4  A-1, A+3, A-2, A+3\n" in out
    assert "Together 23: no plan is shorter" in out
    assert "without      one piece the optimum is E 1, C 2, H 2, F 3, I 3, B 6, G 8, D 13: each is needed" in out
    assert main(["explain", "level-26", "--why", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["explained"] == found["cost"] == 23
    assert (found["pieces_that_must_move"], found["moves_back"]) == (9, 8)
    assert found == {**why("level-26").to_dict(), "seconds": found["seconds"]}
    assert main(["plans", "unsolvable-lane", "-q"]) == 1
    assert "no plan exists: none of the" in capsys.readouterr().out
    assert main(["plans", "pocket-cube", "--time-limit", "1", "-q"]) == 3
    assert "stopped by the time limit" in capsys.readouterr().err


def test_what_is_known_where_a_limit_stops_the_visit() -> None:
    """Layers without a goal are a bound; the first one with a goal is the optimum (15: the last layers are far)."""
    for seconds in (0.001, 0.01, 0.03, 0.1, 0.3):
        try:
            state_graph(load("eight-15").form("moves"), Budget(seconds), silent)
        except StoppedError as stopped:
            known = str(stopped).rpartition("; ")[2]
            if known.startswith("no plan"):
                assert int(known.split()[-1]) <= 15
            else:
                assert known == "the optimum is 15" or known.endswith("181,440 so far")


@pytest.mark.weekly
def test_a_program_without_time_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "_least", lambda *_: (0, {}))
    found = why("level-12").shares
    assert found
    assert found.bound == 19


def test_two_components_are_refused() -> None:
    with pytest.raises(UsageError, match="counts several things; name one of them: `--metric pushes`"):
        plans("microban-001", "pushes,moves")
