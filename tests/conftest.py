"""What holds for all tests."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from budge.engines.table import ENGINES
from budge.runtime.kernels import ensure_kernels
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from .helpers.browser import browser
from .helpers.patience import PATIENCE, SLOWER, slowed
from .helpers.seeds import ALL, DRAWN_BY, today
from .helpers.studio_browser import Page, Server, Sighted, studio

UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile("any machine", deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("any machine")
if SLOWER != 1:
    slowed()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Hypothesis draws by the day, too, if it is not told otherwise."""
    if not ALL and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = DRAWN_BY


def pytest_report_header() -> str:
    """How to repeat this run's random cases."""
    return f"random cases: BUDGE_SEEDS={DRAWN_BY}"


FAST = {
    "models": "broken_files document long_texts n_puzzle robustness slc sokoban traps writing_files xsb",
    "project": "architecture",
    "proofs": "core_lrat",
}
"""Modules by room whose tests need no kernel, no child process and no browser: `pytest -m fast`."""


def uses_browser(item: pytest.Item | None) -> bool:
    """Whether a test uses a browser, itself or by another fixture."""
    return "running_browser" in getattr(item, "fixturenames", ())


def another_day(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Cases that it is not the day for, of tests marked `weekly` and of those of pages, but for the main ways through
    the studio: a seventh is run, the next one tomorrow. A checksum says on which day the first case of a test is.
    """
    next_case: dict[str, int] = {}
    for item in items:
        weekly = item.get_closest_marker("weekly") or (uses_browser(item) and item.path.stem != "test_studio")
        if weekly and not item.get_closest_marker("slow"):
            test = item.nodeid.partition("[")[0]
            number = next_case.setdefault(test, crc32(test.encode()))
            next_case[test] += 1
            if not today(number):
                yield item


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a browser come first, and fast ones last: no process waits long for another one at the end."""
    for item in another_day(items):
        item.add_marker(pytest.mark.slow)
    for item in items:
        if uses_browser(item):
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.path.stem.removeprefix("test_") in FAST.get(item.path.parent.name, "").split():
            item.add_marker(pytest.mark.fast)
    items.sort(key=lambda item: (not uses_browser(item), item.get_closest_marker("fast") is not None))


class ByModule(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a module run in one process, which makes once what they share; all tests of a browser in one, as
    pages that wait for each other lose clicks.
    """

    def _split_scope(self, nodeid: str) -> str:
        _, _, group = nodeid[nodeid.rfind("]") + 1 :].partition("@")
        return group or nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule:
    """Modules are begun in the order in which they are collected."""
    config.option.loadscopereorder = False
    return ByModule(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage while tests are collected, nor among them afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all kernels before the whole suite begins, once for all its processes: no test waits for a compiler, and
    none is ended for it by the limit for tests that hang.
    """
    config = session.config
    if not hasattr(config, "workerinput") and config.args_source is config.ArgsSource.TESTPATHS:
        ensure_kernels()


@pytest.fixture(scope="module", autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """End the thread that Dask keeps for callbacks when the tests of a module are over, and wait for tables that are
    made deeper beside a solver: they have been told to stop, but may be within a kernel.

    A process with threads does not fork: the children of later tests would be started afresh and not know the engines
    and families that these tests register.
    """
    yield
    if (client := sys.modules.get("distributed.client")) and (executor := client.Future._cb_executor):
        executor.shutdown()
        client.Future._cb_executor = None
    for thread in threading.enumerate():
        if thread.name.endswith("(_run)"):
            thread.join(PATIENCE)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain search has all the time that it needs in `auto`, before any other engine begins."""
    plain = ENGINES["plain"]
    assert plain.role
    monkeypatch.setitem(ENGINES, "plain", replace(plain, role=replace(plain.role, seconds=PATIENCE)))
    monkeypatch.setattr("budge.runtime.kernels.loaded", lambda: False)  # as in a new process


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_kept_at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Unsaved texts of the studio are kept in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


# The studio in a browser. A module of such tests has a fixture `folder` of its own: what is opened


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """A studio on the folder of the module."""
    with studio(folder) as server:
        yield server


BROWSER = pytest.StashKey[tuple[ExitStack, Any]]()


@pytest.fixture(scope="module")
def running_browser(pytestconfig: pytest.Config) -> Any:
    """A browser: the same for all modules of a browser that follow each other in a process."""
    if BROWSER not in pytestconfig.stash:
        kept = ExitStack()
        pytestconfig.stash[BROWSER] = kept, kept.enter_context(browser())
    return pytestconfig.stash[BROWSER][1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """The browser ends before a test that uses none: Playwright's thread and its loop of events, which run in this
    process, let it neither fork nor run another loop.
    """
    try:
        return (yield)
    finally:
        if not uses_browser(nextitem) and BROWSER in item.config.stash:
            item.config.stash[BROWSER][0].close()
            del item.config.stash[BROWSER]


@pytest.fixture
def chromium(running_browser: Any) -> Iterator[Any]:
    """A browser whose pages are closed when the test is over."""
    before = set(running_browser.contexts)
    yield running_browser
    for context in set(running_browser.contexts) - before:
        context.close()


@pytest.fixture(scope="module")
def sighted(running_browser: Any) -> Sighted:
    """A browser, for the studio."""
    return Sighted(running_browser)


@pytest.fixture
def page(sighted: Sighted, server: Server) -> Iterator[Page]:
    """A page of the studio in a fresh profile."""
    with sighted.page(server) as page:
        yield page
