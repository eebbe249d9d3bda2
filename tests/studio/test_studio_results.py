"""The studio's view of stores: which are found, what is shown of one, and that a run opens its puzzle and its plan."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from budge.cli import main
from budge.lab.executors import LocalExecutor
from budge.lab.experiment import Entrant, Experiment, run
from budge.lab.store import Filter, Store, compare_runs
from budge.models.errors import UsageError
from budge.models.library import load

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

from budge.studio import results
from budge.studio.asked import Studio
from budge.studio.kept import digest
from budge.studio.library import Library
from budge.studio.stores import Stores

from ..helpers.studio_browser import Page, Server, Sighted, graves, still

OWN = "format: 1\nfamily: rush-hour\nname: Two in the way\nboard: |\n  AA.BC\n  ...BC\n  .....\n"


def fill(path: Path, label: str, *names: str) -> None:
    """Run `plain` on puzzles into a store."""
    executor = LocalExecutor(1)
    try:
        with Store(path, create=True) as store:
            puzzles = [load(name) for name in names]
            run(Experiment(puzzles, [Entrant("plain")], ["slides"]), store, executor, label=label, again=True)
    finally:
        executor.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("experiments")
    (folder / "two.yaml").write_text(OWN)
    fill(folder / "deep.sqlite", "old", "bird-2", "level-01", str(folder / "two.yaml"))
    fill(folder / "deep.sqlite", "new", "bird-2", "level-01")
    return folder


@pytest.fixture
def stores(folder: Path) -> Stores:
    return Stores(Library(folder))


@pytest.fixture
def studio(stores: Stores) -> Studio:
    """What answers questions about stores: no text is read, nothing is run."""
    nobody: Any = None
    return Studio(stores.library, nobody, nobody, nobody, stores, 0, 0)


def test_only_databases_below_the_folder_are_stores(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "text.sqlite").write_text("no database")
    os.mkfifo(tmp_path / "pipe.db")
    os.symlink(folder / "deep.sqlite", tmp_path / "elsewhere.sqlite")
    (tmp_path / "below").mkdir()
    fill(tmp_path / "below" / "own.sqlite3", "own", "level-01")
    found = Stores(Library(tmp_path))
    assert found.names() == ["below/own.sqlite3"]
    for name in ("elsewhere.sqlite", "../x.sqlite", str(folder / "deep.sqlite"), "a.yaml", "\0.sqlite"):
        with pytest.raises(UsageError):
            found.open(name)


def shown(studio: Studio, **asked: Any) -> tuple[dict[str, Any], list[list[str]]]:
    """What is told of the runs that are asked for, and the cells of their table."""
    told = results.content(studio, {"store": "deep.sqlite", **asked})
    lines = re.findall(r"<tr>(.*?)</tr>", told["html_runs"], re.DOTALL)[1:]
    return told, [[unescape(re.sub("<.*?>", "", cell)).strip() for cell in line.split("</td>")[:-1]] for line in lines]


def test_a_store_is_filtered_and_sorted_as_by_budge_results(studio: Studio, folder: Path) -> None:
    told, lines = shown(studio, descending=True)
    assert told["about"].startswith("5 runs, ")
    assert {"old", "new", "1", "2"} <= set(told["labels"])
    assert told["words"]["family"] == ["rush-hour"]
    with Store(folder / "deep.sqlite") as store:
        assert [line[0] for line in lines] == [row.asked.puzzle for row in Filter().rows(store)][::-1]
        for wanted in ({"label": "new"}, {"puzzle": "bird"}, {"status": "unknown"}):
            rows = Filter(**wanted).rows(store)
            told, lines = shown(studio, wanted=wanted)
            assert [line[0] for line in lines] == [row.asked.puzzle for row in rows]
            assert told["about"].startswith(f"{len(rows)} run")
        last = Filter().runs(store, 2)
        assert [kept.row for kept in last] == Filter().rows(store)[-2:]
    seconds = [float(line[-1]) for line in shown(studio, column="seconds", descending=True)[1]]
    assert seconds == sorted(seconds, reverse=True)
    names = [line[0] for line in shown(studio, column="puzzle")[1]]
    assert names == sorted(names, key=str.casefold)


def test_two_labels_side_by_side(studio: Studio) -> None:
    told, _ = shown(studio, label="old", other="new")
    assert "2 runs of both old and new" in told["html_changes"]
    assert "1 run of old only" in told["html_changes"]
    with studio.stores.open("deep.sqlite") as store:
        found = compare_runs(store, Filter(label="old"), Filter(label="new"))
        for pair in found.pairs:
            (kept,) = store.runs("run = ?", [pair.number])
            assert (kept.label, kept.row) == ("new", pair.after)
            assert pair.after.asked.puzzle in store.text_of(pair.number)
    with pytest.raises(UsageError, match="no run of `nobody`"):
        shown(studio, label="old", other="nobody")
    with pytest.raises(UsageError, match="no run 99"):
        results.opened(studio, {"store": "deep.sqlite", "number": 99})


def test_the_puzzle_of_a_run_is_its_file_as_long_as_it_is_the_same(stores: Stores) -> None:
    library = stores.library
    with stores.open("deep.sqlite") as store:
        runs = {kept.row.asked.puzzle: (kept.row.asked.file, store.text_of(kept.number)) for kept in store.runs()}
    for title, key in (("Rush Hour, level 1", "shipped:rush_hour/level-01"), ("Two in the way", "file:two.yaml")):
        file, text = runs[title]
        assert library.key_of(file, text) == key
    library.keep("file:two.yaml", OWN.replace("AA.BC", "AA..C"), digest(OWN))
    draft = library.key_of(file, text)
    assert draft.startswith("draft:")
    assert library.draft(draft) == text
    assert library.key_of(file, text) == draft  # not one more each time
    assert library.key_of("/no/such/folder/two.yaml", text) == draft


# In the browser


ROWS = "() => document.querySelectorAll('.runs-table tbody tr').length"


def choose(page: Page, label: str, word: str) -> None:
    """Choose a word of a list."""
    page.locator("#panel-results .field", has_text=label).first.locator("select").select_option(label=word)


def test_runs_are_filtered_sorted_and_opened(page: Page) -> None:
    page.open("shipped:rush_hour/bird-1", "results")
    page.wait_for_function(f"{ROWS} === 5")
    page.fill("#panel-results input[type=search]", "in the way")
    page.wait_for_function(f"{ROWS} === 1")
    assert "1 run, 1 of them proven" in page.inner_text(".results")
    page.fill("#panel-results input[type=search]", "")
    choose(page, "Label", "new")
    page.wait_for_function(f"{ROWS} === 2")
    first = page.locator(".runs-table tbody tr >> nth=0")
    for order, name in (("ascending", "Bird"), ("descending", "level 1")):
        page.locator(".runs-table th button", has_text="puzzle").click()
        page.wait_for_selector(f".runs-table th[aria-sort={order}]")
        assert name in first.inner_text()
    first.locator("button").click()
    page.wait_for_url("**/?open=shipped:rush_hour/level-01")
    page.wait_for_selector(".toast:has-text('optimal 9 slides, by plain (new)')")
    page.wait_for_function("() => document.querySelectorAll('budge-game .history button').length === 9")
    page.show("results")  # what was asked is still asked
    page.wait_for_function(f"{ROWS} === 2")


def test_what_is_compared_and_exported_is_what_budge_results_says(
    page: Page, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page.open("shipped:rush_hour/bird-1", "results")
    choose(page, "Hold this", "old")
    choose(page, "against", "new")
    page.wait_for_selector(".changes >> text=2 runs of both old and new")
    assert "1 run of old only" in page.inner_text(".changes")
    assert main(["results", str(folder / "deep.sqlite"), "--csv"]) == 0
    with page.expect_download() as download:
        page.click(".save-csv")
    assert Path(download.value.path()).read_text().split() == capsys.readouterr().out.split()
    with page.expect_download() as download:
        page.click(".save-report")
    assert "Engines compared" in Path(download.value.path()).read_text()


@pytest.mark.weekly
@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)])
def test_the_panel_fits_and_is_for_everyone(sighted: Sighted, server: Server, width: int, dark: bool) -> None:
    with sighted.page(server, width, dark) as page:
        page.open("shipped:rush_hour/bird-1", "results")
        choose(page, "Hold this", "old")
        choose(page, "against", "new")
        page.wait_for_selector(".changes >> text=2 runs of both old and new")
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert graves(page) == []


def test_what_is_written_meanwhile_is_shown_and_a_store_that_is_none_is_told(page: Page, folder: Path) -> None:
    (folder / "a-broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 2000)
    fill(folder / "grows.sqlite", "first", "level-01")
    try:
        page.open("shipped:rush_hour/bird-1", "results")
        choose(page, "Store", "a-broken.db")
        page.wait_for_selector(".results >> text=cannot use the store")
        choose(page, "Store", "grows.sqlite")
        page.wait_for_selector(".results >> text=1 run, 1 of them proven")
        fill(folder / "grows.sqlite", "meanwhile", "level-02")
        page.wait_for_selector(".results >> text=2 runs, 2 of them proven")
    finally:
        (folder / "a-broken.db").unlink()
        (folder / "grows.sqlite").unlink()
