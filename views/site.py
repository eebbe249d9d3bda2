"""The pages of `budge site`: an index of puzzles, and a page for each, to play without a server.

The pages may load nothing but the site's own files and send nothing: their content security policy says so. All text of
the puzzles is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..models.errors import printable
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..workflows.site_folder import Presented
from .html import document, escape
from .player import about, as_script, frames_of, played
from .reasons_html import fragment
from .report import facts
from .shapes import script, style
from .svg import board_svg

POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src 'self' file:; "
POLICY += "worker-src blob:; base-uri 'none'; form-action 'none'"

SCRIPTS = ("board", "game")
"""The scripts of a page to play on."""

KEYS = (("Z", "back"), ("Y", "on"), ("R", "start again"), ("H", "a hint"))

Card = Mapping[str, Any]
"""What the index says of a puzzle: `name`, `family`, `bounds`, `proven`, `cost`, `facts`, `page`, ...; see `card`."""


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
        "bounds": solution.bounds,
        "proven": proven,
        "cost": list(solution.outcome.upper_bound or ()) if proven else [],
        "facts": [text for _, text in _difficulty(shown)][:2],
        "playable": playable,
        "certificate": shown.certificate is not None,
        "contradicts": bool(solution.contradicts or shown.doubts),
        "states": shown.space.states if shown.space else None,
    }


def _digest(puzzle: Puzzle) -> str:
    """Under what a browser remembers the game: moves are other ones in another metric."""
    return f"{puzzle.digest} {puzzle.header.metric}"


# The index


def index(title: str, cards: Sequence[Card], problems: Sequence[tuple[str, str]], waiting: int) -> str:
    """The first page. `problems`: files that could not be used, with the reason; `waiting`: puzzles not done yet."""
    families = sorted({card["family"] for card in cards})
    proven, playable = (sum(card[key] for card in cards) for key in ("proven", "playable"))
    told = f", {playable} to play here, {proven} with a proven answer" if cards else ""
    told += ": how many moves it takes and that fewer are not enough, or that there is no way" if proven else ""
    chips = "".join(f'<button type="button" data-family="{escape(name)}">{escape(name)}</button>' for name in families)
    sorts = (("name", "by file"), ("cost", "by length"), ("states", "by states"))
    options = "".join(f'<option value="{value}">{text}</option>' for value, text in sorts)
    return _page(
        title,
        [
            f"<header><h1>{escape(title)}</h1><p>{counted(len(cards), 'puzzle')}{told}.</p></header>",
            '<div class="bar" role="search">',
            '<input type="search" placeholder="Find" aria-label="Find a puzzle by its name">',
            f'<select aria-label="Order">{options}</select>',
            f'<div class="chips" role="group" aria-label="Families">{chips}</div>' if len(families) > 1 else "",
            "</div>",
            f'<main><ul class="cards">{"".join(map(_card, cards))}</ul>',
            '<p class="none" role="status" hidden>No puzzle is so called.</p>',
            *_problems(problems, waiting),
            "</main>",
        ],
        ("site",),
        "index",
        "",
    )


def _card(card: Card) -> str:
    page, name = escape(card["page"]), escape(card["name"])
    author = f'<span class="quiet">by {escape(card["author"])}</span>' if card["author"] else ""
    told = "".join(f"<li>{escape(text)}</li>" for text in card["facts"])
    keys = f'data-family="{escape(card["family"])}" data-digest="{escape(card["digest"])}"'
    numbers = f'data-cost="{",".join(map(str, card["cost"]))}" data-states="{card["states"] or ""}"'
    return (
        f'<li class="card" {keys} {numbers}><a href="puzzles/{page}.html">'
        f'<img src="puzzles/{page}.svg" alt="" loading="lazy"><strong>{name}</strong></a>'
        f'<span class="quiet">{escape(card["family"])}</span>{author}'
        f'<span class="optimum">{_optimum(card["bounds"], card["proven"])}</span><ul class="told">{told}</ul></li>'
    )


def _optimum(bounds: str, proven: bool) -> str:
    word = "proven" if proven else "not proven"
    return f'{escape(bounds)} <span class="badge {"good" if proven else "open"}">{word}</span>'


def _problems(problems: Sequence[tuple[str, str]], waiting: int) -> Iterator[str]:
    if waiting:
        yield f'<p class="bad">Not done yet: {counted(waiting, "puzzle")}. The same command continues.</p>'
    if problems:
        listed = "".join(f"<li><code>{escape(name)}</code>{_verbatim(why)}</li>" for name, why in problems)
        yield f'<section class="bad"><h2>Not shown</h2><p>These could not be used:</p><ul>{listed}</ul></section>'


def linked_page() -> str:
    """The page `play.html`, on which the puzzle is played that its address holds (`web/link.js`)."""
    body = ['<header><nav><a href="index.html">All puzzles</a></nav><h1></h1></header><main>']
    return _page("A puzzle", [*body, '<budge-game keys="page"></budge-game></main>'], (*SCRIPTS, "link"), "puzzle", "")


# A puzzle


def puzzle_page(shown: Presented, page: str, rules: dict[str, Any] | None) -> str:
    """The page of a puzzle; without rules that a browser can play by, the plan is shown instead."""
    puzzle, header = shown.solution.puzzle, shown.solution.puzzle.header
    return _page(
        printable(header.name),
        [
            '<header><nav><a href="../index.html">All puzzles</a><span class="near"></span></nav>',
            f"<h1>{escape(header.name)}</h1>",
            about(puzzle),
            '</header><main class="columns">',
            *_game(shown, rules),
            '<div class="about">',
            *_answer(shown, page),
            f"<p>{escape(header.notes)}</p>" if header.notes else "",
            "</div>",
            *_explained(shown),
            *_file(puzzle, page),
            "</main>",
        ],
        SCRIPTS,
        "puzzle",
        "../",
    )


def _game(shown: Presented, rules: dict[str, Any] | None) -> Iterator[str]:
    """The board to play on; where there are no rules that a browser can play by, the plan to watch."""
    puzzle, outcome, replay = shown.solution.puzzle, shown.solution.outcome, shown.solution.replay
    board = board_svg(puzzle, style=False)
    if rules is None:
        yield '<p class="quiet">Too large to be played without Budge: the page would need too many rules. '
        yield "<code>budge studio</code> plays it.</p>"
        if replay is None:
            yield f"{board}<p>{'There is no plan' if shown.proven else 'No plan is known'}.</p>"
        else:
            yield played(puzzle, replay)
        return
    data = rules | {
        "digest": _digest(puzzle),
        "best": outcome.upper_bound if shown.proven else None,
        "known": outcome.upper_bound,
        "expected": puzzle.header.expect.costs.get(shown.solution.metric),
        "least": outcome.lower_bound if not shown.doubts and any(outcome.lower_bound or ()) else None,
        "frames": replay and frames_of(puzzle, replay),
    }
    keys = ", ".join(f"<kbd>{key}</kbd> {does}" for key, does in KEYS)
    yield f'<budge-game keys="page">{board}<noscript><p>To play here, a browser has to allow scripts.</p></noscript>'
    yield f'{as_script(data)}</budge-game><p class="keys quiet">Drag a piece, or use arrow keys. {keys}.</p>'


def _answer(shown: Presented, page: str) -> Iterator[str]:
    solution = shown.solution
    yield f'<h2 class="optimum">{_optimum(solution.bounds, shown.proven)}</h2>'
    if solution.proof:
        why = solution.proof[0].upper() + solution.proof[1:]
        yield f"<p>{escape(why)}.</p>" if solution.status.proven else f"<p>Proven so far: {escape(solution.proof)}.</p>"
    if solution.contradicts:
        yield f'<p class="bad">{escape(solution.contradicts)}</p>'
    for doubt in shown.doubts:
        yield f'<p class="bad">This answer is in doubt: {escape(doubt)}.</p>'
    if shown.certificate is not None:
        size = f"{max(1, round(len(shown.certificate) / 1024)):,} KB"
        link = f'<a download href="{escape(page)}.certificate.zip">Certificate</a>'
        yield f'<p>{link} <span class="quiet">({size})</span>.'
        yield "With it anyone can check the answer without trusting Budge's engines: unpack it, then "
        yield f"<code>budge verify {escape(page)}.certificate</code> says: <q>{escape(shown.verdict)}</q>.</p>"
    yield facts(_difficulty(shown))


def _difficulty(shown: Presented) -> list[tuple[str, str]]:
    """How hard the puzzle is, by what can be counted."""
    space = shown.space
    if space is None:
        return []
    told = [("States", f"{counted(space.states, 'state')} can be reached")]
    if space.features:
        plans = space.features.shortest_plans
        told.append(("Shortest plans", "one shortest plan" if plans == 1 else f"{plans:,.0f} shortest plans"))
        told.append(("Pieces that move", f"{space.features.pieces_moved:,} in a shortest plan"))
        told.append(("Moves to choose from", f"{space.features.branching:.1f} on average"))
    if space.dead_ends:
        share = 100 * space.dead_ends / space.states
        told.append(
            ("Dead ends", f"{counted(space.dead_ends, 'state')} ({share:.0f} %), from which no way leads to the goal")
        )
    return told


def _explained(shown: Presented) -> Iterator[str]:
    if shown.reasons is not None:
        asked = "Why not fewer?" if shown.solution.replay else "Why is there no plan?"
        yield f"<details><summary>{asked}</summary>{''.join(fragment(shown.reasons))}</details>"


def _file(puzzle: Puzzle, page: str) -> Iterator[str]:
    link = f'<a download href="{escape(page)}.yaml">Download</a>'
    yield f"<details><summary>The puzzle as a file</summary><p>{link}</p>{_verbatim(puzzle.to_yaml())}</details>"


def _verbatim(text: str) -> str:
    return f'<pre tabindex="0">{escape(text)}</pre>'


def linked(text: str, before: str | None, after: str | None) -> str:
    """A page with its links to the pages before and after it."""
    links = (("prev", "Previous", before), ("next", "Next", after))
    inside = " ".join(f'<a rel="{rel}" href="{escape(to)}.html">{name}</a>' for rel, name, to in links if to)
    return re.sub(r'(<span class="near">).*?(</span>)', lambda match: match[1] + inside + match[2], text, count=1)


def _page(title: str, parts: Iterable[str], scripts: Iterable[str], kind: str, root: str) -> str:
    style = f'<link rel="stylesheet" href="{root}assets/site.css">'
    made = '<footer class="quiet">Made with Budge, which solves puzzles and proves the answer.</footer>'
    code = [f'<script src="{root}assets/{name}.js"></script>' for name in scripts]
    return document(title, style, [*parts, made], code, policy=POLICY, kind=kind)
