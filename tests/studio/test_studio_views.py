"""The studio in a real browser: its other views, on every size of screen, light and dark, and for everyone."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..helpers.patience import PATIENCE
from ..helpers.studio_browser import Server, Sighted, graves, still, text_of

pytest.importorskip("nicegui", reason="the studio needs the extra `studio`")

COMMENTED = """\
format: 1  # the first comment
family: sokoban
# the second comment
map: |2
  #####
  #@$.#
  #####
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "level.yaml").write_text(COMMENTED)
    return folder


def test_draw_mode_changes_the_map_and_keeps_the_comments(page: Any, server: Server, folder: Path) -> None:
    page.open("file:level.yaml")
    page.click("text=Draw")
    page.click('.brush[aria-label="wall"]')
    page.click('.cell[data-at="1,3"]')
    page.wait_for_function("() => document.querySelector('.cm-content').innerText.includes('#@$##')")
    page.wait_for_load_state("networkidle")  # the map is drawn anew after each change
    page.click("text=+ row")
    page.wait_for_function("() => document.querySelectorAll('.grid .cell').length === 20")
    text = page.inner_text(".cm-content")
    assert "# the first comment" in text
    assert "# the second comment" in text
    assert (folder / "level.yaml").read_text() == COMMENTED  # nothing is saved unasked
    page.click(".save")
    page.wait_for_selector("text=Saved as level.yaml")
    saved = (folder / "level.yaml").read_text()
    assert "  #@$##\n" in saved
    assert saved.startswith("format: 1  # the first comment\n")


def test_keys_and_their_words_are_completed(page: Any) -> None:
    page.open("shipped:rush_hour/level-01")  # of its own: what is typed stays with the studio
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("aut", delay=30)
    page.wait_for_selector(".cm-tooltip-autocomplete >> text=author")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Home")
    page.keyboard.type("metric: sl", delay=30)
    page.wait_for_selector(".cm-tooltip-autocomplete >> text=slides")
    page.wait_for_timeout(200)  # a choice that has just come up is not taken by accident
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.cm-content').innerText.split('metric: slides').length === 3")


def told_the_piece(page: Any) -> None:
    """Press Hint once more, and again where a milestone was found in time, until the piece to move is told."""
    page.click(".play-hint")
    page.wait_for_selector(".advice .milestone, .advice .piece")
    if page.query_selector(".advice .milestone"):
        assert "in every plan" in page.inner_text(".advice .milestone")
        page.click(".play-hint")
    page.wait_for_selector(".advice .piece")


def told_all(page: Any) -> None:
    """Press Hint until the moves are told: first how far it is, at last which piece to move."""
    page.click(".play-hint")
    page.wait_for_selector(".advice .far")
    told_the_piece(page)
    page.click(".play-hint")
    page.wait_for_selector(".advice .best")


def test_the_position_on_the_board_is_solved(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    told_all(page)
    page.click(".advice .best >> nth=0")
    page.wait_for_selector(".played")
    page.click(".play-solve")
    page.wait_for_selector(".run .to-replay")
    assert "after 1 move" in page.inner_text(".run-name")
    assert "9 slides" in page.inner_text(".run-bounds")


def test_a_hint_says_how_far_it_is_and_plays_the_best_move(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".play-hint")
    page.wait_for_selector(".advice .far")
    assert "10 slides to the goal" in page.inner_text(".advice")
    assert not page.query_selector(".advice .best")
    told_the_piece(page)
    assert page.inner_text(".advice .piece") == "Move D."
    page.click(".play-hint")
    page.wait_for_selector(".advice .best")
    page.click(".advice .best >> nth=0")
    page.wait_for_selector(".played")
    told_all(page)
    assert "9 slides to the goal" in page.inner_text(".advice")


def test_a_claim_is_refuted_and_a_certificate_is_written_and_checked(page: Any, folder: Path) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".tab-check")
    page.fill(".claim input", "9")
    page.click(".check-go")
    page.wait_for_selector(".verdict")
    assert "not 9 slides" in page.inner_text(".verdict")
    assert "plan known (10 slides): D+1" in page.inner_text(".pane-check")
    page.fill(".claim input", "")
    page.click(".certify")
    page.wait_for_selector("text=birds-second-grid.certificate is written")
    assert (folder / "birds-second-grid.certificate" / "claim.txt").exists()
    page.click(".check-certificate")
    page.wait_for_selector(".lines.good")
    assert "valid" in page.inner_text(".lines")
    lines = "[...document.querySelectorAll('.lines')]"  # each line of the verdict is a line on the page
    page.wait_for_function(f"() => {lines}.some(e => getComputedStyle(e)['white-space-collapse'] === 'preserve')")


def test_the_states_are_counted_and_the_hardest_start_opens(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".tab-explore")
    page.click(".explore-go")
    page.wait_for_selector(".hardest")
    assert "5,444" in page.inner_text(".pane-explore")
    page.click(".hardest")
    page.wait_for_url("**/?open=draft*")
    page.wait_for_function("() => document.querySelector('h1').innerText.includes('hardest start')")
    assert "slides: 19" in text_of(page)


def test_why_no_plan_is_shorter_is_drawn(page: Any) -> None:
    page.open("shipped:rush_hour/level-26")
    page.click(".tab-explore")
    page.click(".why-go")
    page.wait_for_selector(".why .bar svg")
    assert "Together 23: no plan is shorter" in page.inner_text(".pane-explore")
    assert page.evaluate("document.querySelectorAll('.why figure svg').length") == 19
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_engines_are_compared_and_the_report_is_saved(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".tab-compare")
    page.fill(".pane-compare .puzzles input", "microban-001")
    page.click(".q-menu >> text=microban-001")
    page.keyboard.press("Escape")
    page.click(".pane-compare .engines >> nth=1")
    page.click(".q-menu >> text=bfs")
    page.click(".q-menu >> text=astar")
    page.keyboard.press("Escape")
    page.click(".compare-go")
    page.wait_for_selector(".save-report", timeout=1000 * PATIENCE)  # kernels may have to be compiled
    drawn = "() => [...document.querySelectorAll('.plots svg')].filter(svg => svg.clientHeight > 100).length"
    assert page.evaluate(drawn) == 2
    page.click(".bounds-of")
    page.click(".q-menu >> text=Bird's second grid, slides")
    rows = page.inner_text(".pane-compare .table >> nth=0")
    assert rows.count("optimal") == 2
    with page.expect_download() as download:
        page.click(".save-report")
    report = Path(download.value.path()).read_text()
    assert "Engines compared" in report


def test_the_library_finds_puzzles(page: Any) -> None:
    """One of them has unsaved text with a mistake: a card of it is shown all the same."""
    page.open("shipped:klotski/heng-dao-li-ma")
    page.write("format: 1\nfamily: klotsky\n")
    page.wait_for_selector(".problem")
    page.open("shipped:rush_hour/bird-2")
    page.click(".library-button")
    page.wait_for_selector(".puzzle-card")
    page.fill(".search input", "klotski 116")
    page.wait_for_function("() => document.querySelectorAll('.puzzle-card').length < 6")
    page.wait_for_function("() => [...document.querySelectorAll('.puzzle-card img')].every(i => i.naturalWidth)")
    page.click(".puzzle-card >> nth=0")
    page.wait_for_url("**klotski**")


@pytest.mark.weekly
@pytest.mark.parametrize("family", ["rush-hour", "sliding-block", "n-puzzle", "sokoban", "custom", "pddl"])
def test_every_family_has_a_template_that_is_a_puzzle(page: Any, family: str) -> None:
    page.raw.goto(f"{page.server.address}&new={family}")
    page.wait_for_selector(".problems .fine")
    page.wait_for_selector(".play-board .budge-stage")


def test_a_view_is_kept_when_the_connection_is_lost_as_its_tab_is_pressed(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.evaluate("window.socket.disconnect()")
    page.click(".tab-solve")
    page.reload()  # as NiceGUI does it when it cannot go on where the connection ended
    page.wait_for_selector(".tab-solve[aria-current]")
    assert page.is_visible(".solve-go")


@pytest.mark.weekly
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_every_view_fits_and_is_for_everyone(sighted: Sighted, server: Server, width: int, dark: bool) -> None:
    with sighted.page(server, width, dark) as page:
        page.open("shipped:rush_hour/bird-2")
        views = [
            "play",
            "solve",
            "replay",
            "check",
            "explore",
            "compare",
            "results",
            *(["write"] if width < 1000 else []),
        ]
        for view in views:
            page.click(f".tab-{view}")
            if view == "solve":
                page.click(".solve-go")
                page.wait_for_selector(".to-replay")
            page.wait_for_selector(f".tab-{view}[aria-current]")
            page.wait_for_selector(f".pane-{view}")
            still(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            if (width, dark) in ((390, False), (1280, True)):
                assert graves(page) == [], view


def _ask(server: Server, *lines: str, body: bytes = b"") -> str:
    """The first line of the answer to a request as it is, byte for byte; its body is sent as long as it is taken."""
    at = urlsplit(server.origin)
    with socket.create_connection((str(at.hostname), at.port or 0), timeout=PATIENCE) as raw:
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        with contextlib.suppress(OSError):
            raw.sendall(body)
        return raw.recv(200).decode("latin-1").split("\r\n")[0]


@pytest.mark.weekly
def test_hostile_requests_are_refused_by_the_server_itself(server: Server) -> None:
    host = server.origin.removeprefix("http://")
    assert "403" in _ask(server, "GET / HTTP/1.1", f"Host: {host}")
    assert "403" in _ask(server, "GET /?token=wrong HTTP/1.1", f"Host: {host}")
    assert "421" in _ask(server, "GET / HTTP/1.1", "Host: evil.example")
    assert "403" in _ask(server, "GET / HTTP/1.1", f"Host: {host}", "Origin: http://evil.example")
    large = 100 * 2**20
    answer = _ask(server, "POST / HTTP/1.1", f"Host: {host}", f"Content-Length: {large}", body=b"x" * 2**20)
    assert "413" in answer
    assert server.memory() < 1024 * 2**20
    upgrade = (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert "403" in _ask(server, f"GET {path} HTTP/1.1", f"Host: {host}", "Origin: http://evil.example", *upgrade)
    assert "403" in _ask(server, f"GET {path} HTTP/1.1", f"Host: {host}", f"Origin: {server.origin}", *upgrade)


def test_a_page_of_another_site_reaches_nothing(page: Any, server: Server) -> None:
    page.open("shipped:rush_hour/bird-2")  # the browser has the cookie now
    page.raw.context.route(
        "http://evil.example/", lambda route: route.fulfill(body="<html></html>", content_type="text/html")
    )
    other = page.raw.context.new_page()
    other.goto("http://evil.example/")
    tried = """async origin => {
        const fetched = await fetch(origin + "/", {credentials: "include"}).then(() => "read", () => "refused");
        const socket = await new Promise(done => {
            const one = new WebSocket(origin.replace("http", "ws") + "/_nicegui_ws/socket.io/?transport=websocket");
            one.onopen = () => done("open"); one.onerror = () => done("refused");
        });
        return [fetched, socket];
    }"""
    assert other.evaluate(tried, server.origin) == ["refused", "refused"]
    other.close()


def test_hostile_names_are_text(page: Any) -> None:
    name = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
    text = f"format: 1\nfamily: rush-hour\nname: '{name}'\nboard: |\n  AA.\n  ...\n"
    page.open("shipped:rush_hour/level-02")
    page.write(text)
    page.wait_for_function("() => document.querySelector('h1').innerText.includes('<script>')")
    page.click(".tab-solve")
    page.click(".solve-go")
    page.wait_for_selector(".to-replay")
    page.click(".to-replay")
    page.wait_for_selector("budge-replay .token")
    assert page.evaluate("window.pwned") is None
