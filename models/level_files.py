"""Levels of collections written as puzzle files: what the importers of all families share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from .documents.document import Report
from .documents.files import write_named, writing
from .errors import PuzzleError, UsageError
from .family import Conversion


def write_levels(texts: Mapping[int, str], count: int, stem: str, folder: Path, report: Report) -> Conversion:
    """Write the texts of levels by their numbers, of `count` in the collection, as puzzles `STEM-001.yaml`, ... into a
    folder (made if needed); the only level is `STEM.yaml`. The report has what is wrong with the others.

    Raises `UsageError`, before anything is written, if a file of that name with other content exists.
    """
    digits, name = max(3, len(str(count))), file_name(stem)
    files = {
        folder / (f"{name}-{number:0{digits}}.yaml" if count > 1 else f"{name}.yaml"): text
        for number, text in texts.items()
    }
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            if file.exists() and file.read_bytes() != text.encode():
                raise UsageError(f"{file} exists and has other content; remove it, or choose another folder")
    for file, text in files.items():
        with writing(file):
            write_named(file, text.encode())
    return Conversion(list(files), PuzzleError(report.problems).problems, report.dropped)


def file_name(text: str) -> str:
    """A text as the beginning of a file name: lower-case ASCII letters and digits, joined by `-`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60] or "level"
