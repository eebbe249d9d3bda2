"""The reachable space and the best moves: against the definition on small puzzles, known figures on large ones."""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from budge import Budget, Status, load, load_text, why
from budge.analysis.transformed_tasks import with_explicit_walker
from budge.cli import main
from budge.engines.common.reachable import unit_cost_task
from budge.models.errors import UsageError
from budge.models.library import shipped
from budge.models.plan import apply
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.runtime.events import Event, LayerDone
from budge.views.explore import of_answer
from budge.views.sections import as_text
from budge.workflows import exploration
from budge.workflows.exploration import Answer, explore, hint
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.patience import PATIENCE, run_out
from ..helpers.random_boards import rush_hour, sliding_block
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of

State = tuple[frozenset[int], int]
"""The true facts, and the first cell of the walker's region (0 without a walker)."""


def region(task: OperatorTask, facts: frozenset[int], start: int) -> list[int]:
    assert task.walker
    found = [start]
    for cell in found:
        found += [c for c in task.walker.neighbours[cell] if task.walker.free[c] in facts and c not in found]
    return found


def successors(task: OperatorTask, state: State) -> set[State]:
    """By the definition: one operator, one carry, or a walk and one operator."""
    facts, walker = state
    found: set[State] = set()
    for op in task.operators:
        if not facts.issuperset(op.pre):
            continue
        if task.walker and op.walk:
            if op.walk[0] in region(task, facts, walker):
                after = apply(facts, op)
                found.add((after, min(region(task, after, op.walk[1]))))
            continue
        after = apply(facts, op)
        found.add((after, 0))
        if op.displacement:
            queue = deque([(after, op.displacement[1])])
            while queue:
                here, place = queue.popleft()
                for more in task.operators:
                    if more.displacement and more.displacement[0] == place and here.issuperset(more.pre):
                        there = apply(here, more)
                        if (there, 0) not in found:
                            found.add((there, 0))
                            queue.append((there, more.displacement[1]))
    return found - {state}


def check_against_the_definition(puzzle: Puzzle, metric: str) -> None:
    task = puzzle.task(metric)
    task = task if task.uniform else with_explicit_walker(task)
    init = frozenset(task.init)
    start: State = (init, min(region(task, init, task.walker.start)) if task.walker else 0)
    depth, edges = {start: 0}, dict[State, set[State]]()
    queue = deque([start])
    while queue:
        state = queue.popleft()
        edges[state] = successors(task, state)
        for after in edges[state] - depth.keys():
            depth[after] = depth[state] + 1
            queue.append(after)
    away = {state: 0 for state in depth if task.holds(state[0])}
    queue = deque(away)
    while queue:
        state = queue.popleft()
        for before, afters in edges.items():
            if state in afters and before not in away:
                away[before] = away[state] + 1
                queue.append(before)
    for seconds in (0.0, PATIENCE):  # by compiled kernels, by plain search
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exploration, "PLAIN_SECONDS", seconds)
            check_answers(puzzle, metric, depth, away, edges)


def check_answers(
    puzzle: Puzzle, metric: str, depth: dict[State, int], away: dict[State, int], edges: dict[State, set[State]]
) -> None:
    start = next(iter(depth))
    answer = explore(puzzle, metric)
    space = answer.space
    assert space
    assert space.states == len(depth)
    assert dict(enumerate(space.layers)) == Counter(depth.values())
    assert dict(enumerate(space.distances)) == Counter(away.values())
    assert space.goals == sum(d == 0 for d in away.values())
    assert space.dead_ends == len(depth) - len(away)
    assert answer.distance == away.get(start)
    advice = hint(puzzle, metric)
    assert advice.distance == away.get(start)
    best = {after for after in edges[start] if away.get(after) == away.get(start, 0) - 1}
    assert len(set(advice.moves)) == len(advice.moves) == (len(best) if start in away else 0)
    assert (advice.status is Status.UNSOLVABLE) == (answer.status is Status.UNSOLVABLE) == (start not in away)
    check_hardest(answer)


def check_hardest(answer: Answer) -> None:
    """The hardest start is a puzzle that loads, and whose optimum is its distance."""
    text = answer.hardest_yaml()
    assert answer.space
    assert (text is None) == (answer.space.goals == 0)
    if text is not None:
        hardest = load_text(text)
        assert hardest.header.metric == answer.metric
        farthest = len(answer.space.distances) - 1
        assert solve(hardest, "bfs").outcome.upper_bound == hardest.header.expect.costs[answer.metric] == (farthest,)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "piece"),
    [("bird-2", "D"), ("eight-10", "tile 8"), ("microban-001", "the box on r4c2"), ("wolf-goat-cabbage", "carry")],
)
def test_a_hint_by_degrees(name: str, piece: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hint(load(name)).pieces == (piece,)
    said = {}
    for degree in ("far", "milestone", "piece", "move"):
        assert main(["hint", name, "--degree", degree, "-q"]) == 0
        said[degree] = capsys.readouterr().out
    assert "to the goal" in said["far"]
    assert f"move         {piece}\n" in said["piece"]
    assert "best move" in said["move"]
    assert "best move" not in said["far"] + said["milestone"] + said["piece"]
    found = why(name, "pushes" if "microban" in name else None).milestones
    assert found
    assert f"on the way   {found.chain[0].text}, in every plan\n" in said["milestone"]


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=20)
def test_rush_hour_by_the_definition(seed: int, metric: str) -> None:
    check_against_the_definition(load_text(rush_hour(seed)), metric)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["moves", "slides", "steps"]))
@settings(max_examples=examples(30))
def test_sliding_blocks_by_the_definition(seed: int, metric: str) -> None:
    check_against_the_definition(load_text(sliding_block(seed, cells=8).text), metric)


@given(rows=levels(max_boxes=2), metric=st.sampled_from(["pushes", "moves"]))
@settings(max_examples=examples(30))
def test_sokoban_by_the_definition(rows: tuple[str, ...], metric: str) -> None:
    check_against_the_definition(load_text(text_of(list(rows))), metric)


@pytest.mark.parametrize("start", ["1 2 3 / 4 5 .", "3 1 2 / 5 4 .", "1 1 . / 2 2 2", "1 2 3 . 4"])
def test_n_puzzle_by_the_definition(start: str) -> None:
    goal = {"1 1 . / 2 2 2": "goal: 2 1 2 / . 2 1\n", "1 2 3 . 4": "goal: |\n  . 1 2 3 4\n"}.get(start, "")
    rows = start.split(" / ")
    block = "start: |\n" + "".join(f"  {row}\n" for row in rows)
    check_against_the_definition(load_text(f"format: 1\nfamily: n-puzzle\n{block}{goal}"), "moves")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "states", "distance", "farthest"),
    [
        ("servais-93", "steps", 24_132, 93, 93),
        ("servais-93", "slides", 24_132, 49, 49),
        ("heng-dao-li-ma", "steps", 25_955, 116, 126),
        ("heng-dao-li-ma", "slides", 25_955, 90, 101),
        ("heng-dao-li-ma", "moves", 25_955, 81, 93),
        ("heng-shu-jie-jiang", "steps", 81_340, 104, None),
        ("heng-shu-jie-jiang", "moves", 81_340, 81, None),
        ("eight-31-a", "moves", 181_440, 31, 31),
        ("rush_hour/unsolvable", "slides", 11_617, None, None),
    ],
)
def test_known_spaces(name: str, metric: str, states: int, distance: int | None, farthest: int | None) -> None:
    answer = explore(load(name), metric)
    space = answer.space
    assert space
    assert (space.states, answer.distance, answer.contradicts) == (states, distance, None)
    assert sum(space.layers) == states == sum(space.distances) + (space.dead_ends or 0)
    if farthest is not None:
        assert len(space.distances) == farthest + 1
    check_hardest(answer)


@pytest.mark.weekly
@pytest.mark.parametrize("name", shipped())
def test_shipped_puzzles_survive_being_written(name: str) -> None:
    puzzle = load(name)
    again = load_text(puzzle.to_yaml())
    assert replace(again, header=puzzle.header) == puzzle
    assert replace(again.header, file="") == replace(puzzle.header, file="")


@pytest.mark.parametrize(
    "rest",
    [
        "family: sliding-block\nboard: |\n  AB.#\n  A.-.\n  C.C~\ngoal: |\n  BA.#\n  .A..\n  ....\n"
        "directions: {A: UDL, '~': none, '-': any}\ndetached: C\n"
        "doors: [{row: 1, col: 3, pieces: AB}, {row: 2, col: 2, pieces: A-}]\n",
        "family: sliding-block\nboard: |\n  ab.\n  .cd\ngoal: |\n  b.d\n  ..a\nalike: [ab, cd]\nmetric: steps\n",
        "family: rush-hour\nboard: |\n  N.1\n  ..A\ngoal: {piece: N, exit: bottom}\n"
        "orientation: {N: vertical, '1': horizontal, A: vertical}\nexpect: {cost: 1, steps: 1}\n",
        "family: n-puzzle\nstart: 10 10 / . 7 / 1 1\ngoal: 10 7 / 10 . / 1 1\nname: 'no: \"x\"'\n",
        "family: sokoban\nmap: 5#|#@$.#|5#\nmetric: [pushes, moves]\nexpect: {cost: [1, 1]}\n",
        "family: rush-hour\nboard: AAooooooooooooooooooooooooooooooxooo\nexpect: {unsolvable: true}\n",
    ],
)
def test_every_key_survives_being_written(rest: str) -> None:
    puzzle = load_text(f"format: 1\n{rest}")
    again = load_text(puzzle.to_yaml())
    assert replace(again, header=puzzle.header) == puzzle
    assert again.header == puzzle.header


def test_a_board_on_which_nothing_moves() -> None:
    puzzle = load_text("format: 1\nfamily: rush-hour\nboard: |\n  AAB\n  ##B\n")
    answer = explore(puzzle)
    assert answer.space
    assert (answer.space.states, answer.space.layers, answer.status) == (1, (1,), Status.UNSOLVABLE)
    assert hint(puzzle).status is Status.UNSOLVABLE


def test_a_solved_position() -> None:
    puzzle = load_text("format: 1\nfamily: rush-hour\nboard: |\n  .AA\n  ...\n")
    assert hint(puzzle).distance == 0
    assert hint(puzzle).moves == ()
    assert explore(puzzle).distance == 0


def test_limits_leave_what_was_seen() -> None:
    puzzle = load("servais-93")
    interrupted = Budget()
    interrupted.interrupted.set()
    assert explore(puzzle, budget=interrupted).status is Status.INTERRUPTED
    assert hint(puzzle, budget=interrupted).status is Status.INTERRUPTED
    for budget, reason in ((Budget(seconds=0.0), "time limit"), (Budget(memory_mib=1), "memory limit")):
        answer = explore(puzzle, "steps", budget)
        assert answer.space
        assert answer.status is Status.UNKNOWN
        assert answer.outcome.stopped_by == reason
        assert sum(answer.space.layers) == answer.space.states < 24_132
        assert (answer.space.dead_ends, answer.distance, answer.hardest_yaml()) == (None, None, None)
    advice = hint(puzzle, "steps", Budget(seconds=0.0))
    assert advice.status is Status.UNKNOWN
    assert advice.outcome.stopped_by == "time limit"
    assert advice.outcome.lower_bound is not None
    assert 1 <= advice.outcome.lower_bound[0] < 93


def test_only_metrics_in_which_every_step_costs_one() -> None:
    with pytest.raises(UsageError, match="try `--metric pushes` or `--metric moves`"):
        unit_cost_task(load("microban-001"), "pushes,moves")


def test_parity_answers_a_hint_at_once() -> None:
    answer = hint(load("fourteen-fifteen"))
    assert answer.status is Status.UNSOLVABLE
    assert "permutation parity" in answer.outcome.lower_bound_by


def test_explore_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hardest.yaml"
    assert main(["explore", "bird-2", "--hardest", str(file)]) == 0
    out = capsys.readouterr().out
    assert "5,444 reachable, 878 of them goals" in out
    assert "up to 19 slides from the goal" in out
    assert main(["solve", str(file), "--engine", "bfs"]) == 0
    assert main(["explore", "bird-2", "--hardest", str(file), "--quiet"]) == 0
    file.write_text("mine")
    assert main(["explore", "bird-2", "--hardest", str(file)]) == 2
    assert "exists and has other content" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert main(["explore", "bird-1", "bird-2", "--hardest", str(file)]) == 2
    assert main(["explore", "rush_hour/unsolvable", "--hardest", str(file)]) == 1
    assert "no farthest state is known" in capsys.readouterr().err


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "microban-001", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["type"], result["command"], result["states"], result["distance"]) == ("result", "explore", 22, 8)
    assert (result["dead_ends"], result["farthest"], sum(result["depths"])) == (7, 9, 22)
    assert main(["hint", "microban-001", "--json", "--metric", "moves"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["command"], result["distance"], result["moves"]) == ("hint", 33, ["d"])
    assert main(["hint", "nowhere", "--json"]) == 2
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["status"], result["command"]) == ("error", "hint")
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ..\n")
    assert main(["explore", str(broken), "--json"]) == 2
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["problems"][0]["line"] in (4, 5)


def parts_of_budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    """The parts that are taken of budgets from now on."""
    part, parts = Budget.part, list[Budget]()

    def noted(budget: Budget, seconds: float, *over: Any) -> Budget:
        parts.append(part(budget, seconds, *over))
        return parts[-1]

    monkeypatch.setattr(Budget, "part", noted)
    return parts


def test_a_hint_that_a_limit_ends_has_the_bound_of_its_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploration, "PLAIN_SECONDS", 0.0)
    budget, parts = Budget(), parts_of_budgets(monkeypatch)

    def tell(event: Event) -> None:
        if isinstance(event, LayerDone) and event.depth >= 5:
            run_out(budget)
            run_out(parts[-1])

    answer = hint(load("servais-93"), "steps", budget, tell)
    assert answer.outcome.stopped_by == "time limit"
    assert answer.outcome.lower_bound is not None
    assert answer.outcome.lower_bound >= (5,)


def test_a_hint_goes_on_by_engines_where_the_states_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploration, "PLAIN_SECONDS", 0.0)
    parts = parts_of_budgets(monkeypatch)
    puzzle, visiting = load("bird-1"), list[Budget]()

    def tell(event: Event) -> None:
        if isinstance(event, LayerDone) and event.depth == 5 and not visiting:
            visiting.append(parts[-1])
            run_out(parts[-1])

    answer = hint(puzzle, "steps", Budget(), tell)
    assert puzzle.header.expect is not None
    assert (answer.distance,) == puzzle.header.expect.costs["steps"]
    assert len(answer.moves) == 1
    assert not answer.every


def test_hint_and_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hint", "bird-2"]) == 0
    out = capsys.readouterr().out
    assert "10 slides from this position to the goal" in out
    assert "D+1" in out
    assert main(["hint", "rush_hour/unsolvable"]) == 1
    assert main(["hint", "bird-2", "--metric", "pushes"]) == 2
    assert main(["explore", "microban-001", "--metric", "moves,pushes"]) == 2
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\nexpect: {cost: 2}\n")
    assert main(["hint", str(wrong)]) == 4
    assert main(["explore", str(wrong)]) == 4


FEATURES = """\
format: 1
family: sokoban
map: |
  ########
  #@  $ .#
  #  #####
  ########
"""


def test_difficulty_is_counted_as_defined() -> None:
    """Two pushes to the right; to the left there is a way to lose after each."""
    space = explore(load_text(FEATURES)).space
    assert space is not None
    assert space.features is not None
    found = space.features
    assert (found.shortest_plans, found.pieces_moved, found.detours) == (1, 1, 0)
    klotski = explore(load("heng-dao-li-ma")).space
    assert klotski is not None
    assert klotski.features is not None
    assert (klotski.features.shortest_plans, klotski.features.pieces_moved) == (256, 10)


@pytest.mark.parametrize(("name", "said"), [("bird-1", "it moves 13 pieces, "), ("jugs-3-5", "it changes 2 things, ")])
def test_only_pieces_are_said_to_move(name: str, said: str) -> None:
    assert said in " ".join(as_text(of_answer(explore(load(name)))).split())


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["bird-2", "microban-001", "level-01", "eight-10"])
def test_difficulty_is_the_same_in_plain_python_and_by_kernels(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = load(name)
    plain = explore(puzzle).space
    monkeypatch.setattr("budge.workflows.exploration._plainly", lambda *_: None)
    compiled = explore(puzzle).space
    assert plain is not None
    assert compiled is not None
    assert plain.features is not None
    assert compiled.features is not None
    same = ("branching", "shortest_plans", "near_dead_ends")
    assert [getattr(plain.features, f) for f in same] == [getattr(compiled.features, f) for f in same]
