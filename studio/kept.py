"""Unsaved texts, kept on the disk: they outlive the tab, the browser, the studio and a power cut.

Each folder that is opened has a folder of its own for them, below the user's state folder (`XDG_STATE_HOME`, else
`~/.local/state`) and readable by that user only; nothing is put into the opened folder itself. Each text is a file, and
each studio writes its own: two studios that are open on one folder do not overwrite each other's texts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..models.documents.files import FileError, read_regular, write_whole

DRAFT = "draft:"
"""The prefix of keys of texts that belong to no file."""

MOST_UNTOUCHED = 200
"""The most drafts that are kept although nobody has changed them."""

LARGEST = 16 * 1024 * 1024
"""Bytes of a file with a text."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A text that is in no file, or not as it is there.

    `base`: the digest of the file's text that it was made from, "" of a draft; `changed`: when, in seconds since 1970;
    `untouched`: nobody has changed it since it was made, as that of a link that was opened; `origin`: the puzzle whose
    unsaved text a draft was before.
    """

    key: str
    text: str
    base: str = ""
    changed: float = 0.0
    untouched: bool = False
    origin: str = ""


def digest(text: str | None) -> str:
    """The identity of a text in the studio and in browsers: SHA-256 of its UTF-8; "" for no text."""
    return "" if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def new_key() -> str:
    """A new key for a draft."""
    return DRAFT + secrets.token_hex(6)


def place_for(folder: Path) -> Path:
    """The folder in which the unsaved texts of an opened folder are kept, below the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "budge" / "studio" / digest(str(folder))[:16]


class KeptTexts:
    """The unsaved texts of a folder, by key."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._texts: dict[str, Unsaved] = {}
        self._files: dict[str, Path] = {}
        self._found: dict[str, Path] = {}  # files of studios before this one, which it does not write to
        for text, file in sorted(self._read(), key=lambda pair: pair[0].changed, reverse=True):
            unsaved = replace(text, key=new_key()) if text.key in self._texts else text
            self._texts[unsaved.key], self._found[unsaved.key] = unsaved, file

    def _read(self) -> Iterator[tuple[Unsaved, Path]]:
        for file in self.place.glob("*.json") if self.place.is_dir() else ():
            with contextlib.suppress(FileError, ValueError, TypeError):  # what cannot be read stays where it is
                fields = json.loads(read_regular(file, LARGEST))
                yield Unsaved(**{name: fields[name] for name in Unsaved.__slots__ if name in fields}), file

    def all(self) -> list[Unsaved]:
        """All unsaved texts, the latest change first."""
        return sorted(self._texts.values(), key=lambda text: text.changed, reverse=True)

    def get(self, key: str) -> Unsaved | None:
        """The unsaved text of a key; None if there is none."""
        return self._texts.get(key)

    def keep(self, text: Unsaved) -> bool:
        """Keep a text in memory and on the disk; returns whether writing to the disk succeeded."""
        key = text.key
        self._texts[key] = text = replace(text, changed=time.time())
        for old in [other.key for other in self.all() if other.untouched][MOST_UNTOUCHED:]:
            self.drop(old)
        file = self._files.setdefault(key, self.place / f"{secrets.token_hex(8)}.json")
        try:
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(file, json.dumps(asdict(text)).encode())
        except OSError:
            return False
        _remove(self._found.pop(key, None))
        return True

    def drop(self, key: str) -> None:
        """Forget the text of a key."""
        self._texts.pop(key, None)
        for files in (self._files, self._found):
            _remove(files.pop(key, None))


def _remove(file: Path | None) -> None:
    if file is not None:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
