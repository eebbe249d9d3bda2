"""`budge site`: a folder of puzzles as pages to play on without a server."""

from __future__ import annotations

import base64
import random
import re
import signal
import zipfile
import zlib
from json import dumps
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.cli import main
from budge.models.errors import DisagreementError
from budge.models.library import expand, find
from budge.models.moves import Slide
from budge.proofs.check import check_folder
from budge.proofs.verdict import VALID
from budge.runtime import worker
from budge.runtime.outcome import Outcome, Status, StoppedError
from budge.runtime.worker import Apart
from budge.views import site
from budge.views.rules import rules_of
from budge.views.scene import Scene
from budge.workflows import site_folder
from budge.workflows.certifying import certify
from budge.workflows.playing import Game
from budge.workflows.site_folder import Presented, SiteFolder, pages_of
from budge.workflows.solving import Solution, solve

from ..helpers.browser import Opened, opened
from ..helpers.studio_browser import graves

SMALL = ("bird-2", "microban-001", "jugs-3-5")
PLAYED = (*SMALL, "heng-dao-li-ma", "eight-10", "wolf-goat-cabbage", "missionaries-and-cannibals", "bird-1", "snake-5")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a few puzzles, made by the command."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "puzzles").mkdir()
    for name in SMALL:
        (folder / "puzzles" / f"{name}.yaml").write_bytes(find(name).read_bytes())
    (folder / "puzzles" / "bad.yaml").write_text("family: <b>nope\n")
    (folder / "puzzles" / "ruled.yaml").write_text("format: 1\nfamily: bad.family.yaml\n")
    (folder / "puzzles" / "bad.family.yaml").write_text("format: 1\nfamily: custom\ntypes: 7\n")
    assert main(["site", str(folder / "puzzles"), str(folder / "web"), "--quiet", "--title", "A <shelf>"]) == 2
    return folder


def on_page(chromium: Any, folder: Path, name: str, known: int | None = None, **options: Any) -> Opened:
    """The page of a puzzle that was solved beforehand, or not at all."""
    puzzle = budge.load(name)
    solution = solve(puzzle, "bfs") if name in SMALL else _unsolved(puzzle)
    if known is not None:
        outcome = Outcome(status=Status.FEASIBLE, lower_bound=(3,), upper_bound=(known,))
        solution = Solution(puzzle, "bfs", "slides", outcome, None)
    rules = rules_of(puzzle, puzzle.header.metric)
    place = SiteFolder.at(folder / "web")
    for file, text in site.assets().items():
        place.write(f"assets/{file}", text.encode())
    place.write("puzzles/page.html", site.puzzle_page(Presented(solution), "page", rules).encode())
    return opened(chromium, folder / "web" / "puzzles" / "page.html", **options)


def _unsolved(puzzle: Any) -> Solution:
    outcome = Outcome(status=Status.UNKNOWN, lower_bound=(3,) * (puzzle.header.metric.count(",") + 1))
    return Solution(puzzle, "bfs", puzzle.header.metric, outcome, None)


def test_the_command_writes_a_page_for_each_puzzle(made: Path) -> None:
    index = (made / "web" / "index.html").read_text(encoding="utf-8")
    assert "<h1>A &lt;shelf&gt;</h1>" in index
    assert "&lt;b&gt;nope" in index
    assert "bad.yaml</code><pre" in index
    for name, bounds in (("bird-2", "10 slides"), ("microban-001", "8 pushes"), ("jugs-3-5", "6 moves")):
        page = (made / "web" / "puzzles" / f"{name}.html").read_text(encoding="utf-8")
        assert f'{bounds} <span class="badge good">proven</span>' in page
        assert f'{bounds} <span class="badge good">proven</span>' in index
        assert "Why not fewer?" in page
        assert budge.load(made / "web" / "puzzles" / f"{name}.yaml") == budge.load(name) or name  # it loads
    assert 'rel="next"' in (made / "web" / "puzzles" / "bird-2.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SMALL)
def test_certificates_are_accepted(made: Path, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(made / "web" / "puzzles" / f"{name}.certificate.zip") as archive:
        archive.extractall(tmp_path)
    assert check_folder(tmp_path / f"{name}.certificate").status == VALID


def test_what_is_done_stays(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, index = made / "web" / "puzzles" / "bird-2.html", made / "web" / "index.html"
    before = page.stat().st_mtime_ns, index.read_text(encoding="utf-8").replace("A &lt;shelf&gt;", "Puzzles")
    assert main(["site", str(made / "puzzles"), str(made / "web"), "--quiet"]) == 2
    assert capsys.readouterr().out == ""  # nothing was solved
    assert before == (page.stat().st_mtime_ns, index.read_text(encoding="utf-8"))


def test_what_has_gone_goes(made: Path, tmp_path: Path) -> None:
    copy = SiteFolder.at(tmp_path / "web")
    known = SiteFolder.at(made / "web").done["bird-2"]
    copy.add("bird-2", ("text", "limits"), known["card"], {".html": b"page", ".svg": b"picture"})
    assert main(["site", str(made / "puzzles" / "bad.yaml"), str(tmp_path / "web"), "--quiet"]) == 2
    assert not list((tmp_path / "web" / "puzzles").iterdir())
    assert "0 puzzles" in (tmp_path / "web" / "index.html").read_text(encoding="utf-8")


def test_its_own_files_are_no_puzzles(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "jugs.yaml").write_bytes(find("jugs-3-5").read_bytes())
    (tmp_path / "web").mkdir()
    for name in ("puzzles", "assets", "site.json"):
        (tmp_path / "web" / name).symlink_to(made / "web" / name)
    assert [Path(name).name for name in expand([str(tmp_path)])] == ["jugs.yaml"]
    assert main(["site", str(made / "web" / "puzzles"), str(made / "web"), "--quiet"]) == 2
    assert "is a file of the site" in capsys.readouterr().err


def test_the_index_names_no_folder_of_the_author(made: Path) -> None:
    index = (made / "web" / "index.html").read_text(encoding="utf-8")
    assert "bad.family.yaml:3:8: error" in index
    assert str(made) not in index


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """Bytes of a file's name or of an argument that are no UTF-8 are in no page."""
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "\udcff.yaml").write_text("family: [")
    assert main(["site", str(tmp_path / "odd"), str(tmp_path / "web"), "--quiet", "--title", "T\udcff"]) == 2
    assert "<h1>T\ufffd</h1><p>0 puzzles.</p>" in (tmp_path / "web" / "index.html").read_text(encoding="utf-8")


def test_names_that_turn_text_around(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = find("jugs-3-5").read_text(encoding="utf-8").replace("name: Jugs of 3 and 5", 'name: "\\u202EJugs"')
    (tmp_path / "\u202eodd.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "\u202ebad.yaml").write_text("family: [")
    assert main(["site", str(tmp_path), str(tmp_path / "web"), "--quiet"]) == 2
    index = (tmp_path / "web" / "index.html").read_text(encoding="utf-8")
    said = capsys.readouterr()
    assert "\u202e" not in said.out + index
    assert ": 6 moves, proven; puzzles/odd.html\n" in said.out  # what became of each page is said
    assert said.err.count("it has no page; the index lists it with the reason") == 1
    assert "<strong>\ufffdJugs</strong>" in index
    page = (tmp_path / "web" / "puzzles" / "odd.html").read_text(encoding="utf-8")
    assert "<h1>\ufffdJugs</h1>" in page
    assert "\u202e" not in page


def test_all_pages_can_be_played_before_the_first_is_solved(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C while the second puzzle is solved: the site is whole, with one answer, and the same command continues."""
    web, solved, present = tmp_path / "web", list[str](), site_folder.present

    def presented(puzzle: Any, name: str, *more: Any) -> Presented:
        if not solved:
            for page in SMALL:
                text = (web / "puzzles" / f"{page}.html").read_text(encoding="utf-8")
                assert 'class="badge open">not solved yet</span>' in text
                assert 'rel="next"' in text or page == SMALL[-1]
            index = opened(chromium, web / "index.html").page
            assert index.locator(".card .optimum").all_inner_texts() == ["Not solved yet"] * 3
            index.get_by_role("link", name="Bird's second grid").click()
            index.locator(".gauge span", has_text="10 slides to the goal").wait_for()
        solved.append(name)
        if len(solved) == 2:
            signal.raise_signal(signal.SIGINT)
        return present(puzzle, name, *more)

    monkeypatch.setattr(site_folder, "present", presented)
    command = ["site", *SMALL, str(web), "--quiet"]
    assert main(command) == 130
    said = capsys.readouterr()
    assert said.out == "bird-2: 10 slides, proven; puzzles/bird-2.html\n"
    assert "all pages can be played, answers follow" in said.err
    index = (web / "index.html").read_text(encoding="utf-8")
    assert index.count("not solved yet") == 2
    assert "Not solved yet: 2 puzzles. The same command continues." in index
    assert all((web / "puzzles" / f"{page}.html").is_file() for page in SMALL)
    assert (web / "assets" / "game.js").is_file()
    solved += SMALL
    assert main(command) == 0
    assert solved[2 + len(SMALL) :] == ["microban-001.certificate", "jugs-3-5.certificate"]  # one was done
    assert "not solved yet" not in (web / "index.html").read_text(encoding="utf-8").lower()
    page = (web / "puzzles" / "jugs-3-5.html").read_text(encoding="utf-8")
    assert '6 moves <span class="badge good">proven</span>' in page
    assert 'rel="prev" href="microban-001.html"' in page


def test_a_page_without_an_answer_stays_to_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: Any) -> Presented:
        raise StoppedError("time limit")

    monkeypatch.setattr(site_folder, "present", stopped)
    assert main(["site", "korf-01", str(tmp_path / "web"), "--quiet"]) == 3
    assert "its page has no answer; the index lists it with the reason" in capsys.readouterr().err
    assert "<code>korf-01</code>" in (tmp_path / "web" / "index.html").read_text(encoding="utf-8")
    assert "<budge-game" in (tmp_path / "web" / "puzzles" / "korf-01.html").read_text(encoding="utf-8")


class Refusing(Apart):
    """Work apart, but no certificate is accepted."""

    def run(self, work: Any, *more: Any, **options: Any) -> Any:
        if getattr(work, "func", None) is certify:
            raise DisagreementError("the certificate is not accepted: <line 7>")
        return super().run(work, *more, **options)


def test_a_refused_certificate_is_said_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "Apart", Refusing)
    command = ["site", "jugs-3-5", str(tmp_path / "web"), "--quiet"]
    assert [main(command), main(command)] == [4, 4]
    page, index = tmp_path / "web" / "puzzles" / "jugs-3-5.html", tmp_path / "web" / "index.html"
    assert "in doubt: the certificate is not accepted: &lt;line 7&gt;." in page.read_text(encoding="utf-8")
    for file in (page, index):
        assert '6 moves <span class="badge open">not proven</span>' in file.read_text(encoding="utf-8")


def test_a_contradiction_is_said_each_time(tmp_path: Path) -> None:
    text = find("jugs-3-5").read_text(encoding="utf-8")
    (tmp_path / "jugs.yaml").write_text(re.sub(r"cost: 6", "cost: 5", text))
    command = ["site", str(tmp_path / "jugs.yaml"), str(tmp_path / "web"), "--quiet"]
    assert [main(command), main(command)] == [4, 4]


def test_another_folder_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["site", "bird-2", str(tmp_path), "--quiet"]) == 2
    assert "no site of Budge" in capsys.readouterr().err
    (tmp_path / "site.json").write_text("[1]")
    assert main(["site", "bird-2", str(tmp_path), "--quiet"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["site", "no-such-puzzle", str(tmp_path / "new"), "--quiet"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "site.json"]


def test_pages_are_called_after_their_files() -> None:
    assert pages_of(["a/Bird 1.yaml", "b/bird-1.yaml", "b/c/x.yaml", "-"]) == {
        "a/Bird 1.yaml": "bird-1",
        "b/bird-1.yaml": "b-bird-1",
        "b/c/x.yaml": "x",
        "-": "puzzle",
    }
    assert max(map(len, pages_of([f"{'a' * 240}/{'b' * 240}.yaml", f"{'c' * 240}/{'b' * 240}.yaml"]).values())) < 130


def test_what_is_not_proven_is_said_as_bounds() -> None:
    shown = Presented(_unsolved(budge.load("korf-01")))
    page = site.puzzle_page(shown, "korf-01", None)
    assert 'at least 3 moves <span class="badge open">not proven</span>' in page
    assert "No plan is known" in page
    assert "Too large to be played" in page
    assert "The file says 57 moves." in page
    assert site.card(shown, "korf-01", False)["cost"] == []


def test_a_page_says_what_the_file_expects_beside_a_longer_plan(chromium: Any, tmp_path: Path) -> None:
    told = on_page(chromium, tmp_path, "bird-2", 12).page.inner_text(".told")
    assert told == "The best plan found here has 12 slides; the file expects 10 slides. Can you do better?"
    told = on_page(chromium, tmp_path, "bird-2", 10).page.inner_text(".told")
    assert told == "The best plan found here has 10 slides. Can you do better?"


def test_a_page_says_who_made_a_puzzle() -> None:
    page = site.puzzle_page(Presented(_unsolved(budge.load("microban-001"))), "page", None)
    assert "Sokoban, by David W. Skinner. Microban, revised April 2000" in page


def places(at: Any) -> list[Any]:
    """Where pieces are; of those that are alike (`box 1`, `box 2`) any may be any."""
    return sorted([re.sub(r" \d+$", "", id), list(place)] for id, place in at.items() if place)


@pytest.mark.weekly
@pytest.mark.parametrize("name", PLAYED)
def test_positions_are_those_of_the_rules(chromium: Any, tmp_path: Path, name: str) -> None:
    """Moves made by chance in the page and by the rules lead to the same positions at the same cost."""
    seen, chance = on_page(chromium, tmp_path, name), random.Random(name)
    game, page = Game(budge.load(name)), seen.page
    stage, parts = Scene(game.puzzle), str(game.metric).split(",")
    for _ in range(12):
        theirs = page.evaluate("document.querySelector('budge-board').moves")
        at = page.evaluate("document.querySelector('budge-board').state.at")
        own = game.puzzle.family == "custom"
        same = [str(one["notation"] if own else (*at[one["piece"]][:2], *one["to"])) for one in theirs]
        listed = [
            str((*one.cell, *one.end)) if isinstance(one, Slide) else game.notation_of(one) for one in game.moves()
        ]
        # A page does not offer what changes nothing, as to empty a jug that is empty.
        changing = zip(listed, game.moves(), strict=True)
        assert {text for text, move in changing if game.after(move) != game.board} == set(same)
        number = chance.randrange(len(theirs))
        game.play(game.moves()[listed.index(same[number])])
        detail = {"index": number}
        page.evaluate(
            "detail => document.querySelector('budge-board').dispatchEvent(new CustomEvent('move', {detail}))", detail
        )
        state = page.evaluate("(({at, lines}) => ({at, lines}))(document.querySelector('budge-board').state)")
        assert places(state["at"]) == sorted([kind, [*cell, face]] for kind, cell, face in stage.places(game.board))
        assert state["lines"] == (list(game.board) if stage.style == "lines" else None)
        told = page.locator(".counter").text_content()
        assert told == ", ".join(game.puzzle.unit(part).counted(game.costs[part]) for part in parts)
    assert not seen.errors


def test_a_shortest_solution_is_told(chromium: Any, tmp_path: Path) -> None:
    page = on_page(chromium, tmp_path, "jugs-3-5").page
    assert "Can you do it in 6 moves?" in page.locator(".told").text_content()
    for move in ("fill(large)", "pour(large,small)", "empty(small)", "pour(large,small)", "fill(large)"):
        page.locator(".choices").get_by_role("button", name=move, exact=True).click()
    page.locator(".choices").get_by_role("button", name="pour(large,small)", exact=True).click()
    assert page.locator(".told").text_content() == "6 of 6: a shortest solution."
    page.reload()
    assert page.locator(".counter").text_content() == "6 moves"
    for key, moves in (("z", 5), ("u", 4), ("y", 5), ("Control+z", 4), ("r", 0)):
        page.keyboard.press(key)
        assert page.locator(".counter").text_content() == f"{moves} moves"


def test_a_longer_solution_is_told(chromium: Any, tmp_path: Path) -> None:
    page = on_page(chromium, tmp_path, "jugs-3-5").page
    moves = "fill(small)", "empty(small)", "fill(large)", "pour(large,small)", "empty(small)", "pour(large,small)"
    for move in (*moves, "fill(large)", "pour(large,small)"):
        page.locator(".choices").get_by_role("button", name=move, exact=True).click()
    assert page.locator(".told").text_content() == "Solved in 8 moves. The shortest has 6. You lost 2 moves at move 2."


def test_keys_and_fingers_move_pieces(chromium: Any, tmp_path: Path) -> None:
    page = on_page(chromium, tmp_path, "microban-001", width=390, has_touch=True).page
    page.keyboard.press("ArrowDown")  # the board is not focused yet
    assert page.locator(".history").text_content() == "1 d"
    page.keyboard.press("z")
    box = page.locator("budge-game [data-id='box 2']").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    assert page.locator(".counter").text_content() in ("1 push", "2 pushes")


ROLLING = """\
format: 1
family: custom
name: A block that lies and stands
grid: |
  B..
  ...
legend: {".": floor, "B": block}
state:
  block: {in: cell}
  lies: {in: bool}
actions:
  roll: {with: {d: direction}, set: {block: block + d, lies: not lies}}
draw: {"=": here == block and lies, "B": here == block}
goal: block == cell(2, 3)
"""


def test_a_puzzle_without_a_solution_is_told_from_a_way_that_was_lost(chromium: Any, tmp_path: Path) -> None:
    page = on_page(chromium, tmp_path, "rush_hour/unsolvable").page
    page.wait_for_selector(".told >> text=There is no solution.")
    assert page.locator(".gauge span").text_content() == ""


def test_arrows_make_moves_that_are_named_by_a_direction_alone(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "rolling.yaml").write_text(ROLLING)
    page = on_page(chromium, tmp_path, str(tmp_path / "rolling.yaml")).page
    for key in ("Right", "Up", "Down", "Right"):
        page.keyboard.press(f"Arrow{key}")
    assert page.locator(".history").text_content() == "1 roll(right)2 roll(down)3 roll(right)"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_ask_for_nothing_else(chromium: Any, made: Path, width: int, scheme: str) -> None:
    for name in ("index", "puzzles/bird-2", "puzzles/jugs-3-5"):
        seen = opened(chromium, made / "web" / f"{name}.html", width=width, color_scheme=scheme)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert not seen.errors
        assert all(url.startswith(((made / "web").as_uri(), "blob:")) for url in seen.requests)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "play", "puzzles/bird-2", "puzzles/jugs-3-5"])
def test_nothing_is_hard_to_reach(chromium: Any, made: Path, name: str, scheme: str) -> None:
    page = opened(chromium, made / "web" / f"{name}.html", width=390, color_scheme=scheme).page
    for summary in page.locator("summary").all():
        summary.click()
    assert graves(page) == []


def test_the_index_is_filtered(chromium: Any, made: Path) -> None:
    page = opened(chromium, made / "web" / "index.html").page
    names = page.locator(".card:visible strong")
    assert names.count() == 3
    page.get_by_role("button", name="Sokoban").click()
    assert names.all_text_contents() == ["Microban 1"]
    page.get_by_role("button", name="Sokoban").click()
    page.get_by_label("Find a puzzle by its name").fill("JUGS")
    assert names.all_text_contents() == ["Jugs of 3 and 5"]
    page.get_by_label("Find a puzzle by its name").fill("")
    page.get_by_label("Order").select_option("cost")
    assert names.first.text_content() == "Jugs of 3 and 5"
    names.first.click()
    page.wait_for_url("**/puzzles/jugs-3-5.html")


def test_an_address_holds_a_puzzle(chromium: Any, made: Path) -> None:
    puzzle = budge.load("bird-2")
    game = {**(rules_of(puzzle, "slides") or {}), "digest": puzzle.digest}
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(dumps({"name": "Sent", "game": game}).encode()) + packer.flush()
    code = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    assert len(code) < 10_000
    page = opened(chromium, made / "web" / "play.html").page
    page.locator("h1", has_text="holds no puzzle").wait_for()
    page.goto(f"{(made / 'web' / 'play.html').as_uri()}#g={code}")
    page.locator(".gauge span", has_text="10 slides to the goal").wait_for()
    assert page.inner_text("h1") == "Sent"
    page.goto(f"{(made / 'web' / 'play.html').as_uri()}#g=cut")
    page.locator("h1", has_text="holds no puzzle").wait_for()
