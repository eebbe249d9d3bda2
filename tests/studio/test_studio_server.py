"""The server of the studio: how it opens a browser, who may speak to it and how, and what work tells before it runs."""

from __future__ import annotations

import contextlib
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

import psutil
import pytest

from ..helpers.patience import PATIENCE, until
from ..helpers.studio_browser import Server, free_port, studio
from ..helpers.studio_client import Client

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
    ours = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
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


def test_a_server_that_has_started_is_small_and_opens_no_websocket(tmp_path: Path) -> None:
    with studio(tmp_path) as running:
        assert running.memory() < 80 * 2**20
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        client = Client(running)
        asked = HTTPConnection(client.host, timeout=PATIENCE)
        asked.request("GET", "/api/boot", headers={"Cookie": client.cookie, "Origin": running.origin, **upgrade})
        assert asked.getresponse().status == 200, "an answer by HTTP, and no socket"
        asked.close()


@pytest.mark.weekly
def test_hostile_requests_are_refused_by_the_server_itself(tmp_path: Path) -> None:
    with studio(tmp_path) as running:
        host = running.origin.removeprefix("http://")
        assert "403" in _ask(running, "GET / HTTP/1.1", f"Host: {host}")
        assert "403" in _ask(running, "GET /?token=wrong HTTP/1.1", f"Host: {host}")
        assert "421" in _ask(running, "GET / HTTP/1.1", "Host: evil.example")
        assert "403" in _ask(running, "GET / HTTP/1.1", f"Host: {host}", "Origin: http://evil.example")
        json = ("Content-Type: application/json", f"Origin: {running.origin}")
        large = f"Content-Length: {100 * 2**20}"
        answer = _ask(running, "POST /api/text HTTP/1.1", f"Host: {host}", *json, large, body=b"x" * 2**20)
        assert "413" in answer
        assert "403" in _ask(running, "POST /api/text HTTP/1.1", f"Host: {host}", *json, "Content-Length: 2")
        assert running.memory() < 100 * 2**20


def _ask(server: Server, *lines: str, body: bytes = b"") -> str:
    """The first line of the answer to a request as it is, byte for byte; its body is sent as long as it is taken."""
    at = urlsplit(server.origin)
    with socket.create_connection((str(at.hostname), at.port or 0), timeout=PATIENCE) as raw:
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        with contextlib.suppress(OSError):
            raw.sendall(body)
        return raw.recv(200).decode("latin-1").split("\r\n")[0]


def test_children_end_with_the_server(tmp_path: Path) -> None:
    with studio(tmp_path) as running:
        client = Client(running)
        number = client.post("/api/runs", kind="solve", key="shipped:custom/peg-solitaire")["run"]
        until(lambda: client.state(number)["state"] != "preparing")
        children = psutil.Process(running.process.pid).children(recursive=True)
        assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []


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
