"""`budge explain`: the relaxation is never wrong about what cannot be, and each finding is there where it should be."""

from __future__ import annotations

import json

import pytest
from budge import load, load_text
from budge.analysis.transition_graphs import relaxation
from budge.cli import main
from budge.engines.common.state_space import State, StateSpace
from budge.models.task import OperatorTask
from budge.runtime.budget import Budget
from budge.views.explore import of_explanation
from budge.views.sections import as_text
from budge.workflows.explaining import FindingKind, explain
from hypothesis import given, settings

from ..helpers.patience import run_out
from ..helpers.random_puzzles import puzzles
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import text_of


def reachable(task: OperatorTask, most: int = 3000) -> tuple[set[State], set[str]]:
    """States, up to a number, and the names of the operators that apply in them."""
    space = StateSpace(task)
    met, waiting, applied = {space.start}, [space.start], set[str]()
    while waiting and len(met) < most:
        for operators, _, after in space.steps(waiting.pop()):
            applied.update(op.name for op in operators)
            if after not in met:
                met.add(after)
                waiting.append(after)
    return met, applied


@given(case=puzzles())
@settings(max_examples=examples(60))
def test_what_is_reached_is_reached_in_the_relaxation(case: tuple[object, str]) -> None:
    puzzle, metric = case
    task = puzzle.task(metric)  # type: ignore[attr-defined]
    found = relaxation(task)
    states, applied = reachable(task)
    facts = {fact for state in states for fact in range(len(task.facts)) if state.facts >> fact & 1}
    assert facts <= found.facts
    assert applied <= {task.operators[index].name for index in found.operators}


def test_a_goal_out_of_reach() -> None:
    puzzle = load_text(text_of(["######", "#$ @.#", "#    #", "######"]))
    found = explain(puzzle)
    assert found.unsolvable
    assert any(
        finding.kind in (FindingKind.GOAL, FindingKind.UNSOLVABLE) and finding.proves for finding in found.findings
    )


def test_what_never_moves() -> None:
    board = "format: 1\nfamily: rush-hour\nboard: |\n  AA..BC\n  ....BC\n  DDEEFF\n"
    (finding,) = [one for one in explain(load_text(board)).findings if one.kind is FindingKind.NEVER_MOVES]
    assert finding.sentence == "`B`, `C`, `D`, `E` and `F` never move"


def test_a_dead_end_and_the_way_there() -> None:
    puzzle = load("microban-003")
    found = explain(puzzle, "pushes")
    (finding,) = found.findings
    assert (found.space and found.space.dead, finding.kind) == (56, FindingKind.DEAD_END)
    assert finding.replay
    assert not explain(load("bird-1")).findings


SHOP = """\
format: 1
family: custom
types:
  room: [hall, cellar, street]
  key: [brass, iron]
state:
  me: {in: room, start: cellar}
  have: {of: key}
actions:
  up:
    when: me == cellar
    set:
      me: hall
  out:
    when: me == hall and have[iron]
    set:
      me: street
goal: me == street
"""


def test_what_only_the_family_can_tell() -> None:
    found = explain(load_text(SHOP))
    assert found.unsolvable
    remarks = [finding.sentence for finding in found.findings if finding.kind is FindingKind.REMARK]
    assert remarks == [
        "the action `out` can never apply, whatever its parameters",
        "`have` never changes: a constant says the same, and makes a smaller task",
    ]
    broken = explain(load_text(SHOP + "always: me == hall\n"))
    assert "the initial state breaks condition 1 of `always`" in {finding.sentence for finding in broken.findings}


def test_boards_that_are_too_large() -> None:
    budget = Budget()
    found = explain(load("uva-12x12"), None, budget, lambda event: run_out(budget))
    assert found.space is None
    assert "too many to visit them all in the time given" in " ".join(as_text(of_explanation(found)).split())


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "unsolvable-lane"]) == 1
    assert "unsolvable: no plan exists" in capsys.readouterr().out
    assert main(["explain", "unsolvable-lane", "microban-003", "--json"]) == 1
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["unsolvable"], second["unsolvable"]) == (True, False)
    assert second["findings"][0]["kind"] == "dead end"
    assert len(second["findings"][0]["moves"]) == 2
    assert main(["explain", "no-such-puzzle", "--json"]) == 2
