"""PDDL puzzles: read from two files or from a puzzle file, and written as one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import dedent, fill

from ...cells import Rows
from ...documents.fields import Fields
from ...documents.files import FileError
from ...errors import Problem, PuzzleError
from ...family import Keys
from ...header import Header
from ...plan import Plan, play
from ..custom.puzzle import Act
from .definition import read_definitions
from .files import decoded, text_of_key
from .problem import Pddl
from .reading import read_pddl
from .rules import PddlSimulator
from .syntax import Group, PddlFile


def read(fields: Fields, header: Header) -> tuple[Header, Pddl]:
    """The problem of a puzzle file. Raises `PuzzleError` with all that is wrong in it and in the files it names."""
    texts = [text_of_key(fields, key) for key in ("domain", "problem")]
    for key, text in zip(("domain", "problem"), texts, strict=True):
        if text is None and not fields.has(key):
            fields.missing(key, f"add `{key}: {'domain' if key == 'domain' else 'p01'}.pddl`")
    fields.report.raise_if_any()
    (domain, domain_file), (problem, problem_file) = [text for text in texts if text is not None]
    return header, read_pddl(domain, domain_file, problem, problem_file)


def write(puzzle: Pddl, _board: Rows) -> Keys:
    """The keys of the puzzle file of a problem: the text of both files."""
    texts = {"domain": puzzle.domain_text, "problem": puzzle.problem_text}
    return {key: tuple(line.rstrip() for line in dedent(text).strip().split("\n")) for key, text in texts.items()}


def write_after(puzzle: Pddl, plan: Plan) -> Keys:
    """The keys of the problem that starts where a plan ends: its `:init` has the atoms that are true there, and the
    values of functions. Raises `ReplayError` if the rules forbid the plan.
    """
    simulator = PddlSimulator(puzzle)
    for step in play(plan, partial(PddlSimulator, puzzle), Act).steps:
        assert isinstance(step.move, Act)
        simulator.play(step.move)
    files = PddlFile.of(puzzle.domain_text, ""), PddlFile.of(puzzle.problem_text, "")
    problem = read_definitions(*files)[1]
    assert problem
    init, text = problem.sections[":init"], puzzle.problem_text
    values = [
        text[node.at : node.end] for node in problem.items(":init") if isinstance(node, Group) and node.head == "="
    ]
    atoms = [f"({' '.join(atom)})" for atom in sorted(simulator.state)]
    inside = fill(" ".join([":init", *atoms, *values]), 100, subsequent_indent="    ", break_on_hyphens=False)
    return write(replace(puzzle, problem_text=f"{text[: init.at]}({inside}){text[init.end :]}"), ())


def load_pair(domain: Path, problem: Path) -> tuple[Header, Pddl]:
    """The problem of two files, and a header. Raises `PuzzleError`."""
    texts, problems = [], []
    for path in (domain, problem):
        try:
            texts.append(decoded(path))
        except FileError as error:
            problems.append(Problem(str(path), 0, 0, f"cannot read the file: {error.reason}", error.hint))
    if problems:
        raise PuzzleError(problems)
    puzzle = read_pddl(texts[0], str(domain), texts[1], str(problem))
    return Header(file=str(problem), name=problem.stem, metric=puzzle.metrics[0].name), puzzle
