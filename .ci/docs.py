"""The documentation as a web site, from the pages of the repository: `python .ci/docs.py OUT` (needs the extra `docs`).

The pages stay where they are read on the repository's host, and link to each other by paths within the repository. So
all pages that the navigation leads to are copied in the same layout, with every file that they link to; a notebook
becomes a page that links to it. The generator (`mkdocs.yml`) builds them strictly. Then each link and each anchor of
the site is looked up.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
NAV = re.compile(r"^ +- (?:\w+: )?(\S+)\.md$", re.MULTILINE)
UNSEARCHED = ("benchmarks/results/", "docs/decisions/")
"""Figures, and why things are as they are: who searches wants to know how to do something."""

LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
PLAYED = re.compile(r"^<!-- play: (\S+) -->$", re.MULTILINE)
"""A line of a page where the site has a shipped puzzle to play on: its page of `budge site`, in a frame."""

FRAME = '<iframe src="{up}play/puzzles/{page}.html" title="{page}, to play" loading="lazy" {style}></iframe>'
STYLE = 'style="border: 1px solid #8884; border-radius: 12px; height: 46rem; width: 100%"'

CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
SHIM = re.compile(r"https://[^\"]*/iframe-worker/shim")
STAR = re.compile(r"(?<![\w*\\])((?:ID)?A)\*(?!\*)")
"""The star of `A*`, which some readers of Markdown take for emphasis."""


def staged(target: Path) -> list[str]:
    """Copy all pages that the navigation leads to, and what they link to; the names of the puzzles that are played."""
    puzzles: dict[str, None] = {}
    queue = [known(name) for name in NAV.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))]
    seen = set(queue)
    for name in queue:  # grows while it is read
        source = ROOT / name
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix not in (".md", ".ipynb"):
            shutil.copyfile(source, place)
            continue
        text = source.read_text(encoding="utf-8") if source.suffix == ".md" else page_of(source)
        for _, to, _ in LINK.findall(text):
            path = (source.parent / to).resolve().relative_to(ROOT).as_posix()
            if path not in seen and (ROOT / path).is_file():
                seen.add(path)
                queue.append(path)
        if source.suffix == ".ipynb":
            shutil.copyfile(source, place)
        text = LINK.sub(lambda found: found[1] + found[2].replace(".ipynb", ".md") + found[3], text)
        puzzles |= dict.fromkeys(PLAYED.findall(text))
        up = "../" * name.count("/")
        framed = partial(FRAME.format, up=up, style=STYLE)
        text = PLAYED.sub(lambda found, framed=framed: framed(page=found[1].rpartition("/")[2]), text)
        parts = CODE.split(text)
        parts[::2] = [STAR.sub(r"\1\*", part) for part in parts[::2]]
        text = "".join(parts)
        if source.suffix == ".ipynb":
            title, _, rest = text.partition("\n")
            beside = "; [exercises.py](exercises.py) goes beside it" if "from exercises import" in rest else ""
            text = f"{title}\n\n[This page as a notebook, to run]({place.name}){beside}\n{rest}"
        head = "---\nsearch:\n  exclude: true\n---\n\n" if name.startswith(UNSEARCHED) else ""
        place.with_suffix(".md").write_text(head + text, encoding="utf-8")
    return list(puzzles)


def known(name: str) -> str:
    """The file of a page of the navigation: a page, or a notebook."""
    return next(f"{name}{ending}" for ending in (".md", ".ipynb") if (ROOT / f"{name}{ending}").is_file())


def page_of(notebook: Path) -> str:
    """A notebook as a page: its text and its code; outputs are not kept in the files."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ("".join(cell["source"]) for cell in cells)
    shown = [
        text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        for cell, text in zip(cells, texts, strict=True)
    ]
    return "\n\n".join(shown) + "\n"


def search_without_server(site: Path) -> None:
    """Let the search work in pages opened from a folder, where browsers start no worker from a file: its script is in
    the page. The generator would load a library from another host for it (`SHIM`).
    """
    workers = site / "assets" / "javascripts" / "workers"
    (worker,) = workers.glob("search.*.min.js")
    source = json.dumps(worker.read_text(encoding="utf-8"))
    starts = "constructor() { super(URL.createObjectURL(new Blob([source]))) }"
    text = f"if (location.protocol === 'file:') {{ const source = {source}; "
    (workers / "folder.js").write_text(
        text + f"window.Worker = class extends Worker {{ {starts} }} }}\n", encoding="utf-8"
    )
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        html = SHIM.sub(f"{up}assets/javascripts/workers/folder.js", page.read_text(encoding="utf-8"))
        page.write_text(html, encoding="utf-8")


class Page(HTMLParser):
    """The links and the anchors of a page of the site."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.anchors.add(value)


def broken(site: Path) -> list[str]:
    """The links of a site that lead nowhere, or to another host for what the page itself needs."""
    pages = {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}
    found = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            there = there / "index.html" if there.is_dir() else there
            if not there.is_file() or (there in pages and unquote(parts.fragment) not in pages[there].anchors):
                found.append(f"{file.relative_to(site)}: {link}")
    return sorted(set(found))


def main(out: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        played = staged(place / "pages")
        shutil.copyfile(ROOT / "mkdocs.yml", place / "mkdocs.yml")
        subprocess.run(["zensical", "build", "--strict"], cwd=place, check=True)
        command = [sys.executable, "-m", "budge", "site", *played, str(place / "site" / "play"), "--quiet"]
        subprocess.run([*command, "--title", "Puzzles of the documentation"], check=True, stdout=subprocess.DEVNULL)
        search_without_server(place / "site")
        problems = broken(place / "site")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(place / "site", out)
    print("\n".join(f"leads nowhere: {problem}" for problem in problems) or f"wrote {out}: all links lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
