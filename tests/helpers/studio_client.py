"""A client of the studio's service, for tests: what a page asks, by HTTP, as a browser on this machine asks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .patience import PATIENCE
from .studio_browser import Server


class Refused(Exception):
    """An answer with another status than 200: `status`, and the object that says why."""

    def __init__(self, status: int, told: Any) -> None:
        super().__init__(status, told)
        self.status, self.told = status, told

    def __str__(self) -> str:
        return str(self.told["error"] if isinstance(self.told, dict) else self.told)


class Client:
    """A browser that has opened the studio."""

    def __init__(self, server: Server) -> None:
        self.server = server
        address = urlsplit(server.address)
        self.host = address.netloc
        first = self.raw("GET", f"/?{address.query}")
        self.cookie = (first.getheader("set-cookie") or "").partition(";")[0]

    def raw(self, method: str, path: str, body: bytes | None = None, **headers: str) -> HTTPResponse:
        """An answer as it is. A header's name has `_` for `-`."""
        asked = HTTPConnection(self.host, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        asked.request(method, path, body, {"Cookie": getattr(self, "cookie", ""), **named})
        return asked.getresponse()

    def get(self, path: str, **query: Any) -> Any:
        """What a GET is answered. Raises `Refused`."""
        return self._answer(self.raw("GET", f"{path}?{urlencode(query, quote_via=quote)}"))

    def post(self, path: str, **body: Any) -> Any:
        """What a POST is answered. Raises `Refused`."""
        headers = {"Content_Type": "application/json", "Origin": self.server.origin}
        return self._answer(self.raw("POST", path, json.dumps(body).encode(), **headers))

    def _answer(self, response: HTTPResponse) -> Any:
        data = response.read()
        told = json.loads(data) if "json" in (response.getheader("content-type") or "") else data.decode()
        if response.status != 200:
            raise Refused(response.status, told)
        return told

    def read(self, text: str, key: str = "file:a.yaml", **more: Any) -> Any:
        """What is read of a text."""
        return self.post("/api/read", key=key, text=text, **more)

    def run(self, kind: str, key: str, **more: Any) -> Any:
        """The last state of a run, and its answer, when it has ended."""
        if "text" not in more:
            more["text"] = self.get("/api/text", key=key)["text"]
        number = self.post("/api/runs", kind=kind, key=key, **more)["run"]
        return self.ended(number), self.get(f"/api/runs/{number}/answer")

    def events(self, key: str = "") -> Iterator[tuple[str, Any]]:
        """What the studio tells as it happens, of all runs first: the kind of an event, and its data."""
        answer, kind = self.raw("GET", f"/api/events?key={key}"), "message"
        while line := answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)
                kind = "message"

    def state(self, number: int, over: bool = False) -> Any:
        """The state of a run now, or when it is over."""
        runs = (run for kind, run in self.events() if kind == "message")
        return next(run for run in runs if run["run"] == number and run["over"] >= over)

    def ended(self, number: int) -> Any:
        """The last state of a run."""
        return self.state(number, over=True)
