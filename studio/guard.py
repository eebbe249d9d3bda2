"""The guard between the studio and the network: who may ask, what may be asked, and what a page may do.

The studio reads and writes files and starts programs for whoever can ask it. Only a browser on this machine that was
given the token may. Three kinds of strangers are kept out:

- another program or user on this machine, who does not know the token (the browser is given it in a file that only
  this user can read: a command line can be seen by everybody);
- a page of another site in the user's own browser (cross-site request forgery): its requests carry the user's cookie
  only if a link to the first page is followed, and another `Origin` where anything else is asked; what changes
  something is asked by POST, as JSON, which no form of another site can send;
- a name that resolves to 127.0.0.1 (DNS rebinding): its requests carry another `Host`.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_URL = 16 * 1024
"""The most bytes of an address: its path and its query."""

MAX_BODY = 4 * 1024 * 1024
"""The most bytes of a request's body: a page sends at most a million characters, of at most four bytes each."""

API = "/api/"
"""The beginning of the addresses that answer JSON, also when they refuse."""

FAULTS = {
    404: "There is nothing at this address. The studio is at its first page, /",
    405: "This address is asked in another way. The studio is at its first page, /",
    500: "This is a fault of the studio: the terminal in which it runs says more. Nothing that was written is lost.",
}
"""The texts of error pages, in place of the framework's."""

STRANGER = "Open the studio by the address that `budge studio` has printed: it holds the token."
RESTARTED = (
    "The studio was started again: this page belongs to the one before. What you wrote is kept; open the address that "
    "`budge studio` has printed now, then load this page again."
)
ELSEWHERE = "The studio answers to its own page only."

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "worker-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy: no script but the studio's own files. Styles may be inline, as boards have them."""

ONCE = ("host", "origin", "content-length", "content-type")
"""Headers that may occur once only; of two, the guard and the program behind it might each read another one."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Content-Security-Policy": POLICY,
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
        if scope["type"] != "http":  # no page of the studio opens a WebSocket
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        names = [name.decode("latin-1").lower() for name, _ in scope["headers"]]
        headers = dict(zip(names, (value.decode("latin-1") for _, value in scope["headers"]), strict=True))
        refused = self._refused(scope, headers)
        if any(names.count(name) > 1 for name in ONCE):
            refused = (400, "The request says twice where it goes, whence it comes or what it brings.")
        if refused is None and (after := self._goes_on(scope)) is not None:
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Lax"
            response = sentence(scope, 303, "", {"Location": after, "Set-Cookie": cookie})
            await response(scope, receive, _hardened(send))
            return
        if refused is None and not self._known(headers):
            refused = (403, RESTARTED if scope["path"].startswith(API) else STRANGER)
        if refused is not None:
            await sentence(scope, *refused, {"Connection": "close"})(scope, receive, _hardened(send))
        else:
            await self.app(scope, receive, _hardened(send))

    def _refused(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused, whoever sends it; None if it is not."""
        origin, length = headers.get("origin"), headers.get("content-length", "0")
        reads, writes = scope["method"] in ("GET", "HEAD"), scope["method"] == "POST"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        cross = headers.get("sec-fetch-site") in ("cross-site", "same-site") and not (
            reads and _is_link(scope, headers)
        )
        for wrong, status, why in (
            (headers.get("host", "") not in self.hosts, 421, "The studio answers to 127.0.0.1 and localhost only."),
            (origin is not None and origin not in self.origins, 403, ELSEWHERE),
            (cross, 403, ELSEWHERE),
            (not reads and not writes, 405, "The studio takes GET, HEAD and POST only."),
            (writes and origin is None, 403, ELSEWHERE),
            (writes and kind != "application/json", 415, "The studio takes bodies of `application/json` only."),
            ("transfer-encoding" in headers, 411, "The studio takes no body whose length is not said before."),
            (not (length.isascii() and length.isdigit() and len(length) < 16), 400, "The length of the body is odd."),
            (reads and length.strip("0") != "", 413, "A request that reads has no body."),
            (length.isdigit() and int(length[:16]) > MAX_BODY, 413, f"The studio takes {MAX_BODY:,} bytes at most."),
            (_address(scope) > MAX_URL, 414, "The address is too long."),
        ):
            if wrong:
                return status, why
        return None

    def _known(self, headers: Mapping[str, str]) -> bool:
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


def _address(scope: Scope) -> int:
    return len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))


def _is_link(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Whether a browser opens the first page because of a link on a page of another site."""
    fetch = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return scope["path"] == "/" and fetch == ("navigate", "document")


def sentence(scope: Scope, status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer that is one sentence: JSON for the page's own requests, else plain text."""
    all_headers = {"Cache-Control": "no-store", **(headers or {})}
    if scope["path"].startswith(API):
        return JSONResponse({"error": text}, status, all_headers)
    return PlainTextResponse(text, status, all_headers)


async def _fault(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    return sentence(request.scope, status, FAULTS.get(status, FAULTS[500]))


HANDLERS = dict.fromkeys(FAULTS, _fault)
"""What the application behind the guard answers in place of the framework's error pages."""


def _hardened(send: Send) -> Send:
    """A `send` that adds the policy to every answer; what may be kept by a browser is asked for again each time."""

    async def sends(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return sends
