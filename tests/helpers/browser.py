"""A real browser for tests: Chromium by Playwright, where both are installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

TIMEOUT = 150_000
"""Milliseconds that a browser waits for one thing: no test takes seconds for it, and many shall not hang in turn."""

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window; the test is skipped, and says why, where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: `pip install playwright`"
    )
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: `apt-get install chromium`")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield running
        running.close()


@dataclass
class Seen:
    """What a page has asked for and complained about."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def watched(page: Any, kinds: tuple[str, ...] = ("error",)) -> Seen:
    """Note the requests and the errors of a page; `kinds` of what is written to the console count as errors."""
    seen = Seen()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda said: seen.errors.append(f"{said.text} {said.location}") if said.type in kinds else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    return seen


@dataclass
class Opened:
    """A page of a file, and what was seen of it."""

    page: Any
    address: str
    seen: Seen

    @property
    def requests(self) -> list[str]:
        """What it asked for besides itself."""
        return [url for url in self.seen.requests if url != self.address and not url.startswith("blob:")]

    @property
    def errors(self) -> list[str]:
        return self.seen.errors

    @property
    def clean(self) -> bool:
        return not self.requests and not self.errors


def opened(running: Any, file: Path, *, width: int = 1280, height: int = 800, **options: Any) -> Opened:
    """A file in a page of a width; `options` are Playwright's (`color_scheme`, `has_touch`, ...)."""
    page = running.new_page(viewport={"width": width, "height": height}, **options)
    page.set_default_timeout(TIMEOUT)
    found = Opened(page, file.as_uri(), watched(page, ("error", "warning")))
    page.goto(found.address)
    return found
