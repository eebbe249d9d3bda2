"""The server of the studio: how it opens a browser, who may speak to it and how, and what work tells before it runs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..helpers.patience import PATIENCE, until
from ..helpers.studio_browser import free_port, studio

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

import uvicorn
from budge import load
from budge.runtime.events import LowerBound, Preparing
from budge.studio import server
from budge.studio.runs import StudioRun

BROWSER = """\
#!/bin/sh
printf '%s\\n' "$@" > "{told}"
page=$(printf '%s' "$1" | sed 's,^file://,,')
stat -c %a "$page" >> "{told}"
cat "$page" >> "{told}"
touch "{told}.done"
"""


@pytest.mark.weekly
def test_the_browser_is_given_a_file_that_only_the_user_can_read(tmp_path: Path) -> None:
    """Everybody on the machine can see what is on a command line: the token is not."""
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(BROWSER.format(told=told))
    browser.chmod(0o755)
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "NICEGUI"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", "studio", str(tmp_path), "--port", free_port()],
        stdout=subprocess.PIPE,
        text=True,
        env={**ours, "BROWSER": str(browser), "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        token = process.stdout.readline().partition("token=")[2].strip()
        until(Path(f"{told}.done").exists)
        argument, mode, page = told.read_text().split("\n", 2)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
    assert token
    assert argument.startswith("file:///")
    assert token not in argument
    assert mode == "600"
    assert f"token={token}" in page


@pytest.mark.weekly
@pytest.mark.parametrize(("transport", "status"), [("polling", 400), ("websocket", 101)])
def test_the_page_is_spoken_to_by_websocket_alone(tmp_path: Path, transport: str, status: int) -> None:
    with studio(tmp_path) as running:
        address = urlsplit(running.address)
        first = HTTPConnection(address.netloc)
        first.request("GET", f"/?{address.query}")
        cookie = (first.getresponse().getheader("set-cookie") or "").partition(";")[0]
        asked = HTTPConnection(address.netloc)
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        headers = {"Cookie": cookie, "Origin": running.origin, **(upgrade if transport == "websocket" else {})}
        asked.request("GET", f"/_nicegui_ws/socket.io/?EIO=4&transport={transport}", headers=headers)
        assert asked.getresponse().status == status
        asked.close()


def test_a_connection_that_asks_for_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "FIRST_WORDS", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Answers nothing: only connections are of interest here."""

    serving = uvicorn.Server(uvicorn.Config(app, http=server._patient(), lifespan="off", log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with socket.create_connection(listener.getsockname(), timeout=PATIENCE) as silent:
                assert silent.recv(1) == b""  # closed by the server
        finally:
            serving.should_exit = True
            thread.join(PATIENCE)


class Work:
    """A piece of work whose clock stands while its code is prepared."""

    elapsed = 0.0
    ended = ""


def test_what_is_compiled_first_is_called_preparing_and_has_a_clock_of_its_own() -> None:
    work: Any = Work()
    run = StudioRun(1, "solve", "solve", "bfs", (), load("bird-1"), "steps", work)
    assert run.state == "preparing"
    run._hear(Preparing(seconds=0.0, about=40))
    assert (run.state, run.doing) == ("preparing", "compiling all kernels, once for this machine: about 40 s")
    assert run.clock > 0
    run._hear(Preparing(seconds=2.0, about=40, done=True))
    work.elapsed = 0.25
    assert (run.state, run.clock, run.doing) == ("running", 0.25, "")
    run._hear(LowerBound(seconds=0.25, lower_bound=(4,), by="breadth-first search"))
    run.over = True
    assert run.state == "done"


@pytest.mark.weekly
def test_the_studio_starts_without_solvers_and_compilers() -> None:
    asked = "import sys, budge.studio.service; print({'ortools', 'numba', 'pandas', 'numpy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "set()\n"
