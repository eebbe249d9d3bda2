"""A desk: what one tab works on. The text, what is said of it, and the puzzle if it is one.

The views of a tab listen to its desk, and none of them to another view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from nicegui import run as threads
from nicegui import ui

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from .library import DRAFT, Library
from .reading import Reader
from .runs import Runs
from .stores import Stores

PAUSE = 0.25
"""Seconds without a keystroke after which a text is read."""


class Listener(Protocol):
    """What is called when the puzzle of a desk has changed, or there is none any more."""

    def __call__(self) -> None: ...


@dataclass
class Studio:
    """What all tabs share. The most seconds and MiB that a run may be given; the key of the puzzle to open first."""

    library: Library
    reader: Reader
    runs: Runs
    stores: Stores
    most_seconds: float
    most_memory: int
    first: str | None = None


@dataclass(eq=False)
class Desk:
    """The text of a tab under its key. `puzzle` is that of the text, or None while something is wrong with it.

    Several tabs may have the same key. `base` is the revision of the text in the library that this tab has seen last:
    while the library has a later one, of another tab, this one is `behind`, and does not overwrite it. `stored`: what
    stood in its file then.
    `opened_run`: the run of a store whose plan is to be shown, until that is done: the store's name, its number.
    """

    studio: Studio
    key: str
    text: str
    check: Check = field(default_factory=lambda: Check(""))
    on_check: list[Listener] = field(default_factory=list)
    on_puzzle: list[Listener] = field(default_factory=list)
    on_text: list[Listener] = field(default_factory=list)
    show: Callable[[str], None] = lambda view: None
    replay: Callable[[Puzzle, Replay, str], None] = lambda puzzle, replay, about: None
    on_theme: list[Listener] = field(default_factory=list)
    on_view: list[Listener] = field(default_factory=list)
    view: str = "play"
    dark: bool = False
    opened_run: tuple[str, int] | None = None
    on_key: list[Listener] = field(default_factory=list)
    base: int = 0
    stored: str | None = None
    frame: ui.element | None = None
    _revision: int = 0

    def __post_init__(self) -> None:
        self.base = self.studio.library.revision(self.key)[0]
        self.stored = self._in_file()

    def _in_file(self) -> str | None:
        try:
            return self.studio.library.read(self.key)
        except UsageError:
            return None

    @property
    def overtaken(self) -> bool:
        """Whether saving would overwrite what another tab or program has written since."""
        return self.behind or self._in_file() not in (None, self.stored, self.text)

    def saved_as(self, key: str) -> None:
        """The text was written to the file of a key."""
        self.base = self.studio.library.drop(self.key)
        if key == self.key:
            self.stored = self.text

    @property
    def behind(self) -> bool:
        """Whether another tab has changed the text of this key since."""
        return self.studio.library.revision(self.key)[0] != self.base

    async def catch_up(self) -> None:
        """Take the text that another tab has written. Raises `UsageError` if there is none any more."""
        self.text = self.studio.library.text(self.key)
        self.base, self.stored = self.studio.library.revision(self.key)[0], self._in_file()
        self._revision += 1
        self._tell(self.on_text)
        await self.read()

    @property
    def puzzle(self) -> Puzzle | None:
        return self.check.puzzle

    @property
    def topic(self) -> str:
        """What the runs of this desk are filed under."""
        return self.key

    def set_dark(self, dark: bool) -> None:
        """The page is dark from now on, or light."""
        self.dark = dark
        self._tell(self.on_theme)

    def shown(self, view: str) -> None:
        """Another view is shown from now on, or the same one was chosen again."""
        self.view = view
        self._tell(self.on_view)

    @property
    def saved(self) -> bool:
        """Whether the text is the one in its file."""
        return self.studio.library.draft(self.key) is None

    async def set_text(self, text: str) -> None:
        """Put in another text, as an editor's change by a button, and read it at once."""
        self.text = text
        self._tell(self.on_text)
        await self.changed(text, pause=0)

    async def changed(self, text: str, pause: float = PAUSE) -> None:
        """The text has changed: keep it, and read it when the author pauses.

        If another tab has changed it too, this tab goes on with a draft of its own: both texts are kept.
        """
        library, apart = self.studio.library, self.behind
        self.text = text
        self._revision += 1
        revision = self._revision
        if apart:
            self.key = library.new_draft(text)
            self.base = library.revision(self.key)[0]
            self._tell(self.on_key)
        else:
            self.base = library.keep(self.key, text)
        await asyncio.sleep(pause)
        if revision == self._revision:
            await self.read()

    async def read(self) -> None:
        """Read the text, and tell the views."""
        revision, library = self._revision, self.studio.library
        path = library.path(self.key)
        check = await threads.io_bound(self.studio.reader.check, self.text, library.name(self.key), path)
        if check is None or revision != self._revision:
            return
        self.check = check
        self._tell([*self.on_check, *self.on_puzzle])

    def _tell(self, listeners: Iterable[Listener]) -> None:
        """Call listeners. What they put on the page belongs to the page, even if the button that began it has gone."""
        with self.frame or nullcontext():
            for listener in listeners:
                listener()

    @property
    def is_draft(self) -> bool:
        return self.key.startswith(DRAFT)
