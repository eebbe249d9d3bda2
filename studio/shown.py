"""What a page shows of a text and of a puzzle, as JSON and SVG. It is made in a process of its own (`reading.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..engines.table import all_engines
from ..models.collections import collection_of
from ..models.documents.document import Report, parse
from ..models.documents.fields import HEADER_KEYS, Key
from ..models.errors import BudgeError, Problem, PuzzleError, UsageError
from ..models.families import families, read_puzzle
from ..models.library import load
from ..models.puzzle import Puzzle
from ..views.rules import rules_of
from ..views.scene import Scene
from ..views.svg import board_svg
from ..views.text import expectation
from ..workflows.checking import Check
from .maps import maps_json

WIDTH, GOAL_WIDTH = 240, 160
"""Pixels of the picture of a puzzle on a card, and of a goal."""

TOO_LARGE = "The rules of this puzzle are too large for a page. Solve it: its plan is shown here, move by move."
"""What is said beside a board that cannot be played on."""

MOST_ASKED = 4_000
"""Operators of a task up to which each engine is asked whether it takes it."""

NO_PICTURE = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{WIDTH}" viewBox="0 0 24 24">'
    '<text x="12" y="16" font-size="12" text-anchor="middle" fill="#888">?</text></svg>'
)
"""The picture of a puzzle with a mistake, as unsaved text may have."""


def shown(check: Check, text: str) -> dict[str, Any]:
    """What a page shows of a text: of a puzzle its names, metrics, engines and pictures; the maps to paint."""
    puzzle = check.puzzle
    maps = maps_json(text, puzzle)
    if puzzle is None:
        return {"title": "", "about": "", **maps}
    header, record = puzzle.header, puzzle.record
    goal, words = puzzle.goal_text(), goal_words(puzzle)
    return {
        "title": header.name,
        "about": record.counts(puzzle.value) if record.counts else "",
        "family": puzzle.family,
        "metric": header.metric,
        "metrics": puzzle.metrics,
        "units": units_of(puzzle),
        "digest": puzzle.digest,
        "engines": engines_of(check, puzzle),
        "author": header.author,
        "credit": header.credit,
        "notes": header.notes,
        "advice": check.notes,
        "expect": expectation(puzzle),
        "file_name": file_name(header.name),
        "goal": [words] if words else goal,
        "goal_svg": "" if words else str(board_svg(puzzle, goal, width=GOAL_WIDTH, style=False)),
        "board_svg": str(board_svg(puzzle, style=False)),
        **maps,
    }


def engines_of(check: Check, puzzle: Puzzle) -> list[str]:
    """The engines that fit a puzzle. Of a large task those that read such tasks are not asked: one looks for boxes by
    the distances between all cells, seconds and gigabytes for a hall of 80x80; it says so when it is started.
    """
    large = check.operators.get(puzzle.header.metric, 0) > MOST_ASKED
    return [
        name
        for name, engine in all_engines().items()
        if (puzzle.offers(engine.reads) if large else engine.takes(puzzle))
    ]


def units_of(puzzle: Puzzle) -> dict[str, list[list[str]]]:
    """By metric, what each of its components counts: one, and many."""
    return {name: [[unit.one, unit.many] for unit in puzzle.metric(name).units] for name in puzzle.metrics}


def goal_words(puzzle: Puzzle) -> str:
    """The goal in a sentence; nothing where only a picture says it."""
    goal, drawing = puzzle.goal_text(), puzzle.record.drawing
    if len(goal) == 1:
        return goal[0]
    if drawing.goal_cells is None or drawing.style == "map":
        return ""
    pieces = dict.fromkeys(drawing.goal_cells(puzzle.value).values())
    *rest, last = (puzzle.labels().get(piece, piece) for piece in pieces)
    if not rest:
        return f"bring the red piece {last} to the dashed outline"
    return f"bring {', '.join(rest)} and {last} to the outlines in their colours"


def problem_json(problem: Problem, text: str, mended: str | None) -> dict[str, Any]:
    """A problem; `here`: it is marked in the text itself, not in another file."""
    lines = text.split("\n")
    here = 1 <= problem.line <= len(lines) and lines[problem.line - 1] == problem.source
    names = ("line", "column", "width", "message", "hint", "source")
    told = {name: getattr(problem, name) for name in names} | {"here": here}
    return told if mended is None else told | {"mended": mended}


def file_name(title: str) -> str:
    """A title as the name of a file.

    >>> file_name("Bird's second grid")
    'birds-second-grid.yaml'
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "-" if c in " -_" else "" for c in title.lower())
    return f"{'-'.join(part for part in plain.split('-') if part)[:60] or 'puzzle'}.yaml"


# Games


def game_json(puzzle: Puzzle, metric: str) -> dict[str, Any]:
    """The rules of a puzzle as data, or where they are too large its start and a sentence (`unplayable`)."""
    rules = rules_of(puzzle, metric) or {
        "units": units_of(puzzle)[metric],
        "scene": Scene(puzzle).scene(),
        "unplayable": TOO_LARGE,
    }
    expected = puzzle.header.expect.costs.get(metric)
    return rules | {"digest": f"{puzzle.digest} {metric}", "expected": expected}


# Cards of the library


def card(path: Path) -> dict[str, Any]:
    """What the card of a puzzle file says, or why it cannot be used (`problem`)."""
    try:
        puzzle = load(path)
    except BudgeError as error:
        return {"problem": str(error).split("\n")[0]}
    header = puzzle.header
    return {
        "title": header.name,
        "family": puzzle.family,
        "known": expectation(puzzle),
        "size": size_of(puzzle),
        "metric": header.metric,
        "cost": header.expect.costs.get(header.metric, (None,))[0],
        "digest": puzzle.digest,
    }


def size_of(puzzle: Puzzle) -> str:
    """`6×6, 10 vehicles`; of a board that has no cells only what is counted: `12 objects, 4 actions`."""
    said, drawing = list[str](), puzzle.record.drawing
    if drawing.style == "pieces" or (drawing.signs and drawing.signs(puzzle.value)):
        rows = puzzle.board()
        said.append(f"{max(map(len, rows), default=0)}×{len(rows)}")
    if puzzle.record.counts:
        said.append(puzzle.record.counts(puzzle.value))
    return ", ".join(said)


def picture(path: Path, text: str | None, name: str) -> str:
    """The picture on the card of a puzzle: of its file or, where it is given, of its text."""
    try:
        puzzle = load(path) if text is None else read_puzzle(parse(text, name, path))
    except BudgeError:
        return NO_PICTURE
    return str(board_svg(puzzle, width=WIDTH))


# Completion in the editor: keys and their values, from the families' own tables of keys.

Completions = dict[str, dict[str, Any]]
"""By family: the keys of its files, each with what it is for and the words that it takes. Under `""` those of all."""


def completions() -> Completions:
    """The words of all families."""
    names = {"family": list(families())}
    words = {"": _keys(HEADER_KEYS, names)}
    for name, family in families().items():
        metrics = [] if family.own_metrics else [metric.name for metric in family.metrics]
        words[name] = _keys((*HEADER_KEYS, *family.keys), names | {"metric": metrics})
    return words


def _keys(keys: Iterable[Key], words: Mapping[str, list[str]]) -> dict[str, Any]:
    """Keys with their help and the words that they take: those of their tables, or the given ones."""
    return {key.name: {"help": key.help, "words": words.get(key.name, list(key.choices))} for key in keys}


# A level in any form that `budge convert` knows


def converted(text: str) -> dict[str, Any]:
    """The first level of a collection as a puzzle file; a puzzle file as it is. Raises `UsageError`."""
    if re.search(r"^(?:format|family)\s*:", text, re.MULTILINE):
        return {"text": text}
    try:
        opened = collection_of(Report("this text", text.lstrip("\ufeff").splitlines()))
        written = next(filter(None, map(opened.text, range(1, len(opened.levels) + 1))), None)
    except PuzzleError as error:
        raise UsageError(error.problems[0].message) from None
    if written is None:
        raise UsageError(opened.report.problems[0].message)
    return {"text": written}
