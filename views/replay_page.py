"""A plan as one HTML file that needs nothing from elsewhere: to watch, step through, print and mail.

The page may load nothing and send nothing: its content security policy names the hashes of its own style and script.
All text of the puzzle is escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from .board_files import script, style
from .html import escape
from .player import element
from .svg import board_svg

STYLE = """
:root { color-scheme: light dark; --ground: #fdfdfc; --ink: #1c1c1a; --quiet: #5c5c57; }
@media (prefers-color-scheme: dark) { :root { --ground: #16171a; --ink: #e6e6e3; --quiet: #a5a7ad; } }
* { box-sizing: border-box; }
body { background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 72rem; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .25rem; }
p { margin: .25rem 0; max-width: 46rem; }
.quiet, footer { color: var(--quiet); }
main { margin: 1rem 0; --budge-scale: 1.7; --budge-height: 68vh; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
pre { overflow-x: auto; font-size: .85rem; }
kbd { border: 1px solid var(--quiet); border-radius: 3px; padding: 0 .3em; font-size: .85em; }
@media print { .screen { display: none; } body { padding: 0; } }
"""

GOAL_WIDTH = 160
"""Pixels of the picture of a goal."""

KEYS = (("Space", "play"), ("← →", "one move"), ("Home End", "to the start, to the end"))


def replay_page(puzzle: Puzzle, replay: Replay, proof: str = "") -> str:
    """The page of a plan. `proof`: a sentence on what is known of its length."""
    player = element(puzzle, replay, ' keys="page"')
    parts = [about(puzzle), *_costs(puzzle, replay, proof), f"</header><main>{player}</main>", *_footer(puzzle)]
    return closed_page(puzzle.header.name, parts, STYLE, script("board") + script("replay"))


def closed_page(title: str, parts: Iterable[str], rules: str, code: str = "") -> str:
    """A page that may load nothing and send nothing. `parts`: its body from within the header on, below the title;
    `rules`: its style, besides that of boards.
    """
    rules, title = style() + rules, escape(title)
    own = f"style-src '{_hash(rules)}'; script-src '{_hash(code)}'"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{rules}</style></head><body>",
            f"<header><h1>{title}</h1>",
            *parts,
            (f"<script>{code}</script>" if code else "") + "</body></html>\n",
        ]
    )


def about(puzzle: Puzzle) -> str:
    """The family, the author and the goal, as paragraphs."""
    return "".join(_about(puzzle))


def made_by(puzzle: Puzzle) -> str:
    """The family, the author and the credit: `Sokoban, by David W. Skinner. Microban, ...`."""
    made = puzzle.record.title + (f", by {puzzle.header.author}" if puzzle.header.author else "")
    return f"{made.removesuffix('.')}. {puzzle.header.credit}" if puzzle.header.credit else made


def _about(puzzle: Puzzle) -> Iterable[str]:
    goal = puzzle.goal_text()
    yield f'<p class="quiet">{escape(made_by(puzzle))}</p>'
    if len(goal) == 1:
        yield f"<p>Goal: {escape(goal[0])}.</p>"
    elif puzzle.record.drawing.goal_cells is None:
        yield f"<details><summary>Goal</summary>{board_svg(puzzle, goal, width=GOAL_WIDTH, style=False)}</details>"


def _costs(puzzle: Puzzle, replay: Replay, proof: str) -> Iterable[str]:
    costs = ", ".join(puzzle.unit(unit).counted(cost) for unit, cost in replay.costs.items())
    reached = "reaches the goal" if replay.solved else "does not reach the goal"
    yield f"<p>The plan {reached}: {escape(costs)}. {escape(proof)}</p>"


def _footer(puzzle: Puzzle) -> Iterable[str]:
    keys = ", ".join(f"{' '.join(f'<kbd>{key}</kbd>' for key in keys.split())} {does}" for keys, does in KEYS)
    yield f'<footer class="screen"><p>Keys: {keys}. Made with Budge.</p>'
    try:
        text = puzzle.to_yaml()
    except UsageError:
        text = ""
    if text:
        yield f"<details><summary>The puzzle as a file for Budge</summary><pre>{escape(text)}</pre></details>"
    yield "</footer>"


def _hash(text: str) -> str:
    """The hash of an inline style or script, as a content security policy takes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
