"""The pages of `budge site`: an index of puzzles, and a page for each, to play without a server.

The pages may load nothing but the site's own files and send nothing: their content security policy says so. All text of
the puzzles is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..models.puzzle import Puzzle
from ..workflows.site_folder import Presented
from ..workflows.solving import Solution
from .html import Markup, as_script, render
from .player import frames_of, played
from .reasons_html import fragment
from .shapes import escape, script, style
from .text import expectation

POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file:; "
POLICY += "worker-src blob:; base-uri 'none'; form-action 'none'"

SCRIPTS = ("board", "game")
"""The scripts of a page to play on."""

Card = Mapping[str, Any]
"""What the index says of a puzzle: `name`, `family`, `bounds`, `proven`, `cost`, `states`, `page`, ...; see `card`."""


def assets() -> dict[str, str]:
    """The files that the pages share, by name."""
    return {"site.css": style("site", "why"), **{f"{name}.js": script(name) for name in (*SCRIPTS, "site", "link")}}


def card(shown: Presented, page: str, playable: bool) -> dict[str, Any]:
    """What the index says of a puzzle, as JSON."""
    solution = shown.solution
    puzzle, proven = solution.puzzle, shown.proven
    return {
        "page": page,
        "name": puzzle.header.name,
        "author": puzzle.header.author,
        "family": puzzle.record.title,
        "digest": _digest(puzzle),
        "bounds": _bounds(solution),
        "proven": proven,
        "cost": list(solution.outcome.upper_bound or ()) if proven else [],
        "playable": playable,
        "certificate": shown.certificate is not None,
        "contradicts": bool(solution.contradicts or shown.doubts),
        "states": shown.space.states if shown.space else None,
        "plans": shown.space.features.shortest_plans if shown.space and shown.space.features else None,
    }


def _bounds(solution: Solution) -> str:
    """What is known of the optimum; empty where nothing is."""
    outcome = solution.outcome
    return solution.bounds if outcome.status.proven or outcome.lower_bound or outcome.upper_bound else ""


def _digest(puzzle: Puzzle) -> str:
    """Under what a browser remembers the game: moves are other ones in another metric."""
    return f"{puzzle.digest} {puzzle.header.metric}"


def index(title: str, cards: Sequence[Card], problems: Sequence[tuple[str, str]], waiting: int) -> str:
    """The first page. `problems`: files that could not be used, with the reason; `waiting`: puzzles not done yet."""
    families, proven = sorted({card["family"] for card in cards}), sum(card["proven"] for card in cards)
    given = {"cards": cards, "families": families, "proven": proven, "problems": problems, "waiting": waiting}
    return _page("index", title, ("site",), "", **given)


def linked_page() -> str:
    """The page `play.html`, on which the puzzle is played that its address holds (`web/link.js`)."""
    return _page("play", "A puzzle", (*SCRIPTS, "link"), "")


def puzzle_page(shown: Presented, page: str, rules: dict[str, Any] | None) -> str:
    """The page of a puzzle: a board to play on, or where there are no rules that a browser can play by, the plan."""
    puzzle, outcome, replay = shown.solution.puzzle, shown.solution.outcome, shown.solution.replay
    given: dict[str, Any] = {"shown": shown, "puzzle": puzzle, "page": page, "bounds": _bounds(shown.solution)}
    given |= {"expected": expectation(puzzle), "game": None, "plan": None, "reasons": None}
    if rules is not None:
        data = {
            "digest": _digest(puzzle),
            "best": outcome.upper_bound if shown.proven else None,
            "known": outcome.upper_bound,
            "expected": puzzle.header.expect.costs.get(shown.solution.metric),
            "least": outcome.lower_bound if not shown.doubts and any(outcome.lower_bound or ()) else None,
            "frames": replay and frames_of(puzzle, replay),
        }
        given["game"] = as_script(rules | data)
    elif replay is not None:
        given["plan"] = played(puzzle, replay)
    if shown.reasons is not None:
        given["reasons"] = fragment(shown.reasons)
    return _page("puzzle", puzzle.header.name, SCRIPTS, "../", **given)


def linked(text: str, before: str | None, after: str | None) -> str:
    """A page with its links to the pages before and after it."""
    links = (("prev", "Previous", before), ("next", "Next", after))
    inside = " ".join(f'<a rel="{rel}" href="{escape(to)}.html">{name}</a>' for rel, name, to in links if to)
    return re.sub(r'(<span class="near">).*?(</span>)', lambda match: match[1] + inside + match[2], text, count=1)


def _page(name: str, title: str, scripts: Sequence[str], root: str, **values: Any) -> str:
    return str(render(name, title=title, scripts=scripts, root=root, policy=Markup(POLICY), **values))
