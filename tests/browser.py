"""A real browser for tests: Chromium by Playwright, where both are installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

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
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@dataclass
class Opened:
    """A page, what it asked for besides itself, and what it complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not self.requests and not self.errors


def opened(running: Any, file: Path, *, width: int = 1280, height: int = 800, **options: Any) -> Opened:
    """A file in a page of a width; `options` are Playwright's (`color_scheme`, `has_touch`, ...)."""
    page = running.new_page(viewport={"width": width, "height": height}, **options)
    found, address = Opened(page), file.as_uri()
    page.on("request", lambda request: found.requests.extend({request.url} - {address}))
    page.on("console", lambda said: found.errors.extend([said.text] if said.type in ("error", "warning") else []))
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.goto(address)
    return found
