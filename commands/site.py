"""The command `site`: a folder of puzzles as a small web site that needs no server.

Exit codes: 0 every page is written (limits are no error), 2 bad usage, or files that are no puzzles: the index lists
them; 3 a limit came before anything was known of a puzzle, which is listed there, too; 4 an answer contradicts the
`expect` of its file, or its certificate is refused; 70 a puzzle failed; 130 interrupted, 143 by SIGTERM. The same
command continues.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.documents.files import writing
from ..models.errors import BudgeError, UsageError, printable
from ..runtime.outcome import StoppedError
from .common import LimitedWork, code_of, message, reporter_of, search_each, tell_written
from .streams import Exit

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..runtime.budget import Budget
    from ..runtime.events import Progress
    from ..workflows.site_folder import Presented, SiteFolder

RULES = 10.0
"""The most seconds that a page's rules, by which it is played, may take besides."""


def run_site(arguments: argparse.Namespace) -> int:
    """Write a web site of puzzles, which a browser opens from the folder: an index, and a page for each, to play, with
    its proven optimum, a certificate to download, and why no plan is shorter.

    What is not proven within its time is said as bounds. Pages that are done stay, so the same command continues.
    """
    from ..models.library import find
    from ..workflows.site_folder import SiteFolder, pages_of

    for name in arguments.puzzles:
        path = find(name)  # what is not there is bad usage; what is there and no puzzle is listed
        if (Path(arguments.out).resolve() / "puzzles") in path.resolve().parents:
            raise UsageError(f"`{name}` is a file of the site {arguments.out}: name the puzzle that it was made from")
    site, pages, problems = SiteFolder.at(Path(arguments.out)), pages_of(arguments.puzzles), list[tuple[str, str]]()
    arguments.json = False
    with writing(site.folder):
        search = partial(_one, site, pages, problems)
        code = search_each(arguments, search, spaced=False)
        _finish(site, list(pages.values()), problems, arguments.title)
    tell_written(site.folder / "index.html")
    return code


def _one(
    site: SiteFolder,
    pages: dict[str, str],
    problems: list[tuple[str, str]],
    name: str,
    arguments: argparse.Namespace,
    watch: LimitedWork,
) -> int:
    """Make the page of a puzzle, unless it is done; gives the exit code."""
    from ..workflows.site_folder import present

    page = pages[name]
    try:
        with reporter_of(arguments) as progress:
            puzzle = watch.load(name, progress)
            key = (puzzle.to_yaml(), f"{watch.budget.seconds} {watch.budget.memory_mib}")
            if site.has(page, key):
                return Exit.WRONG if site.done[page]["card"].get("contradicts") else Exit.OPTIMAL
            progress.count_in(puzzle.metric(puzzle.header.metric))
            shown = present(puzzle, f"{page}.certificate", watch.budget, watch.apart, progress)
            if watch.budget.interrupted.is_set():
                return Exit.OPTIMAL
            rules = _rules(puzzle, watch, progress)
    except BudgeError as error:
        if watch.budget.interrupted.is_set():
            return Exit.OPTIMAL
        site.drop(page)
        problems.append(_public(name, str(error)))
        told = f"budge: {name}: {error}" if isinstance(error, UsageError | StoppedError) else message(error, name)
        print(f"{told}\n  it has no page; the index lists it with the reason", file=sys.stderr)
        return code_of(error)
    _add(site, page, key, shown, rules)
    said = "; ".join(["proven" if shown.proven else "not proven", *(f"in doubt: {why}" for why in shown.doubts)])
    print(f"{printable(name)}: {shown.solution.bounds}, {said}; puzzles/{page}.html", flush=True)
    return Exit.WRONG if shown.solution.contradicts or shown.doubts else Exit.OPTIMAL


def _public(name: str, why: str) -> tuple[str, str]:
    """A file and what is wrong with it, for the index: without the folders of absolute paths."""
    path = Path(name)
    folders = [path.parent.resolve(), *([path.parent] if path.is_absolute() else [])]
    for folder in folders:
        why = why.replace(f"{folder}{os.sep}", "")
    return path.name if path.is_absolute() else name, why


def _add(site: SiteFolder, page: str, key: tuple[str, str], shown: Presented, rules: dict[str, Any] | None) -> None:
    """Write the files of a puzzle."""
    from ..views.site import card, puzzle_page
    from ..views.svg import board_svg

    files: dict[str, bytes | str] = {
        ".html": puzzle_page(shown, page, rules),
        ".svg": board_svg(shown.solution.puzzle),
        ".yaml": key[0],
    }
    if shown.certificate is not None:
        files[".certificate.zip"] = shown.certificate
    site.add(page, key, card(shown, page, rules is not None), files)


def _rules(puzzle: Puzzle, watch: LimitedWork, progress: Progress) -> dict[str, Any] | None:
    """What a browser plays the puzzle by, found in a process apart; None if it cannot."""
    from ..runtime.budget import Budget

    budget = Budget(RULES, watch.budget.memory_mib)
    budget.interrupted = watch.budget.interrupted
    try:
        rules: dict[str, Any] | None = watch.apart.run(partial(_rules_within, puzzle), budget, progress)
    except StoppedError:
        return None
    return rules


def _rules_within(puzzle: Puzzle, _budget: Budget, _progress: Progress) -> dict[str, Any] | None:
    from ..views.rules import rules_of

    return rules_of(puzzle, puzzle.header.metric)


def _finish(site: SiteFolder, pages: list[str], problems: list[tuple[str, str]], title: str) -> None:
    """Write what the pages share, the index, and the links from each page to the next."""
    from ..views.site import assets, index, linked, linked_page

    for page in site.done.keys() - set(pages):
        site.drop(page)
    site.keep()
    for name, text in assets().items():
        site.write(f"assets/{name}", text)
    site.write("play.html", linked_page())
    done = [page for page in pages if page in site.done]
    for page, before, after in zip(done, [None, *done], [*done[1:], None], strict=False):
        file = site.folder / "puzzles" / f"{page}.html"
        text = file.read_text(encoding="utf-8")
        if (new := linked(text, before, after)) != text:
            site.write(f"puzzles/{page}.html", new)
    cards = [site.done[page]["card"] for page in done]
    site.write("index.html", index(title, cards, problems, len(pages) - len(done) - len(problems)))
