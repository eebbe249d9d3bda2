"""Nothing is lost in the studio, and nothing overwritten unasked: unsaved texts, drafts, files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

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
