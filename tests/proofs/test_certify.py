"""Writing certificates and checking them on the command line; folders that were made to do harm."""

from __future__ import annotations

import json
import lzma
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from heapq import heappop, heappush
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import budge
import pytest
from budge import UsageError, load_text
from budge.cli import main
from budge.engines.common import refutation
from budge.engines.common.refutation import Trimmed, trimmed
from budge.models.library import load
from budge.proofs.boards import Level
from budge.proofs.by_rules import RULES
from budge.proofs.check import check_folder
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import PLAN, PROOF, PUZZLE
from budge.proofs.core.limits import Limits
from budge.proofs.core.lrat import check
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.folder import write_files
from budge.proofs.games import puzzle_of
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID
from budge.runtime.budget import Budget
from budge.workflows.certifying import certify
from budge.workflows.evidence_finder.choose_evidence import Search
from budge.workflows.exporting import problem_of
from budge.workflows.solving import solve

from ..helpers.board_games import BoxGame
from ..helpers.certificates import BOXES, BRIDGE, NO_TORCH, RUSH, by_rules, certificate
from ..helpers.checker_process import PROOFS


def test_certify_and_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "bird"
    assert main(["certify", "bird-2", "--evidence", "refutation", "--dimacs", "--out", str(out), "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "valid: 10 slides is the optimum" in said
    names = {PROBLEM, CLAIM, PLAN, PROOF, PUZZLE, "formula.cnf", "proof.lrat"}
    assert {f.name for f in out.iterdir()} == names
    assert main(["verify", str(out)]) == 0
    assert "no plan has fewer than 10 slides" in capsys.readouterr().out
    assert sum(f.stat().st_size for f in out.iterdir() if f.suffix in (".yaml", ".txt", ".xz")) < 100_000
    (out / PLAN).write_text("nowhere\n")
    assert main(["verify", str(out), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "invalid"
    assert "plan.txt, line 1" in answer["problem"]


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("bird-2", "exhaustion"),
        ("bridge-and-torch", "rules"),
        ("fourteen-fifteen", "parity"),
        ("unsolvable-lane --evidence refutation", "pairs"),
        ("folding-5 --evidence rules", "rules"),
    ],
)
def test_the_evidence_is_chosen_by_cost(
    what: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", *what.split(), "--out", str(tmp_path / "out"), "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["evidence"] == kind
    assert told["bytes"] < 20_000


COUNTDOWN = """format: 1
family: custom
types:
  slot: 1..5
  number: 0..1000
state:
  n: {of: slot, in: number, start: [25, 7, 3, 10, 2]}
actions:
  add: {with: {a: slot, b: slot}, when: "a < b and n[a] > 0 and n[b] > 0", set: {"n[a]": "n[a] + n[b]", "n[b]": 0}}
  take: {with: {a: slot, b: slot}, when: "a != b and n[a] > n[b] > 0", set: {"n[a]": "n[a] - n[b]", "n[b]": 0}}
goal: any(n[s] == 547 for s in slot)
"""
"""Few positions, of a thousand values each: a text would have an action for each pair of numbers."""


def test_few_positions_are_visited_by_the_rules_before_anything_is_written_out(tmp_path: Path) -> None:
    with patch("budge.workflows.problem_certificate.problem_of", side_effect=AssertionError("a text was made")):
        made = certify(solve(load_text(COUNTDOWN), "plain"), tmp_path, Budget(60))
    assert (made.kind, made.verdict.shown) == ("rules", "there is no plan")
    assert "positions that can be on such a plan" in made.verdict.by[0]


def test_what_was_tried_and_what_to_try_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = COUNTDOWN.replace("any(n[s] == 547 for s in slot)", "n[1] == 25 + 7 + 3")
    (tmp_path / "file.yaml").write_text(text)
    arguments = ["certify", str(tmp_path / "file.yaml"), "--out", str(tmp_path / "out"), "--quiet"]
    no_text = patch("budge.workflows.problem_certificate.problem_of", side_effect=UsageError("too many actions"))
    with no_text, pytest.raises(UsageError) as raised:
        certify(solve(load_text(text), "plain"), tmp_path / "out", Budget(60), evidence="refutation")
    for part in ("by the text of a problem: too many", "by clauses about the end of a plan: ", "try `--evidence`"):
        assert part in str(raised.value)
    for kind in ("auto", "rules"):
        assert main([*arguments, "--evidence", kind]) == 0
        assert "(1 kB, rules)" in " ".join(capsys.readouterr().out.split())  # a long path is a line of its own


def test_prices_of_a_thousand_million_are_certified(tmp_path: Path) -> None:
    text = COUNTDOWN.replace('"n[b]": 0}}', '"n[b]": 0}, cost: "1000000000 - a"}')
    text = text.replace("any(n[s] == 547 for s in slot)", "n[1] == 37") + "metrics:\n  coins: cost\n"
    made = certify(solve(load_text(text), "plain"), tmp_path, Budget(60))
    assert made.verdict.shown == "1999999995 coins is the optimum"


def test_a_wrong_claim_is_refuted_by_the_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "bird-2", "--claim", "11", "--out", str(tmp_path / "out"), "--quiet"]) == 1
    assert "refuted: the claim is 11, and the certificate shows: 10 slides" in capsys.readouterr().out
    assert main(["certify", "bird-2", "--claim", "10", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert main(["certify", "bird-2", "--claim", "ten", "--out", str(tmp_path / "out"), "--quiet"]) == 2


def hasty_search(level: Level) -> int | None:
    """A search with a mistake: it takes a box for frozen that cannot be pushed now, whatever stands beside it."""
    game = BoxGame(level, "pushes", Limits())

    def frozen(boxes: int) -> int:
        left, fixed = boxes, ~game.floor | boxes
        for by in (1, game.width):
            left &= (fixed << by) | (fixed >> by)
        return left

    best, queue = {game.start: 0}, [(0, game.start)]
    while queue:
        pushes, position = heappop(queue)
        if game.solved(position):
            return pushes
        for (more,), after in game.successors(position):
            if not frozen(after[0]) & ~game.goals and pushes + more < best.get(after, 1 << 30):
                best[after] = pushes + more
                heappush(queue, (best[after], after))
    return None


def test_a_claim_that_looks_proven_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The story of `docs/certificates.md`: a plan of 25 pushes, and no state left from which fewer do."""
    level = puzzle_of(load("microban-013").to_yaml())
    assert isinstance(level, Level)
    assert hasty_search(level) == 25
    arguments = ["certify", "microban-013", "--metric", "pushes", "--claim", "25", "--out", str(tmp_path), "--quiet"]
    assert main(arguments) == 1
    assert "refuted: the claim is 25, and the certificate shows: 21 pushes" in capsys.readouterr().out


CUSTOM = {
    "atomix-water": "15 moves",
    "blocks-world": "3 moves",
    "bridge-and-torch": "17 minutes",
    "burnt-pancakes-4": "8 moves",
    "hanoi-8": "255 moves",
    "ice-maze": "17 moves",
    "lunar-lockout-39": "13 moves",
    "missionaries-and-cannibals": "11 moves",
    "rush-hour": "18 steps",
    "sokoban-microban-1": "8 pushes",
    "wolf-goat-cabbage": "7 moves",
}


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "optimum"), [*CUSTOM.items(), pytest.param("klotski", "116 steps", marks=pytest.mark.slow)]
)
def test_custom_puzzles_are_certified_by_their_definitions(name: str, optimum: str, tmp_path: Path) -> None:
    """Written by Budge, and checked by a copy of the folder `proofs` alone."""
    certify(solve(load(f"custom/{name}"), "plain"), tmp_path / name, Budget(600))
    shutil.copytree(PROOFS, tmp_path / "proofs", ignore=shutil.ignore_patterns("__pycache__"))
    run = subprocess.run([sys.executable, "proofs", name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"valid: {optimum} is the optimum" in run.stdout


def test_a_name_in_an_action_may_be_here(tmp_path: Path) -> None:
    """`here` is the cell of a picture in `draw`, and in an action a name like another: reader and checker agree."""
    text = """format: 1
family: custom
name: A walk
grid: "@.."
legend: {"@": walker}
state: {walker: {in: cell}}
actions:
  walk: {with: {d: direction}, let: {here: walker + d}, set: {walker: here}}
goal: walker == r1c3
draw: {"@": walker == here}
"""
    assert certify(solve(load_text(text), "plain"), tmp_path, Budget(60)).verdict.status == VALID


def test_a_custom_puzzle_without_a_plan_is_certified(tmp_path: Path) -> None:
    made = certify(solve(load_text(NO_TORCH), "plain"), tmp_path, Budget())
    assert made.verdict.shown == "there is no plan"
    assert not (tmp_path / PLAN).exists()


def test_names_that_let_gives_are_certified(tmp_path: Path) -> None:
    text = """\
format: 1
family: custom
state:
  n: {in: 0..9, start: 1}
actions:
  double:
    let:
      twice: 2 * n
      more: twice + 1
    when: more < 9
    set:
      n: twice
  up:
    with: {k: 1..2}
    let: {next: n + k}
    set:
      n: next
    cost: k
goal: n == 9
"""
    made = certify(solve(load_text(text), "plain"), tmp_path, Budget())
    assert made.verdict.shown == "6 moves is the optimum"


def test_two_things_are_counted_one_before_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("microban-001", "custom/sokoban-microban-1"):
        arguments = ["certify", name, "--metric", "pushes,moves", "--out", str(tmp_path / name), "--quiet"]
        assert main([*arguments, "--claim", "8,34"]) == 1
        said = capsys.readouterr().out
        assert "valid: 8 pushes and 33 moves is the optimum" in said
        assert "refuted: the claim is 8,34" in said
        assert main(["verify", str(tmp_path / name)]) == 0


def test_solve_writes_a_certificate_too(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["solve", "microban-001", "--certificate", str(out), "--quiet"]) == 0
    assert check_folder(out).shown == "8 pushes is the optimum"


def test_what_cannot_be_certified_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "letter.txt").write_text("mine")
    assert main(["certify", "bird-2", "--out", str(full), "--quiet"]) == 2
    out = str(tmp_path / "out")
    assert main(["certify", "bird-2", "--claim", "4,5", "--out", out, "--quiet"]) == 2
    assert "is no claim" in capsys.readouterr().err
    assert main(["certify", "bird-1", "bird-2", "--out", out]) == 2
    write_files(tmp_path / "made", certificate(BOXES, "pushes"))
    assert main(["verify", str(tmp_path / "made"), "--claim", "4"]) == 2


def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budge.workflows.solving.solve", None)  # it is not called
    (tmp_path / "file").write_text("mine")
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / CLAIM).write_text("budge")
    (tmp_path / "made" / "letter.txt").write_text("mine")
    places = [tmp_path / "file", tmp_path / "file" / "below", tmp_path / "made"]
    places += [Path("/proc/budge")] if Path("/proc/self").exists() else []
    for place in places:
        assert main(["certify", "bird-2", "--out", str(place), "--quiet"]) == 2
        assert f"cannot write to {place}" in capsys.readouterr().err


def test_the_certificate_of_another_puzzle_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, made = tmp_path / "one.yaml", tmp_path / "made"
    text = "format: 1\nfamily: rush-hour\nname: One\nboard: [AA.BC, ...BC, DD...]\n"
    file.write_text(text)
    certifying = ["certify", str(file), "--out", str(made), "--quiet", "--evidence", "exhaustion"]
    assert main(certifying) == 0
    assert main(certifying) == 0  # the same puzzle and metric: nothing is lost
    before = {name: (made / name).read_bytes() for name in (PROBLEM, CLAIM, PLAN, PUZZLE)}
    capsys.readouterr()
    assert main([*certifying, "--metric", "steps"]) == 2
    assert "no certificate of One, as that is now, in steps; move it away, or name another" in capsys.readouterr().err
    file.write_text(text.replace("DD...", ".DD.."))
    for command in (certifying, ["solve", str(file), "--certificate", str(made), "--quiet"]):
        assert main(command) == 2
        assert f"cannot write to {made}: it has files that are no certificate of One" in capsys.readouterr().err
    with pytest.raises(UsageError, match="no certificate of One"):
        budge.certify(str(file), made)
    (made / PROBLEM).unlink()
    assert main(certifying) == 2
    (made / PROBLEM).write_bytes(before[PROBLEM])
    assert before == {file.name: file.read_bytes() for file in made.iterdir()}


def test_rows_of_tiles_have_certificates(tmp_path: Path) -> None:
    """Once read as a square by the checker."""
    for tiles, said in (("0 1 2 3", "3 moves is the optimum"), ("1 3 2 .", "there is no plan")):
        puzzle = load_text(f"format: 1\nfamily: n-puzzle\nstart: |\n  {tiles}\n")
        assert certify(solve(puzzle, "plain"), tmp_path / "one", Budget(60)).verdict.shown == said
    for name in ("line-4", "equal-tiles"):
        certify(solve(load(name), "plain"), tmp_path / "one", Budget(60))


def test_a_certificate_is_about_the_puzzle_that_is_named(tmp_path: Path) -> None:
    write_files(tmp_path, certificate(RUSH, "steps"))
    assert check_folder(tmp_path, puzzle=RUSH.replace("format: 1", "format: 1\ncredit: Another")).status == VALID
    assert check_folder(tmp_path, puzzle=RUSH.replace("DD.", ".DD")).status == INVALID


# The refutation


def both(variables: int, clauses: refutation.Clauses) -> tuple[int, refutation.Clauses]:
    """Variables and clauses as they are."""
    return variables, clauses


def given(variables: int, clauses: refutation.Clauses) -> refutation.Make:
    """What makes clauses that are there already."""
    return partial(both, variables, clauses)


SQUARE: list[tuple[int, ...]] = [(1, 2, 3), (1, -2, 3), (-1, 2, 3), (-1, -2, 3), (-3, 4), (-3, -4)]


def test_clauses_are_refuted_with_a_proof() -> None:
    found = refutation.refute(given(4, SQUARE), Budget())
    assert found.proof is not None
    check(SQUARE, iter(lzma.decompress(found.proof).splitlines()), 4, Limits())
    assert refutation.refute(given(4, SQUARE[:4]), Budget()).satisfiable


def test_what_is_refuted_while_it_is_loaded_has_a_proof() -> None:
    units: list[tuple[int, ...]] = [(1,), (-1, 2), (-2,)]
    found = refutation.refute(given(2, units), Budget())
    assert found.proof is not None
    check(units, iter(lzma.decompress(found.proof).splitlines()), 2, Limits())


@pytest.mark.weekly
def test_without_the_flag_the_proof_is_taken_from_the_common_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # CP-SAT does not look at it
    monkeypatch.setattr(refutation, "_set_flag", lambda prefix: False)
    found = refutation._refute(given(4, SQUARE), None, Path("nowhere"), Budget(), lambda event: None)
    assert found.proof is not None
    check(SQUARE, iter(lzma.decompress(found.proof).splitlines()), 4, Limits())


def test_a_limit_stops_the_refutation() -> None:
    """Eleven pigeons and ten holes: nobody refutes that in no time."""
    pigeons, holes = 11, 10
    somewhere = [tuple(p * holes + h + 1 for h in range(holes)) for p in range(pigeons)]
    alone = [(-a[h], -b[h]) for h in range(holes) for a, b in combinations(somewhere, 2)]
    assert refutation.refute(given(pigeons * holes, [*somewhere, *alone]), Budget(0.0)).proof is None


def test_a_solver_is_given_little_to_begin_with() -> None:
    """A pipe is full with 64 KiB, and who starts a process waits until the rest is read: past the time limit, too."""
    text = problem_of(load("uva-12x12"), "slides").text
    make = Search(zlib.compress(text.encode()), 25, ["parallel"]).made
    assert len(pickle.dumps(make)) < 1 << 16


def test_trimming_keeps_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"9 2 3 0 1 3 0\n12 3 0 9 2 4 0\n15 4 0 12 5 0\n17 1 3 0 1 2 0\n20 0 12 5 6 0\n"
    assert trimmed(text, SQUARE) == Trimmed(b"7 2 3 0 1 3 0\n8 3 0 7 2 4 0\n9 0 8 5 6 0\n", [1, 2, 3, 4, 5, 6])
    assert trimmed(b"9 2 3 0 1 3 0\n", SQUARE) is None
    monkeypatch.setattr("budge.engines.common.refutation.FEW", 2)
    deleting = trimmed(text, SQUARE)
    assert deleting is not None
    assert deleting.text == b"7 2 3 0 1 3 0\n8 3 0 7 2 4 0\n8 d 7 0\n9 0 8 5 6 0\n"


def test_trimming_names_the_clauses_as_a_larger_formula_does() -> None:
    """The clauses are the second, fourth, ... of twelve."""
    text = b"9 2 3 0 1 3 0\n12 3 0 9 2 4 0\n20 0 12 5 6 0\n"
    found = trimmed(text, SQUARE, range(2, 13, 2), 12)
    assert found == Trimmed(b"13 2 3 0 2 6 0\n14 3 0 13 4 8 0\n15 0 14 10 12 0\n", [2, 4, 6, 8, 10, 12])


@pytest.mark.weekly
def test_a_proof_that_is_looked_for_again_gets_shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    clauses = [tuple(chance.choice((x, -x)) for x in chance.sample(range(1, 51), 3)) for _ in range(300)]
    monkeypatch.setattr(refutation, "LONGER", 600.0)
    sizes = []
    for rounds in (0, 6):
        monkeypatch.setattr(refutation, "ROUNDS", rounds)
        found = refutation._refute(given(50, clauses), None, tmp_path, Budget(), lambda event: None)
        assert found.proof is not None
        text = lzma.decompress(found.proof)
        check(clauses, iter(text.splitlines()), 50, Limits())
        sizes.append(len(text))
    assert sizes[1] < sizes[0]


def test_trimming_leaves_out_hints_that_say_nothing() -> None:
    """With 2 and 3 false, clause 1 makes 1 true; clause 2 is true already; clause 3 is the contradiction."""
    text = b"9 2 3 0 1 2 3 4 0\n12 3 0 9 2 4 0\n20 0 12 5 12 6 0\n"
    found = trimmed(text, SQUARE)
    assert found is not None
    assert found.text == b"7 2 3 0 1 3 0\n8 3 0 7 2 4 0\n9 0 8 5 6 0\n"


# Limits


def test_what_is_broken_off_is_not_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("exhaustion", "refutation"):
        write_files(tmp_path, certificate(RUSH, "steps", kind))
        limits = Limits(stopped=lambda: "interrupted")
        monkeypatch.setattr("budge.proofs.core.limits.TICKS", 1)
        verdict = check_folder(tmp_path, limits)
        assert (verdict.status, verdict.problem) == (UNSUPPORTED, "not decided: interrupted")


# In a process that has loaded everything before, IDA* alone keeps within 30 MiB, and goes on.
@pytest.mark.weekly
@pytest.mark.parametrize("limits", [("--time-limit", "1"), ("--memory-limit", "30", "--time-limit", "10")])
def test_limits_end_writing_with_a_sentence(
    limits: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The optimum of the board is found quickly; its 14 million states are not looked at in so little."""
    out = str(tmp_path / "out")
    assert main(["certify", "uva-9x9", "--evidence", "exhaustion", "--out", out, "--quiet", *limits]) == 3
    assert "no certificate for" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# Folders that were made to do harm


@contextmanager
def soon() -> Iterator[None]:
    """What is within takes no more than a minute of processor time: ten times the limit, or what is to be read."""
    began = time.process_time()
    yield
    assert time.process_time() - began < 60


BOMBS = {
    "aliases": "a: &a [x]\nb: [*a, *a]\n",
    "depth": "a: " + "[" * 50_000,
    "tag": "a: !!python/object/apply:os.system [ls]\n",
    "twice": RUSH + "board: |\n  AA\n",
    "documents": RUSH + "---\n" + RUSH,
    "size": RUSH + "notes: " + "x" * 100_000,
    "wide": "format: 1\nfamily: rush-hour\nboard: |\n  AA" + "." * 200 + "\n",
    "unknown": RUSH + "magnets: yes\n",
    "none": "",
    "number": "5",
    "control": "format: 1\nfamily: \x07",
    "pieces": "format: 1\nfamily: n-puzzle\nstart: []\n",
    "door": "format: 1\nfamily: sliding-block\nboard: |\n  A.\ngoal: |\n  .A\ndoors: [{row: 1, col: 2, pieces: {}}]\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_puzzles_that_were_made_to_do_harm(name: str, tmp_path: Path) -> None:
    for made in (certificate(RUSH, "steps"), certificate(BRIDGE, "minutes", RULES)):
        write_files(tmp_path, {**made, PUZZLE: BOMBS[name].encode()})
        with soon():
            verdict = check_folder(tmp_path, Limits(3, 256))
        if verdict.status == VALID:  # of problem.txt, which is another file
            assert PROBLEM in made
            assert any("whether that is puzzle.yaml was not checked" in line for line in verdict.by)


LARGE = "format: 1\nfamily: sliding-block\nboard: |2\n" + ("  A" + "." * 62 + "B\n" + ("  " + "." * 64 + "\n") * 63)


def test_limits_hold_on_a_large_board(tmp_path: Path) -> None:
    goal = "goal: |2\n" + ("  B" + "." * 62 + "A\n" + ("  " + "." * 64 + "\n") * 63)
    for metric in ("moves", "steps", "slides"):
        write_files(tmp_path, by_rules(LARGE + goal, metric, (5,), f"1 1 D\n2 1 {'R' * 63}\n2 64 U\n"))
        with soon():
            assert check_folder(tmp_path, Limits(3, 256)).status in (INVALID, UNSUPPORTED)


def test_proofs_that_were_made_to_do_harm(tmp_path: Path) -> None:
    made = certificate(RUSH, "steps", "refutation")
    for data in (b"", b"no xz", lzma.compress(b"\0" * 10**8, preset=0), lzma.compress(b"1 " * 3 * 10**7, preset=0)):
        write_files(tmp_path, {**made, PROOF: data})
        with soon():
            assert check_folder(tmp_path, Limits(mebibytes=512)).status == INVALID


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_links_are_not_opened(tmp_path: Path) -> None:
    write_files(tmp_path, certificate(RUSH, "steps"))
    (tmp_path / PUZZLE).unlink()
    os.mkfifo(tmp_path / PUZZLE)
    assert check_folder(tmp_path).status == INVALID
    (tmp_path / PUZZLE).unlink()
    (tmp_path / PUZZLE).symlink_to("/etc/hostname")
    assert check_folder(tmp_path).status == INVALID
