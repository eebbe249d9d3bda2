"""The documentation: every puzzle in it loads, and those with `expect` have the optimum that they claim."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from budge import Status, load_text, solve

from ..helpers.docs_pages import ENGINES, PAGES, ROOT, examples


@pytest.mark.parametrize(("place", "text"), examples(), ids=[place for place, _ in examples()])
def test_examples_load_and_have_the_optimum_that_they_claim(place: str, text: str) -> None:
    puzzle = load_text(text, place)
    puzzle.task(puzzle.header.metric).validate()
    expect = puzzle.header.expect
    if expect.unsolvable:
        assert solve(puzzle, "bfs").outcome.status is Status.UNSOLVABLE
    for metric, cost in expect.costs.items():
        assert solve(puzzle, "bfs", metric).outcome.upper_bound == cost


def test_every_family_metric_and_key_is_documented() -> None:
    from budge.models.documents.fields import HEADER_KEYS, names
    from budge.models.families import FAMILIES

    text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("puzzle-files.md", "sokoban.md"))
    for key in names((*HEADER_KEYS, *(key for family in FAMILIES.values() for key in family.keys))):
        assert f"`{key}`" in text, key
    for family in FAMILIES.values():
        assert f"## `{family.name}`" in text
        for metric in family.metric_names:
            assert f"`[{metric.replace(',', ', ')}]`" in text or f"`{metric}`" in text


@pytest.mark.parametrize("folder", ENGINES, ids=lambda folder: folder.name)
def test_every_engine_has_its_page(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    headings = ["Definition", "Method", "Papers", "What it proves", "Options", "Measurements"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
    assert text.startswith(f"# `{folder.name.replace('_', '-')}`: ")
    overview = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    assert f"(../engines/{folder.name}/README.md)" in overview


RESULTS = sorted(path for path in (ROOT / "benchmarks" / "results").glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("page", RESULTS, ids=lambda page: page.name)
def test_every_page_of_results_says_who_else_and_by_which_command(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert f"({page.name})" in (page.parent / "README.md").read_text(encoding="utf-8")
    if page.name != "tried.md":
        assert "*Who else*: " in text
        assert re.search(r"^    (?:python benchmarks/\w+\.py|budge)", text, re.MULTILINE)
        for script in re.findall(r"benchmarks/\w+\.py", text):
            assert (ROOT / script).is_file(), script


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            led_to = page.parent / target if target else page
            assert led_to.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(led_to), f"{page.name}: {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """The headings of a page as addresses within it, as renderers of Markdown write them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_long_pages_begin_with_what_they_have(page: Path) -> None:
    """A list of links, or a table of tasks, before the first part: a page is cut by task and may be long."""
    text = page.read_text(encoding="utf-8")
    if len(text.split()) > 2_000:
        head = text.split("\n## ")[0]
        assert head.count("](") >= 3, page.name


WANTED = [
    ("my own puzzle", "custom-families.md"),
    ("time out", "glossary.md"),
    ("too long", "getting-started.md"),
    ("deadlock", "sokoban.md"),
    ("car", "puzzle-files.md"),
    ("how sure", "verifying.md"),
    ("how sure", "getting-started.md"),
    ("exit code", "output.md"),
    ("first steps", "getting-started.md"),
]
"""What people type into the search of the site, and a page that answers it."""


@pytest.mark.parametrize(("words", "page"), WANTED)
def test_the_search_finds_what_people_ask(words: str, page: str) -> None:
    assert words in (ROOT / "docs" / page).read_text(encoding="utf-8").lower()


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    """The order in which people learn has a place for each page."""
    listed = re.findall(r"^ +- (?:\w+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    there = [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md")]
    assert len(listed) == len(set(listed))
    assert set(there) <= set(listed)


FOUND = {
    "how to write my own puzzle": "custom-families",
    "install": "installing",
    "sokoban": "sokoban",
    "prove optimal": "engines",
}
"""What is asked for, and the page that has to be among the first three results."""


SEE = """globalThis.seen = new Set();
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (how) {
  const root = attach.call(this, how);
  seen.add(root);
  return root;
};"""
"""Notes the shadow trees of a page: the search shows its results in one that is closed."""


def first_results(page: Any, words: str) -> list[str]:
    """The pages that the search of the site shows first."""
    for key in ("/", "Control+a"):
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    page.keyboard.type(words)
    page.wait_for_timeout(1500)  # results come as one types
    links = page.evaluate("[...seen].flatMap(root => [...root.querySelectorAll('a')]).map(link => link.href)")
    return [re.sub(r".*/|\.html.*", "", link) for link in links[:3]]


def test_the_site_is_built_and_its_links_lead_somewhere(chromium: Any, tmp_path: Path) -> None:
    if shutil.which("zensical") is None:
        pytest.skip("the generator is not installed: `pip install 'budge[docs]'`")
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "docs.py", tmp_path / "site"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = {item["location"] for item in json.loads((tmp_path / "site" / "search.json").read_text("utf-8"))["items"]}
    assert any(place.startswith("docs/getting-started.html") for place in found)
    assert not [place for place in found if place.startswith(("benchmarks/results/", "docs/decisions/"))]
    page = (tmp_path / "site" / "docs" / "why.html").read_text(encoding="utf-8")
    assert re.findall(r'<script src="([^"]*/folder\.js)"', page) == ["../assets/javascripts/workers/folder.js"]
    assert 'src="http' not in page
    shown = chromium.new_page()
    shown.add_init_script(SEE)
    shown.goto((tmp_path / "site" / "docs" / "why.html").as_uri())
    for words, wanted in FOUND.items():
        assert wanted in first_results(shown, words), words
