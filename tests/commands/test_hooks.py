"""The pre-commit hook and the GitHub action: what they name exists, and what the action runs does what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from budge.cli import main

ROOT = Path(__file__).resolve().parents[2]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_hook_runs_a_command_that_exists(capsys: pytest.CaptureFixture[str]) -> None:
    (hook,) = read(".pre-commit-hooks.yaml")
    assert (hook["id"], hook["language"]) == ("budge-check", "python")
    program, *words = hook["entry"].split()
    assert program == "budge"
    assert main([*words, str(ROOT / "puzzles" / "rush_hour" / "bird-1.yaml")]) == 0
    assert re.search(hook["files"], "puzzles/rush_hour/bird-1.yaml")
    assert not re.search(hook["files"], ".github/workflows/ci.yml")


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="the action's steps are for bash")
def test_what_the_action_runs(tmp_path: Path) -> None:
    """The last step, with a `budge` where the step before it would have put one."""
    action = read("action.yml")
    assert action["runs"]["using"] == "composite"
    install, check = action["runs"]["steps"][-2:]
    assert "pip" in install["run"]
    # What users write gets into scripts by the environment only: in the text of a script it would be run.
    assert "${{" not in install["run"] + check["run"]
    program = tmp_path / "budge" / "bin" / "budge"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m budge "$@"\n')
    program.chmod(0o755)
    (tmp_path / "my puzzles").mkdir()
    (tmp_path / "my puzzles" / "bad.yaml").write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ..\n")
    shutil.copy(ROOT / "puzzles" / "rush_hour" / "bird-1.yaml", tmp_path / "good.yaml")
    environment = {**os.environ, "RUNNER_TEMP": str(tmp_path)}

    def run(puzzles: str) -> subprocess.CompletedProcess[str]:
        steps = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]]
        return subprocess.run(
            steps, cwd=tmp_path, env={**environment, "PUZZLES": puzzles}, capture_output=True, text=True
        )

    good = run("good.yaml\n")
    assert (good.returncode, good.stdout) == (0, "")
    bad = run("good.yaml\nmy puzzles\n\n")
    assert bad.returncode == 2
    assert bad.stdout.startswith("::error file=my puzzles/bad.yaml,line=5,")
