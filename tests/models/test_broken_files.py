"""Broken Rush Hour files: each kind of mistake is answered at its place, with what to do about it.

`‸` stands before the character at which a problem is reported. The problems are listed in the order of the file,
each as a fragment of its message and one of its hint. A file without any `‸` is wrong as a whole.
"""

from __future__ import annotations

import pytest
from budge.models.errors import Problem, PuzzleError
from budge.models.families import load_text

from ..helpers.broken_texts import ALL, GOOD, unmark


def problems_of(text: str) -> list[Problem]:
    with pytest.raises(PuzzleError) as caught:
        load_text(text, "puzzle.yaml")
    return caught.value.problems


def test_the_file_that_is_broken_here_is_good() -> None:
    assert load_text(GOOD).board() == ("..B...", "..B...", "AAB...", "......")


@pytest.mark.parametrize("name", ALL)
def test_broken_file(name: str) -> None:
    text, places = unmark(ALL[name][0])
    expected = ALL[name][1]
    problems = problems_of(text)
    assert [(p.line, p.column) for p in problems] == (places or [(0, 0)])
    for problem, (message, hint) in zip(problems, expected, strict=True):
        assert message in problem.message
        assert hint in problem.hint
        assert hint
