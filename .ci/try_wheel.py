"""Check what is in a wheel or sdist, install it into an empty environment, use it far from the repository, and run
some tests against what is installed.

python .ci/try_wheel.py dist/budge-0.1.0-py3-none-manylinux_2_17_x86_64.whl
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

MUST = (
    *("__init__.py", "cli.py", "py.typed", "proofs/core/__init__.py", "puzzles/budge.schema.json"),
    *("puzzles/rush_hour/bird-1.yaml", "views/web/board.js", "views/templates/table.html", "studio/web/app.js"),
)
MUST_NOT = ("setup.py", "tests/", "benchmarks/", "docs/", "build/", ".")
"""Beginnings of paths in the package: what a wheel has, and what it has not."""

COMMANDS = (
    (0, "--help"),
    (0, "solve", "bird-1", "--quiet"),
    (0, "solve", "bird-1", "--engine", "astar"),
    (0, "solve", "bird-1", "--engine", "cp-sat"),
    (0, "solve", "microban-001", "--engine", "idastar"),
    (0, "solve", "rubiks-cube-six-turns", "--engine", "bidirectional"),
    (0, "setup"),
    (0, "compare", "bird-1"),
    (0, "new", "rush-hour", "mine.yaml"),
    (0, "check", "mine.yaml"),
    (0, "certify", "mine.yaml", "--out", "certificate"),
    (0, "verify", "certificate"),
    (0, "replay", "mine.yaml", "--html", "mine.html"),
    (0, "solve", "bird-2", "--engine", "csp"),
)
"""Commands, each with the exit code that it must have."""


TESTS = [
    *("tests/models/test_rush_hour.py", "tests/models/test_custom.py", "tests/engines/test_bfs.py"),
    *("tests/proofs/test_acting.py", "tests/proofs/test_distances.py"),
]
"""Tests that need no more than `TESTERS` and take a minute."""

TESTERS = ("pytest>=9", "pytest-xdist", "hypothesis")


def names_in(archive: Path) -> list[str]:
    """The paths of the files in a wheel or an sdist."""
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).namelist()
    with tarfile.open(archive) as opened:
        return [member.name.partition("/")[2] for member in opened.getmembers() if member.isfile()]


def problems(names: list[str]) -> list[str]:
    """What is missing in a wheel, and what should not be in it."""
    inside = [name.removeprefix("budge/") for name in names if name.startswith("budge/")]
    return [
        *(f"{must} is missing" for must in MUST if must not in inside),
        *(f"{name} is in it" for name in inside if name.startswith(MUST_NOT) or "__pycache__/" in name),
        *(f"{name} is beside the package" for name in names if not name.startswith(("budge/", "budge-"))),
    ]


def main(archive: Path) -> int:
    if archive.suffix == ".whl" and (found := problems(names_in(archive))):
        print(*found, sep="\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
        programs = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin")
        began = time.monotonic()
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", archive.resolve()], check=True)
        print(f"{time.monotonic() - began:6.1f} s  installed")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        failed = 0
        for code, *command in COMMANDS:
            began = time.monotonic()
            done = subprocess.run(
                [programs / "budge", *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            print(f"{time.monotonic() - began:6.1f} s  budge {' '.join(command)}")
            if done.returncode != code or (archive.suffix == ".whl" and "first use only" in done.stderr):
                failed += 1
                print(f"exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *TESTERS], check=True)
        tests = [programs / "python", "-m", "pytest", "-n", "0", *TESTS]
        failed += subprocess.run(tests, cwd=Path(__file__).parent.parent, env=environment, check=False).returncode
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
