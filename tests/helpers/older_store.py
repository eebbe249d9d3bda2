"""Stores of experiments as older versions made them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def make_older(path: Path | str, version: int) -> None:
    """Turn a store of this version into one of an older version, with the same runs."""
    with closing(sqlite3.connect(path)) as database, database:
        for table in ("sessions", "puzzles", "names", "runs"):
            database.execute(f"ALTER TABLE {table} DROP COLUMN seal")
        if version < 3:
            database.execute("DROP TABLE names")
        if version < 2:
            database.execute("ALTER TABLE runs DROP COLUMN seed")
        database.execute(f"PRAGMA user_version = {version}")
