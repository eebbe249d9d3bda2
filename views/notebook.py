"""Puzzles, solutions, comparisons, answers and verdicts as HTML for notebooks: nothing from elsewhere.

The plan of a solution is played by `<budge-game>`. Where scripts do not run (a notebook that is not trusted, or shown
on a page of others) its boards are there side by side, as text.

The package's `__init__` hands `as_html` and `as_dict` to `models.display`, from where the values call them.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from ..models.plan import Replay, Step
from ..models.puzzle import Puzzle
from ..workflows.comparison import Comparison
from ..workflows.exploration import Answer
from ..workflows.rows import Row, as_object
from ..workflows.solving import Solution
from ..workflows.verdict import Verification
from ..workflows.why.reasons import Reasons
from .explore import of_answer
from .html import Markup, render
from .player import plan_json
from .rows import of_comparison
from .sections import Drawing, Title, with_start
from .sections import as_html as as_sections
from .shapes import CELL, STYLE, script, web
from .solution import of_solution
from .svg import board_svg
from .verify_text import of_verification

MOST_CHARACTERS = 100_000
"""The most characters of the boards of a plan, which the notebook's file keeps as text; later steps are left out."""


def as_html(value: object) -> str | None:
    """A value as an HTML fragment; None for a type that has only text."""
    parts: Iterable[str]
    match value:
        case Puzzle():
            parts = as_sections(with_start(value, []))
        case Solution():
            parts = _solution(value)
        case Comparison():
            parts = as_sections(of_comparison(value))
        case Answer():
            parts = as_sections(with_start(value.puzzle, of_answer(value)))
        case Verification():
            parts = as_sections(with_start(value.puzzle, of_verification(value)))
        case Reasons():
            parts = _reasons(value)
        case _:
            return None
    inside = "".join(parts)
    boards = STYLE if "<svg" in inside else ""
    return f'<div class="budge"><style>{web("notebook.css")}{boards}</style>{inside}</div>'


def _solution(solution: Solution) -> Iterable[str]:
    """The board, on which the plan is played, the plan in notation, and what is known."""
    puzzle, replay = solution.puzzle, solution.replay
    yield as_sections([Title(puzzle)])
    if replay is not None and replay.steps:
        yield _player(puzzle, replay)
    else:
        yield board_svg(puzzle, style=False)
    yield as_sections(of_solution(solution))


ZOOMED = 14
"""Columns or rows up to which a board is large enough even on a phone, and its player comes without zoom."""


def _player(puzzle: Puzzle, replay: Replay) -> str:
    """The plan to watch: its data, the player and its style in one packed script."""
    plan = plan_json(puzzle, replay)
    large = max(plan["scene"]["view"][2:]) > ZOOMED * CELL
    player = {"style": _style(), "script": script(*["zoom"] * large, "plan"), "plan": plan}
    packed = base64.b64encode(gzip.compress(json.dumps(player, separators=(",", ":")).encode(), mtime=0)).decode()
    key = f"plan-{hashlib.sha256(packed.encode()).hexdigest()[:12]}"
    code = Markup(script("notebook").replace("PACKED", packed).replace("KEY", key))
    return render("notebook_plan", puzzle=puzzle, replay=replay, steps=_kept(replay.steps), key=key, code=code)


def _style() -> str:
    """The style of players, whose theme keeps to what is Budge's: the rest of the notebook looks as it did."""
    return f"{STYLE}.budge{{{web('theme.css').replace(':root', '&')}}}{web('board.css')}{web('game.css')}"


def _kept(steps: Sequence[Step]) -> Sequence[Step]:
    """The first steps, whose boards have at most `MOST_CHARACTERS`."""
    sizes = accumulate(sum(map(len, step.board)) + len(step.board) - 1 for step in steps)
    return steps[: sum(size <= MOST_CHARACTERS for size in sizes)]


def _reasons(why: Reasons) -> Iterable[str]:
    """Why no plan is shorter, in pictures."""
    from .reasons_html import fragment  # here, for it loads numpy

    yield as_sections([Title(why.puzzle), Drawing(why.puzzle, why.puzzle.board())])
    yield f"<style>{web('why.css')}</style>"
    yield fragment(why)


# Values as the objects that `--json` prints: what `to_dict` and `to_json` give.


def as_dict(value: object) -> dict[str, Any]:
    """The object of a value. Raises `TypeError` for a type that has none."""
    from ..workflows.checking import Check
    from ..workflows.explaining import Explanation
    from ..workflows.scoring import Score
    from . import explore, json_lines, reasons, rows, verify_text

    forms: dict[type, Callable[[Any], dict[str, Any]]] = {
        Solution: json_lines.result,
        Row: as_object,
        Comparison: rows.comparison_json,
        Verification: verify_text.as_json,
        Score: verify_text.score_json,
        Answer: explore.as_json,
        Explanation: explore.explanation_json,
        Reasons: reasons.as_json,
        Check: json_lines.check_object,
        Puzzle: json_lines.whole,
    }
    for kind, form in forms.items():
        if isinstance(value, kind):
            return form(value)
    raise TypeError(f"a {type(value).__name__} has no form as JSON")
