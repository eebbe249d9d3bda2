"""The page: what stands where, and which view is shown."""

from __future__ import annotations

from pathlib import Path

from fastapi import Response
from nicegui import app, ui
from nicegui.events import GenericEventArguments

from ..models.errors import BudgeError, UsageError
from ..models.families import families
from ..views import board_files
from ..views.template import template
from . import compare, editor, explore, library_view, links, play, replay, results, share, solve, verify
from .desk import Desk, Studio
from .library import DRAFT, address
from .pictures import NO_PICTURE, picture

WEB = Path(__file__).parent / "web"

VIEWS = {
    "write": ("Write", "edit"),
    "play": ("Play", "touch_app"),
    "solve": ("Solve", "query_stats"),
    "replay": ("Replay", "play_circle"),
    "check": ("Check", "verified"),
    "explore": ("Explore", "hub"),
    "compare": ("Compare", "leaderboard"),
    "results": ("Results", "storage"),
}
"""The views: what their tabs say, and their icons. On a wide screen the first one is always there."""

FIRST = "shipped:rush_hour/bird-1"
"""What is opened when nothing was named."""

HEAD = """
<link rel="stylesheet" href="/static/board.css">
<link rel="stylesheet" href="/static/studio.css">
<script src="/static/board.js"></script>
<script type="module" src="/static/studio.js"></script>
"""


def add_routes(studio: Studio) -> None:
    """Add the page, its files and the pictures of puzzles to NiceGUI's application."""
    ui.add_head_html(HEAD, shared=True)
    for file in sorted(WEB.iterdir()):
        app.add_static_file(local_file=file, url_path=f"/static/{file.name}", max_cache_age=0)

    @app.get("/static/board.js")
    def _board_script() -> Response:
        return Response(board_files.script("board") + board_files.script("replay"), media_type="text/javascript")

    @app.get("/static/board.css")
    def _board_style() -> Response:
        return Response(board_files.style(), media_type="text/css")

    @app.get("/picture")
    def _picture(key: str) -> Response:
        """A puzzle of the library as an SVG."""
        try:
            drawn = picture(studio.library.puzzle(key))
        except BudgeError:
            drawn = NO_PICTURE
        return Response(drawn, media_type="image/svg+xml")

    @ui.page("/", title="Budge studio", favicon=WEB / "icon.svg")
    async def _page(
        open: str | None = None, new: str | None = None, store: str | None = None, run: int | None = None
    ) -> None:
        if new is not None:
            key = studio.library.new_draft(_template(new))
            ui.navigate.to(address(key))
            return
        opened = (store, run) if store is not None and run is not None else None
        await Page(studio, open or studio.first or FIRST, opened).build()


def _template(family: str) -> str:
    record = families().get(family)
    return template(record) if record else ""


class Page:
    """One tab. `run`: the run of a store with which the puzzle is opened, by the store's name and its number."""

    def __init__(self, studio: Studio, key: str, run: tuple[str, int] | None = None) -> None:
        self.problem = ""
        try:
            text = studio.library.text(key)
        except UsageError as error:
            self.problem, text = str(error), ""
            key = key if key.startswith(DRAFT) else f"{DRAFT}lost"
        self.desk = Desk(studio, key, text, opened_run=run)
        self.tabs: dict[str, ui.element] = {}
        self.root = ui.element("div").classes("studio view-play")

    async def build(self) -> None:
        """Put everything on the page, then read the puzzle."""
        desk = self.desk
        desk.show, desk.frame = self.show, self.root
        ui.colors(primary="#1d5fae", positive="#1b6e3c", negative="#b3261e", info="#1d5fae")
        with self.root:
            ui.html('<a class="skip" href="#view">Skip to the puzzle</a>', sanitize=False)
            self._header()
            with ui.element("div").classes("panes").props('id="view"'):
                with ui.element("section").classes("pane pane-write").props('aria-label="Write"'):
                    self.editor = editor.Editor(desk)
                views = {
                    "play": play.Play,
                    "solve": solve.Solve,
                    "replay": replay.Replays,
                    "check": verify.Claims,
                    "explore": explore.Explore,
                    "compare": compare.Compare,
                    "results": results.Results,
                }
                for name, view in views.items():
                    with ui.element("section").classes(f"pane pane-{name}").props(f'aria-label="{VIEWS[name][0]}"'):
                        view(desk)
        ui.on("studio-link", self._open_link)
        ui.on("studio-kept", self._restore)
        if self.problem:
            ui.notify(self.problem, type="negative")
        ui.timer(0.01, desk.read, once=True)

    def _header(self) -> None:
        desk = self.desk
        with ui.element("header").classes("top"):
            ui.html('<span class="brand"><img src="/static/icon.svg" alt="">Budge</span>', sanitize=False)
            library_view.button(desk)
            with ui.element("div").classes("title"):
                title = ui.element("h1")
                with title:
                    name = ui.label("")
                about = ui.label("").classes("about")
            with ui.element("nav").classes("tabs").props('aria-label="Views"'):
                for view, (text, icon) in VIEWS.items():
                    self.tabs[view] = self._tab(view, text, icon)
            with ui.element("div").classes("tools"):
                share.buttons(desk)
                dark = ui.dark_mode(None)
                self._theme(dark)

        def told() -> None:
            puzzle = desk.puzzle
            name.text = puzzle.header.name if puzzle else desk.studio.library.name(desk.key)
            problems = len(desk.check.problems)
            about.text = puzzle.record.title if puzzle else f"{problems} problem{'s' if problems != 1 else ''}"

        desk.on_check.append(told)
        told()

    def _tab(self, view: str, text: str, icon: str) -> ui.element:
        tab = ui.element("button").classes(f"tab tab-{view}").props('type="button"')
        with tab:
            ui.icon(icon).props('aria-hidden="true"')
            ui.label(text)
        tab.on("click", lambda: self.show(view))
        if view == "play":
            tab.props('aria-current="page"')
        return tab

    def _theme(self, dark: ui.dark_mode) -> None:
        def turn() -> None:
            ui.run_javascript("budgeStudio.turnTheme()")

        with ui.button(icon="contrast", on_click=turn).props('flat round dense aria-label="Light or dark"'):
            ui.tooltip("Light or dark")
        ui.on("studio-theme", lambda e: dark.set_value(bool(e.args)))
        ui.on("studio-dark", lambda e: self.desk.set_dark(bool(e.args)))

    def show(self, view: str) -> None:
        """Show a view."""
        self.root.classes(replace=f"studio view-{view}")
        self.desk.shown(view)
        for name, tab in self.tabs.items():
            if name == view:
                tab.props('aria-current="page"')
            else:
                tab.props(remove="aria-current")

    async def _open_link(self, event: GenericEventArguments) -> None:
        """Open the puzzle of a link as a draft of its own."""
        try:
            text = links.unpacked(str(event.args))
        except UsageError as error:
            ui.notify(str(error), type="negative")
            return
        ui.navigate.to(address(self.desk.studio.library.new_draft(text)))

    async def _restore(self, event: GenericEventArguments) -> None:
        """The browser has kept a text of this key that the studio, begun anew since, does not know."""
        desk, kept = self.desk, str(event.args)
        if desk.studio.library.draft(desk.key) is None and kept != desk.text:
            await desk.set_text(kept)
            ui.notify("Unsaved changes of this browser are back.", type="info")
