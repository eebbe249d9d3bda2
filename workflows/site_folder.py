"""The folder of `budge site`: which of its pages are done, so that the same command continues, and what is foreign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..models.documents.files import FileError, read_regular, write_whole, writing
from ..models.errors import UsageError
from ..version import __version__

MANIFEST = "site.json"
FORMAT = 1
LARGEST = 1 << 26
"""The most bytes of the manifest."""

ENDINGS = (".html", ".svg", ".yaml", ".certificate.zip")
"""How the names of the files of a puzzle end."""


@dataclass(slots=True)
class SiteFolder:
    """`done`: for each page what the index says of it, and under which `key` it was made."""

    folder: Path
    done: dict[str, dict[str, Any]] = field(default_factory=dict)

    @staticmethod
    def at(folder: Path) -> SiteFolder:
        """The site in a folder, which is made if it is not there. Raises `UsageError` where there is something else."""
        file = folder / MANIFEST
        try:
            if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not file.exists())):
                raise UsageError(f"{folder} is there and is no site of Budge: name another folder")
            site = SiteFolder(folder)
            if file.exists():
                known = json.loads(read_regular(file, LARGEST))
                if known["format"] == FORMAT:
                    site.done = {
                        page: {"key": [*entry["key"]], "card": {**entry["card"]}}
                        for page, entry in known["puzzles"].items()
                        if site._is_page(page)
                    }
            with writing(folder):
                (folder / "puzzles").mkdir(parents=True, exist_ok=True)
                (folder / "assets").mkdir(exist_ok=True)
                site.keep()
        except OSError as error:
            raise UsageError(f"cannot read {folder}: {error.strerror}") from None
        except (FileError, ValueError, LookupError, TypeError, AttributeError):
            raise UsageError(f"{file} cannot be read: name another folder, or remove this one") from None
        return site

    def has(self, page: str, key: tuple[str, str]) -> bool:
        """Whether a page is done by the same version, within the same limits or with an answer that is proven. `key`:
        the text of the puzzle, and the limits.
        """
        known = self.done.get(page, {})
        text, limits, version = known.get("key", ["", "", ""])
        return [text, version] == [key[0], __version__] and (known["card"]["proven"] or limits == key[1])

    def add(self, page: str, key: tuple[str, str], card: dict[str, Any], files: Mapping[str, bytes | str]) -> None:
        """Keep a page: its files by their endings; those that it had before are replaced. Raises `OSError`."""
        self.drop(page)
        for ending, data in files.items():
            self.write(f"puzzles/{page}{ending}", data)
        self.done[page] = {"key": [*key, __version__], "card": card}
        self.keep()

    def drop(self, page: str) -> None:
        """Remove a page and its files."""
        self.done.pop(page, None)
        for ending in ENDINGS:
            (self.folder / "puzzles" / f"{page}{ending}").unlink(missing_ok=True)

    def keep(self) -> None:
        """Write which pages are done."""
        self.write(MANIFEST, json.dumps({"format": FORMAT, "puzzles": self.done}))

    def _is_page(self, name: str) -> bool:
        return bool(re.fullmatch(r"[a-z0-9][a-z0-9-]*", name)) and (self.folder / "puzzles" / f"{name}.html").is_file()

    def write(self, name: str, data: bytes | str) -> None:
        """Write a file of the site, as a whole. What the name of a file has that is no character becomes `?`."""
        write_whole(self.folder / name, data if isinstance(data, bytes) else data.encode(errors="replace"), None)


def pages_of(names: Iterable[str]) -> dict[str, str]:
    """The name of each puzzle's page: of `a/b/one.yaml` it is `one`, or `b-one` if another page is called so, ..."""
    pages: dict[str, str] = {}
    for name in dict.fromkeys(names):
        parts = [_plain(part) for part in Path(name).with_suffix("").parts]
        called = ("-".join(filter(None, parts[-depth:]))[:120] or "puzzle" for depth in range(1, len(parts) + 1))
        others = (f"puzzle-{number}" for number in range(len(pages) + 1))
        pages[name] = next(page for page in (*called, *others) if page not in pages.values())
    return pages


def _plain(part: str) -> str:
    """A part of a path as a part of an address; short, as the name of a file is."""
    return re.sub(r"[^a-z0-9]+", "-", part.lower())[:60].strip("-")
