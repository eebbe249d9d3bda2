"""Proof checkers of others, asked too where they are on the PATH: cake_lpr (verified) and lrat-check."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from .limits import Invalid, Limits

PROGRAMS = {"cake_lpr": "s VERIFIED UNSAT", "lrat-check": "c VERIFIED"}
"""What each says of a proof that it accepts."""


def ask_outside(dimacs: Iterable[str], proof: bytes, limits: Limits) -> list[str]:
    """What they say of formula and proof, a sentence each; none if there are none. Raises `Invalid` if one refuses."""
    found = {name: path for name in PROGRAMS if (path := shutil.which(name))}
    said: list[str] = []
    if not found:
        return said
    with tempfile.TemporaryDirectory() as folder:
        formula, steps = Path(folder, "formula.cnf"), Path(folder, "proof.lrat")
        formula.write_text("".join(dimacs))
        steps.write_bytes(proof + b"\n")
        for name, path in found.items():
            left = None if limits.seconds is None else max(1.0, limits.seconds - (time.monotonic() - limits.began))
            try:
                run = subprocess.run([path, formula, steps], capture_output=True, text=True, timeout=left, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                said.append(f"{name} did not answer: {type(error).__name__}")
                continue
            if PROGRAMS[name] not in run.stdout:
                raise Invalid(f"{name} refuses the proof: {(run.stdout + run.stderr).strip()[:200]}")
            said.append(f"{name} accepts the proof too")
    return said
