"""Repairs: what a button does about a problem, where its `help:` says exactly what to write.

A help says in words what to do; where it names what to write, it may stand for what is marked, or for the whole
line. So every repair is tried: one is offered if the problem is gone after it, and no other has come. A mistyped
value may hide other problems: the one that is meant is offered all the same, unless the problem stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..models.errors import Problem
from ..workflows.checking import Check

WORD = re.compile(r"(?:did you mean|.*\bwrite) `([^`]+)`[?.]?")
MISTYPED = re.compile(r"cannot be .*; did you mean")
FIRST_LINE = re.compile(r"add `([^`]+)` as the first line")

MOST = 6
"""The number of problems, from the top, for which repairs are tried."""


def repairs(text: str, problems: Iterable[Problem], check: Callable[[str], Check | None]) -> dict[Problem, str]:
    """Repaired texts, for each problem that has one. `check` reads a text, or gives None if no repairs are wanted
    any more.
    """
    texts, problems = dict[Problem, str](), list(problems)
    for problem in problems[:MOST]:
        for whole, mended in enumerate(candidates(text, problem)):
            checked = check(mended)
            if checked is None:
                return texts
            if len(checked.problems) < len(problems) and _same(checked.problems) <= _same(problems):
                texts[problem] = mended
                break
            mistyped = not whole and MISTYPED.search(f"{problem.message}; {problem.hint}")
            if mistyped and not _same([problem]) <= _same(checked.problems):
                texts[problem] = mended
    return texts


def _same(problems: Iterable[Problem]) -> set[tuple[str, str]]:
    """The problems without their places, for a repair may move them."""
    return {(problem.message, problem.hint) for problem in problems}


def candidates(text: str, problem: Problem) -> Iterator[str]:
    """The texts that may result from doing as the help of a problem says.

    >>> problem = Problem("a.yaml", 1, 9, "`metric` cannot be `stepps`", "did you mean `steps`?", "metric: stepps", 6)
    >>> next(candidates("metric: stepps", problem))
    'metric: steps'
    """
    if added := FIRST_LINE.fullmatch(problem.hint):
        yield f"{added[1]}\n{text}"
    word, lines = WORD.fullmatch(problem.hint), text.split("\n")
    if word is None or not 1 <= problem.line <= len(lines) or lines[problem.line - 1] != problem.source:
        return  # nothing to write, or the problem is of another file
    line, start = problem.source, problem.column - 1
    indent = line[: len(line) - len(line.lstrip())]
    for mended in (line[:start] + word[1] + line[start + problem.width :], indent + word[1]):
        yield "\n".join([*lines[: problem.line - 1], mended, *lines[problem.line :]])
