"""The page: its parts, and which view is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from fastapi import Response
from fastapi.responses import RedirectResponse
from nicegui import app, ui

from ..models.errors import BudgeError, UsageError
from ..models.families import find_family
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..models.text import counted, cut
from ..views import shapes
from ..views.html import escape
from ..views.schema import template
from ..views.svg import board_svg
from . import check, compare, editor, explore, library_view, play, results, share, solve
from .desk import PLAY, WRITE, Desk, Studio
from .kept import DRAFT, new_key
from .library import Library, address
from .widgets import round_button, show_error

WEB = Path(__file__).parent / "web"

VIEWS: dict[str, tuple[str, str, Callable[[Desk], object] | None]] = {
    WRITE: ("Write", "edit", None),
    PLAY: ("Play", "touch_app", play.PlayView),
    "solve": ("Solve", "query_stats", solve.SolveView),
    "replay": ("Replay", "play_circle", play.ReplayView),
    "check": ("Check", "verified", check.CheckView),
    "explore": ("Explore", "hub", explore.ExploreView),
    "compare": ("Compare", "leaderboard", compare.CompareView),
    "results": ("Results", "storage", results.ResultsView),
}
"""The views: what their tabs say, their icons, and what fills them when they are first shown (the editor is always
there). On a wide screen the board stands beside the first one.
"""

FIRST = "shipped:rush_hour/bird-1"
"""The puzzle that is opened when none was named."""

HEAD = """
<link rel="stylesheet" href="/static/board.css">
<link rel="stylesheet" href="/static/studio.css">
<script src="/static/board.js"></script>
<script type="module" src="/static/studio.js"></script>
"""


AT_ONCE = """
<div id="at-once"><header class="top"><span class="brand"><img src="/static/icon.svg" alt=""><span>Budge</span></span>
<b>{title}</b></header><p>{picture}</p></div>
"""
"""What is seen before the scripts have come: it is hidden by the page's style as soon as they have built the page."""


WIDTH = 240
"""Pixels of the picture of a puzzle on a card, an SVG that needs no script."""


NO_PICTURE = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{WIDTH}" viewBox="0 0 24 24">'
    '<text x="12" y="16" font-size="12" text-anchor="middle" fill="#888">?</text></svg>'
)
"""The picture of a puzzle with a mistake, as unsaved text may have."""


def add_routes(studio: Studio) -> None:
    """Add the page, its files and the pictures of puzzles to NiceGUI's application."""
    ui.add_head_html(HEAD, shared=True)
    for file in sorted(WEB.iterdir()):
        app.add_static_file(local_file=file, url_path=f"/static/{file.name}", max_cache_age=0)

    @app.get("/static/board.js")
    def _board_script() -> Response:
        return Response(shapes.script("board") + shapes.script("replay"), media_type="text/javascript")

    @app.get("/static/board.css")
    def _board_style() -> Response:
        return Response(shapes.style(), media_type="text/css")

    @app.get("/picture")
    def _picture(key: str = "", stamp: str = "") -> Response:
        """A puzzle of the library as an SVG, which the browser keeps if it knows what text it is of."""
        try:
            drawn = str(board_svg(studio.library.puzzle(key), width=WIDTH))
        except BudgeError:
            drawn = NO_PICTURE
        kept = {"Cache-Control": "private, max-age=86400"} if stamp else {}
        return Response(drawn, media_type="image/svg+xml", headers=kept)

    @ui.page("/", title="Budge studio", favicon=WEB / "icon.svg")
    async def _page(
        open: str = "", new: str = "", view: str = "", store: str = "", run: str = ""
    ) -> RedirectResponse | None:
        if new and not open:
            return RedirectResponse(address(new_key(), new, view or WRITE), 303)
        opened = (store, int(run)) if store and run.isdecimal() and len(run) < 16 else None
        page = Page(studio, open or studio.first or FIRST, new, opened)
        if new == "" and view in ("", PLAY):
            drawn = f'<img src="/picture?key={quote(page.desk.key, safe="")}" alt="">'
            ui.add_body_html(AT_ONCE.format(title=escape(studio.library.name(page.desk.key)), picture=drawn))
        if run and opened is None:
            page.problem = f"there is no run `{cut(run, 40)}` of the store `{cut(store, 40)}`"
        await page.build(view if view in VIEWS else PLAY)
        return None


class Page:
    """One tab. `new`: the family with whose template a draft begins; `run`: the run of a store with which the puzzle is
    opened, by the store's name and its number.
    """

    def __init__(self, studio: Studio, key: str, new: str = "", run: tuple[str, int] | None = None) -> None:
        self.problem = ""
        self.aside = studio.library.set_aside(key)
        try:
            text = _text(studio.library, key, new)
        except UsageError as error:
            self.problem, text = str(error), ""
            key = key if key.startswith(DRAFT) else new_key()
        self.desk = Desk(studio, key, text, opened_run=run)
        self.tabs: dict[str, ui.element] = {}
        self.panes: dict[str, tuple[ui.element, Callable[[Desk], object]]] = {}
        self.filled: set[str] = set()
        self.root = ui.element("div").classes(f"studio view-{PLAY}")

    async def build(self, view: str) -> None:
        """Put everything on the page with a view, then read the puzzle."""
        desk, client = self.desk, ui.context.client
        desk.show, desk.frame, desk.gone = self.show, self.root, lambda: client.is_deleted
        ui.colors(primary="#1d5fae", positive="#1b6e3c", negative="#b3261e", info="#1d5fae")
        with self.root:
            with ui.element("a").classes("skip") as skip:
                ui.label("Skip to the board")
            self._header()
            strips = ui.element("div").classes("strips")
            with ui.element("div").classes("panes"):
                with ui.element("section").classes("pane pane-write").props('aria-label="Write"'):
                    self.editor = editor.Editor(desk, strips)
                for name, (title, _, filled) in VIEWS.items():
                    if filled is not None:
                        pane = ui.element("section").classes(f"pane pane-{name}")
                        self.panes[name] = pane.props(f'aria-label="{title}" tabindex="-1"'), filled
        self._fill(PLAY)
        if desk.opened_run is not None:
            self._fill("results")
        desk.replay = self._replay
        skip.props(f'href="#{self.panes[PLAY][0].html_id}"')
        ui.on("studio-link", lambda event: share.open_link(desk, str(event.args)))
        ui.on("studio-view", lambda event: self._show(str(event.args)))
        ui.on_exception(_failed)
        if self.aside is not None:
            name = desk.studio.library.name(desk.key)
            self.editor.offer(self.aside, f"Unsaved changes of an older {name} are kept: its file is another now.")
        if self.problem:
            ui.notify(self.problem, type="negative", timeout=0, close_button="Close", multi_line=True)
        self._show(view)
        ui.timer(0.01, self._begin, once=True)

    def _fill(self, view: str) -> None:
        """Make what a view has, once: a page with all of them would be twice as large, and come later."""
        if view not in self.panes or view in self.filled:
            return
        self.filled.add(view)
        place, fill = self.panes[view]
        before = len(self.desk.on_puzzle)
        with place:
            fill(self.desk)
            if self.desk.check.file:  # the text has been read: listeners that are new here have not been called
                for listener in self.desk.on_puzzle[before:]:
                    listener()

    def _replay(self, puzzle: Puzzle, plan: Replay, about: str) -> None:
        """Show a plan in the view `replay`, which takes the next ones itself."""
        self._fill("replay")
        self.desk.replay(puzzle, plan, about)

    async def _begin(self) -> None:
        """What needs the browser: who it is, and what was done in this tab before."""
        self.desk.tab = ui.context.client.tab_id or ""
        if (replayed := self.desk.memory.replayed) is not None:
            self.desk.replay(*replayed)
        await self.desk.read()

    def _header(self) -> None:
        desk = self.desk
        with ui.element("header").classes("top"):
            ui.html(
                '<span class="brand"><img src="/static/icon.svg" alt=""><span class="brand-name">Budge</span></span>',
                sanitize=False,
            )
            library_view.button(desk)
            with ui.element("div").classes("title"):
                title = ui.element("h1")
                with title:
                    name = ui.label("")
                about = ui.label("").classes("about")
            with ui.element("nav").classes("tabs").props('aria-label="Views"'):
                for view, (text, icon, _) in VIEWS.items():
                    self.tabs[view] = self._tab(view, text, icon)
            with ui.element("div").classes("tools"):
                share.buttons(desk)
                dark = ui.dark_mode(None)
                self._theme(dark)

        def show_title() -> None:
            puzzle = desk.puzzle
            name.text = puzzle.header.name if puzzle else desk.studio.library.name(desk.key)
            about.text = puzzle.record.title if puzzle else counted(len(desk.check.problems), "problem")

        desk.on_check.append(show_title)
        show_title()

    def _tab(self, view: str, text: str, icon: str) -> ui.element:
        tab = ui.element("button").classes(f"tab tab-{view}").props('type="button"')
        with tab:
            ui.icon(icon).props('aria-hidden="true"')
            ui.label(text)
        tab.on("click", js_handler=f"() => budgeStudio.choose('{view}')")
        return tab

    def _theme(self, dark: ui.dark_mode) -> None:
        def turn() -> None:
            ui.run_javascript("budgeStudio.turnTheme()")

        round_button("Light or dark", "contrast", turn)
        ui.on("studio-theme", lambda e: dark.set_value(bool(e.args)))
        ui.on("studio-dark", lambda e: self.desk.set_dark(bool(e.args)))

    def show(self, view: str) -> None:
        """Show a view, so that Back goes to the one before."""
        if view != self.desk.view:
            ui.run_javascript(f"budgeStudio.view({json.dumps(view)})")
        self._show(view)

    def _show(self, view: str) -> None:
        view = view if view in VIEWS else PLAY
        self.root.classes(replace=f"studio view-{view}")
        self._fill(view)
        self.desk.shown(view)
        for name, tab in self.tabs.items():
            if name == view:
                tab.props('aria-current="page"')
            else:
                tab.props(remove="aria-current")


def _text(library: Library, key: str, new: str) -> str:
    """The text of a key; of a draft that nobody has changed yet, the template of its family. Raises `UsageError`."""
    if new and key.startswith(DRAFT) and library.draft(key) is None:
        return template(find_family(new))
    return library.text(key)


def _failed(error: Exception) -> None:
    """Nothing fails in silence: the terminal has the traceback, the page a sentence."""
    said = str(error) if isinstance(error, BudgeError) else f"a fault of the studio, see the terminal: {error!r}"
    show_error(said)
