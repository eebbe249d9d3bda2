"""The guard between the studio and the network: who may ask, what may be asked, and what a page may do.

The studio reads and writes files and starts programs for whoever can ask it. Only a browser on this machine that was
given the token may. Three kinds of strangers are kept out:

- another program or user on this machine, who does not know the token (the browser is given it in a file that only
  this user can read: a command line can be seen by everybody);
- a page of another site in the user's own browser (cross-site request forgery): its requests carry the user's cookie
  only if a link to the first page is followed, and another `Origin` where anything else is asked;
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
"""The most bytes of an address: its path and its query."""

FAULTS = {
    404: "There is nothing at this address. The studio is at its first page, /",
    422: "This address is not complete, or not right. The studio is at its first page, /",
    500: "This is a fault of the studio: the terminal in which it runs says more. Nothing that was written is lost.",
}
"""The texts of error pages, in place of NiceGUI's."""

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

PLAIN = "text/plain; charset=utf-8"

ONCE = ("host", "origin")
"""Headers that may occur once only; of two, the guard and the program behind it might each read another one."""

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
        self.origins = frozenset(f"http://{host}" for host in self.hosts)
        self.cookie = f"budge-studio-{port}"  # cookies are not kept apart by port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        names = [name.decode("latin-1").lower() for name, _ in scope["headers"]]
        headers = dict(zip(names, (value.decode("latin-1") for _, value in scope["headers"]), strict=True))
        refused = self._refused(scope, headers)
        if any(names.count(name) > 1 for name in ONCE):
            refused = (400, "The request says twice where it goes or whence it comes.")
        known = self._known(headers)
        if refused is None and scope["type"] == "http" and (after := self._goes_on(scope)) is not None:
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
            await self._answer(send, 303, "", (("Location", after), ("Set-Cookie", cookie)))
            return
        if refused is None and not known:
            refused = (403, "Open the studio by the address that `budge studio` has printed: it holds the token.")
        if refused is not None:
            await self._refuse(scope, receive, send, *refused)
        elif scope["type"] == "http":
            await self.app(scope, receive, _Hardened(send, headers["host"]))
        else:
            await self.app(scope, receive, send)

    def _refused(self, scope: Scope, headers: MutableMapping[str, str]) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused, whoever sends it; None if it is not."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, "The studio answers to 127.0.0.1 and localhost only."
        origin = headers.get("origin")
        if origin is not None and origin not in self.origins:
            return 403, "The studio answers to its own page only."
        if scope["type"] == "websocket":
            return None if origin is not None else (403, "The studio answers to its own page only.")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not _is_link(scope, headers):
            return 403, "The studio answers to its own page only."
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return 413, "The studio takes no requests with a body."
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "The studio takes GET and HEAD only."
        if len(scope.get("raw_path", b"")) + len(scope.get("query_string", b"")) > MAX_URL:
            return 414, "The address is too long."
        return None

    def _known(self, headers: MutableMapping[str, str]) -> bool:
        """Whether a request has the cookie that is set for a browser that came with the token."""
        pairs = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(name == self.cookie and self._is_token(value) for name, _, value in pairs)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _goes_on(self, scope: Scope) -> str | None:
        """Where to go on, without the token in the address, if the request has it."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        if scope["path"] != "/" or not any(name == "token" and self._is_token(value) for name, value in query):
            return None
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        return f"/?{rest}" if rest else "/"

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(send, status, text, (("Connection", "close"),))

    async def _answer(self, send: Send, status: int, text: str, headers: Iterable[tuple[str, str]]) -> None:
        listed = [("Content-Type", PLAIN), ("Cache-Control", "no-store")]
        fields = [*listed, *HEADERS.items(), *headers, ("Content-Length", str(len(text.encode())))]
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in fields]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": text.encode()})


def _is_link(scope: Scope, headers: MutableMapping[str, str]) -> bool:
    """Whether a browser opens the first page because of a link on a page of another site."""
    fetch = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return scope["path"] == "/" and fetch == ("navigate", "document")


class _Hardened:
    """A `send` that adds the policy to every answer, and the nonce to the scripts of a page. What went wrong it says in
    a sentence.
    """

    def __init__(self, send: Send, host: str) -> None:
        self._send = send
        self._nonce = secrets.token_urlsafe(16)
        policy = "; ".join(POLICY).format(nonce=self._nonce, host=host)
        self._headers = {"Content-Security-Policy": policy, **HEADERS}
        self._page: Message | None = None  # the head of a page whose body is still coming
        self._body = b""
        self._fault = ""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._fault = FAULTS.get(message["status"], "")
            if self._fault:
                message = {**message, "headers": [(b"content-type", PLAIN.encode())]}
            headers = [(name, value) for name, value in message["headers"] if name.lower() != b"content-length"]
            headers += [(name.encode(), value.encode()) for name, value in self._headers.items()]
            if self._fault or any(n.lower() == b"content-type" and v.startswith(b"text/html") for n, v in headers):
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
        """Send the page with a nonce in each `<script`: texts are escaped, so that none of these comes from a text."""
        body = self._fault.encode() or self._body.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
        page: dict[str, Any] = dict(self._page or {})
        page["headers"] = [*page["headers"], (b"content-length", str(len(body)).encode())]
        await self._send(page)
        await self._send({"type": "http.response.body", "body": body})
