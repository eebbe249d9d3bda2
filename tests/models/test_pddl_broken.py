"""Broken PDDL: everything that is wrong is reported at once, each with its place, a caret, and what to do.

A case is a small domain and problem (`FERRY`) with changes, `d: old => new` in the domain or `p:` in the problem (`*`
is the whole text), and below them all that is said. In changes `\\n` is a new line, `\\0` and `\\u200b` what they are
in Python, DOMAIN and PROBLEM the whole texts, DEEP 200 opened conditions.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from budge import solve
from budge.models.errors import BudgeError, PuzzleError
from budge.models.families.pddl.reading import read_pddl

from ..helpers import broken_pddl_forms, broken_pddl_names
from ..helpers.pddl_domains import FERRY

_WORDS = {
    "\\n": "\n",
    "\\0": "\0",
    "\\u200b": "\u200b",
    "DEEP": "(not\n" * 200,
    "DOMAIN": FERRY.domain,
    "PROBLEM": FERRY.problem,
}


def _case(block: str) -> tuple[str, str, str]:
    """The texts of the domain and the problem of a case, and what is said of them."""
    texts = {"d": FERRY.domain, "p": FERRY.problem}
    lines = block.split("\n")
    changes = [line for line in lines if re.match("[dp]: ", line)]
    for change in changes:
        old, new = (re.sub("|".join(map(re.escape, _WORDS)), lambda m: _WORDS[m[0]], part) for part in _sides(change))
        name, text = change[0], texts[change[0]]
        assert old == "*" or text.count(old) == 1, change
        texts[name] = new if old == "*" else text.replace(old, new)
    return texts["d"], texts["p"], "\n".join(lines[len(changes) :])


def _sides(change: str) -> tuple[str, str]:
    old, _, new = change[3:].partition(" =>")
    return old, new[1:]


CASES = {
    name: body
    for text in (broken_pddl_forms.CASES, broken_pddl_names.CASES)
    for name, _, body in (block.partition("\n") for block in text.strip("\n").removeprefix("# ").split("\n\n# "))
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_said(name: str) -> None:
    domain, problem, said = _case(CASES[name])
    with pytest.raises(PuzzleError) as error:
        read_pddl(domain, "d.pddl", problem, "p.pddl")
    assert str(error.value).replace("\ufffd", "?") == said.replace("\ufffd", "?")


@pytest.mark.weekly
@pytest.mark.parametrize("conditions", [1, 1200])
def test_an_action_that_is_too_large_to_be_matched(tmp_path: Path, conditions: int) -> None:
    """A join of a thousand parts is a call within a call for each: that is said, at the action."""
    names = [f"?x{number}" for number in range(1200)]
    asked = " ".join(f"(p {name})" for name in names[:conditions])
    (tmp_path / "domain.pddl").write_text(
        "(define (domain d) (:predicates (p ?x) (g))\n"
        f"(:action a :parameters ({' '.join(names)}) :precondition (and {asked}) :effect (g)))\n"
    )
    (tmp_path / "p.pddl").write_text("(define (problem q) (:domain d) (:objects o) (:init (p o)) (:goal (g)))\n")
    with pytest.raises(BudgeError, match="more parameters or conditions than can be matched"):
        solve(tmp_path / "p.pddl", engine="plain")
