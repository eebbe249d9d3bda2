"""`budge verify TABLE`: tables of claimed optima, and the verdict on each line."""

from __future__ import annotations

import io
import json
import signal
from pathlib import Path
from typing import Any

import pytest
from budge import load, load_text, solve
from budge.cli import main
from budge.commands import compare
from budge.models.errors import PuzzleError
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.workflows import jobs, verification
from budge.workflows.claims_table import read_claims
from budge.workflows.verdict import Verdict
from budge.workflows.verification import Claim, verify_claims

from ..helpers.pddl_domains import CUPS, FERRY

TABLE = """\
task,cost,planner
bird-1,24,alpha
bird-2,10,alpha
# bird-1 has more than one claim
bird-1,29,beta
bird-2,9,beta
bird-1,unsolvable,gamma
"""
STUCK = "format: 1\nfamily: rush-hour\nboard: |\n  AABB\n  ....\n"


def judged(table: str, folder: Path, *options: str) -> int:
    path = folder / "claims.csv"
    path.write_text(table, "utf-8")
    return main(["verify", str(path), "-q", *options])


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert judged(TABLE, tmp_path) == 1
    bird_1, bird_2, summary = capsys.readouterr().out.split("\n\n")
    lines = bird_1.splitlines()
    assert lines[0] == "bird-1"
    assert lines[1].startswith("  alpha          24  proven: 24 slides is optimal, by ")
    assert lines[2].startswith("  beta           29  not optimal: ")
    assert lines[2].endswith(" found a plan of 24 slides, not 29 slides")
    assert lines[3].startswith("  gamma  unsolvable  refuted: ")
    assert lines[4] == "  a plan of 24 slides:"
    assert load("bird-1").replay(load("bird-1").parse_plan(lines[5])).costs["slides"] == 24
    assert len(lines) == 6  # the plan is shown once
    assert bird_2.splitlines()[2:] == ["  beta    9  refuted: at least 10 slides are needed, not 9 slides"]
    assert summary == "5 claims: 2 proven, 3 refuted\n"


def test_a_plan_that_cannot_be_read_is_not_the_planners_fault_and_stops_no_other_claim(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text("ff: found legal plan as follows\n")
    (tmp_path / "json").write_text('{"status": "unknown"}')
    (tmp_path / "model").write_text("v 1 -2 0\n")
    table = "task,cost,plan\nbird-1,24,log\nbird-1,24,json\nbird-1,24,model\nbird-1,24,\n"
    assert judged(table, tmp_path, "--json") == 2
    *claims, result = objects(capsys.readouterr().out)
    assert [claim["judged"] for claim in claims] == ["unreadable", "unreadable", "unreadable", "proven"]
    assert [claim["replays"] for claim in claims] == [None] * 4
    assert (result["unreadable"], result["invalid"], result["proven"]) == (3, 0, 1)


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(TABLE, tmp_path, "--json") == 1
    *claims, result = objects(capsys.readouterr().out)
    assert [(one["line"], one["task"], one["planner"], one["claimed"], one["judged"]) for one in claims] == [
        (2, "bird-1", "alpha", 24, "proven"),
        (5, "bird-1", "beta", 29, "refuted"),
        (7, "bird-1", "gamma", "unsolvable", "refuted"),
        (3, "bird-2", "alpha", 10, "proven"),
        (6, "bird-2", "beta", 9, "refuted"),
    ]
    assert {one["type"] for one in claims} == {"claim"}
    assert [one["lower_bound"] for one in claims] == [24, 24, 24, 10, 10]
    assert [one["better_plan"] is not None for one in claims] == [False, True, True, False, False]
    assert result["type"] == "result"
    assert result["command"] == "verify"
    assert {word: result[word] for word in ("claims", "proven", "refuted", "open", "not_judged")} == {
        "claims": 5,
        "proven": 2,
        "refuted": 3,
        "open": 0,
        "not_judged": 0,
    }


def test_what_cannot_be_read_costs_no_other_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stuck.yaml").write_text(STUCK)
    (tmp_path / "broken.yaml").write_text(STUCK + "metrik: steps\n")
    table = "cost;planner;task\n7;x;broken.yaml\nunsolvable;x;stuck.yaml\n8;;bird-99\n"
    assert judged(table, tmp_path) == 2
    out, err = capsys.readouterr()
    assert "error: unknown key `metrik`" in err
    assert "no file and no shipped puzzle `bird-99`" in err
    assert f"{tmp_path / 'stuck.yaml'}\n  x  unsolvable  proven unsolvable, by " in out
    assert out.endswith("3 claims: 1 proven, 2 not judged\n")
    assert judged(table, tmp_path, "--json") == 2
    words = [one.get("judged") for one in objects(capsys.readouterr().out)]
    assert words == ["not judged", "proven", "not judged", None]


def test_tasks_behind_an_interruption_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_claims = compare._verify_claims

    # Where the tests ignore SIGINT (`nohup pytest`), and a solver has taken its own handler away, it would end them.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupted(*arguments: Any) -> int:
        signal.raise_signal(signal.SIGINT)
        return verify_claims(*arguments)

    monkeypatch.setattr(compare, "_verify_claims", interrupted)
    code = judged(TABLE, tmp_path, "--engines", "bfs", "--json")
    signal.signal(signal.SIGINT, before)
    assert code == 130
    result = objects(capsys.readouterr().out)[-1]
    assert result["claims"] == 5
    assert result["not_judged"] == 2


def test_what_is_not_settled_stays_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judged("task,cost\neight-20,20\nuva-12x12,25\n", tmp_path, "--engines", "bfs", "--time-limit", "0.3s") == 3
    assert "uva-12x12\n  25  open: " in capsys.readouterr().out


def test_claims_in_several_metrics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "task,cost,metric\nbird-2,10,\nbird-2,13,steps\nbird-2,99,steps\n"
    assert judged(table, tmp_path, "--json") == 1
    *claims, _ = objects(capsys.readouterr().out)
    assert [(one["metric"], one["claimed"]) for one in claims] == [("slides", 10), ("steps", 13), ("steps", 99)]
    assert len({one["lower_bound"] for one in claims}) == 2
    assert judged("task,cost\nbird-2,10\n", tmp_path, "--metric", "steps") == 1
    assert judged("task,cost,metric\nbird-2,10,furlongs\n", tmp_path) == 2
    assert "furlongs" in capsys.readouterr().err


def test_engines_run_once_until_all_claims_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[int]()
    run_all = jobs.run_all

    def counted(asked: list[jobs.Job], *args: Any, **more: Any) -> Any:
        started.append(len(asked))
        return run_all(asked, *args, **more)

    monkeypatch.setattr(verification, "run_all", counted)
    claims = [Claim("bird-2", cost) for cost in ((9,), (10,), (11,), "unsolvable")]
    found = verify_claims(load("bird-2"), claims, ["bfs"], None, Budget(60), silent)
    verdicts = [Verdict.REFUTED, Verdict.OPTIMAL, Verdict.NOT_OPTIMAL, Verdict.REFUTED]
    assert [one.verdict for one in found] == verdicts
    assert started == [1]
    (none,) = verify_claims(load_text(STUCK), claims[-1:], ["bfs"], None, Budget(60), silent)
    assert none.verdict is Verdict.UNSOLVABLE


def test_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that is given settles what it can: claims of more, by whoever, without any engine."""
    monkeypatch.setenv("COLUMNS", "150")
    replay = solve(load("bird-2"), "bfs").replay
    assert replay
    plan = load("bird-2").plan_text(replay)
    (tmp_path / "good").write_text(plan)
    (tmp_path / "bad").write_text("A+9")
    table = (
        "task,cost,planner,plan\nbird-2,10,alpha,good\nbird-2,12,beta,\nbird-2,,gamma,good\nbird-2,10,delta,bad\n"
        "bird-2,11,eta,good\nbird-2,9,theta,\nbird-2,unsolvable,iota,\n"
    )
    assert judged(table, tmp_path, "--engines", "none") == 3
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:8]] == ["alpha", "beta", "gamma", "delta", "eta", "theta", "iota"]
    said = [" ".join(line[21:].split()) for line in lines[1:8]]
    valid = "valid: the plan replays and reaches the goal; nothing was tried to prove it shortest"
    assert said[0] == said[2] == valid
    assert said[1] == "not optimal: alpha found a plan of 10 slides, not 12 slides"
    assert said[3].startswith("invalid: move 1 (`A+9`): ")
    assert said[4] == "invalid: the plan costs 10 slides, not the claimed 11"
    assert said[5] == "open: 9 slides is neither proven nor refuted; nothing is proven, a plan of 10 is known"
    assert said[6] == "refuted: alpha found a plan of 10 slides"
    assert lines[-1] == "7 claims: 2 valid, 2 invalid, 2 refuted, 1 open"
    assert judged(table, tmp_path) == 1
    assert capsys.readouterr().out.endswith("7 claims: 2 proven, 2 invalid, 3 refuted\n")


def test_reading(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    for name in ("d.pddl", "p 1.pddl"):
        (tmp_path / "tasks" / name).write_text("")
    table = (
        '\ufeffPlanner\tDomain\tProblem\tseconds\tCost\r\n"a ""b"""\ttasks/d.pddl\t"tasks/p 1.pddl"\t1\t7\r\n\r\n'
        "\tother.pddl\tp.pddl\t\tUnsolvable"
    )
    first, second = read_claims(table, str(tmp_path / "claims.csv"))
    pair = f"{tmp_path / 'tasks/d.pddl'}+{tmp_path / 'tasks/p 1.pddl'}"
    assert first == Claim(pair, (7,), planner='a "b"', line=2)
    assert second == Claim("other.pddl+p.pddl", "unsolvable", line=4)
    (joined,) = read_claims('task,cost,metric\ntasks/d.pddl+p.pddl,"8,31","pushes, moves"\n', str(tmp_path / "c"))
    assert joined == Claim(f"{tmp_path / 'tasks/d.pddl'}+p.pddl", (8, 31), metric="pushes,moves", line=2)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds a table or a puzzle: its first line says which."""
    for text, ended in ((b"task,cost\nbird-2,10\n", "1 claim: 1 proven\n"), (STUCK.encode(), "engines)\n")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        claim = [] if text.startswith(b"task") else ["--claim", "unsolvable"]
        assert main(["verify", "-", "-q", *claim]) == 0
        assert capsys.readouterr().out.endswith(ended)


def test_options_that_are_for_one_puzzle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(TABLE, tmp_path, "--claim", "24") == 2
    assert main(["verify", "bird-1", str(tmp_path / "claims.csv")]) == 2
    said = capsys.readouterr().err
    assert "`--claim` is for one puzzle" in said
    assert "a table of claims is verified by itself" in said
    assert judged("task,cost\nbird-1,24\n", tmp_path, "--engines", "none") == 2
    assert "a claim without a plan needs engines to prove it" in capsys.readouterr().err


BROKEN = {
    "a plan that is not there": (
        "task,cost,plan\nbird-1,24,none.txt\n",
        "t:2:11: error: the plan cannot be read: No such file or directory\n  2 | bird-1,24,none.txt\n"
        "    |           ^^^^^^^^\n  help: check its name; it counts from the folder of the table",
    ),
    "empty": ("", "t: error: the table is empty\n  help: its first line names the columns: `task,cost,planner`"),
    "no lines": (
        "task,cost",
        "t: error: the table has no claims\n  help: add a line for each: a task, its cost, who claims it",
    ),
    "no names": (
        "bird-1,24\n",
        "t:1:1: error: there is no column `cost`\n  1 | bird-1,24\n    | ^^^^^^^^^\n"
        "  help: the first line names the columns: `task,cost,planner`\n"
        "t:1:1: error: no column says which task a claim is about\n  1 | bird-1,24\n    | ^^^^^^^^^\n"
        "  help: add a column `task`, or for PDDL the columns `domain` and `problem`",
    ),
    "a mistyped name": (
        "task,costs\n",
        "t:1:6: error: there is no column `costs`\n  1 | task,costs\n    |      ^^^^^\n  help: did you mean `cost`?",
    ),
    "a name twice": (
        "task,cost,task\nbird-1,24,x\n",
        "t:1:1: error: the column `task` stands twice\n  1 | task,cost,task\n    | ^^^^\n"
        "  help: rename or remove one of them\n"
        "t:1:11: error: the column `task` stands twice\n  1 | task,cost,task\n    |           ^^^^\n"
        "  help: rename or remove one of them",
    ),
    "several lines": (
        'task,cost\nbird-1,24.5\n,24\nbird-1\nbird-1,1,2\n"bird-1"x,2\nbird-2,10\n',
        "t:2:8: error: `24.5` is not a cost\n  2 | bird-1,24.5\n    |        ^^^^\n"
        "  help: write a number such as `24` (or `8,31` for a metric of two components), up to "
        "4,611,686,018,427,387,904, or `unsolvable`\n"
        "t:3:1: error: the line names no task\n  3 | ,24\n    | ^\n  help: write a puzzle's name or file\n"
        "t:4:7: error: the line claims no cost\n  4 | bird-1\n    |       ^\n"
        "  help: write a number or `unsolvable`, or remove the line\n"
        "t:5:10: error: the line has 3 cells, the first one 2\n  5 | bird-1,1,2\n    |          ^\n"
        '  help: put a cell with a comma into quotes: `"8,31"`\n'
        't:6:1: error: the quotes of this cell do not end with it\n  6 | "bird-1"x,2\n    | ^^^^^^^^\n'
        '  help: write `""` for a quote in quotes',
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_tables(name: str) -> None:
    text, said = BROKEN[name]
    with pytest.raises(PuzzleError) as error:
        read_claims(text, "t")
    assert str(error.value) == said


def test_tables_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "claims.csv"
    assert main(["verify", str(path)]) == 2
    path.write_bytes(b"task,cost\n\xff,24\n")
    assert main(["verify", str(path)]) == 2
    assert "it is not text in UTF-8" in capsys.readouterr().err


def test_problems_of_pddl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, pair in (("cups", CUPS), ("ferry", FERRY)):
        (tmp_path / f"{name}.pddl").write_text(pair.domain)
        (tmp_path / f"{name}-1.pddl").write_text(pair.problem)
    (tmp_path / "broken.pddl").write_text(CUPS.problem.replace("level a n0", "levle a n0"))
    table = (
        "domain,problem,cost,metric\ncups.pddl,cups-1.pddl,3,\nferry.pddl,ferry-1.pddl,2,\n"
        "ferry.pddl,ferry-1.pddl,4,actions\ncups.pddl,broken.pddl,3,\ncups.pddl,cups-1.pddl,1,\n"
    )
    assert judged(table, tmp_path) == 2
    out, err = capsys.readouterr()
    assert out.endswith("5 claims: 3 proven, 1 refuted, 1 not judged\n")
    assert "  1  refuted: at least 3 actions are needed, not 1 action\n" in out
    assert f"{tmp_path / 'broken.pddl'}:3:19: error: there is no predicate `levle`" in err
