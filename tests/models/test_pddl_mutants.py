"""PDDL as it should not be: thousands of mutants of small domains, deep, huge and odd texts. Each is read, or refused
with places in it; none ends in a traceback.

Two other readers judge the mutants with us: `plado`, and the translator of Fast Downward in a process of its own.
What we read they read, and what both read we read, but for the differences that stand here with their reasons.
"""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest
from budge.cli import main
from budge.models.errors import PuzzleError
from budge.models.families.pddl.reading import read_pddl

from ..helpers.pddl_domains import CUPS, FERRY, PAIRS, Pair, mutant

STRICTER = (
    "is of type",  # neither compares the types of arguments
    "there is no type",  # the translator takes any word for one in quantifiers and functions
    "there is no object",  # nor does it look up the arguments of functions
    "argument",  # nor count them
    "begins with `?`",  # nor ask for the `?` of variables in quantifiers
    "declared twice",
    "control character",  # a character that no text file has
)
"""What we refuse and both others read: words of the message."""

LENIENT = (
    "'NoneType' object has no attribute 'traverse'",  # plado wants a precondition; PDDL 2.1 says that there may be none
    "non-empty block|Could not parse action effect",  # `()` is an effect and a condition of PDDL 2.1
    "Type \\S+ referenced but not defined|type_dict",  # a type that stands in `:types` behind a `-` only
    "Non-ASCII character",
    "Cannot parse token|Category.CONSTANT",  # plado knows no names that begin with a digit, or have odd characters
    "Undefined variable",  # `:parameters` behind `:precondition`: we read the parts of an action in any order
    "Undefined object",  # `:objects` behind `:init`: we read sections in any order
)
"""What we read and one of the others refuses: words of its message."""


def refused(pair: Pair) -> PuzzleError | None:
    """Read a pair; the error if it is refused, which has a place in the texts, or is of a file as a whole."""
    try:
        read_pddl(pair.domain, "d.pddl", pair.problem, "p.pddl")
    except PuzzleError as error:
        refusal = error
    else:
        return None
    assert refusal.problems
    for one in refusal.problems:
        assert one.message
        assert one.hint
        text = pair.domain if one.file == "d.pddl" else pair.problem
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert one.line == 0 or one.column <= len(lines[one.line - 1]) + 1
    return refusal


def by_plado(pair: Pair) -> str:
    """Why plado refuses a pair; empty if it reads it."""
    from plado.parser import LookaheadStreamer, make_checks, parse_domain, parse_problem, tokenize

    said = io.StringIO()
    try:
        domain = parse_domain(LookaheadStreamer(tokenize(pair.domain)))
        problem = parse_problem(LookaheadStreamer(tokenize(pair.problem)))
        with redirect_stdout(said), redirect_stderr(said):
            make_checks(domain, problem, file=said)
    except Exception as error:  # whatever it raises
        return repr(error)
    return said.getvalue()


def by_fast_downward(pair: Pair) -> str:
    """Why the translator of Fast Downward refuses a pair; empty if it reads it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("domain.pddl", "problem.pddl", "out.sas")]
        for path, text in zip(paths, pair, strict=False):
            path.write_text(text, "utf-8")
        command = [sys.executable, "-m", "fast_downward.translate", *map(str, paths[:2]), "--sas-file", str(paths[2])]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600)
        return run.stdout + run.stderr if run.returncode else ""


def judge_mutants(number: int, seed: int) -> tuple[int, int]:
    """Hold our reading of mutants against that of the others; gives how many are read, and how many mutants both read.

    The translator is asked where its answer counts: where we read, or plado does.
    """
    chance = random.Random(seed)
    both = ours = 0
    for _ in range(number):
        pair = mutant(chance.choice(PAIRS), chance)
        error, plado = refused(pair), by_plado(pair)
        if error is not None and plado:
            continue
        downward = by_fast_downward(pair)
        ours += error is None
        both += not plado and not downward
        for said in (plado, downward) if error is None else ():
            assert not said or re.search("|".join(LENIENT), said), (said, *pair)
        if error is not None and not downward:
            assert any(words in str(error) for words in STRICTER), (error, *pair)
    return ours, both


needs_others = pytest.mark.skipif(
    find_spec("plado") is None or find_spec("fast_downward") is None,
    reason="`pip install plado fast-downward-translate` for the other readers",
)


@pytest.mark.parametrize("pair", PAIRS)
@needs_others
def test_the_others_read_the_domains(pair: Pair) -> None:
    assert refused(pair) is None
    assert by_plado(pair) == by_fast_downward(pair) == ""


@pytest.mark.weekly
@needs_others
def test_mutants() -> None:
    ours, both = judge_mutants(100, 1)
    assert min(ours, both) >= 2


@pytest.mark.slow
@needs_others
def test_thousands_of_mutants() -> None:
    ours, both = judge_mutants(5000, 2)
    assert min(ours, both) >= 100


@pytest.mark.slow
def test_thousands_of_mutants_alone() -> None:
    chance = random.Random(3)
    assert sum(refused(mutant(chance.choice(PAIRS), chance)) is None for _ in range(5000)) >= 100


ODD: dict[str, Pair] = {
    "brackets that open": FERRY._replace(domain="(" * 100_000),
    "brackets that close": FERRY._replace(problem=")" * 100_000),
    "brackets in brackets": FERRY._replace(domain="(define (domain d) " + "(a" * 50_000 + ")" * 50_000 + ")"),
    "brackets side by side": FERRY._replace(domain="(define (domain d) " + "()" * 50_000 + ")"),
    "one long word": FERRY._replace(domain="a" * 1_000_000),
    "one long line of words": FERRY._replace(
        problem="(define (problem p) (:domain ferry) (:init " + "a " * 200_000 + "))"
    ),
    "too large": FERRY._replace(domain=";" * 5_000_000),
    "null characters": FERRY._replace(domain="\0" * 10_000),
    "binary": FERRY._replace(problem=bytes(range(256)).decode("latin-1") * 100),
    "a surrogate": FERRY._replace(domain=FERRY.domain.replace("ferry", "ferry\ud800")),
    "only question marks": FERRY._replace(domain="?" * 1000),
    "empty": Pair("", ""),
    "a byte order mark": FERRY._replace(domain="\ufeff\ufeff" + FERRY.domain),
    "a chain of types": FERRY._replace(
        domain=FERRY.domain.replace("van - car", " ".join(f"t{i} - t{i + 1}" for i in range(20_000)))
    ),
    "a ring of types": FERRY._replace(
        domain=FERRY.domain.replace("van - car", " ".join(f"t{i} - t{(i + 1) % 20_000}" for i in range(20_000)))
    ),
    "undeclared objects": CUPS._replace(
        problem=CUPS.problem.replace("(:init", "(:init" + "".join(f"(cup a{i})" for i in range(20_000)))
    ),
    "names that look alike": CUPS._replace(
        problem=CUPS.problem.replace("(:objects", "(:objects " + " ".join(f"aaa{i}" for i in range(20_000))).replace(
            "(:init", "(:init" + "(cup aaaaaa)(cup aaaaab)" * 5_000
        )
    ),
    "sections without end": FERRY._replace(problem="(define (problem p)" + "(:init (at red left)" * 20_000),
    "sections after the end": FERRY._replace(problem="(define (problem p))" + "(:init)" * 20_000),
}


@pytest.mark.weekly
@pytest.mark.parametrize("name", ODD)
def test_odd_texts(name: str) -> None:
    assert refused(ODD[name]) is not None


@pytest.mark.weekly
def test_large_texts() -> None:
    """Fifty thousand objects and facts, comments, and line ends of all kinds are no obstacle."""
    names = [f"n{i}" for i in range(50_000)]
    facts = "\r\n".join(f"(next {a} {b})" for a, b in pairwise(names))
    problem = CUPS.problem.replace("(:objects", "(:objects " + " ".join(names)).replace(
        "(:init", f"(:init {facts} ; x\r"
    )
    task = read_pddl(CUPS.domain, "d.pddl", problem, "p.pddl")
    assert len(task.objects) == 50_002
    assert len(task.init) == 49_999 + 3


@pytest.mark.weekly
@pytest.mark.parametrize(
    "data", [b"\xff\xfe(", b"\x00", b"(define (domain \xe9))", b"", b"\xef\xbb\xbf", b"(" * (1 << 23)]
)
def test_bytes_that_are_no_pddl(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / name for name in ("domain.pddl", "p.pddl")]
    for broken, pair in enumerate(((data, FERRY.problem.encode()), (FERRY.domain.encode(), data))):
        for path, content in zip(paths, pair, strict=True):
            path.write_bytes(content)
        assert main(["check", f"{paths[0]}+{paths[1]}"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(str(paths[broken]))
        assert "error: " in said
        if b"\xe9" in data:
            assert f"{paths[broken]}:1:17: error: byte 0xe9 is not valid UTF-8" in said
