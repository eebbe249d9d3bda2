"""`budge verify`, and reading plans of every family from text."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from budge import (
    Budget,
    DisagreementError,
    Puzzle,
    ReplayError,
    UsageError,
    Verdict,
    load,
    load_text,
    solve,
    verify,
)
from budge.cli import main
from budge.engines.engine import Engine
from budge.engines.table import ENGINES
from budge.models.errors import PuzzleError
from budge.models.moves import Slide
from budge.models.plan import Plan
from budge.runtime.events import Event, Stage
from budge.runtime.outcome import Outcome, Recorder
from budge.views.sections import as_text
from budge.views.verify_text import as_json, of_verification
from budge.workflows.verification import plan_text
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of

SIMPLE = "format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\n"
LONG = "A+1 A-1 A+2"


def shortest(name: str) -> str:
    """A shortest plan of a shipped puzzle, as text."""
    solution = solve(load(name), "bfs")
    assert solution.replay
    return solution.puzzle.plan_text(solution.replay)


# Reading plans


def check_round_trip(puzzle: Puzzle, metric: str) -> None:
    """What a replay prints is read back as a plan with the same replay, printed as one line or as a list."""
    solution = solve(puzzle, "bfs", metric, time_limit=None)
    if solution.replay is None:  # it has no plan
        return
    for text in (puzzle.plan_text(solution.replay), "\n".join(solution.replay.notation)):
        again = puzzle.replay(puzzle.parse_plan(text))
        assert again.solved
        assert again.costs == solution.replay.costs
        assert puzzle.plan_text(again) == puzzle.plan_text(solution.replay)
        final = again.steps[-1:] and again.steps[-1].board
        assert final == (solution.replay.steps[-1:] and solution.replay.steps[-1].board)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["slides", "steps"]))
@settings(max_examples=examples(25))
def test_round_trip_of_rush_hour(seed: int, metric: str) -> None:
    check_round_trip(load_text(rush_hour(seed)), metric)


@given(seed=st.integers(0, 10**9), metric=st.sampled_from(["moves", "slides", "steps"]))
@settings(max_examples=examples(25))
def test_round_trip_of_sliding_blocks(seed: int, metric: str) -> None:
    try:
        puzzle = load_text(sliding_block(seed).text)
    except PuzzleError:
        assume(False)
    check_round_trip(puzzle, metric)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(25))
def test_round_trip_of_n_puzzles(seed: int) -> None:
    check_round_trip(load_text(n_puzzle(seed)), "moves")


@given(rows=levels(), metric=st.sampled_from(["pushes", "moves"]))
@settings(max_examples=examples(25))
def test_round_trip_of_sokoban(rows: tuple[str, ...], metric: str) -> None:
    check_round_trip(load_text(text_of(list(rows))), metric)


def test_round_trip_with_equal_tiles() -> None:
    check_round_trip(load("equal-tiles"), "moves")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bird-1", "L-1 B*3", "step 2 (`B*3`, line 1, column 5) is not a step of this family; write a piece, a sign"),
        ("bird-1", "\nQ+2", "step 1 (`Q+2`, line 2, column 1): no piece Q on this board; its pieces are A B"),
        ("bird-1", "A+99999", "is not a step"),
        ("eight-20", "5R, 9L", "step 2 (`9L`, line 1, column 5): no tile 9 can go L into the blank; possible are"),
        ("eight-20", "8", "write the number of a tile and U, D, L or R"),
        ("heng-dao-li-ma", "G:D J:X", "step 2 (`J:X`, line 1, column 5) is not a step"),
        ("heng-dao-li-ma", "?:D", "no piece ?"),
        ("microban-001", "dlx", "character 3: `x` is none of l u r d L U R D"),
    ],
)
def test_what_is_no_plan_is_told_with_its_place(name: str, text: str, words: str) -> None:
    with pytest.raises(ReplayError) as error:
        load(name).parse_plan(text)
    assert words in str(error.value)


@given(
    name=st.sampled_from(["bird-2", "eight-20", "heng-dao-li-ma", "microban-001"]),
    text=st.text(st.sampled_from("ABXa82+-:RLUDrlud 1903,;\n…\u2212()"), max_size=30),
)
@settings(max_examples=examples(150))
def test_any_text_is_a_plan_or_an_error(name: str, text: str) -> None:
    puzzle = load(name)
    try:
        plan = puzzle.parse_plan(text)
    except ReplayError:
        return
    verdict = verify(puzzle, plan, engines=()).verdict
    assert verdict in (Verdict.VALID, Verdict.INVALID)


def test_a_family_without_a_notation_says_so() -> None:
    puzzle = load("bird-1")
    with pytest.raises(UsageError, match="cannot be read"):
        replace(puzzle, record=replace(puzzle.record, notation=None)).parse_plan("A+1")


def test_plans_in_json() -> None:
    assert plan_text('{"type": "result", "plan": ["A+1", "B-2"]}') == "A+1 B-2"
    assert plan_text('{"type": "bound", "lower_bound": 3}\n{"type": "result", "plan": ["A+1"]}\n') == "A+1"
    assert plan_text('["A+1"]') == "A+1"
    assert plan_text('{"plan": "A+1 B-2"}') == "A+1 B-2"
    assert plan_text("A+1 B-2") == "A+1 B-2"
    for text in ('{"plan": null}', '{"plan": [1]}', "[1", "{}", "[" * 100_000):
        with pytest.raises(UsageError):
            plan_text(text)


# Verdicts


def test_two_engines_prove_a_plan_independently() -> None:
    found = verify(load("bird-2"), shortest("bird-2"), engines=["bfs", "cp-sat"])
    assert found.verdict is Verdict.OPTIMAL
    assert found.confirmed_by == ("bfs", "cp-sat")
    assert "by bfs and cp-sat, independently of each other" in found.sentence
    words = ("no goal within 9 slides", "proved that 9 slides are not enough", "rules out 9 slides")
    assert all(any(said in proof.by for said in words) for proof in found.proofs)
    assert found.replay
    assert found.replay.costs == {"slides": 10, "steps": 28} | {"steps": found.replay.costs["steps"]}


def test_a_longer_plan_is_not_optimal_and_the_shorter_one_is_given() -> None:
    puzzle = load_text(SIMPLE)
    found = verify(puzzle, LONG, engines=["bfs"])
    assert found.verdict is Verdict.NOT_OPTIMAL
    assert found.better
    assert found.better.notation == ["A+2"]


@pytest.mark.parametrize(
    ("plan", "claim", "verdict", "words"),
    [
        (None, 10, Verdict.OPTIMAL, "10 slides is optimal, by bfs"),
        (None, 9, Verdict.REFUTED, "at least 10 slides are needed, not 9 slides"),
        (None, 11, Verdict.NOT_OPTIMAL, "bfs found a plan of 10 slides, not 11 slides"),
        (None, None, Verdict.OPTIMAL, "10 slides is optimal"),
        ("plan", 11, Verdict.INVALID, "the plan costs 10 slides, not the claimed 11"),
        ("plan", 10, Verdict.OPTIMAL, "10 slides is optimal"),
        (
            "",
            None,
            Verdict.UNREADABLE,
            "the text has no step, and the puzzle is not solved at its start; write a piece",
        ),
        ("[]", None, Verdict.INVALID, "the plan stops after 0 moves and the goal is not reached"),
        ("; cost = 0 (unit cost)", None, Verdict.INVALID, "the plan stops after 0 moves"),
        ("ff: found legal plan", None, Verdict.UNREADABLE, "the plan cannot be read: step 1 (`ff:`"),
        ('{"status": "unsolvable"}', None, Verdict.UNREADABLE, "this JSON holds no plan"),
    ],
)
def test_claims(plan: str | None, claim: int | None, verdict: Verdict, words: str) -> None:
    found = verify(load("bird-2"), shortest("bird-2") if plan == "plan" else plan, claim, ["bfs"])
    assert found.verdict is verdict
    assert words in found.sentence


def test_claims_that_there_is_no_plan() -> None:
    assert verify(load("rush_hour/unsolvable"), engines=["bfs"]).verdict is Verdict.UNSOLVABLE
    found = verify(load_text(SIMPLE + "expect: {unsolvable: true}\n"), engines=["bfs"])
    assert found.verdict is Verdict.REFUTED
    assert verify(load("rush_hour/unsolvable"), claim=4, engines=["bfs"]).verdict is Verdict.REFUTED


OPTIMUM = 5
TWO_IN_THE_WAY = "format: 1\nfamily: rush-hour\nboard: |\n  AA.BC\n  ...BC\n  .....\nmetric: steps\n"


@pytest.mark.parametrize("claim", range(1, OPTIMUM + 3))
@pytest.mark.parametrize("engines", [["bfs"], ["bfs", "csp"]])
def test_text_and_json_say_of_every_claim_what_is_true(claim: int, engines: list[str]) -> None:
    found = verify(load_text(TWO_IN_THE_WAY), claim=claim, engines=engines)
    text, value = as_text(of_verification(found)), as_json(found)
    right = claim == OPTIMUM
    assert ("proves it" in text) == right
    assert ("refutes it" in text) == (not right)
    assert bool(value["confirmed_by"]) == right
    assert bool(value["refuted_by"]) == (not right)
    assert [proof["engine"] for proof in value["proofs"] if proof["confirms"]] == value["confirmed_by"]
    assert [proof["engine"] for proof in value["proofs"] if proof["refutes"]] == value["refuted_by"]
    assert ("a cheaper plan (5 steps):" in text) == (claim > OPTIMUM)
    assert (value["better_plan"] is not None) == (claim > OPTIMUM)
    assert ("the best plan known (5 steps):" in text) == (claim < OPTIMUM and value["best_plan"] is not None)
    assert value["verdict"] == ("optimal" if right else "refuted" if claim < OPTIMUM else "not optimal")
    if claim < OPTIMUM:
        needed = re.search(r"refutes it: at least (\d) steps are needed: ", text)  # ended when that is enough
        assert needed
        assert claim < int(needed[1]) <= OPTIMUM
    if claim > OPTIMUM:
        assert "refutes it: has a plan of 5 steps" in text


@pytest.mark.parametrize("claim", [1, 2, 3, "unsolvable"])
def test_text_and_json_say_of_every_claim_what_is_true_where_there_is_no_plan(claim: int | str) -> None:
    blocked = "format: 1\nfamily: rush-hour\nboard: |\n  AA.B\n  ...B\n  ...C\n  ...C\n"
    found = verify(load_text(blocked), claim=claim, engines=["bfs"])
    text, value = as_text(of_verification(found)), as_json(found)
    right = claim == "unsolvable"
    assert ("proves it" in text, "refutes it: there is no plan" in text) == (right, not right)
    assert (value["confirmed_by"], value["refuted_by"]) == ((["bfs"], []) if right else ([], ["bfs"]))
    assert (value["verdict"], value["better_plan"]) == ("unsolvable" if right else "refuted", None)


def said(outcome: Outcome, *_: object) -> Outcome:
    """An engine that says what it is told to; a function of the module, as a child process may be started afresh."""
    return outcome


def test_a_bound_alone_confirms_nothing() -> None:
    """A lower bound that equals the claim is no proof of it while no plan is known."""
    weak = Recorder(Budget(), lower_bound=(1,), by="a weak bound").stopped("memory limit")
    strong = Recorder(Budget(), lower_bound=(2,), by="a strong bound").stopped("memory limit")
    puzzle = load_text(SIMPLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENGINES, "weak", Engine(name="weak", solve=partial(said, weak)))
        patch.setitem(ENGINES, "strong", Engine(name="strong", solve=partial(said, strong)))
        alone = verify(puzzle, claim=1, engines=["weak"])
        assert (alone.verdict, alone.confirmed_by, alone.refuted_by) == (Verdict.OPEN, (), ())
        assert "weak         proves at least 1: a weak bound; memory limit" in as_text(of_verification(alone))
        assert verify(puzzle, claim=1, engines=["strong"]).refuted_by == ("strong",)
        assert verify(puzzle, LONG, engines=["weak"]).confirmed_by == ()


def test_the_claim_that_there_is_no_plan() -> None:
    solvable = load_text(SIMPLE)
    found = verify(solvable, claim="unsolvable", engines=["bfs"])
    assert found.verdict is Verdict.REFUTED
    assert "refutes it: has a plan of 1 slide (" in as_text(of_verification(found))
    assert "a plan (1 slide):" in as_text(of_verification(found))
    by_hand = verify(solvable, "A+2", "unsolvable", engines=["bfs"])
    assert by_hand.sentence == "refuted: the plan solves the puzzle in 1 slide"
    with pytest.raises(UsageError, match="`impossible` is not a claim"):
        verify(solvable, claim="impossible")


def test_the_parts_of_the_time_add_up() -> None:
    told: list[Event] = []
    found = verify(load("bird-2"), claim=10, engines=["bfs", "csp"], on_event=told.append)
    assert 0 < found.proving < found.seconds
    assert max(proof.seconds for proof in found.proofs) <= found.proving + 0.01
    assert [event.seconds for event in told] == sorted(event.seconds for event in told)
    assert told[-1].seconds <= found.seconds
    assert {event.engine for event in told if not isinstance(event, Stage)} == {"bfs", "csp"}
    seconds = as_json(found)["seconds"]
    assert seconds["total"] == pytest.approx(seconds["proving"] + seconds["other"], abs=2e-4)


def test_an_illegal_step_is_told_with_number_and_word() -> None:
    found = verify(load("bird-1"), "L-1 B+3 X-1 D+2")
    assert found.verdict is Verdict.INVALID
    assert found.problem == "move 4 (`D+2`): D is blocked at row 4, column 4"
    assert found.replay
    assert found.replay.notation == ["L-1", "B+3", "X-1"]
    found = verify(load("bird-1"), Plan((Slide((0, 0), "R" * 9),)))
    assert found.problem
    assert found.problem.startswith("move 1: ")


def test_what_no_engine_can_prove_stays_open() -> None:
    found = verify(load("bird-2"), shortest("bird-2"), engines=["bird"])
    assert found.verdict is Verdict.OPEN
    assert "neither proven nor refuted; nothing is proven, a plan of 10 is known" in found.sentence


def test_in_two_components() -> None:
    found = verify(load("microban-001"), shortest("microban-001"), engines=["bfs"], metric="pushes,moves")
    assert found.verdict in (Verdict.OPTIMAL, Verdict.NOT_OPTIMAL)
    assert found.claim
    assert verify(load("microban-001"), claim=(8, 33), engines=["bfs"], metric="pushes,moves").sentence == (
        "proven: 8 pushes, 33 moves is optimal, by bfs"
    )
    with pytest.raises(UsageError, match="2 numbers"):
        verify(load("microban-001"), claim=8, metric="pushes,moves")


def test_nothing_to_verify() -> None:
    with pytest.raises(UsageError, match=r"nothing to verify.*`expect: \{unsolvable: true\}`"):
        verify(load_text(SIMPLE))
    with pytest.raises(UsageError, match="needs engines"):
        verify(load_text(SIMPLE), claim=1, engines=())
    with pytest.raises(UsageError, match="no engine"):
        verify(load_text(SIMPLE), claim=1, engines=["bfz"])


@pytest.mark.parametrize(
    "lie",
    [Recorder(Budget()).unsolvable("a lie"), Recorder(Budget(), lower_bound=(99,), by="a lie").stopped("it lies")],
)
def test_proofs_against_a_plan_are_a_disagreement(lie: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "liar", Engine(name="liar", solve=partial(said, lie)))
    with pytest.raises(
        DisagreementError, match=r"replays, but liar proves that (there is none|at least 99 are needed): a lie"
    ):
        verify(load_text(SIMPLE), "A+2", engines=["liar"])


# The command line


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["bird-2", "--plan", "PLAN"], 0, "verdict      proven: 10 slides is optimal, by bfs"),
        (["bird-2", "--claim", "10"], 0, "proven"),
        (["bird-2", "--claim", "9"], 1, "refuted"),
        (["bird-2", "--claim", "ten"], 2, ""),
        (["bird-2", "--claim", "unsolvable"], 1, "refuted: bfs found a plan of 10 slides"),
        (["rush_hour/unsolvable", "--claim", "unsolvable"], 0, "proven unsolvable, by bfs"),
        (["bird-1", "--plan", "PLAN"], 1, "invalid"),
        (["bird-2", "--plan", "nowhere.txt"], 2, ""),
        (["bird-2", "--plan", "PLAN", "--claim", "11"], 1, "not the claimed 11"),
    ],
)
def test_exit_codes(
    arguments: list[str], code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(shortest("bird-2"))
    arguments = [str(plan) if word == "PLAN" else word for word in arguments]
    assert main(["verify", *arguments, "--engines", "bfs", "--quiet"]) == code
    assert words in capsys.readouterr().out


def test_an_open_claim_is_three_and_a_replay_alone_is_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(shortest("bird-2"))
    assert main(["verify", "bird-2", "--plan", str(plan), "--engines", "bird"]) == 3
    assert main(["verify", "bird-2", "--plan", str(plan), "--engines", "none"]) == 0
    assert "nothing was tried" in capsys.readouterr().out


def test_json_of_solve_is_a_plan_for_verify(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", "microban-001", "--engine", "bfs", "--json"]) == 0
    text = capsys.readouterr().out.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["verify", "microban-001", "--plan", "-", "--engines", "bfs", "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["verdict"], result["confirmed_by"], result["claim"]) == ("optimal", ["bfs"], 8)
    assert result["costs"]["pushes"] == 8


def test_a_file_that_is_too_large_is_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.txt"
    path.write_text("A+1 " * 2**20 + " ")
    assert main(["verify", "bird-2", "--plan", str(path)]) == 2
    assert "it has more than 4 MiB" in capsys.readouterr().err
