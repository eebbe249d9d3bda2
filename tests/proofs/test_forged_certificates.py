"""Certificates that were forged with what the checker does in mind: each claims of a puzzle what is not so."""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from budge.encoders.exports.problem_writing import write as problem_text
from budge.models.families import load_text
from budge.models.library import load
from budge.proofs import check
from budge.proofs.by_rules import RULES, claim_text, exhausted
from budge.proofs.check import check_folder
from budge.proofs.core.check import formula_of
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import OPTIMUM, PLAN, PUZZLE, read_claim
from budge.proofs.core.limits import Limits
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import read
from budge.proofs.derivation import NotDerivedError
from budge.proofs.games import puzzle_of
from budge.proofs.verdict import FOR_PROBLEM, INVALID, UNSUPPORTED, VALID, CertificateVerdict
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.workflows.certifying import canonical, checking
from budge.workflows.exporting import problem_of

from ..helpers.board_games import game_by_rules
from ..helpers.certificates import RUSH
from ..helpers.forged_problems import LARGE, PDDL, SHIPPED, forgeries, honest, random_puzzle
from ..helpers.hostile_texts import LINE, claim
from ..helpers.made_certificates import PUZZLES, Files, Kind, files_of, write
from ..helpers.mutated_certificates import least, shown_anew


def verified(folder: Path) -> CertificateVerdict:
    """The verdict of `budge verify`."""
    verdict = checking(folder)(Budget(60), silent)
    assert isinstance(verdict, CertificateVerdict)
    return verdict


def beginning_of(name: str, metric: str, few: int) -> Files:
    """All plays of a puzzle as far as some positions reach, and nothing behind them: so there is no plan."""
    text = canonical(load(name))
    game = game_by_rules(puzzle_of(text), metric, Limits())
    layers, numbers = [[game.start]], {game.start: 0}
    actions: list[str] = []
    while True:
        later, made = [], []
        for state in layers[-1]:
            for (cost,), then in game.successors(state):
                if then not in numbers:
                    numbers[then] = len(numbers)
                    later.append(then)
                if then != state:
                    made.append(
                        f"act {numbers[state]}-{numbers[then]} {cost} if S={numbers[state]} then S={numbers[then]}"
                    )
        if len(numbers) > few:
            break
        actions += dict.fromkeys(made)
        layers.append(later)
    count = sum(map(len, layers))
    values = " ".join(map(str, range(count + 1)))
    problem = f"budge problem 1\ncount {metric}\nvar S {values}\nstart 0\ngoal S={count}\n" + "\n".join(actions) + "\n"
    told = claim("unsolvable", f"exhaustion {count}")
    return {PROBLEM: problem.encode(), CLAIM: told.encode(), PUZZLE: text.encode()}


def test_what_is_the_same_only_at_first_is_not_believed(tmp_path: Path) -> None:
    few = 400
    folder = write(tmp_path, beginning_of("bird-2", "slides", few))
    assert check_folder(folder).status == verified(folder).status == INVALID
    with patch.object(check, "MOST", few):
        verdict = check_folder(folder)
        assert verified(folder) == verdict
    assert (verdict.status, verdict.shown) == (FOR_PROBLEM, "there is no plan")
    assert verdict.headline == "valid for problem.txt; not known to be puzzle.yaml: there is no plan"


def test_an_action_that_is_missing_deep_in_the_graph_is_not_believed(tmp_path: Path) -> None:
    files = files_of(Kind("lanes", "slides", "parallel"))
    assert verified(write(tmp_path, files)).status == VALID
    problem = read(files[PROBLEM].decode())
    last = files[PLAN].decode().splitlines()[-1]
    actions = tuple(action for action in problem.actions if action.name != last)
    forged = shown_anew(files, replace(problem, actions=actions))
    assert verified(write(tmp_path, forged)).status != VALID


@pytest.mark.parametrize("metric", ["Slides", "moves", "pushes"])
def test_a_puzzle_is_not_shown_beside_what_it_does_not_count(metric: str, tmp_path: Path) -> None:
    files = {PROBLEM: LINE.replace("moves", metric).encode(), PLAN: b"a\nb\n"}
    files |= {CLAIM: claim("optimum 2", "exhaustion 2").encode(), PUZZLE: canonical(load("bird-1")).encode()}
    verdict = check_folder(write(tmp_path, files))
    assert verdict.status == UNSUPPORTED
    assert "cannot count" in verdict.problem


FORGED = int(os.environ.get("FORGED", "1"))
"""Texts that slow tests forge of each puzzle by each lie."""

UNREAD = {
    "another exit form": RUSH.replace("exit: {row: 1, col: 5}", "exit: right"),
    "an unknown key": RUSH.replace("goal:", "title: free A\ngoal:"),
    "another format": RUSH.replace("format: 1", "format: 2"),
    "an unknown family": RUSH.replace("family: rush-hour", "family: rush-minute"),
    "another sign for empty": RUSH.replace(".", "o"),
    "a wide board": re.sub("(?m)^(  [A-Z.]{5})$", r"\1" + 300 * ".", RUSH),
}
"""Ways of writing a puzzle that people understand, and the checker does not."""


@pytest.mark.parametrize("way", UNREAD)
def test_a_puzzle_that_cannot_be_read_is_not_shown(way: str, tmp_path: Path) -> None:
    text = UNREAD[way]
    assert text != RUSH
    honest = files_of(Kind("rush", "slides", "exhaustion"))
    line = {PROBLEM: LINE.encode(), CLAIM: claim("optimum 2", "exhaustion 2").encode(), PLAN: b"a\nb\n"}
    for files in (honest, line):
        folder = write(tmp_path, files | {PUZZLE: text.encode()})
        verdicts = [check_folder(folder), check_folder(folder, puzzle=text), check_folder(folder, puzzle=RUSH)]
        verdicts += [checking(folder, puzzle)(Budget(60), silent) for puzzle in (None, load_text(RUSH))]
        for verdict in verdicts:
            assert (verdict.status, verdict.shown) == (UNSUPPORTED, "")
            assert "not decided" not in verdict.problem


def test_a_problem_that_is_a_little_easier_or_harder_is_another(tmp_path: Path) -> None:
    """Whole graphs: with evidence of its own, each is refused, or its optimum is that of the puzzle."""
    for kind in (Kind("rush", "steps", "exhaustion"), Kind("bridge", "minutes", "refutation")):
        files = files_of(kind)
        problem = read(files[PROBLEM].decode())
        optimum = check_folder(write(tmp_path, files)).shown
        for action in problem.actions:
            for cost in ((0,), (action.cost[0] + 1,)):
                other = tuple(replace(one, cost=cost) if one == action else one for one in problem.actions)
                verdict = check_folder(write(tmp_path, shown_anew(files, replace(problem, actions=other))))
                assert verdict.status == INVALID or verdict.shown == optimum


def test_a_metric_by_rules_that_there_is_not_is_no_fault(tmp_path: Path) -> None:
    text = canonical(load_text(PUZZLES["bridge"]))
    for metric in ("=", "", "moves", "minutes,minutes", "minutes,crossings,minutes"):
        claim = claim_text(OPTIMUM, (8,), RULES, (7,), (), metric).encode()
        files = {PUZZLE: text.encode(), PLAN: b"cross(Ann,Bob)\n", CLAIM: claim}
        verdict = check_folder(write(tmp_path, files))
        assert verdict.status in (INVALID, UNSUPPORTED)
        assert "failed" not in verdict.problem


def test_no_clause_is_empty() -> None:
    """Some checkers of proofs do not read it; a bound of the start that is more than the claim is a contradiction."""
    problem = read(LINE)
    told = read_claim(problem, claim("at-least 2", "refutation 1 1", "table A 2 1 0"), Limits())
    formula = formula_of(told, Limits())
    clauses = list(formula.clauses())
    assert all(clauses)
    assert (1,) in clauses
    assert (-1,) in clauses


def test_the_text_of_a_puzzle_is_always_the_same() -> None:
    for name, metric in (("bird-1", "slides"), ("labyrinth-4x4", "moves"), ("microban-001", "pushes")):
        puzzle = load(name)
        text = problem_of(puzzle, metric).text
        assert problem_of(load_text(canonical(puzzle)), metric).text == text == problem_text(read(text))


def tried(text: str, metric: str, many: int, folder: Path) -> Counter[str]:
    """How many texts were forged of a puzzle (`all`), how many of them have another optimum (`false`), and the
    verdicts. None that is `valid` has: it is the problem of the puzzle still.
    """
    files, seen = honest(text, metric), Counter[str]()
    best = least(files[PROBLEM].decode())
    for lie, forged in forgeries(files, many, random.Random(text)):
        told = least(forged[PROBLEM].decode())
        verdict = check_folder(write(folder, forged), Limits(60, 1024))
        false = (told and told[0]) != (best and best[0])
        assert verdict.status in (VALID, INVALID, FOR_PROBLEM), (text, lie, verdict)
        assert not (false and verdict.status == VALID), (text, lie, verdict)
        seen.update(["all", verdict.status, *(["false"] if false else [])])
    return seen


QUICK = "blocks-world bridge-and-torch ice-maze jugs-3-5 traffic three-6 level-10 microban-001"


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric"), [*(one for one in SHIPPED if one[0] in QUICK.split()), ("ferry", "cost")])
def test_no_forged_text_makes_another_optimum_valid(name: str, metric: str, tmp_path: Path) -> None:
    seen = tried(PDDL.get(name) or canonical(load(name)), metric, 1, tmp_path / "forged")
    assert seen[INVALID] > 0
    assert seen[FOR_PROBLEM] == 0


@pytest.mark.slow
@pytest.mark.parametrize("source", ["shipped", "pddl", "random"])
def test_no_forged_text_of_any_puzzle_makes_another_optimum_valid(source: str, tmp_path: Path) -> None:
    """`pytest -s` shows the numbers."""
    puzzles = {
        "shipped": ((canonical(load(name)), metric) for name, metric in SHIPPED),
        "pddl": ((text, load_text(text).metrics[0]) for text in PDDL.values()),
        "random": (made for seed in range(200) if (made := random_puzzle(seed)) is not None),
    }[source]
    seen = Counter[str]()
    for text, metric in puzzles:
        seen += tried(text, metric, FORGED, tmp_path / "forged") + Counter(puzzles=1)
    print(source, dict(seen))
    assert seen[INVALID] >= seen["false"] > 0
    assert seen[FOR_PROBLEM] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "metric"), LARGE)
def test_no_forged_text_of_a_large_puzzle_is_valid(name: str, metric: str, tmp_path: Path) -> None:
    with patch.object(check, "MOST", 100):
        seen = tried(canonical(load(name)), metric, FORGED, tmp_path / "forged")
    print(name, dict(seen))
    assert seen[VALID] * 10 < seen["all"]  # what a text says twice can be left out once
    assert seen[FOR_PROBLEM] > 0


@pytest.mark.weekly
def test_a_limit_while_positions_are_visited_leaves_what_was_shown_before(tmp_path: Path) -> None:
    """A text that is not derived. The clock jumps when positions are visited by the rules: into the part of the time
    that is left for saying so, of 100 s. So does the end that is asked for by others.
    """
    files = honest(canonical(load("level-31")), "slides")
    folder = write(tmp_path, shown_anew(files, read(files[PROBLEM].decode())))
    assert check_folder(folder).status == VALID
    now, visit = [0.0], exhausted

    def later(*arguments: Any) -> Any:
        now[0] = 95.0
        return visit(*arguments)

    for limits, reason in (
        (Limits(100, began=0.0), "not decided within the time limit of 90 s"),
        (Limits(None, stopped=lambda: "interrupted" if now[0] else None), "not decided: interrupted"),
    ):
        now[0] = 0.0
        with (
            patch.object(check, "derive", side_effect=NotDerivedError("it is visited")),
            patch.object(check, "exhausted", later),
            patch.object(time, "monotonic", lambda: now[0]),
        ):
            verdict = check_folder(folder, limits)
        assert verdict.status == FOR_PROBLEM, verdict
        assert verdict.open == "not known to be puzzle.yaml"
        assert verdict.by[-1].endswith(f"not derived from the rules: it is visited; and by them alone it is {reason}")
