"""Nothing is lost in the studio, and nothing overwritten unasked: unsaved texts, drafts, games, files, addresses."""

from __future__ import annotations

import os
import re
import signal
import stat
from pathlib import Path
from typing import Any

import pytest

from ..helpers.patience import until
from ..helpers.studio_browser import Page, Server, Sighted, free_port, studio, text_of

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from budge.models.errors import UsageError
from budge.models.families import find_family, load_text
from budge.studio.kept import KeptTexts, Unsaved, digest, place_for
from budge.studio.library import Library

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
OTHER = OWN.replace("Two in the way", "Of another project")
TITLED = "name => document.querySelector('h1')?.innerText.includes(name)"
WRITTEN = "name => document.querySelector('.cm-content')?.innerText.includes(name)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("mine")
    (folder / "two.yaml").write_text(OWN)
    return folder


def named(name: str) -> str:
    return OWN.replace("Two in the way", name)


# Files


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "mine").mkdir()
    return Library(tmp_path / "mine")


def again(library: Library) -> Library:
    """The studio was started again."""
    return Library(library.folder)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_permissions(library: Library, mode: int) -> None:
    path = library.folder / "a.yaml"
    path.write_text(OWN)
    path.chmod(mode)
    library.save("a", OTHER, overwrite=True)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (OTHER, mode)


def test_a_new_file_has_the_permissions_that_the_umask_leaves(library: Library) -> None:
    before = os.umask(0o027)
    try:
        library.save("new/a", OWN)
    finally:
        os.umask(before)
    assert stat.S_IMODE((library.folder / "new" / "a.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize("written", [OWN.replace("\n", "\r\n"), "\ufeff" + OWN, OWN.replace("\n", "\r")])
def test_a_file_keeps_its_line_ends_and_its_mark(library: Library, written: str) -> None:
    path = library.folder / "a.yaml"
    path.write_bytes(written.encode())
    assert library.read("file:a.yaml") == OWN
    library.save("a", library.read("file:a.yaml"))  # the same text: no question, no change
    assert path.read_bytes() == written.encode()
    library.save("a", OTHER, overwrite=True)
    assert path.read_bytes().decode() == written.replace("Two in the way", "Of another project")


def test_a_text_that_is_not_utf8_is_not_opened_and_so_not_spoilt(library: Library) -> None:
    (library.folder / "a.yaml").write_bytes(named("Grüße").encode("latin-1"))
    with pytest.raises(UsageError, match="UTF-8"):
        library.read("file:a.yaml")


def test_a_problem_in_pddl_is_opened_with_its_domain_and_saved_as_a_puzzle_file(library: Library) -> None:
    ferry = load_text(find_family("pddl").sample).value
    for name, text in (("domain", ferry.domain_text), ("p01", ferry.problem_text), ("p02", "(define (problem x")):
        (library.folder / f"{name}.pddl").write_text(text)
    assert library.keys()[:2] == ["file:p01.pddl", "file:p02.pddl"]
    assert {one.key: bool(one.problem) for one in library.entries(wait=True)[:2]} == {
        "file:p01.pddl": False,
        "file:p02.pddl": True,
    }
    assert library.entries(wait=True)[0].size == "4 objects, 3 actions", "lines of text have no size in cells"
    text = library.text("file:p01.pddl")
    assert load_text(text).digest == library.puzzle("file:p01.pddl").digest
    assert library.save("p01.pddl", text) == "file:p01.pddl.yaml"
    with pytest.raises(UsageError, match=r"p02\.pddl"):
        library.text("file:p02.pddl")
    (library.folder / "domain.pddl").write_text("(define (domain ferry)")
    assert library.entries(wait=True)[0].problem, "the domain is another now"


@pytest.mark.parametrize(
    "name", ["x" * 300, "x" * 5000, "a/" * 40 + "b" * 260, "\udcff", "two\0", "file/below", "..", "/"]
)
def test_an_odd_name_is_refused_with_a_sentence(library: Library, name: str) -> None:
    (library.folder / "file").write_text("no folder")
    with pytest.raises(UsageError, match=r"cannot be|is no puzzle file"):
        library.save(name, OWN)
    assert [path.name for path in library.folder.rglob("*.part")] == []


@pytest.mark.parametrize(
    "key", ["nothing", "", "wrong:a", "shipped:x", "file:", "file:\0", "file:" + "x" * 300, "draft:x"]
)
def test_an_unknown_key_is_told(library: Library, key: str) -> None:
    with pytest.raises(UsageError):
        library.text(key)


# Unsaved texts


def test_unsaved_texts_belong_to_a_folder_and_outlive_the_studio(library: Library, tmp_path: Path) -> None:
    (library.folder / "a.yaml").write_text(OWN)
    assert library.keep("file:a.yaml", OTHER, digest(OWN))
    draft = library.new_draft(named("A draft"))
    after = again(library)
    assert after.text("file:a.yaml") == OTHER
    assert after.text(draft) == named("A draft")
    assert [one.key for one in after.shelf()] == [draft, "file:a.yaml"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.yaml").write_text(OWN)
    other = Library(tmp_path / "other")
    assert other.text("file:a.yaml") == OWN
    assert other.shelf() == []
    place = place_for(library.folder)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o600}


def test_an_unsaved_text_is_not_put_in_the_place_of_another_file(library: Library) -> None:
    path = library.folder / "a.yaml"
    path.write_text(OWN)
    library.keep("file:a.yaml", OTHER, digest(OWN))
    path.write_text(named("By another program"))
    after = again(library)
    assert after.text("file:a.yaml") == named("By another program")
    draft = after.set_aside("file:a.yaml")
    assert draft is not None
    assert (after.text(draft), after.set_aside("file:a.yaml")) == (OTHER, None)
    assert again(after).text(draft) == OTHER


def test_a_text_that_is_that_of_its_file_is_not_kept(library: Library) -> None:
    (library.folder / "a.yaml").write_text(OWN)
    library.keep("file:a.yaml", OTHER, digest(OWN))
    library.keep("file:a.yaml", OWN, digest(OWN))
    assert library.shelf() == again(library).shelf() == []


def test_two_studios_on_a_folder_keep_both_texts(library: Library) -> None:
    (library.folder / "a.yaml").write_text(OWN)
    other = again(library)
    library.keep("file:a.yaml", named("The first"), digest(OWN))
    other.keep("file:a.yaml", named("The second"), digest(OWN))
    assert {one.text for one in again(library).shelf()} == {named("The first"), named("The second")}
    third, fourth = again(library), again(library)  # both have found the same files
    key = next(one.key for one in third.shelf() if one.text == named("The first"))
    third.keep(key, named("The third"))
    fourth.keep(key, named("The fourth"))
    assert {named("The third"), named("The fourth")} <= {one.text for one in again(library).shelf()}


def test_only_drafts_that_nobody_has_changed_are_given_up(library: Library) -> None:
    mine = library.new_draft(named("Mine"))
    library.keep(mine, named("Mine, changed"))
    for number in range(250):
        library.new_draft(f"of a link: {number}")
    assert library.text(mine) == named("Mine, changed")
    assert len(library.shelf()) == 201
    assert len(again(library).shelf()) == 201


def test_texts_are_kept_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = KeptTexts(tmp_path / "file" / "below")
    assert not kept.keep(Unsaved("draft:1", "a text"))  # so the browser goes on keeping it
    assert kept.all()[0].text == "a text"


def test_what_is_no_text_among_the_kept_ones_is_left_alone(tmp_path: Path) -> None:
    for number, content in enumerate(["", "{", "[]", "{}", '{"key": 1}', "null"]):
        (tmp_path / f"{number}.json").write_text(content)
    assert KeptTexts(tmp_path).all() == []
    assert len(list(tmp_path.iterdir())) == 6


# In the browser


@pytest.mark.weekly
def test_text_of_one_folder_does_not_come_up_in_another(sighted: Sighted, tmp_path: Path) -> None:
    port = free_port()
    for name, text in (("a", OWN), ("b", OTHER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.yaml").write_text(text)
    with sighted.context() as context:
        with studio(tmp_path / "a", port=port) as first:
            page = Page(context.new_page(), first)
            page.open("file:same.yaml")
            page.write(named("Not saved"))
            page.wait_for_function(TITLED, arg="Not saved")
            page.close()
        with studio(tmp_path / "b", port=port) as second:
            page = Page(context.new_page(), second)
            page.open("file:same.yaml")
            page.wait_for_function(TITLED, arg="Of another project")
            assert page.locator(".offer").count() == 0
            assert "changed" not in page.inner_text(".where")
            page.close()
        with studio(tmp_path / "a") as third:  # at another port
            page = Page(context.new_page(), third)
            page.open("file:same.yaml")
            page.wait_for_function(TITLED, arg="Not saved")
    assert (tmp_path / "b" / "same.yaml").read_text() == OTHER


@pytest.mark.weekly
@pytest.mark.parametrize("answer", ["show", "keep", "discard"])
def test_text_made_from_an_older_file_is_offered(page: Any, folder: Path, answer: str) -> None:
    path = folder / f"{answer}.yaml"
    path.write_text(OWN)
    page.open(f"file:{answer}.yaml")
    page.write(named(f"Mine to {answer}"))
    page.wait_for_function(TITLED, arg=f"Mine to {answer}")
    path.write_text(OTHER)
    page.locator(".cm-content").click()
    page.keyboard.type("# goes on")  # no key makes a draft of what was there before
    page.wait_for_function(WRITTEN, arg="# goes on")
    kept = folder.parent / "state"  # what the studio does not have yet is kept by the browser, as another text
    reached = re.compile(f"Mine to {answer}.*# goes on")
    until(lambda: any(reached.search(file.read_text()) for file in kept.rglob("*.json")))
    assert "changed" in page.inner_text(".where")
    page.reload()
    page.wait_for_selector(".offer")
    page.wait_for_function(TITLED, arg="Of another project")
    page.wait_for_function("() => !Object.keys(localStorage).some(name => name.includes('file:'))")
    assert page.locator(".offer").count() == 1
    assert not page.is_visible(".newer >> text=Another tab")
    page.click(f".offer-{answer}")
    if answer == "show":
        page.wait_for_url("**/?open=draft*")
        page.wait_for_function(TITLED, arg="Mine to show")
    else:
        page.wait_for_selector(".offer", state="detached")
    page.click(".library-button")
    page.wait_for_selector(".puzzle-card")
    shelved = f".unsaved-card:has-text('Mine to {answer}')"
    assert page.locator(shelved).count() == (0 if answer == "discard" else 1)
    assert path.read_text() == OTHER


@pytest.mark.weekly
def test_text_that_never_reached_a_studio_is_in_the_browser(sighted: Sighted, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "two.yaml").write_text(OWN)
    port = free_port()
    with sighted.context() as context:
        with studio(tmp_path / "mine", port=port) as first:
            page = Page(context.new_page(), first)
            page.open("file:two.yaml")
            first.process.send_signal(signal.SIGSTOP)  # it hears nothing any more
            page.write(named("Never heard"))
            page.wait_for_function("() => Object.values(localStorage).some(text => text.includes('Never heard'))")
            first.process.kill()
            first.process.wait()
            page.close()
        with studio(tmp_path / "mine", port=port) as second:
            page = Page(context.new_page(), second)
            page.open("file:two.yaml")
            page.wait_for_function(TITLED, arg="Never heard")
            page.wait_for_function("() => Object.keys(localStorage).every(name => !name.startsWith('budge-studio:'))")
            assert "changed" in page.inner_text(".where")


@pytest.mark.weekly
def test_texts_that_older_versions_kept_in_the_browser_are_offered(page: Any, server: Server) -> None:
    page.open("shipped:rush_hour/bird-2")
    old = {
        "budge-studio:file:two.yaml": named("Of an unknown folder"),
        "budge-studio:draft:1": named("A numbered draft"),
    }
    page.evaluate("texts => Object.entries(texts).forEach(pair => localStorage.setItem(...pair))", old)
    page.open("file:two.yaml")
    page.wait_for_function("() => document.querySelectorAll('.offer').length === 2")
    assert "name: Two in the way" in page.inner_text(".cm-content")
    page.wait_for_function("() => Object.keys(localStorage).every(name => !name.startsWith('budge-studio:'))")
    page.click(".library-button")
    page.wait_for_selector(".unsaved-card:has-text('Of an unknown folder')")
    page.wait_for_selector(".unsaved-card:has-text('A numbered draft')")


def test_drafts_have_a_shelf(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".new")
    page.click(".q-menu >> text=Sokoban")
    page.wait_for_url("**/?open=draft*")
    page.wait_for_function(WRITTEN, arg="family: sokoban")
    page.write(named("My precious hour"))
    page.wait_for_function(TITLED, arg="My precious hour")
    page.open("shipped:rush_hour/bird-2")
    page.click(".library-button")
    page.click(".unsaved .puzzle-card:has-text('My precious hour')")
    page.wait_for_function(TITLED, arg="My precious hour")
    page.click(".library-button")
    card = ".unsaved-card:has-text('My precious hour')"
    page.click(f"{card} .discard")
    page.click("text=Keep it")
    assert page.locator(card).count() == 1
    page.click(f"{card} .discard")
    page.click("text=Discard it")
    page.wait_for_selector(card, state="detached")


def test_a_new_puzzle_does_not_trap_the_way_back(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.raw.goto(f"{server.origin}/?new=rush-hour")
    page.wait_for_url("**/?open=draft*")
    page.wait_for_selector(".problems .fine")
    draft = page.raw.url
    page.go_back()
    page.wait_for_function(TITLED, arg="Two in the way")
    page.go_forward()
    page.wait_for_url(draft)
    page.wait_for_function(WRITTEN, arg="family: rush-hour")
    page.reload()
    page.wait_for_function(WRITTEN, arg="family: rush-hour")


def test_a_reload_keeps_the_game_the_replay_and_the_tab(page: Any) -> None:
    page.open("file:two.yaml")
    page.click(".tab-play")
    page.wait_for_selector(".view-play")
    page.locator(".play-board .budge-stage").focus()
    for piece in "BC":
        page.keyboard.press(piece)
        page.keyboard.press("ArrowDown")
        page.wait_for_function("n => document.querySelectorAll('.played').length === n", arg=1 + "BC".index(piece))
    page.keyboard.press("z")
    page.wait_for_function("() => document.querySelectorAll('.played').length === 1")
    page.click(".play-watch")
    page.wait_for_selector("budge-replay .token")
    page.click(".tab-explore")
    page.wait_for_selector(".view-explore")
    page.reload()
    page.wait_for_selector(".view-explore")
    page.wait_for_function("() => document.querySelectorAll('.played').length === 1")
    assert page.evaluate("document.querySelector('.play-board').place('B').slice(0, 2)") == [1, 3]
    page.go_back()
    page.wait_for_selector(".view-replay")
    page.wait_for_selector("budge-replay .token")
    page.go_back()
    page.wait_for_selector(".view-play")
    page.click(".play-redo")
    page.wait_for_function("() => document.querySelectorAll('.played').length === 2")


def paste(page: Any, text: str) -> None:
    """Replace the text in the editor by pasting: that is quick with long texts, too."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.evaluate(
        """text => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const event = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
            document.querySelector(".cm-content").dispatchEvent(event);
        }""",
        text,
    )


def test_text_that_is_too_long_is_refused_and_never_called_saved(page: Any, folder: Path) -> None:
    (folder / "big.yaml").write_text(OWN)
    page.open("file:big.yaml")
    for much in ("# long\n" * 220_000, '"' * 250_000):
        paste(page, much)
        page.wait_for_selector(".q-notification >> text=Not taken")
        assert "Two in the way" in page.inner_text(".cm-content")
    paste(page, named("x" * 10_000 + "\n" + "# x\n" * 20_000))
    page.wait_for_function(TITLED, arg="xxx")
    page.click(".save")
    page.wait_for_selector("text=Saved as big.yaml")
    assert (folder / "big.yaml").read_text() == named("x" * 10_000 + "\n" + "# x\n" * 20_000)


def test_text_that_has_not_arrived_is_not_called_saved(page: Any, folder: Path) -> None:
    (folder / "lost.yaml").write_text(OWN)
    page.open("file:lost.yaml")
    page.evaluate("window.socket.io.engine.transport.ws.send = () => {}")  # from now on nothing leaves the browser
    page.write(named("Lost on the way"))
    page.evaluate("delete window.socket.io.engine.transport.ws.send")
    page.click(".save")
    page.wait_for_selector("text=Not saved: not all of the text in the editor has reached the studio")
    assert (folder / "lost.yaml").read_text() == OWN
    page.reload()
    page.wait_for_function(TITLED, arg="Lost on the way")


def test_what_is_typed_while_the_text_is_read_stays(page: Any, folder: Path) -> None:
    (folder / "typed.yaml").write_text(OWN)
    page.open("file:typed.yaml")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("first")
    page.evaluate("""() => {  // from now on, what leaves the browser waits
        const ws = window.socket.io.engine.transport.ws;
        window.waiting = [];
        ws.send = (data) => window.waiting.push(data);
    }""")
    page.keyboard.insert_text(" and second")
    page.wait_for_selector(".problem")  # of the text with `first` alone
    page.wait_for_timeout(300)
    assert "first and second" in page.inner_text(".cm-content")
    page.evaluate("""() => {
        const ws = window.socket.io.engine.transport.ws;
        delete ws.send;
        window.waiting.forEach((data) => ws.send(data));
    }""")
    page.wait_for_function("() => document.querySelector('.problem-line')?.innerText === 'first and second'")
    page.click(".save")
    page.wait_for_selector("text=Saved as typed.yaml")
    assert (folder / "typed.yaml").read_text() == OWN + "first and second"


def test_text_that_is_undone_is_not_changed(page: Any) -> None:
    page.open("file:two.yaml")
    page.locator(".cm-content").click()
    page.keyboard.type("# ")
    page.wait_for_function("() => document.querySelector('.where').innerText.includes('changed')")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => !document.querySelector('.where').innerText.includes('changed')")


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?open=anything", "there is no puzzle `anything`"),
        ("?open=shipped:x", "there is no shipped puzzle `x`"),
        ("?open=file:../x.yaml", "cannot be opened"),
        ("?open=draft:gone", "this text is not kept any more"),
        ("?run=abc&store=x", "there is no run `abc`"),
        ("?new=zzz", "there is no family `zzz`"),
    ],
)
def test_an_odd_address_is_told(page: Any, server: Server, query: str, told: str) -> None:
    page.open("file:two.yaml")
    page.raw.goto(f"{server.origin}/{query}")
    page.wait_for_selector(f".q-notification:has-text('{told}')")
    page.wait_for_selector(".problem, .problems .fine", state="attached")


def test_an_odd_file_name_is_told(page: Any) -> None:
    page.open("shipped:rush_hour/level-03")
    page.click(".save")
    page.fill(".q-dialog input", "x" * 300)
    page.click(".q-dialog button >> text=Save")
    page.wait_for_selector(".q-notification:has-text('cannot be')")


def test_a_link_of_another_site_opens_and_one_of_another_port_by_hand(page: Any, server: Server) -> None:
    page.open("file:two.yaml")
    page.click(".share")
    page.click("text=Share a link")
    page.wait_for_function("() => document.querySelector('.share-link input')?.value.includes('#z=')")
    link = page.input_value(".share-link input")
    context = page.raw.context
    context.route(
        "http://mail.example/",
        lambda route: route.fulfill(body=f"<html><a href='{link}'>look</a></html>", content_type="text/html"),
    )
    mail = context.new_page()
    mail.goto("http://mail.example/")
    mail.click("a")
    mail.wait_for_url("**/?open=draft*")
    assert "name: Two in the way" in text_of(mail)
    mail.close()
    page.open("shipped:rush_hour/bird-2")
    page.click(".share")
    page.click(".open-link")
    page.fill(".link-to-open input", link.replace(server.origin, "http://127.0.0.1:1"))
    page.click("button >> text=Open")
    page.wait_for_url("**/?open=draft*")
    page.wait_for_function(TITLED, arg="Two in the way")


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


def test_tab_leaves_the_editor_and_the_skip_link_goes_to_the_board(page: Any) -> None:
    page.open("file:two.yaml")
    page.wait_for_selector(".play-board .token")
    page.locator(".cm-content").click()
    before = page.inner_text(".cm-content")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor')") is None
    page.locator(".cm-content").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('.cm-editor')") is None
    assert page.inner_text(".cm-content") == before
    assert "changed" not in page.inner_text(".where")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className").startswith("budge-stage")


def test_keys_take_back_make_again_and_start_again(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.wait_for_selector(".play-board .token")
    page.locator(".play-board .budge-stage").focus()
    count = "n => document.querySelectorAll('.played').length === n"
    page.wait_for_function("() => document.querySelector('.play-board').moves.length")
    move = page.evaluate("document.querySelector('.play-board').moves[0]")
    page.keyboard.press(move["piece"].lower())
    page.keyboard.press({"U": "ArrowUp", "D": "ArrowDown", "L": "ArrowLeft", "R": "ArrowRight"}[move["way"]])
    page.wait_for_function(count, arg=1)
    for key, left in (("z", 0), ("y", 1), ("Control+z", 0), ("Control+y", 1), ("u", 0), ("Control+Shift+Z", 1)):
        page.keyboard.press(key)
        page.wait_for_function(count, arg=left)
    page.keyboard.press("Backspace")
    page.wait_for_function(count, arg=0)
    page.keyboard.press("y")
    page.wait_for_function(count, arg=1)
    page.keyboard.press("r")
    page.wait_for_function(count, arg=0)


def test_the_axis_of_states_names_the_metric(page: Any) -> None:
    page.open("shipped:rush_hour/bird-2")
    page.click(".tab-explore")
    page.click(".explore-go")
    page.wait_for_selector(".hardest")
    drawn = page.evaluate("document.querySelector('.pane-explore .chart').textContent")
    assert "slides from the start" in drawn
    assert "slides from the goal" in drawn
    assert "steps" not in drawn


def test_the_digest_is_the_same_here_and_in_the_browser(page: Any) -> None:
    page.open("file:two.yaml")
    assert page.evaluate("budgeStudio.digest()") == digest(OWN)
