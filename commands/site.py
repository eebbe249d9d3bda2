"""The command `site`: a folder of puzzles as a small web site that needs no server.

All pages are written first, to be played at once; then the puzzles are solved, and each page gets its answer.

Exit codes: 0 every page is written (limits are no error), 2 bad usage, or files that are no puzzles: the index lists
them; 3 a limit came before anything was known of a puzzle, which is listed there, too; 4 an answer contradicts the
`expect` of its file, or its certificate is refused; 70 a puzzle failed; 130 interrupted, 143 by SIGTERM. The same
command continues.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.documents.files import writing
from ..models.errors import BudgeError, UsageError, printable
from ..runtime.outcome import Outcome, Status, StoppedError
from .common import LimitedWork, code_of, message, reporter_of, search_each, tell_written
from .streams import Exit, worst

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

    All pages are written first, to be played at once; answers follow one by one. What is not proven within its time is
    said as bounds. Pages that are done stay, so the same command continues.
    """
    from ..models.library import find
    from ..workflows.site_folder import SiteFolder, pages_of

    for name in arguments.puzzles:
        path = find(name)  # what is not there is bad usage; what is there and no puzzle is listed
        if (Path(arguments.out).resolve() / "puzzles") in path.resolve().parents:
            raise UsageError(f"`{name}` is a file of the site {arguments.out}: name the puzzle that it was made from")
    build = _Build(SiteFolder.at(Path(arguments.out)), pages_of(arguments.puzzles), arguments.title)
    index, arguments.json = build.site.folder / "index.html", False
    with writing(build.site.folder):
        build.link()
        codes = [search_each(arguments, build.draft, spaced=False)]
        build.link()
        if codes[0] not in (Exit.INTERRUPTED, Exit.HUNG_UP, Exit.QUIT, Exit.TERMINATED) and build.drafts:
            tell_written(index, "; all pages can be played, answers follow")
            arguments.puzzles = list(build.drafts)
            codes.append(search_each(arguments, build.solve, spaced=False))
    tell_written(index)
    return worst(codes)


@dataclass
class _Build:
    """A site that is written. `pages`: the page of each name; `problems`: names without an answer, with reasons."""

    site: SiteFolder
    pages: dict[str, str]
    title: str
    problems: list[tuple[str, str]] = field(default_factory=list)
    drafts: dict[str, tuple[Puzzle, tuple[str, str], dict[str, Any] | None]] = field(default_factory=dict)
    """What is to be solved: under which key its page is then done, and what a browser plays it by."""

    def draft(self, name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
        """Make the page of a puzzle without its answer, unless it is done; gives the exit code."""
        from ..workflows.site_folder import Presented
        from ..workflows.solving import Solution

        page = self.pages[name]
        try:
            with reporter_of(arguments) as progress:
                puzzle = watch.load(name, progress)
                key = (puzzle.to_yaml(), f"{watch.budget.seconds} {watch.budget.memory_mib}")
                if self.site.has(page, key):
                    return Exit.WRONG if self.site.done[page]["card"].get("contradicts") else Exit.OPTIMAL
                rules = _rules(puzzle, watch, progress)
        except BudgeError as error:
            self.site.drop(page)
            return self._missing(name, error, watch, "it has no page")
        if not watch.budget.interrupted.is_set():
            self.drafts[name] = puzzle, key, rules
            if not self.site.shows(page, key[0]):
                unsolved = Solution(puzzle, "", puzzle.header.metric, Outcome(status=Status.UNKNOWN), None)
                self._add(name, Presented(unsolved), (key[0], ""))
        return Exit.OPTIMAL

    def solve(self, name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
        """Give the page of a puzzle its answer; gives the exit code."""
        from ..workflows.site_folder import present

        page, (puzzle, key, _) = self.pages[name], self.drafts[name]
        try:
            with reporter_of(arguments) as progress:
                progress.count_in(puzzle.metric(puzzle.header.metric))
                shown = present(puzzle, f"{page}.certificate", watch.budget, watch.apart, progress)
        except BudgeError as error:
            code = self._missing(name, error, watch, "its page has no answer")
            self.index()
            return code
        if watch.budget.interrupted.is_set():
            return Exit.OPTIMAL
        self._add(name, shown, key)
        self.index()
        said = "; ".join(["proven" if shown.proven else "not proven", *(f"in doubt: {why}" for why in shown.doubts)])
        print(f"{printable(name)}: {shown.solution.bounds}, {said}; puzzles/{page}.html", flush=True)
        return Exit.WRONG if shown.solution.contradicts or shown.doubts else Exit.OPTIMAL

    def _missing(self, name: str, error: BudgeError, watch: LimitedWork, what: str) -> int:
        """Say why there is no page, or no answer on it, and have the index say so; gives the exit code."""
        if watch.budget.interrupted.is_set():
            return Exit.OPTIMAL
        self.problems.append(_public(name, str(error)))
        told = f"budge: {name}: {error}" if isinstance(error, UsageError | StoppedError) else message(error, name)
        print(f"{told}\n  {what}; the index lists it with the reason", file=sys.stderr)
        return code_of(error)

    def _add(self, name: str, shown: Presented, key: tuple[str, str]) -> None:
        """Write the files of a puzzle."""
        from ..views.site import card, linked, puzzle_page
        from ..views.svg import board_svg

        page, (_, _, rules) = self.pages[name], self.drafts[name]
        files: dict[str, bytes | str] = {
            ".html": linked(puzzle_page(shown, page, rules), *self._near(page)),
            ".svg": board_svg(shown.solution.puzzle),
            ".yaml": key[0],
        }
        if shown.certificate is not None:
            files[".certificate.zip"] = shown.certificate
        self.site.add(page, key, card(shown, page, rules is not None), files)

    def _near(self, page: str) -> tuple[str | None, str | None]:
        """The pages before and after one."""
        done = [page for page in self.pages.values() if page in self.site.done]
        at = done.index(page) if page in done else len(done)
        return done[at - 1] if at else None, done[at + 1] if at + 1 < len(done) else None

    def link(self) -> None:
        """Write what the pages share, the index, and the links from each page to the next."""
        from ..views.site import assets, linked, linked_page

        site = self.site
        for page in site.done.keys() - set(self.pages.values()):
            site.drop(page)
        site.keep()
        for name, text in assets().items():
            site.write(f"assets/{name}", text)
        site.write("play.html", linked_page())
        for page in site.done:
            text = (site.folder / "puzzles" / f"{page}.html").read_text(encoding="utf-8")
            if (new := linked(text, *self._near(page))) != text:
                site.write(f"puzzles/{page}.html", new)
        self.index()

    def index(self) -> None:
        """Write the index, with what is known by now."""
        from ..views.site import index

        done = [self.site.done[page] for page in self.pages.values() if page in self.site.done]
        waiting = len(self.pages) - len(self.problems) - sum(entry["key"][1] != "" for entry in done)
        self.site.write("index.html", index(self.title, [entry["card"] for entry in done], self.problems, waiting))


def _public(name: str, why: str) -> tuple[str, str]:
    """A file and what is wrong with it, for the index: without the folders of absolute paths."""
    path = Path(name)
    folders = [path.parent.resolve(), *([path.parent] if path.is_absolute() else [])]
    for folder in folders:
        why = why.replace(f"{folder}{os.sep}", "")
    return path.name if path.is_absolute() else name, why


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
