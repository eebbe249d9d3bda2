"""The service under the page, by HTTP: texts that nobody loses, what is read of them, games, runs, and what comes of
them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from ..helpers.patience import PATIENCE, until
from ..helpers.studio_browser import Server, free_port, studio
from ..helpers.studio_client import Client, Refused

pytest.importorskip("starlette", reason="the studio needs the extra `studio`")

OWN = """\
# a comment that stays
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
expect: {cost: 5}
"""
WRONG = OWN.replace("metric: steps", "metric: stepps")


def named(name: str) -> str:
    return OWN.replace("Two in the way", name)


def hall(side: int) -> str:
    """A room of Sokoban with a player, a box and a goal."""
    rows = ["#" * side, *["#" + " " * (side - 2) + "#"] * (side - 2), "#" * side]
    rows[2] = "# @$." + " " * (side - 6) + "#"
    level = "".join(f"  {row}\n" for row in rows)
    return f"format: 1\nfamily: sokoban\nname: Hall\nmap: |2\n{level}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("above") / "mine"
    folder.mkdir()
    (folder / "two.yaml").write_text(OWN)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with studio(folder) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Client:
    return Client(server)


@pytest.fixture
def key(folder: Path, request: pytest.FixtureRequest) -> str:
    """The key of a file that no other test has."""
    (folder / f"{request.node.name[:60]}.yaml").write_text(OWN)
    return f"file:{request.node.name[:60]}.yaml"


def file(folder: Path, key: str) -> Path:
    return folder / key.removeprefix("file:")


# Texts


def test_a_tab_begins_with_the_folders_first_puzzle(client: Client, folder: Path) -> None:
    boot = client.get("/api/boot")
    assert boot["folder"] == str(folder)
    assert boot["key"].startswith("file:"), "a folder with puzzles is opened with one of its own"
    assert client.get("/api/boot", open="shipped:rush_hour/bird-2")["key"] == "shipped:rush_hour/bird-2"
    assert "rush-hour" in {family["name"] for family in boot["families"]}
    assert boot["completions"][""]["family"]["words"]


def test_a_text_is_kept_at_each_change_and_safe_on_the_disk(client: Client, key: str) -> None:
    opened = client.get("/api/text", key=key)
    assert (opened["text"], opened["stored"], opened["aside"]) == (OWN, OWN, None)
    kept = client.post("/api/text", key=key, text=named("Changed"), base=opened["base"], revision=opened["revision"])
    assert (kept["key"], kept["safe"], kept["parted"]) == (key, True, False)
    again = client.get("/api/text", key=key)
    assert (again["text"], again["stored"], again["revision"]) == (named("Changed"), OWN, kept["revision"])
    assert key in {draft["key"] for draft in client.get("/api/library")["drafts"]}
    client.post("/api/drop", key=key)
    assert client.get("/api/text", key=key)["text"] == OWN


def test_two_tabs_with_the_same_text_overwrite_nothing(client: Client, key: str) -> None:
    one, other = (client.get("/api/text", key=key) for _ in range(2))
    same = {"key": key, "base": one["base"]}
    first = client.post("/api/text", **same, text=named("Written first"), revision=one["revision"])
    second = client.post("/api/text", **same, text=named("Written elsewhere"), revision=other["revision"])
    assert not first["parted"]
    assert second["parted"]
    assert second["key"].startswith("draft:")
    for kept, name in ((first, "Written first"), (second, "Written elsewhere")):
        assert client.get("/api/text", key=kept["key"])["text"] == named(name)
    assert client.get("/api/text", key=second["key"])["stored"] is None


def test_a_text_of_another_tab_or_program_is_not_overwritten_unasked(client: Client, folder: Path, key: str) -> None:
    opened = client.get("/api/text", key=key)
    mine = {"key": key, "name": "", "text": named("Mine"), "base": opened["base"], "revision": opened["revision"]}
    file(folder, key).write_text(named("By another program"))
    with pytest.raises(Refused, match="by another program") as refused:
        client.post("/api/save", **mine)
    assert (refused.value.status, refused.value.told["theirs"]) == (409, named("By another program"))
    saved = client.post("/api/save", **mine, overwrite=True)
    assert (saved["key"], saved["stored"], file(folder, key).read_text()) == (key, named("Mine"), named("Mine"))
    client.post("/api/text", key=key, text=named("Of a tab"), base=saved["base"], revision=saved["revision"])
    late = {**mine, "base": saved["base"], "revision": saved["revision"], "text": named("Late")}
    with pytest.raises(Refused, match="in another tab") as refused:
        client.post("/api/save", **late)
    assert refused.value.told["theirs"] == named("Of a tab")
    assert file(folder, key).read_text() == named("Mine")


def test_an_unsaved_text_steps_aside_for_a_file_that_was_changed(client: Client, folder: Path, key: str) -> None:
    opened = client.get("/api/text", key=key)
    client.post("/api/text", key=key, text=named("Not saved"), base=opened["base"], revision=opened["revision"])
    file(folder, key).write_text(named("By another program"))
    again = client.get("/api/text", key=key)
    assert again["text"] == named("By another program")
    assert client.get("/api/text", key=again["aside"])["text"] == named("Not saved")


def test_a_text_is_saved_under_a_name(client: Client, folder: Path) -> None:
    assert "\ngrid:" in client.get("/api/new", family="custom", map=1)["text"]
    draft = client.get("/api/new", family="sokoban")
    assert client.read(draft["text"], draft["key"])["ok"]
    about = {"key": draft["key"], "text": draft["text"]}
    with pytest.raises(Refused, match="give it a name"):
        client.post("/api/save", **about, name="")
    saved = client.post("/api/save", **about, name="levels/first")
    assert saved["key"] == "file:levels/first.yaml"
    assert (folder / "levels" / "first.yaml").read_text() == draft["text"]
    with pytest.raises(Refused, match="this text is not kept any more"):
        client.get("/api/text", key=draft["key"])
    with pytest.raises(Refused, match="exists and has another text") as refused:
        client.post("/api/save", key="draft:1", text=OWN, name="levels/first")
    assert refused.value.told["theirs"] == draft["text"]


def test_a_text_from_elsewhere_becomes_a_draft_once(client: Client) -> None:
    made = [client.post("/api/text", key="", text=named("Of a link"), origin="a link") for _ in range(2)]
    assert made[0]["key"] == made[1]["key"]
    assert made[0]["text"] == named("Of a link")


def test_a_text_that_was_taken_back_is_none_of_another_tab(client: Client, key: str) -> None:
    opened = client.get("/api/text", key=key)
    about = {"key": key, "base": opened["base"]}
    changed = client.post("/api/text", **about, text=named("Changed"), revision=opened["revision"])
    undone = client.post("/api/text", **about, text=OWN, revision=changed["revision"])
    assert (undone["key"], undone["revision"]) == (key, opened["revision"])
    assert not client.post("/api/text", **about, text=named("Of the other tab"), revision=opened["revision"])["parted"]


@pytest.mark.parametrize("start", ["draft:abc123", "file:two.yaml"])
def test_a_studio_that_is_killed_while_one_types_has_kept_the_text(tmp_path: Path, start: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "two.yaml").write_text(OWN)
    port = free_port()
    with studio(tmp_path / "mine", port=port) as first:
        client, now = Client(first), {"base": "", "revision": 0}
        if start.startswith("file:"):
            now = client.get("/api/text", key=start)
        for number in range(3):
            about = {"base": now["base"], "revision": now["revision"]}
            now = client.post("/api/text", key=start, text=named(f"Word {number}"), **about)
            assert now["safe"]
        first.process.kill()
        with pytest.raises(OSError):
            client.get("/api/boot")
    with studio(tmp_path / "mine", port=port) as second:
        answer = client.raw("GET", "/api/boot")
        assert answer.status == 403
        assert "was started again" in json.loads(answer.read())["error"]
        client = Client(second)
        assert client.get("/api/text", key=start)["text"] == named("Word 2")
        about = {"key": start, "base": now["base"], "revision": now["revision"]}  # a page of the studio before goes on
        assert not client.post("/api/text", **about, text=named("Word 3"))["parted"]
        assert client.post("/api/text", **about, text=named("Of another tab"))["parted"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("anything", "there is no puzzle `anything`"),
        ("shipped:x", "there is no shipped puzzle `x`"),
        ("file:../x.yaml", "cannot be opened"),
        ("draft:gone", "this text is not kept any more"),
    ],
)
def test_an_odd_key_is_told(client: Client, key: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        client.get("/api/text", key=key)
    assert refused.value.status == 400
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/text", {"key": 1, "text": OWN}),
        ("/api/text", {"key": "file:two.yaml", "text": "x" * 300_000, "revision": 0}),
        ("/api/text", {"key": "wrong:x", "text": OWN, "revision": 0}),
        ("/api/save", {"key": "file:two.yaml", "name": "../x", "text": OWN}),
        ("/api/save", {"key": "file:two.yaml", "name": "x" * 400, "text": OWN}),
        ("/api/save", {"key": "draft:1", "name": "a", "text": "\ud800"}),
        ("/api/read", {"key": "file:two.yaml", "text": []}),
        ("/api/hint", {"key": "file:two.yaml", "played": {}}),
        ("/api/hint", {"key": "file:two.yaml", "played": ["nonsense"]}),
        ("/api/hint", {"key": "file:two.yaml", "played": [[[99, 0], "R"]]}),
        ("/api/runs", {"kind": "nothing", "key": "file:two.yaml"}),
        ("/api/runs", {"kind": "solve", "key": "file:two.yaml", "engine": "none"}),
        ("/api/runs", {"kind": "solve", "key": "file:two.yaml", "time_limit": "1 year"}),
        ("/api/runs", {"kind": "solve", "key": "file:two.yaml", "time_limit": 4000}),
        ("/api/runs", {"kind": "solve", "key": "file:two.yaml", "metric": "miles"}),
        ("/api/runs", {"kind": "solve", "key": "file:two.yaml", "options": [1]}),
        ("/api/runs/999/stop", {}),
        ("/api/stores", {"store": "../x.sqlite", "wanted": {}}),
        ("/api/convert", {"text": "nothing that is known"}),
    ],
)
def test_an_odd_request_is_refused_with_a_sentence(client: Client, path: str, body: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        client.post(path, **body)
    assert refused.value.status == 400
    assert len(str(refused.value)) > 10


def test_what_is_no_json_object_is_refused(client: Client) -> None:
    for body in (b"", b"[]", b"{", b"null", b"\xff", b"[" * 100_000):
        headers = {"Content_Type": "application/json", "Origin": client.server.origin}
        answer = client.raw("POST", "/api/drop", body, **headers)
        assert answer.status == (200 if body == b"" else 400)


# Reading


def test_a_puzzle_is_read_with_all_that_a_page_shows(client: Client) -> None:
    read = client.read(OWN)
    assert (read["ok"], read["problems"], read["title"], read["metric"]) == (True, [], "Two in the way", "steps")
    assert read["metrics"] == ["slides", "steps"]
    assert read["goal"] == ["piece A gets out to the right, row 1"]
    assert "bfs" in read["engines"]
    assert read["board_svg"].startswith("<svg")
    assert read["maps"][0]["rows"] == ["AA.BC", "...BC", "....."]
    assert read["maps"][0]["origins"] == [[5, 2], [6, 2], [7, 2]]
    assert client.read("format: 1\nfamily: [")["no_maps"]


@pytest.mark.parametrize(
    ("wrong", "right"), [("metric: stepps", "metric: steps"), ("goal: {piece: A, exit: rigth}\n", "exit: right")]
)
def test_a_problem_is_told_with_its_place_and_mended_when_asked(client: Client, wrong: str, right: str) -> None:
    text = WRONG if wrong in WRONG else OWN + wrong
    (problem,) = client.read(text)["problems"]
    assert problem["here"]
    assert "mended" not in problem
    (problem,) = client.read(text, repairs=True)["problems"]
    assert right in problem["mended"]
    assert client.read(problem["mended"])["ok"]
    assert "# a comment that stays" in problem["mended"]


def test_a_text_that_nobody_waits_for_is_given_up(client: Client) -> None:
    """The page has asked for another one by then, and has closed the connection."""
    began = time.monotonic()
    client.read(hall(60), "file:hall.yaml")
    taken = time.monotonic() - began
    began = time.monotonic()
    for number in range(4):
        asked = HTTPConnection(client.host, timeout=PATIENCE)
        body = json.dumps({"key": "file:hall.yaml", "text": hall(61 + number)})
        headers = {"Content-Type": "application/json", "Origin": client.server.origin, "Cookie": client.cookie}
        asked.request("POST", "/api/read", body, headers)
        asked.close()
    assert client.get("/api/text", key="file:two.yaml")["name"] == "two.yaml"
    assert client.read(named("Meanwhile"))["title"] == "Meanwhile"
    assert time.monotonic() - began < 3 * taken + 5


def test_hostile_names_are_text(client: Client) -> None:
    name = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
    text = OWN.replace("Two in the way", f"'{name}'")
    read = client.read(text, "draft:hostile")
    assert read["title"] == name
    assert "<script" not in read["board_svg"]
    for kind, more in (("solve", {}), ("check", {"cost": "4"}), ("compare", {"engines": ["bfs"]})):
        _, answer = client.run(kind, "draft:hostile", text=text, **more)
        assert not {"<script", "<img"} & set(answer["html"].split(">")), kind
        assert "<img" not in answer["html"]


# The library


def test_the_library_is_there_at_once_and_read_by_and_by(client: Client) -> None:
    first = client.get("/api/library")
    assert {"file:two.yaml", "shipped:rush_hour/bird-1"} <= {entry["key"] for entry in first["entries"]}
    until(lambda: client.get("/api/library")["reading"] == 0)
    entries = {entry["key"]: entry for entry in client.get("/api/library")["entries"]}
    own, bird = entries["file:two.yaml"], entries["shipped:rush_hour/bird-1"]
    assert (own["title"], own["size"], own["cost"]) == ("Two in the way", "5×3, 3 vehicles", 5)
    assert bird["known"] == "24 slides; 34 steps"


def test_a_puzzle_has_a_picture_and_one_with_a_mistake_a_sign(client: Client) -> None:
    assert "<svg" in client.get("/picture", key="shipped:rush_hour/bird-1", stamp="x")
    made = client.post("/api/text", key="", text="format: 1\nfamily: klotsky\n")
    assert ">?</text>" in client.get("/picture", key=made["key"])
    assert ">?</text>" in client.get("/picture", key="file:../x")


def test_a_level_in_another_form_becomes_a_puzzle_file(client: Client) -> None:
    made = client.post("/api/convert", text="#####\n#@$.#\n#####\n")
    assert client.read(made["text"])["family"] == "sokoban"
    board = client.post("/api/convert", text="..BC\nXXBC\n....\n")["text"]
    assert board.endswith("board: |2\n  ..BC\n  XXBC\n  ....\ngoal: {piece: X, exit: right}\n")
    assert client.read(client.post("/api/convert", text="3\n1 2 3\n4 5 6\n7 0 8\n")["text"])["family"] == "n-puzzle"
    assert client.post("/api/convert", text=OWN)["text"] == OWN


def test_the_files_of_the_page_are_sent_once(client: Client) -> None:
    for name in ("board.js", "game.js", "board.css", "theme.css", "app.js", "icon.svg"):
        answer = client.raw("GET", f"/web/{name}")
        assert answer.status == 200, name
        assert answer.getheader("cache-control") == "no-cache"
        assert client.raw("GET", f"/web/{name}", If_None_Match=answer.getheader("etag") or "").status == 304
    assert "script-src 'self';" in (client.raw("GET", "/").getheader("content-security-policy") or "")
    for path in ("/web/..%2Fserver.py", "/web/../server.py", "/web/server.py", "/web/", "/api/nothing", "/api/runs/x"):
        assert client.raw("GET", path).status == 404


# Games


def test_the_rules_of_a_game_are_data_with_the_best_that_is_known(client: Client) -> None:
    own = OWN.replace("BC", "QR")  # that no other test has solved
    about = {"key": "file:two.yaml", "text": own, "metric": "steps"}
    game = client.post("/api/game", **about)
    assert game["operators"]
    assert (game["best"], game["expected"]) == (None, [5])
    client.run("solve", "file:two.yaml", text=own, metric="steps", engine="bfs")
    assert client.post("/api/game", **about)["best"] == [5]


def test_rules_too_large_for_a_page_are_told(client: Client) -> None:
    about = {"key": "file:hall.yaml", "text": hall(80), "metric": "pushes"}
    game = client.post("/api/game", **about)
    assert "too large for a page" in game["unplayable"]
    assert game["scene"]["rows"][2][2] == "@"


def test_a_hint_tells_the_distance_pieces_and_moves(client: Client) -> None:
    text = client.get("/api/text", key="shipped:rush_hour/bird-2")["text"]
    about = {"key": "shipped:rush_hour/bird-2", "text": text, "metric": "slides"}

    first = client.post("/api/hint", **about, played=[])
    assert (first["text"], first["settled"], first["pieces"]) == ("10 slides to the goal.", True, ["D"])
    assert client.post("/api/hint", **about, played=first["moves"][:1])["text"] == "9 slides to the goal."


# Runs


def test_a_run_is_solved_from_where_one_is(client: Client) -> None:
    about = {"text": OWN, "metric": "steps", "engine": "bfs"}
    run, answer = client.run("solve", "file:two.yaml", **about)
    assert (run["lower"], run["upper"], run["over"], run["error"]) == ([5], [5], True, "")
    assert run["status"].startswith("optimal")
    assert run["proofs"][0]["text"]
    assert (answer["from"], len(answer["plan"])) == (0, len(answer["plan_text"].split()))
    played = answer["plan"][0]["notation"]
    run, rest = client.run("solve", "file:two.yaml", **about, played=[played])
    assert run["name"] == "bfs, after 1 move"
    assert run["upper"] == [4]
    assert (rest["from"], rest["plan"][0]["notation"]) == (1, played)
    slid = client.run("solve", "file:two.yaml", **about, played=[[[0, 3], "D"]])[1]
    assert slid["plan"][0]["notation"] == "B+1"


def test_a_page_and_a_plan_are_kept_as_files(client: Client) -> None:
    run, _ = client.run("solve", "file:two.yaml", engine="bfs")
    answer = client.raw("GET", f"/api/runs/{run['run']}/page")
    assert 'filename="two-in-the-way.html"' in (answer.getheader("content-disposition") or "")
    assert b"Two in the way" in answer.read()
    assert client.get(f"/api/runs/{run['run']}/plan.txt").split()
    with pytest.raises(Refused, match="has no report"):
        client.get(f"/api/runs/{run['run']}/report")


def test_the_same_work_is_done_once_and_stopped_and_forgotten(client: Client) -> None:
    about = {"kind": "solve", "key": "shipped:custom/peg-solitaire"}
    number = client.post("/api/runs", **about)["run"]
    assert client.post("/api/runs", **about)["run"] == number
    client.post(f"/api/runs/{number}/stop")
    assert client.ended(number)["state"] == "interrupted"
    client.post("/api/runs/clear", topic="solve shipped:custom/peg-solitaire")
    with pytest.raises(Refused, match=f"there is no run {number} any more"):
        client.get(f"/api/runs/{number}/answer")


def test_too_many_runs_are_refused_and_a_hint_is_none_of_them(client: Client) -> None:
    """A refusal is an answer to the request, and none about the puzzle: asked again, there is one."""
    engines = ("bfs", "astar", "greedy", "cp-sat")
    key = "shipped:sokoban/xsokoban-78"
    numbers = [client.post("/api/runs", kind="solve", key=key, engine=engine)["run"] for engine in engines]
    try:
        with pytest.raises(Refused, match="4 runs at once are enough"):
            client.post("/api/runs", kind="explore", key="file:two.yaml")
        hint = client.post("/api/hint", key="file:two.yaml", text=OWN, metric="steps", played=[])
        assert hint["settled"] is (hint["text"] == "5 steps to the goal.")  # a limit, on a busy machine, is no answer
    finally:
        for number in numbers:
            client.post(f"/api/runs/{number}/stop")
    for number in numbers:
        client.ended(number)
    assert client.run("explore", "file:two.yaml")[0]["state"] == "done"


def test_states_are_counted_and_the_hardest_start_is_a_puzzle(client: Client) -> None:
    _, answer = client.run("explore", "shipped:rush_hour/bird-2")
    assert "5,444" in answer["html"]
    assert client.read(answer["text"])["title"] == "Bird's second grid, hardest start"
    assert "slides from the start" in answer["plot_svg"]
    assert "slides from the goal" in answer["plot_svg"]


def test_why_no_plan_is_shorter_is_drawn(client: Client) -> None:
    _, answer = client.run("why", "shipped:rush_hour/level-26")
    assert "Together 23: no plan is shorter" in answer["html"]
    assert answer["html"].count("<figure>") == 19


def test_a_claim_is_refuted_and_a_certificate_is_written_and_checked(client: Client, folder: Path) -> None:
    key = "shipped:rush_hour/bird-2"
    with pytest.raises(Refused, match="write it first"):
        client.run("check-certificate", key)
    _, refuted = client.run("check", key, cost="9")
    assert "not 9 slides" in refuted["html"]
    _, written = client.run("certify", key)
    assert "wrote birds-second-grid.certificate (" in written["html"]
    assert (folder / "birds-second-grid.certificate" / "claim.txt").exists()
    assert "valid" in client.run("check-certificate", key)[1]["html"]
    (folder / "birds-second-grid.certificate" / "puzzle.yaml").write_text("mine")
    with pytest.raises(Refused, match=r"birds-second-grid\.certificate: ") as refused:
        client.run("certify", key)
    assert refused.value.status == 409
    assert client.run("certify", key, overwrite=True)[0]["state"] == "done"


def test_engines_are_compared_and_the_report_is_kept(client: Client) -> None:
    keys = ["shipped:rush_hour/bird-2", "shipped:sokoban/microban-001"]
    run, answer = client.run("compare", keys[0], puzzles=keys, engines=["bfs", "astar"])
    assert answer["html"].count("optimal") == 4
    assert len(answer["titles"]) == 2
    assert answer["solved_svg"].startswith("<svg")
    drawn = client.get(f"/api/runs/{run['run']}/answer", of=answer["titles"][0])["plot_svg"]
    assert drawn.startswith("<svg")
    assert "Engines compared" in client.get(f"/api/runs/{run['run']}/report")


# Events


def test_runs_are_told_as_they_go_on(client: Client) -> None:
    told = client.events()
    number = client.post("/api/runs", kind="solve", key="file:two.yaml", text=named("Told"), engine="bfs")["run"]
    seen = []
    for _, run in told:
        seen += [run] if run["run"] == number else []
        if seen and seen[-1]["over"]:
            break
    assert seen[-1]["upper"] == [5]
    assert any(run.get("plot_svg", "").startswith("<svg") for run in seen)
    revisions = [run["revision"] for run in seen]
    assert revisions == sorted(revisions)


def test_changes_by_other_tabs_and_programs_are_told(client: Client, folder: Path, key: str) -> None:
    told = (data for kind, data in client.events(key) if kind == "text")
    first, opened = next(told), client.get("/api/text", key=key)
    assert (first["key"], first["base"], first["revision"]) == (key, opened["base"], opened["revision"])
    client.post("/api/text", key=key, text=named("Elsewhere"), base=opened["base"], revision=opened["revision"])
    assert next(told)["revision"] != opened["revision"]
    file(folder, key).write_text(named("By another program"))
    assert next(told)["base"] != opened["base"]
    draft = client.post("/api/text", key="", text=named("A draft that is looked at"), origin="")["key"]
    assert next(client.events(draft))  # of a text in no file
