"""The studio's guard and files: whoever is not the user's own page on this machine is refused, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..helpers.patience import PATIENCE

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from budge.models.errors import UsageError
from budge.studio import reading
from budge.studio.guard import HANDLERS, MAX_BODY, Guard
from budge.studio.library import Library
from budge.studio.reading import MAX_TEXT, Reader
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

TOKEN, PORT = "a-token-of-the-studio", 8427
HERE = f"http://127.0.0.1:{PORT}"
SOCKET = f"ws://127.0.0.1:{PORT}/socket"
POST = {"Origin": HERE, "Content-Type": "application/json"}
"""What a page of the studio sends with a body."""
PUZZLE = "format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ...\n"


async def _page(request: Request) -> HTMLResponse:
    return HTMLResponse("<html><script>1</script></html>")


async def _text(request: Request) -> PlainTextResponse:
    return PlainTextResponse("a text")


async def _body(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def _wrong(request: Request) -> JSONResponse:
    return JSONResponse({"error": "no such run"}, 404)


async def _broken(request: Request) -> PlainTextResponse:
    raise ValueError("<script>")


async def _socket(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("in")
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/", _page),
        Route("/text", _text),
        Route("/api/body", _body, methods=["POST"]),
        Route("/api/wrong", _wrong),
        Route("/api/broken", _broken),
        Route("/broken", _broken),
        WebSocketRoute("/socket", _socket),
    ]
    return TestClient(
        Guard(Starlette(routes=routes, exception_handlers=HANDLERS), TOKEN, PORT), base_url=HERE, follow_redirects=False
    )


@pytest.fixture
def known(client: TestClient) -> TestClient:
    """A browser that has had the token."""
    client.cookies.set(f"budge-studio-{PORT}", TOKEN)
    return client


def test_the_token_opens_the_studio_and_leaves_the_address(client: TestClient) -> None:
    answer = client.get("/", params={"token": TOKEN, "open": "shipped:rush_hour/bird-1"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?open=shipped%3Arush_hour%2Fbird-1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get("/").status_code == 200  # the cookie is enough from now on


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?token={TOKEN}x", "?token=%F0%9F%94%91"])
def test_without_the_token_nothing_is_served(client: TestClient, query: str) -> None:
    assert client.get(f"/{query}").status_code == 403
    assert client.get("/text").status_code == 403


def test_a_wrong_cookie_is_refused(client: TestClient) -> None:
    client.cookies.set(f"budge-studio-{PORT}", "wrong")
    assert client.get("/").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", "localhost", ""])
def test_another_host_is_refused(known: TestClient, host: str) -> None:
    assert known.get("/", headers={"Host": host}).status_code == 421  # DNS rebinding


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:9", f"127.0.0.1:{PORT}"]
)
def test_another_origin_is_refused(known: TestClient, origin: str) -> None:
    assert known.get("/text", headers={"Origin": origin}).status_code == 403
    assert known.post("/api/body", headers=POST | {"Origin": origin}, content=b"{}").status_code == 403


@pytest.mark.parametrize("name", ["Host", "Origin"])
def test_two_answers_to_where_from_or_where_to_are_refused(known: TestClient, name: str) -> None:
    for values in ((HERE, "http://evil.example"), ("http://evil.example", HERE)):
        headers = [(name, value.removeprefix("http://") if name == "Host" else value) for value in values]
        assert known.get("/text", headers=headers).status_code == 400


def test_a_cookie_of_any_bytes_is_refused(client: TestClient) -> None:
    for value in (b"\xff", "🔑".encode(), b"a" * 5000):
        cookie = f"budge-studio-{PORT}=".encode() + value
        assert client.get("/", headers=[(b"cookie", cookie)]).status_code == 403


LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
"""What a browser says of itself when a link on a page of another site is followed."""


def test_a_link_from_elsewhere_opens_the_first_page_and_nothing_else(known: TestClient) -> None:
    assert known.get("/", params={"open": "file:a.yaml"}, headers=LINK).status_code == 200
    assert known.get("/", headers=LINK | {"Sec-Fetch-Site": "same-site"}).status_code == 200
    assert known.get("/text", headers=LINK).status_code == 403
    assert known.post("/api/body", headers=POST | LINK, content=b"{}").status_code == 403
    assert known.get("/", headers=LINK | {"Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert known.get("/", headers=LINK | {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}).status_code == 403
    known.cookies.clear()
    assert known.get("/", headers=LINK).status_code == 403


@pytest.mark.parametrize("path", ["/missing", "/broken"])
def test_what_goes_wrong_is_said_in_a_sentence(known: TestClient, path: str) -> None:
    answer = TestClient(known.app, HERE, raise_server_exceptions=False, cookies=known.cookies).get(path)
    assert answer.status_code in (404, 500)
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text[0] == "T"
    assert not {"{", "<"} & set(answer.text)
    assert "content-security-policy" in answer.headers


def test_what_goes_wrong_below_api_is_json(client: TestClient) -> None:
    refused = client.get("/api/wrong")
    assert (refused.status_code, refused.headers["content-type"]) == (403, "application/json")
    assert "was started again" in refused.json()["error"]  # what a page of the studio before shows
    client.cookies.set(f"budge-studio-{PORT}", TOKEN)
    quiet = TestClient(client.app, HERE, raise_server_exceptions=False, cookies=client.cookies)
    assert quiet.get("/api/wrong").json() == {"error": "no such run"}
    assert quiet.get("/api/missing").json()["error"].startswith("There is nothing at this address")
    assert quiet.get("/api/broken").json()["error"].startswith("This is a fault of the studio")
    assert quiet.get("/api/body").json()["error"].startswith("This address is asked in another way")


def test_there_is_no_socket(known: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), known.websocket_connect(SOCKET, headers={"Origin": HERE}):
        pass


def test_a_page_of_another_site_cannot_load_what_the_studio_serves(known: TestClient) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert known.get("/text", headers=headers).status_code == 403


def test_what_changes_something_is_asked_as_json_by_the_studios_own_page(known: TestClient) -> None:
    assert known.post("/api/body", headers=POST, content=b"{}").text == "2"
    assert known.post("/api/body", headers=POST | {"Content-Type": "application/json; charset=utf-8"}).text == "0"
    assert known.post("/api/body", content=b"{}", headers={"Content-Type": "application/json"}).status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):  # forms can send these
        assert known.post("/api/body", headers=POST | {"Content-Type": kind}, content=b"{}").status_code == 415
    assert known.post("/api/body", headers={"Origin": HERE}, content=b"{}").status_code == 415
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert known.request(method, "/api/body", headers=POST).status_code == 405
    known.cookies.clear()
    assert known.post("/api/body", headers=POST, content=b"{}").status_code == 403


def test_bodies_are_bounded(known: TestClient) -> None:
    assert known.post("/api/body", headers=POST, content=b"x" * MAX_BODY).text == str(MAX_BODY)
    assert known.post("/api/body", headers=POST, content=b"x" * (MAX_BODY + 1)).status_code == 413
    assert known.post("/api/body", headers=POST, content=iter([b"x"] * 3)).status_code == 411
    assert known.request("GET", "/text", content=b"x").status_code == 413
    assert known.get("/text", headers={"Content-Length": str(100 * 2**20)}).status_code == 413
    for length in ("-1", "1e3", "", "9" * 40):
        assert known.post("/api/body", headers=POST | {"Content-Length": length}, content=b"").status_code == 400
    assert known.get(f"/text?{'x' * 20_000}").status_code == 414


def test_a_page_runs_no_script_but_the_studios_own_files(known: TestClient) -> None:
    policy = known.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "http:" not in policy
    assert known.get("/text").headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in known.get("/text", headers={"Host": "evil.example"}).headers


# Files


@pytest.fixture
def library(tmp_path: Path) -> Library:
    folder = tmp_path / "mine"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text(PUZZLE)
    (folder / "own.yaml").write_text(PUZZLE)
    (folder / "notes.txt").write_text("notes")
    (folder / "way-out.yaml").symlink_to(tmp_path / "secret.yaml")
    return Library(folder)


@pytest.mark.parametrize(
    "name",
    ["../secret.yaml", "/etc/passwd", "way-out.yaml", "notes.txt", ".hidden/a.yaml", "a/../../secret.yaml", "\0.yaml"],
)
def test_no_file_outside_of_the_folder_is_read_or_written(library: Library, name: str) -> None:
    with pytest.raises(UsageError):
        library.read(f"file:{name}")
    before = sorted(library.folder.parent.rglob("*"))
    if name != "notes.txt":  # it becomes notes.txt.yaml
        with pytest.raises(UsageError):
            library.save(name, PUZZLE)
        assert sorted(library.folder.parent.rglob("*")) == before


def test_the_library_lists_the_folder_and_the_shipped_puzzles(library: Library) -> None:
    entries = library.entries(wait=True)
    keys = [entry.key for entry in entries]
    assert keys[0] == "file:own.yaml"
    assert "file:way-out.yaml" not in keys
    assert "shipped:rush_hour/bird-1" in keys
    bird = next(entry for entry in entries if entry.key == "shipped:rush_hour/bird-1")
    assert bird.known == "24 slides; 34 steps"


def test_no_file_is_overwritten_unasked(library: Library) -> None:
    with pytest.raises(FileExistsError):
        library.save("own.yaml", PUZZLE + "notes: other\n")
    assert library.read("file:own.yaml") == PUZZLE
    assert library.save("own.yaml", PUZZLE + "notes: other\n", overwrite=True) == "file:own.yaml"
    assert library.save("levels/first", PUZZLE) == "file:levels/first.yaml"
    assert library.read("file:levels/first.yaml") == PUZZLE


def test_drafts_are_kept_and_bounded(library: Library) -> None:
    keys = [library.new_draft(f"text {number}") for number in range(250)]
    assert library.draft(keys[0]) is None
    assert library.draft(keys[-1]) == "text 249"
    library.drop(keys[-1])
    assert library.draft(keys[-1]) is None


# Texts


BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_hostile_texts_are_told_as_problems(tmp_path: Path) -> None:
    reader = Reader(seconds=PATIENCE)
    try:
        fine = reader.check(PUZZLE + "metric: stepps\n", "a.yaml", tmp_path / "a.yaml")
        assert fine.problems[0].hint == "did you mean `steps`?"
        for text in (BOMB, "[" * 100_000, "x" * (MAX_TEXT + 1)):
            assert reader.check(text, "a.yaml", tmp_path / "a.yaml").problems
        level = "format: 1\nfamily: sokoban\nsource: {file: ../secret.xsb, level: 1}\n"
        (tmp_path / "secret.xsb").write_text("#####\n#@$.#\n#####\n")
        (tmp_path / "mine").mkdir()
        outside = reader.check(level, "a.yaml", tmp_path / "mine" / "a.yaml")
        assert "outside the folder" in outside.problems[0].message
        assert reader.check(PUZZLE, "a.yaml", tmp_path / "a.yaml").puzzle is not None  # it still reads
    finally:
        reader.close()


def _hall(side: int) -> str:
    """A room of Sokoban without walls inside."""
    inner = ["#@$." + " " * (side - 5) + "#"] + ["#" + " " * (side - 2) + "#"] * (side - 3)
    return "".join(f"  {row}\n" for row in ["#" * side, *inner, "#" * side])


LARGE = "format: 1\nfamily: sokoban\nmap: |2\n" + _hall(60)


def test_a_reader_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the processor time that it takes: what the clock says depends on what else is at work."""
    monkeypatch.setattr(reading, "PATIENCE", 10_000)
    reader = Reader()
    try:
        assert reader.check(PUZZLE, "a.yaml", None).ok
        reader.seconds = 0.05
        slow = reader.check(LARGE, "a.yaml", None)
        assert slow.problems[0].message == "reading this text took more than 0.05 seconds, and was given up"
        reader.seconds = 60
        assert reader.check(PUZZLE + "name: another\n", "a.yaml", None).ok
    finally:
        reader.close()


def test_a_text_that_is_not_wanted_any_more_is_given_up() -> None:
    reader, looks = Reader(), iter([True, True, False])
    try:
        assert reader.read(LARGE, "a.yaml", None, lambda: next(looks)) is None
        assert reader.check(PUZZLE, "a.yaml", None).ok
    finally:
        reader.close()


def test_a_text_is_read_once_unless_it_depends_on_other_files(tmp_path: Path) -> None:
    reader, path = Reader(), tmp_path / "a.yaml"
    level = "format: 1\nfamily: sokoban\nsource: {file: levels.xsb, level: 1}\n"
    (tmp_path / "levels.xsb").write_text("#####\n#@$.#\n#####\n")
    try:
        first = reader.check(PUZZLE, "a.yaml", path)
        assert reader.check(PUZZLE, "a.yaml", path) is first
        before = reader.check(level, "a.yaml", path)
        (tmp_path / "levels.xsb").write_text("######\n#@$ .#\n######\n")
        after = reader.check(level, "a.yaml", path)
        assert before.puzzle is not None
        assert after.puzzle is not None
        assert before.puzzle.board() != after.puzzle.board()
    finally:
        reader.close()
