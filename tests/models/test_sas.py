"""Tasks in `.sas`, as Fast Downward's translator writes them: read, played, solved, judged and certified."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from budge import load, load_text, solve
from budge.cli import main
from budge.encoders.exports.problem_text import problem_text
from budge.models.errors import Problem, PuzzleError, ReplayError
from budge.models.families.pddl.reading import read_pddl
from budge.models.families.pddl.sas import read_sas
from budge.models.puzzle import Puzzle
from budge.proofs import rules_sas
from budge.proofs.acting import ActionPuzzle
from budge.proofs.by_rules import exhausted
from budge.proofs.core.limits import Limits, Rejected, Unsupported
from budge.proofs.derivation import derive
from budge.proofs.games import game_of, puzzle_of

from ..helpers.pddl_domains import PAIRS, Pair
from ..helpers.sas import optimum_of, random_sas, sas_of
from ..helpers.seeds import seeds

ROBOT = """\
begin_version
3
end_version
begin_metric
1
end_metric
3
begin_variable
var0
-1
3
Atom at(robot, a)
Atom at(robot, b)
<none of those>
end_variable
begin_variable
var1
-1
2
Atom lit()
NegatedAtom lit()
end_variable
begin_variable
var2
-1
2
Atom lies(key, b)
Atom held(key)
end_variable
1
begin_mutex_group
2
0 0
2 1
end_mutex_group
begin_state
0
1
0
end_state
begin_goal
2
1 0
2 1
end_goal
4
begin_operator
go a b
0
1
0 0 0 1
2
end_operator
begin_operator
press
0
2
1 0 0 1 -1 0
1 0 1 1 -1 1
3
end_operator
begin_operator
take key
1
0 0
1
0 2 0 1
1
end_operator
begin_operator
take key
1
0 1
1
0 2 0 1
4
end_operator
0
"""
"""The lamp is lit where the robot presses at a; at b that puts it out. Taking the key asks for a or b, not for where it
lies: two operators of one name.
"""


def puzzle(text: str) -> Puzzle:
    lines = "".join(f"  {line}\n" for line in text.rstrip("\n").split("\n"))
    return load_text(f"format: 1\nfamily: pddl\nproblem: |\n{lines}")


def changed(*changes: tuple[str, str]) -> str:
    text = ROBOT
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text


def translated(domain: str, problem: str, folder: Path) -> str:
    paths = [folder / name for name in ("domain.pddl", "problem.pddl", "output.sas")]
    for path, text in zip(paths, (domain, problem), strict=False):
        path.write_text(text, "utf-8")
    command = [sys.executable, "-m", "fast_downward.translate", *map(str, paths[:2]), "--sas-file", str(paths[2])]
    subprocess.run(command, capture_output=True, check=True, timeout=600)
    return paths[2].read_text("utf-8")


def cost_by_checker(one: Puzzle) -> int | None:
    """The cost of a cheapest plan, as the checker reads the puzzle and plays it."""
    limits = Limits()
    game = game_of(puzzle_of(one.to_yaml(), "puzzle.yaml", limits), one.header.metric, limits)
    goal = exhausted(game, (10**6,), limits, 10**6)[1]
    return goal[0] if goal else None


# What is read


def test_a_file_is_solved_played_and_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robot.sas"
    file.write_text(ROBOT)
    plan = tmp_path / "plan"
    plan.write_text("; of any planner\n(press)\n(take key)\n")
    assert main(["show", str(file)]) == 0
    assert "goal: lit, key held" in capsys.readouterr().out
    assert main(["verify", str(file), "--plan", str(plan), "--claim", "4"]) == 0
    plan.write_text("(go a b)\n(take key)\n(press)\n")
    assert main(["verify", str(file), "--plan", str(plan), "--engines", "none"]) == 1
    plan.write_text("(press)\n(go b a)\n")
    assert main(["verify", str(file), "--plan", str(plan)]) == 1
    assert "there is no action `go b a`" in capsys.readouterr().out
    assert main(["certify", str(file), "--out", str(tmp_path / "certificate")]) == 0
    assert "valid: cost 4 is the optimum" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "certificate"), "--puzzle", str(file)]) == 0
    (tmp_path / "robot.yaml").write_text("format: 1\nfamily: pddl\nproblem: robot.sas\nexpect: {cost: 4}\n")
    assert main(["verify", str(tmp_path / "certificate"), "--puzzle", str(tmp_path / "robot.yaml")]) == 0
    assert main(["solve", str(tmp_path), "--quiet"]) == 0
    assert capsys.readouterr().out.count("(take key)") == 2


def test_what_the_parts_mean() -> None:
    one = puzzle(ROBOT)
    assert one.metrics == ("cost", "actions", "cost,actions")
    assert solve(one, engine="plain").cost == 4
    assert puzzle(changed(("begin_metric\n1", "begin_metric\n0"))).metrics == ("actions",)
    assert {str(op.move) for op in one.task("cost").operators} == {"go a b", "press", "take key", "take key #2"}
    replay = one.replay(one.parse_plan("(take key) (go a b)"))
    assert replay.costs["cost"] == 3
    assert replay.steps[-1].board == ("at: robot b", "held: key")
    # A plan that names one of several operators of a name means the first that is possible.
    assert one.replay(one.parse_plan("(go a b) (take key)")).costs["cost"] == 6
    with pytest.raises(ReplayError, match=r"move 2: \(go a b\) is not possible: `\(at robot a\)` is false"):
        one.replay(one.parse_plan("(go a b) (go a b)"))


def test_it_is_written_from_any_position() -> None:
    one = puzzle(ROBOT)
    after = load_text(one.to_yaml(after=one.parse_plan("(press) (go a b)")))
    assert after.board() == ("at: robot b", "lit", "lies: key b")
    assert solve(after, engine="plain").cost == 4


def test_values_of_any_name() -> None:
    text = changed(
        ("Atom at(robot, a)", "x = 3"), ("Atom at(robot, b)", "Atom lit()"), ("<none of those>", "OFF; (all)")
    )
    one = puzzle(text)
    assert one.board() == ("var0: x-3", "lies: key b")
    assert solve(one, engine="plain").cost == 4
    assert cost_by_checker(one) == 4


def test_of_several_values_the_last_one_counts() -> None:
    """As in Fast Downward's searches: effects are carried out one after the other, by the state before."""
    text = changed(("2\n1 0 0 1 -1 0\n1 0 1 1 -1 1", "3\n0 1 1 0\n1 0 0 1 -1 1\n1 0 1 1 -1 0"))
    assert optimum_of(text) == solve(puzzle(text), engine="plain").cost == cost_by_checker(puzzle(text)) == 6


# Against others


@pytest.mark.parametrize("seed", seeds(60))
def test_random_tasks(seed: int) -> None:
    """The optimum is that of an interpreter of the format, and of the checker, which reads the text by itself."""
    text = random_sas(seed)
    one, best = puzzle(text), optimum_of(text)
    for cost in (solve(one, engine="plain").cost, solve(one, engine="bfs").cost):
        assert cost == best
    assert cost_by_checker(one) == best


@pytest.mark.skipif(find_spec("fast_downward") is None, reason="`pip install fast-downward-translate`")
@pytest.mark.parametrize("pair", PAIRS)
def test_what_the_translator_writes(pair: Pair, tmp_path: Path) -> None:
    """The same optimum as that of the two files of PDDL, unless it has made axioms of quantifiers."""
    text = translated(pair.domain, pair.problem, tmp_path)
    if "begin_rule" in text:
        with pytest.raises(PuzzleError, match="axioms"):
            read_sas(text, "output.sas")
        return
    one = puzzle(text)
    pddl = Puzzle(one.record, one.header, read_pddl(pair.domain, "d.pddl", pair.problem, "p.pddl"))
    assert one.value.priced == pddl.value.priced
    assert solve(one, engine="plain").cost == solve(pddl, engine="plain").cost


SHIPPED = (
    "blocks-world",
    "bridge-and-torch",
    "burnt-pancakes-4",
    "folding-5",
    "hanoi-4-on-4-pegs",
    "ice-maze",
    "jugs-3-5",
    "jugs-8-5-3",
    "knights-exchange",
    "lunar-lockout-1",
    "microban-001",
    "missionaries-and-cannibals",
    "wolf-goat-cabbage",
)


@pytest.mark.parametrize("name", SHIPPED)
def test_puzzles_as_sas(name: str) -> None:
    """Any puzzle, written in `.sas`: the same optimum, and a text that is derived from the `.sas` alone."""
    shipped = load(name)
    one = puzzle(sas_of(problem_text(shipped.form(shipped.header.metric)).problem))
    assert solve(one, engine="bfs").cost == shipped.header.expect.costs[shipped.header.metric][0]
    limits = Limits()
    game = game_of(puzzle_of(one.to_yaml(), "puzzle.yaml", limits), "cost", limits)
    assert derive(game, problem_text(one.complete("cost")).problem, limits)


# What is wrong

BROKEN = {
    ("begin_version\n3", "begin_version\n4"): "2:1: error: version `4` of the format is not read",
    ("end_metric", "end_metrics"): "6:1: error: `end_metric` has to stand here, not `end_metrics`",
    ("begin_metric\n1", "begin_metric\n2"): "5:1: error: the metric is at least 0 and at most 1, not 2",
    ("var1\n-1", "var1\n0"): "18:1: error: `var1` follows from axioms (derived predicates), which are not read",
    ("end_operator\n0\n", "end_operator\n1\n"): "78:1: error: a task with axioms (derived predicates) is not read",
    ("end_operator\n0\n", "end_operator\n0\nmore"): "79:1: error: the task has ended before this line",
    ("end_operator\n0\n", "end_operator\n"): "77:1: error: the file ends where the number of axioms has to stand",
    ("begin_state\n0", "begin_state\n3"): "37:1: error: a value is at least 0 and at most 2, not 3",
    ("2 1\nend_goal", "7 1\nend_goal"): "44:1: error: there is no variable 7 with a value 1",
    ("2 1\nend_goal", "two\nend_goal"): "44:1: error: a fact of the goal has to stand here, not `two`",
    ("0 2 0 1\n1", "0 2 0 1\n-1"): "68:1: error: the cost is at least 0 and at most 1,000,000,000, not -1",
    ("1 0 0 1 -1 0", "2 0 0 1 -1 0"): "58:1: error: an effect has a number of conditions, as many pairs",
    ("Atom held(key)", "Atom lies(key, b)"): None,
    ("go a b", "()"): "48:1: error: an operator has no name",
}


@pytest.mark.parametrize("change", BROKEN)
def test_what_is_wrong_is_said_with_its_line(change: tuple[str, str]) -> None:
    text, said = changed(change), BROKEN[change]
    if said is None:  # a value whose atom another one has is an atom of its own
        assert read_sas(text, "x").predicates.keys() >= {"lies", "var2"}
        return
    with pytest.raises(PuzzleError, match=f"^robot.sas:{re.escape(said)}") as error:
        read_sas(text, "robot.sas")
    assert "\n  help: " in str(error.value)
    kind = Unsupported if "axioms" in said and "number" not in said else Rejected
    with pytest.raises(kind):
        rules_sas.read({"problem": text}, "puzzle.yaml", Limits())


def test_a_puzzle_file_says_where_it_is_wrong() -> None:
    with pytest.raises(PuzzleError, match=r"<text>:9:3: error: `end_metric` has to stand here"):
        puzzle(changed(("end_metric", "end")))
    with pytest.raises(PuzzleError, match=r"a task in `\.sas` has its domain in it"):
        load_text("format: 1\nfamily: pddl\ndomain: d.pddl\nproblem: |\n  begin_version\n  3\n")


@pytest.mark.parametrize("seed", seeds(40))
def test_lines_cut_swapped_and_lost(seed: int) -> None:
    """Each mutant is read by Budge and the checker alike, or refused by both, with a line."""
    chance, refusals = random.Random(seed), list[Problem]()
    for _ in range(25):
        lines = ROBOT.split("\n")
        for _ in range(chance.randint(1, 2)):
            n, m = chance.randrange(len(lines)), chance.randrange(len(lines))
            match chance.randrange(6):
                case 0:
                    lines[n], lines[m] = lines[m], lines[n]
                case 1:
                    del lines[n]
                case 2:
                    lines = lines[: n + 1]
                case 3:
                    lines.insert(n, lines[m])
                case 4:
                    lines[n] = lines[n][: len(lines[n]) // 2]
                case 5:
                    words = lines[n].split() or [""]
                    words[chance.randrange(len(words))] = chance.choice(("-1", "99", "1.5", "x", "", "٣", "()", "0"))
                    lines[n] = " ".join(words)
        text = "\n".join(lines)
        checked: ActionPuzzle | None = None
        with suppress(Rejected):
            checked = rules_sas.read({"problem": text}, "puzzle.yaml", Limits())
        try:
            read = read_sas(text, "mutant.sas")
        except PuzzleError as error:
            refusals.append(error.problems[0])
            continue
        assert checked is not None
        assert len(checked.actions) == len(read.actions)
        assert optimum_of(text) == cost_by_checker(puzzle(text))
    assert all(0 < problem.line <= 90 and problem.hint for problem in refusals)
