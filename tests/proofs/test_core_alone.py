"""The core of the checker is small, needs nothing but Python, says where a text is wrong, and keeps to its limits."""

from __future__ import annotations

import ast
import lzma
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from budge.encoders.exports.problem_writing import write
from budge.proofs.core.check import checked, text_of
from budge.proofs.core.claim import read_claim
from budge.proofs.core.limits import Invalid, Limits, Rejected, Stopped
from budge.proofs.core.problem import LONGEST, read

from ..helpers.lines_of_code import code_and_comments

CORE = Path(__file__).parents[2] / "proofs" / "core"
MOST_LINES = 800

WALK = """budge problem 1
count steps
var A 1 2 3
var B 1 2 3
start 1 3
goal A=3
goal B=1
act A1-2 1 if A=1 B!=2 then A=2
act A2-3 1 if A=2 B!=3 then A=3
act B2-1 1 if A!=1 B=2 then B=1
act B3-2 1 if A!=2 B=3 then B=2
act over 2 then A<B
act swap 2 if A=1|B=1 then A=2?A=1&B=2 B=3?B=1
"""
IDLE = "budge problem 1\ncount n\nvar A 1 2\nstart 1\ngoal A=2\n"
CLAIM = "budge claim 1\noptimum 4\nby exhaustion 6\n"


def test_the_core_is_small_and_needs_the_standard_library_alone() -> None:
    files = sorted(CORE.glob("*.py"))
    assert sum(code_and_comments(file.read_text(encoding="utf-8"))[0] for file in files) <= MOST_LINES
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                assert all(name.name.split(".")[0] in sys.stdlib_module_names for name in node.names)
            elif isinstance(node, ast.ImportFrom):
                of_core = node.level == 1 and (CORE / f"{node.module}.py").exists()
                assert of_core or (node.level == 0 and node.module in sys.stdlib_module_names | {"collections.abc"})


def certificate(folder: Path, problem: str, claim: str, plan: str = "") -> Path:
    folder.mkdir()
    (folder / "problem.txt").write_text(problem)
    (folder / "claim.txt").write_text(claim)
    if plan:
        (folder / "plan.txt").write_text(plan)
    return folder


def test_a_copy_of_the_folder_checks_certificates(tmp_path: Path) -> None:
    shutil.copytree(CORE, tmp_path / "checker")
    good = certificate(tmp_path / "good", WALK, CLAIM, "over\nB3-2\nB2-1\n")
    bad = certificate(tmp_path / "bad", WALK, CLAIM, "over\nB2-1\nB3-2\n")
    for folder, said in ((good, "valid for problem.txt: optimum 4 by exhaustion\n"), (bad, "")):
        run = [sys.executable, "-S", "-m", "checker", str(folder)]
        plain = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
        assert plain.stdout == said
        assert (plain.returncode == 0) == bool(said)
        assert said or "plan.txt, line 2" in plain.stderr


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (CLAIM.replace("optimum 4", "optimum"), "claim.txt, line 2"),
        (CLAIM.replace("optimum 4", "optimum 04"), "claim.txt, line 2"),
        (CLAIM.replace("optimum 4", "optimum 4,4"), "claim.txt, line 2"),
        (CLAIM.replace("optimum 4", "unsolvable 4"), "claim.txt, line 2"),
        (CLAIM.replace("exhaustion 6", "exhaustion six"), "claim.txt, line 3"),
        (CLAIM + "pairs A=1\n", "claim.txt, line 4"),
        (CLAIM + "pairs\ntable A\n", "claim.txt, line 5"),
        (CLAIM + "parallel\ntable A 1 2\n", "claim.txt, line 5"),
    ],
)
def test_it_says_on_which_line_a_claim_is_wrong(text: str, place: str) -> None:
    with pytest.raises(Invalid, match=place):
        read_claim(read(WALK), text, Limits())


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("count steps", "count steps steps", 2),
        ("count steps", "count a b c", 2),
        ("var B 1 2 3", "var B 1 2 2", 4),
        ("var B 1 2 3", "var A 1 2 3", 4),
        ("var B 1 2 3", "var B 1", 4),
        ("start 1 3", "start 1", 5),
        ("start 1 3", "start 1 4", 5),
        ("goal A=3\ngoal B=1", "goal B=1\ngoal A=3", 7),
        ("goal B=1", "goal B=1 A=1", 7),
        ("B!=2 then", "B=1,3 then", 8),
        ("if A=1 B!=2", "if B!=2 A=1", 8),
        ("if A=1 B!=2", "if A=1 A=1 B!=2", 8),
        ("if A=1 B!=2 then", "if then", 8),
        ("if A=1 B!=2 then A=2", "if A=1 B!=2 then", 8),
        ("A1-2 1", "A1-2 -1", 8),
        ("A2-3 1", "A1-2 1", 9),
        ("A<B", "A<A", 12),
        ("A<B", "A<B A=1?A=2", 12),
        ("A<B", "A=1?B=1 A=2?B=2 A=3?B=3", 12),
        ("A=2?A=1&B=2", "A=2?B=2&A=1", 13),
        ("A=2?A=1&B=2", "A=2?A=1&B=2 A=3?A=1", 13),
        ("A=2?A=1&B=2 B=3?B=1", "B=3?B=1 A=2?A=1&B=2", 13),
    ],
)
def test_it_says_on_which_line_a_problem_is_wrong(old: str, new: str, line: int) -> None:
    assert write(read(WALK)) == WALK
    with pytest.raises(Invalid, match=f"problem.txt, line {line}:"):
        read(WALK.replace(old, new))


def files(claim: str, problem: str = WALK, proof: bytes = b"") -> dict[str, bytes]:
    return {"problem.txt": problem.encode(), "claim.txt": claim.encode(), "proof.lrat.xz": lzma.compress(proof)}


def test_a_problem_may_be_packed_but_not_be_there_twice() -> None:
    plain = {"problem.txt": WALK.encode(), "claim.txt": b"budge claim 1\nunsolvable\nby pairs\n"}
    packed = {**plain, "problem.txt.xz": lzma.compress(plain["problem.txt"])}
    assert text_of(packed | {"problem.txt": b""}, "claim.txt", Limits()) == text_of(plain, "claim.txt", Limits())
    with pytest.raises(Invalid, match="there twice"):
        checked(packed, Limits())
    del packed["problem.txt"]
    assert text_of(packed, "problem.txt", Limits()) == WALK
    for data in (b"", b"no", packed["problem.txt.xz"][:-9], lzma.compress("\u00e4".encode())):
        with pytest.raises(Invalid):
            text_of({"problem.txt.xz": data}, "problem.txt", Limits())


def test_a_problem_that_grows_without_end_as_it_is_unpacked_meets_the_memory_limit() -> None:
    with pytest.raises(Stopped, match="8 MiB"):
        text_of({"problem.txt.xz": lzma.compress(bytes(1 << 24))}, "problem.txt", Limits(mebibytes=8))


@pytest.mark.parametrize(
    ("problem", "claim"),
    [
        (WALK, "at-least 1000000000\nby refutation 1 1\n"),
        (WALK.replace("1 if", "1000000 if"), "at-least 1000000000\nby refutation 1 1\n"),
        ("budge problem 1\ncount n\nvar A 1 2\nstart 1\ngoal A=2\n", "at-least 1000000000\nby refutation 1 1\n"),
        (
            "budge problem 1\ncount n\nvar A 1 2\nstart 1\ngoal A=2\nact a 0 then A=1\n",
            "at-least 9\nby refutation 1 1\n",
        ),
        (WALK, f"at-least 9\nby exhaustion 1\ntable {','.join('AB' * 50_000)} 1\n"),
    ],
)
def test_whatever_is_claimed_the_limits_hold(problem: str, claim: str) -> None:
    until = time.process_time() + 3
    limits = Limits(None, 64, lambda: "time" if time.process_time() > until - 2 else None)
    with pytest.raises(Rejected):
        checked(files(f"budge claim 1\n{claim}", problem), limits)
    assert time.process_time() < until


def test_texts_are_read_within_the_limits() -> None:
    """A copy of a variable with as many values as there may be stands for as many effects."""
    values = " ".join(map(str, range(4096)))
    text = f"budge problem 1\ncount n\nvar A {values}\nvar B {values}\nstart 0 0\n"
    many = text + "".join(f"act {i} 1 then A<B\n" for i in range(25))
    with pytest.raises(Stopped, match="memory"):
        read(many, Limits(None, 16))
    with pytest.raises(Stopped, match="time"):
        read(many, Limits(0.0))
    with pytest.raises(Invalid, match="at most"):
        read(text + f"goal A={'1' * LONGEST}\n", Limits())
