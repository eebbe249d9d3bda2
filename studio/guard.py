"""What stands between the studio and the network: who may ask, what may be asked, and what a page may do.

The studio reads and writes files and starts programs for whoever can ask it. Only a browser on this machine that was
given the token may. Three kinds of strangers are kept out:

- another program or user on this machine, who does not know the token;
- a page of another site in the user's own browser (cross-site request forgery): its requests carry the user's cookie
  only if the browser sends it, and another `Origin` in any case;
- a name that resolves to 127.0.0.1 (DNS rebinding): its requests carry another `Host`.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_URL = 16 * 1024
"""Bytes of a path and its query."""

POLICY = (
    "default-src 'none'",
    "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self' ws://{host}",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)
"""The content security policy. Loosened for NiceGUI: `unsafe-eval`, as Vue compiles templates in the browser; inline
styles, as Quasar sets them. Scripts in a page need the nonce of its answer, so a script that a puzzle's text could
bring in does not run."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """An ASGI application in front of another, for the server on a port of this machine."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self.cookie = f"budge-studio-{port}"  # cookies are not kept apart by port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is None and not self._known(headers):
            if scope["type"] == "http" and (after := self._admitted(scope)) is not None:
                await self._answer(send, 303, "", (("Location", after), ("Set-Cookie", self._set_cookie())))
                return
            refused = (403, "Open the studio by the address that `budge studio` has printed: it holds the token.")
        if refused is not None:
            await self._refuse(scope, receive, send, *refused)
        elif scope["type"] == "http":
            await self.app(scope, receive, _Hardened(send, headers["host"]))
        else:
            await self.app(scope, receive, send)

    def _refused(self, scope: Scope, headers: MutableMapping[str, str]) -> tuple[int, str] | None:
        """Why a request is refused whoever sends it: a status and a sentence."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, "The studio answers to 127.0.0.1 and localhost only."
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return 403, "The studio answers to its own page only."
        if scope["type"] == "websocket":
            return None if origin is not None else (403, "The studio answers to its own page only.")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return 403, "The studio answers to its own page only."
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return 413, "The studio takes no requests with a body."
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "The studio takes GET and HEAD only."
        if len(scope.get("raw_path", b"")) + len(scope.get("query_string", b"")) > MAX_URL:
            return 414, "The address is too long."
        return None

    def _known(self, headers: MutableMapping[str, str]) -> bool:
        """Whether a request brings the cookie of one that had the token."""
        pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(name == self.cookie and hmac.compare_digest(value, self.token) for name, _, value in pairs)

    def _admitted(self, scope: Scope) -> str | None:
        """Where to go on, without the token in the address, if the request has it."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        given = [value for name, value in query if name == "token"]
        if scope["path"] != "/" or not given or not hmac.compare_digest(given[0].encode(), self.token.encode()):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        return f"/?{rest}" if rest else "/"

    def _set_cookie(self) -> str:
        return f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(send, status, text, (("Connection", "close"),))

    async def _answer(self, send: Send, status: int, text: str, headers: Iterable[tuple[str, str]]) -> None:
        listed = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        fields = [*listed, *HEADERS.items(), *headers, ("Content-Length", str(len(text.encode())))]
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in fields]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": text.encode()})


class _Hardened:
    """A `send` that adds the policy to every answer, and the nonce to the scripts of a page."""

    def __init__(self, send: Send, host: str) -> None:
        self._send = send
        self._nonce = secrets.token_urlsafe(16)
        policy = "; ".join(POLICY).format(nonce=self._nonce, host=host)
        self._headers = {"Content-Security-Policy": policy, **HEADERS}
        self._page: Message | None = None  # the head of a page whose body is still coming
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(name, value) for name, value in message["headers"] if name.lower() != b"content-length"]
            headers += [(name.encode(), value.encode()) for name, value in self._headers.items()]
            if any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers):
                self._page = {**message, "headers": headers}
            else:
                kept = [pair for pair in message["headers"] if pair[0].lower() == b"content-length"]
                await self._send({**message, "headers": headers + kept})
        elif self._page is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_page()

    async def _send_page(self) -> None:
        """The page: texts within it are escaped, so every `<script` is one of NiceGUI's or of the studio's own."""
        body = self._body.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
        page: dict[str, Any] = dict(self._page or {})
        page["headers"] = [*page["headers"], (b"content-length", str(len(body)).encode())]
        await self._send(page)
        await self._send({"type": "http.response.body", "body": body})
