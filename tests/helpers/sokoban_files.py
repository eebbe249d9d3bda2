"""The shipped Sokoban puzzles."""

from __future__ import annotations

from pathlib import Path

PUZZLES = sorted((Path(__file__).parents[2] / "puzzles" / "sokoban").glob("**/*.yaml"))
