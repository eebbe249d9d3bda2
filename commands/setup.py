"""The command `setup`.

Exit codes: 0 all is prepared; 2 what was compiled cannot be kept; 70 an engine could not be prepared; 130 interrupted.
"""

from __future__ import annotations

import argparse

from .common import FAULT, OPTIMAL, USAGE, interrupts, print_json, reporter_of
from .parsing import Parser


def add_setup(setup: Parser) -> None:
    """Add the arguments of `budge setup`."""
    setup.describe(_setup, "budge setup", "budge setup --json")
    setup.add_argument("--quiet", "-q", action="store_true", help="no progress lines")
    setup.add_argument("--json", action="store_true", help="one JSON object a line, on standard output")


def _setup(arguments: argparse.Namespace) -> int:
    """Compile all that engines run, on all cores, and keep it. Otherwise that happens when each is first used."""
    from ..views.setup_text import as_json, as_text
    from ..workflows.setup import setup

    with interrupts() as interrupted, reporter_of(arguments) as progress:
        done = setup(progress, interrupted)
    if arguments.json:
        print_json(as_json(done))
    else:
        print(as_text(done), flush=True)
    if done.interrupted:
        return interrupted.code
    if not done.kept:
        return USAGE
    return FAULT if done.problems else OPTIMAL
