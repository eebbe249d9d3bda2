"""Puzzles, solutions, comparisons, answers and verdicts as HTML for notebooks: nothing from elsewhere.

The plan of a solution is played by `<budge-replay>`. Where scripts do not run (a notebook that is not trusted, or shown
on a page of others) its boards are there side by side, as text.

The package's `__init__` hands `as_html` to `models.display`, from where the values call it.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable

from ..models.puzzle import Puzzle
from ..runtime.outcome import Status
from ..workflows.comparison import Comparison
from ..workflows.exploration import Answer
from ..workflows.solving import Solution
from ..workflows.verdict import Verification
from ..workflows.why.reasons import Reasons
from .compare_text import HEAD, NUMBERS, cells, grouped, verdict
from .html import escape, table
from .player import element
from .shapes import STYLE, script, style, web
from .svg import board_svg
from .verify_text import WRONG, contribution

MOST_CHARACTERS = 100_000
"""The most characters of the boards of a plan, which the notebook's file keeps as text; later steps are left out."""


def as_html(value: object) -> str | None:
    """A value as an HTML fragment; None for a type that has only text."""
    match value:
        case Puzzle():
            parts = _puzzle(value)
        case Solution():
            parts = _solution(value)
        case Comparison():
            parts = _comparison(value)
        case Answer():
            parts = _answer(value)
        case Verification():
            parts = _verification(value)
        case Reasons():
            parts = _reasons(value)
        case _:
            return None
    return f'<div class="budge"><style>{web("notebook.css")}{STYLE}</style>{"".join(parts)}</div>'


def _heading(puzzle: Puzzle) -> str:
    header = puzzle.header
    credit = " ".join(filter(None, (f"by {header.author}." if header.author else "", header.credit)))
    return f"<p><strong>{escape(header.name)}</strong> ({escape(puzzle.record.title)}) {escape(credit)}</p>"


def _puzzle(puzzle: Puzzle) -> Iterable[str]:
    goal = puzzle.goal_text()
    yield _heading(puzzle)
    if len(goal) > 1:
        yield f'<div class="boards">{_figure(puzzle, "start")}{_figure(puzzle, "goal", goal)}</div>'
    else:
        yield board_svg(puzzle, style=False)
        yield f"<p>Goal: {escape(goal[0])}</p>" if goal else ""


def _figure(puzzle: Puzzle, caption: str, rows: tuple[str, ...] | None = None) -> str:
    drawing = board_svg(puzzle, rows, style=False)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _solution(solution: Solution) -> Iterable[str]:
    """The board, on which the plan is played, what is known, and the plan in notation."""
    puzzle, outcome, replay = solution.puzzle, solution.outcome, solution.replay
    counted = puzzle.metric(solution.metric).counted
    yield _heading(puzzle)
    if replay is not None and replay.steps:
        yield element(puzzle, replay, instead=f"{board_svg(puzzle, style=False)}{''.join(_steps(solution))}")
        player = {"style": style(), "script": script("board") + script("replay")}
        packed = gzip.compress(json.dumps(player).encode(), mtime=0)
        yield f"<script>{script('notebook').replace('PACKED', base64.b64encode(packed).decode())}</script>"
    else:
        yield board_svg(puzzle, style=False)
    facts = [("status", outcome.status.sentence + (f" ({outcome.stopped_by})" if outcome.stopped_by else ""))]
    if outcome.status is Status.UNSOLVABLE:
        facts.append(("proof", solution.proof))
    else:
        low = "none is proven" if outcome.lower_bound is None else f"{counted(outcome.lower_bound)}: {solution.proof}"
        high = "no plan is known" if outcome.upper_bound is None else f"{counted(outcome.upper_bound)}: this plan"
        facts += [("lower bound", low), ("upper bound", high)]
    facts += [("engine", solution.engine), ("time", f"{solution.seconds:.2f} s")]
    if solution.contradicts:
        facts.append(("contradiction", solution.contradicts))
    yield table((), facts)
    if replay is not None and replay.steps:
        yield f"<p>Plan: <code>{escape(puzzle.plan_text(replay))}</code></p>"


def _steps(solution: Solution) -> Iterable[str]:
    steps, size = solution.replay.steps if solution.replay else (), 0
    yield f"<details><summary>Step by step ({len(steps)}; scroll to the right)</summary>"
    yield '<div class="steps" tabindex="0" role="group" aria-label="the board after each step">'
    for number, step in enumerate(steps, 1):
        rows = escape("\n".join(step.board))
        size += len(rows)
        if size > MOST_CHARACTERS:
            yield f"<p>{len(steps) - number + 1} steps more: <code>budge.board_svg</code> draws them.</p>"
            break
        yield f"<figure><pre>{rows}</pre><figcaption>{number}. {escape(step.notation)}</figcaption></figure>"
    yield "</div></details>"


def _answer(answer: Answer) -> Iterable[str]:
    """What `explore` counted, beside a state that is as far from the goal as any; the best moves of `hint`."""
    puzzle, space = answer.puzzle, answer.space
    yield _heading(puzzle)
    far = answer.farthest_board
    if far:
        farthest = _figure(puzzle, "as far from the goal as any", far)
        yield f'<div class="boards">{_figure(puzzle, "start")}{farthest}</div>'
    else:
        yield board_svg(puzzle, style=False)
    facts = [("status", answer.status.sentence)]
    if (distance := answer.outcome.upper_bound) is not None:
        facts.append(("to the goal", puzzle.metric(answer.metric).counted(distance)))
    if answer.moves:
        facts.append(("best moves", ", ".join(answer.moves)))
    if space:
        facts += [("states", f"{space.states:,}"), ("depth", f"{len(space.layers) - 1:,}")]
        if space.distances:
            facts.append(("farthest from the goal", f"{len(space.distances) - 1:,}"))
    facts.append(("time", f"{answer.seconds:.2f} s"))
    if answer.contradicts:
        facts.append(("contradiction", answer.contradicts))
    yield table((), facts)


def _reasons(found: Reasons) -> Iterable[str]:
    """Why no plan is shorter, in pictures."""
    from .reasons_html import fragment  # here, for it loads numpy

    yield _heading(found.puzzle)
    yield board_svg(found.puzzle, style=False)
    yield f"<style>{web('why.css')}</style>"
    yield from fragment(found)


def _verification(found: Verification) -> Iterable[str]:
    """The verdict, and what each engine contributed."""
    yield _heading(found.puzzle)
    yield board_svg(found.puzzle, style=False)
    kind = ' class="bad"' if found.verdict in WRONG else ""
    yield f"<p{kind}>{escape(found.sentence)}</p>"
    proofs = [(proof.engine, *contribution(found, proof), f"{proof.seconds:.2f}") for proof in found.proofs]
    if proofs:
        yield table(("engine", "the claim", "because", "seconds"), proofs, numbers=(3,))
    if found.best is not None:
        yield f"<p>Best plan known: <code>{escape(found.puzzle.plan_text(found.best))}</code></p>"


def _comparison(comparison: Comparison) -> Iterable[str]:
    for title, rows in grouped(comparison.rows).items():
        yield table(HEAD, map(cells, rows), title, NUMBERS)
    kind = ' class="bad"' if comparison.disagreements or comparison.errors else ""
    yield f"<p{kind}>{'<br>'.join(map(escape, verdict(comparison)))}</p>"
