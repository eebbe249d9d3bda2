"""No text is lost in the browser: the studio killed while one types, other folders, other programs, other pages."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from ..helpers.patience import PATIENCE
from ..helpers.studio_browser import EDITOR, Page, Server, Sighted, free_port, studio

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

OWN = """\
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""


def named(name: str) -> str:
    return OWN.replace("Two in the way", name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "two.yaml").write_text(OWN)
    return folder


def test_a_studio_killed_while_one_types_loses_nothing(sighted: Sighted, tmp_path: Path) -> None:
    """The page of the dead one says so; when there is another one, the text is there, and safe."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "two.yaml").write_text(OWN)
    port = free_port()
    with sighted.context() as context:
        with studio(tmp_path / "mine", port=port) as first:
            page = Page(context.new_page(), first)
            page.open("file:two.yaml")
            first.process.send_signal(signal.SIGSTOP)  # it hears nothing any more
            page.write(named("Never heard"))
            first.process.kill()
            first.process.wait()
            page.wait_for_selector("[data-strip=lost]:has-text('does not answer')")
        with studio(tmp_path / "mine", port=port) as second:
            page.wait_for_selector("[data-strip=lost]:has-text('was started again')")  # with another token
            other = Page(context.new_page(), second)
            other.open("file:two.yaml")
            other.titled("Never heard", "changed")
            other.wait_for_function("() => !Object.keys(localStorage).some(name => name.startsWith('budge-studio:'))")
            page.raw.bring_to_front()
            page.wait_for_selector("[data-strip=lost]", state="detached")  # the browser knows the new token now
            page.titled("Never heard", "two.yaml", "changed")
    assert (tmp_path / "mine" / "two.yaml").read_text() == OWN


def test_text_of_one_folder_does_not_come_up_in_another(sighted: Sighted, tmp_path: Path) -> None:
    port = free_port()
    for name, text in (("a", OWN), ("b", named("Of another project"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.yaml").write_text(text)
    with sighted.context() as context:
        with studio(tmp_path / "a", port=port) as first:
            page = Page(context.new_page(), first)
            page.open("file:same.yaml")
            page.write(named("Not saved"))
            page.titled("Not saved")
            old = page
        with studio(tmp_path / "b", port=port) as second:
            page = Page(context.new_page(), second)
            page.open("file:same.yaml")
            page.titled("Of another project")
            assert page.locator(".strip").count() == 0
            old.raw.bring_to_front()
            old.wait_for_selector("[data-strip=lost]:has-text('on another folder')")
            old.write(named("To nobody"))
            old.close()
            page.raw.bring_to_front()
            page.reload()
            page.titled("Of another project")
            page.close()
        with studio(tmp_path / "a") as third:  # at another port
            page = Page(context.new_page(), third)
            page.open("file:same.yaml")
            page.titled("Not saved")


@pytest.mark.parametrize("answer", ["Show", "Keep", "Discard"])
def test_text_made_from_an_older_file_is_offered(page: Page, folder: Path, answer: str) -> None:
    path = folder / f"{answer}.yaml"
    path.write_text(OWN)
    page.open(f"file:{answer}.yaml")
    page.write(named(f"Mine to {answer}"))
    page.titled(f"Mine to {answer}", "changed")
    page.wait_for_selector(".problems.fine")
    path.write_text(named("By another program"))
    page.wait_for_selector("[data-strip=newer]:has-text('on the disk')")
    page.reload()
    page.titled("By another program")
    page.click(f".strip button:has-text('{answer}')")
    if answer == "Show":
        page.titled("Mine to Show", "a draft")
    page.click("#library")
    page.wait_for_selector(".card >> nth=4")
    shelved = f".card.draft:has-text('Mine to {answer}')"
    page.wait_for_selector(shelved, state="detached" if answer == "Discard" else "attached")
    assert path.read_text() == named("By another program")


def test_drafts_have_a_shelf_and_are_not_discarded_by_one_click(page: Page) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click("#panel-write .new")
    page.click("[role=menuitem]:has-text('Sokoban')")
    page.wait_for_url("**/?open=draft:*")
    page.titled("a draft")
    page.write(named("My precious hour"))
    page.titled("My precious hour")
    page.evaluate("history.back()")
    page.titled("Bird's second grid")
    page.click("#library")
    card = page.locator(".card.draft:has-text('My precious hour')")
    card.locator(".discard").click()
    card.locator("a").click()
    page.titled("My precious hour")
    page.click("#library")
    card.locator(".discard").click()
    card.locator(".discard").click()
    card.wait_for(state="detached")


def test_text_that_is_undone_is_not_changed(page: Page) -> None:
    page.open("file:two.yaml")
    page.locator(EDITOR).click()
    page.keyboard.type("# ")
    page.titled("changed")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => !document.querySelector('#where').innerText.includes('changed')")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?open=anything", "there is no puzzle `anything`"),
        ("?open=shipped:x", "there is no shipped puzzle `x`"),
        ("?open=file:../x.yaml", "cannot be opened"),
        ("?open=draft:gone", "this text is not kept any more"),
        ("?new=zzz", "there is no family `zzz`"),
        ("#z=AAAA", "This link holds no puzzle"),
    ],
)
def test_an_odd_address_is_told(page: Page, server: Server, query: str, told: str) -> None:
    page.open("file:two.yaml")
    page.goto("about:blank")
    page.goto(f"{server.origin}/{query}")
    page.wait_for_selector(f".toast.bad:has-text('{told}')")
    page.ready()


def test_a_page_of_another_site_reaches_nothing(page: Page, server: Server) -> None:
    page.open("shipped:rush_hour/bird-2")  # the browser has the cookie now
    page.raw.context.route(
        "http://evil.example/", lambda route: route.fulfill(body="<html></html>", content_type="text/html")
    )
    other = page.raw.context.new_page()
    other.goto("http://evil.example/")
    tried = """async origin => [
        await fetch(origin + "/", {credentials: "include"}).then(() => "read", () => "refused"),
        await fetch(origin + "/api/drop", {method: "POST", credentials: "include", mode: "no-cors", body: "{}"})
            .then(answer => answer.ok, () => false)]"""
    assert other.evaluate(tried, server.origin) == ["refused", False]
    other.close()


def test_a_stranger_who_follows_a_link_is_refused(sighted: Sighted, server: Server) -> None:
    with sighted.context() as context:
        context.route(
            "http://mail.example/",
            lambda route: route.fulfill(body=f"<a href='{server.origin}/'>look</a>", content_type="text/html"),
        )
        mail = context.new_page()
        mail.goto("http://mail.example/")
        mail.click("a")
        mail.wait_for_selector("text=Open the studio by the address")


def test_children_end_with_the_server(sighted: Sighted, tmp_path: Path) -> None:
    with studio(tmp_path) as server, sighted.page(server) as page:
        page.open("shipped:custom/peg-solitaire", "solve")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector(".run .stop")
        children: list[Any] = psutil.Process(server.process.pid).children(recursive=True)
        assert len(children) >= 2
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert alive == []
