"""A studio at work and a browser to look at it with, for tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from .browser import TIMEOUT, watched
from .patience import PATIENCE


@dataclass
class Server:
    """A studio that was started: its address with the token, its port, its process."""

    address: str
    process: subprocess.Popen[str]

    @property
    def origin(self) -> str:
        return self.address.partition("/?")[0]

    def memory(self) -> int:
        """Bytes that the server's own process holds."""
        return int(psutil.Process(self.process.pid).memory_info().rss)

    def seconds(self) -> float:
        """Seconds of processor time that the server's own process has taken."""
        times = psutil.Process(self.process.pid).cpu_times()
        return float(times.user + times.system)


@contextmanager
def studio(folder: Path, *, port: str = "") -> Iterator[Server]:
    """`budge studio` on a folder, until the block ends."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", "studio", str(folder), "--no-browser", "--port", port or free_port()],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**ours, "PYTHONUNBUFFERED": "1", "XDG_STATE_HOME": str(folder.parent / "state")},
    )
    try:
        assert process.stdout is not None
        told = []
        for line in process.stdout:  # whatever it says before: who waited for its end would wait for ever
            told.append(line)
            if found := re.search(r"http://\S+", line):
                break
        else:
            raise RuntimeError("".join(told))
        yield Server(found[0], process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def free_port() -> str:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Page:
    """A page of the studio: what Playwright's page can do, and what tests do again and again."""

    def __init__(self, raw: Any, server: Server) -> None:
        self.raw, self.server = raw, server

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)

    def open(self, key: str, view: str = "write") -> None:
        """Open a puzzle, and wait until its text has been read and, if it is a puzzle, its game is there."""
        self.raw.goto(f"{self.server.address}&open={key}&view={view}")
        self.ready()

    def ready(self) -> None:
        """Wait until the text has been read, and the game is there."""
        self.raw.wait_for_function(
            "() => document.body.classList.contains('stale') || document.querySelector('budge-game .stage')"
        )

    def show(self, panel: str) -> None:
        """Show a panel by its tab."""
        self.raw.click(f"#tab-{panel}")
        self.raw.wait_for_selector(f"#tab-{panel}[aria-selected=true]")

    def write(self, text: str) -> None:
        """Replace the text in the editor."""
        self.raw.fill(EDITOR, text)

    @property
    def text(self) -> str:
        """The text in the editor, which is shown."""
        return str(self.raw.input_value(EDITOR))

    @property
    def played(self) -> list[str]:
        """The moves to where the game is."""
        return list(self.raw.evaluate("document.querySelector('budge-game').notation"))

    def titled(self, *words: str) -> None:
        """Wait until the title, and the line below it, say some words."""
        self.raw.wait_for_function(
            "words => words.every(word => document.querySelector('.title')?.innerText.includes(word))", arg=list(words)
        )


EDITOR = "#panel-write textarea"
"""Where the text is written."""

REFUSALS = re.compile(r"responded with a status of (400|409|422) ")
"""What a browser notes of an answer that the page shows in words."""


class Sighted:
    """A browser (`browser.browser`) and what it is used for."""

    def __init__(self, running: Any) -> None:
        self.browser = running
        self._contexts: dict[tuple[int, bool], tuple[Any, Any]] = {}

    @contextmanager
    def page(self, server: Server, width: int = 1280, dark: bool = False) -> Iterator[Page]:
        """A page in an empty profile, that must ask no other host and complain of nothing."""
        with self._emptied(server, width, dark) as context:
            raw = context.new_page()
            seen = watched(raw)
            yield Page(raw, server)
            assert [url for url in seen.requests if not url.startswith((server.origin, "data:", "blob:"))] == []
            errors = [error for error in seen.errors if not REFUSALS.search(error)]
            assert not errors, errors

    @contextmanager
    def _emptied(self, server: Server, width: int, dark: bool) -> Iterator[Any]:
        """A profile that tests use in turn, with nothing in it but what the browser has loaded: the scripts of the
        studio, which take most of the time of a page in a new profile.
        """
        if (width, dark) not in self._contexts:
            context = self._new_context(width, dark)
            self._contexts[width, dark] = context, context.new_cdp_session(context.new_page())
        context, session = self._contexts[width, dark]
        context.clear_cookies()
        session.send("Storage.clearDataForOrigin", {"origin": server.origin, "storageTypes": "all"})
        try:
            yield context
        finally:
            for page in context.pages[1:]:  # the first one stays empty: the session is with it
                page.close()
            context.unroute_all()

    @contextmanager
    def context(self) -> Iterator[Any]:
        """A profile of its own: several pages share its cookies."""
        context = self._new_context(1280, False)
        try:
            yield context
        finally:
            context.close()

    def _new_context(self, width: int, dark: bool) -> Any:
        context = self.browser.new_context(
            viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light", accept_downloads=True
        )
        context.set_default_timeout(TIMEOUT)
        return context


def still(page: Page) -> None:
    """Wait until nothing on a page changes its colour or its place any more."""
    page.wait_for_function(
        "() => document.getAnimations().every(one => !(one instanceof CSSTransition) || one.playState === 'finished')"
    )


def graves(page: Any) -> list[tuple[str, str]]:
    """What axe-core finds on a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed").Axe()
    found = axe.run(getattr(page, "raw", page)).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found]
