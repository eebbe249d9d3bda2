"""Templates of pages: what they print is escaped, what is missing is an error, and only pages load them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import budge
import pytest
from budge.views.html import render, table
from jinja2 import UndefinedError

from ..helpers.page_checker import Checker
from ..helpers.patience import PATIENCE

TEMPLATES = sorted((Path(budge.__file__).parent / "views" / "templates").glob("*.html"))


def test_texts_are_no_markup_and_turn_nothing_around() -> None:
    text = table(["<b>"], [["\u202e&"], [budge.board_svg(budge.load("bird-2"))]], "'\"", [0])
    assert Checker.check(text)[:4] == ["div", "table", "caption", "thead"]
    assert '<th scope="col" class="number">&lt;b&gt;</th>' in text
    assert '<td class="number">\ufffd&amp;</td>' in text
    assert '<td class="number"><svg ' in text
    assert text.startswith('<div class="scroll" tabindex="0">')


def test_a_name_that_nobody_has_given_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'lines' is undefined"):
        render("table", head=(), caption="", numbers=())


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.stem)
def test_only_what_stands_in_a_template_is_html_without_saying_so(file: Path) -> None:
    """`|safe` is for attributes that the template itself spells out."""
    safe = re.findall(r"(\S+)\s*\|\s*safe", file.read_text(encoding="utf-8"))
    assert all(text.endswith("'") or text == "tag" for text in safe)


def test_each_template_is_used() -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in TEMPLATES[0].parents[1].glob("*.py"))
    others = "".join(file.read_text(encoding="utf-8") for file in TEMPLATES)
    named = {*re.findall(r'\(\s*"(\w+)"', code), *re.findall(r'"(\w+)\.html"', others)}
    assert {file.stem for file in TEMPLATES} - named == set()


def test_commands_that_write_no_page_load_no_templates() -> None:
    commands = (["help"], ["show", "bird-2"], ["check", "bird-2"], ["solve", "bird-2", "--engine", "plain", "--json"])
    code = (
        f"import sys, budge; from budge.cli import main; assert [main(command) for command in {commands}] == [0] * 4; "
        "budge.load('bird-2').to_json(); assert 'jinja2' not in sys.modules, 'before'; "
        "budge.solve('bird-2', 'plain')._repr_html_(); assert 'jinja2' in sys.modules, 'behind'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
