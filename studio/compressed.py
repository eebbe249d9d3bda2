"""Files of the page, compressed: each once, then from memory. Libraries shrink to a third."""

from __future__ import annotations

import gzip

from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEPT = ("/_nicegui/", "/static/")
"""Paths of files that stay the same as long as the studio runs."""

TEXTS = (b"text/", b"application/javascript", b"application/json", b"image/svg")

LEAST = 1000
"""Bytes below which nothing is compressed."""


class Compressed:
    """An ASGI application in front of another one. Only whole answers to GET are kept (status 200)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._kept: dict[str, tuple[list[tuple[bytes, bytes]], bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "GET" or not path.startswith(KEPT) or not _takes(scope):
            await self.app(scope, receive, send)
            return
        if path in self._kept and not _asks_for_news(scope):
            headers, body = self._kept[path]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        start: Message = {}
        parts: list[bytes] = []

        async def take(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body, headers = b"".join(parts), list(start["headers"])
            kind = next((value for name, value in headers if name == b"content-type"), b"")
            if start["status"] == 200 and len(body) >= LEAST and kind.startswith(TEXTS):
                body = gzip.compress(body, 6, mtime=0)
                headers = [pair for pair in headers if pair[0] != b"content-length"]
                headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
                headers.append((b"content-length", str(len(body)).encode()))
                self._kept[path] = headers, body
            await send({**start, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, take)


def _header(scope: Scope, name: bytes) -> bytes:
    return next((bytes(value) for key, value in scope["headers"] if key == name), b"")


def _takes(scope: Scope) -> bool:
    return b"gzip" in _header(scope, b"accept-encoding")


def _asks_for_news(scope: Scope) -> bool:
    """Whether the browser has the file and asks only whether it is still the same."""
    return bool(_header(scope, b"if-none-match") or _header(scope, b"if-modified-since"))
