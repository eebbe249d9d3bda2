"""The command `setup`.

Exit codes: 0 all is prepared; 2 what was compiled cannot be kept; 70 an engine could not be prepared; 130 interrupted.
"""

from __future__ import annotations

import argparse
from functools import partial

from .common import interrupts, print_answer, reporter_of
from .parsing import Parser
from .streams import Exit


def add_setup(setup: Parser) -> None:
    """Add the arguments of `budge setup`."""
    setup.describe(_setup, "budge setup", "budge setup --json")
    setup.add_quiet()
    setup.add_json()


def _setup(arguments: argparse.Namespace) -> int:
    """Compile all that engines run, on all cores, and keep it. Otherwise that happens when each is first used."""
    from ..views.setup_text import as_json, as_text
    from ..workflows.setup import setup

    with interrupts() as interrupted, reporter_of(arguments) as progress:
        done = setup(progress, interrupted)
    print_answer(arguments, partial(as_json, done), lambda _screen: as_text(done))
    if done.interrupted:
        return interrupted.code
    if not done.kept:
        return Exit.USAGE
    return Exit.FAULT if done.problems else Exit.OPTIMAL
