"""The command `generate`: making puzzles.

Exit codes: 0 as many puzzles as asked for were written; 2 bad usage; 3 fewer; 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.documents.files import write_named, writing
from ..models.errors import BudgeError, UsageError
from ..runtime.outcome import StoppedError
from .common import Interrupted, print_json, reporter_of, tell_error, until_interrupted
from .parsing import executor_of
from .streams import Exit

if TYPE_CHECKING:
    from ..lab.generator import Archive, Made, Maker
    from ..models.puzzle import Puzzle


def run_generate(arguments: argparse.Namespace) -> int:
    """Make puzzles: random boards at the hardest start of their component, made harder by mutation, minimal, proven."""
    folder = Path(arguments.out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder")

    def search(interrupted: Interrupted) -> int:
        try:
            maker = _maker(arguments, interrupted)
        except StoppedError as error:
            return tell_error(arguments.from_, error)
        return _make(maker, arguments, folder, interrupted)

    return until_interrupted(search)


def _make(maker: Maker, arguments: argparse.Namespace, folder: Path, interrupted: Interrupted) -> int:
    from ..lab.generator import Goal, SearchSetting, Wishes, make
    from ..runtime.budget import Budget
    from ..runtime.kernels import ensure_kernels

    goal = Goal(*arguments.optimum) if arguments.optimum else None
    dead_ends = None if arguments.dead_ends is None else arguments.dead_ends / 100
    wishes = Wishes(not arguments.not_minimal, arguments.plans, dead_ends, arguments.movers)
    budget = Budget(None, None)
    budget.interrupted = interrupted
    with reporter_of(arguments) as progress:
        ensure_kernels(progress, budget)
    began = time.monotonic()

    def on_round(archive: Archive) -> None:
        if arguments.json:
            print_json(
                {
                    "type": "round",
                    "round": archive.rounds,
                    "seconds": round(time.monotonic() - began, 2),
                    "boards": archive.graded,
                    "best": archive.best,
                }
            )
        elif not arguments.quiet:
            line = f"round {archive.rounds:4}, {archive.graded:8,} boards, best {archive.best} {maker.metric}"
            print(f"{time.monotonic() - began:8.1f} s  {line}", file=sys.stderr, flush=True)

    with executor_of(arguments) as executor:
        best, _ = make(
            SearchSetting(maker, executor, goal, arguments.seed, interrupted, on_round),
            wishes,
            rounds=arguments.rounds,
            seconds=_seconds(arguments),
            count=arguments.count,
            how=lambda archive: _how(arguments, maker, archive),
        )
    for place, board in enumerate(best, 1):
        _write(board, folder, maker, arguments, place, interrupted)
    if len(best) < arguments.count:
        less = ", or wish for less" if goal or wishes.any else ""
        print(f"{len(best)} of {arguments.count} puzzles found; search longer{less}", file=sys.stderr)
        return Exit.LIMIT
    return Exit.OPTIMAL


AGAIN = (
    *("size", "pieces", "walls", "metric", "from_", "length"),
    *("optimum", "plans", "dead_ends", "movers", "not_minimal", "count"),
)
"""Arguments that decide which puzzles are made; they are noted in the files."""


def _how(arguments: argparse.Namespace, maker: Maker, archive: Archive) -> str:
    """The command that makes the same puzzles again, with any number of cores, after the number of boards that were
    tried.
    """
    words = ["budge generate", maker.family]
    for name in AGAIN:
        value = getattr(arguments, name)
        if not value or (name == "count" and not arguments.optimum) or (name == "length" and not arguments.from_):
            continue
        flag = f"--{name.rstrip('_').replace('_', '-')}"
        joined = {"size": "x"}.get(name, "-").join(map(str, value)) if isinstance(value, tuple) else str(value)
        words.append(flag if value is True else f"{flag} {joined}")
    words.append(f"--seed {arguments.seed} --rounds {archive.rounds}")
    return f"{archive.graded:,} boards: {' '.join(words)}"


STAGE = re.compile(r"([0-9,]+) boards: (budge generate .* --seed [0-9]+) --rounds ([0-9]+)")
"""In the notes of a puzzle: how many boards were tried, the command, and how many rounds of it."""


def _write(
    made: Made, folder: Path, maker: Maker, arguments: argparse.Namespace, number: int, interrupted: Interrupted
) -> None:
    """Write a puzzle file, and say so. A file that the same search has written after fewer rounds is replaced; a
    search that is interrupted leaves one that is further on. Raises `UsageError` for a file with any other content.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{maker.family}-seed-{arguments.seed}-{number:02}"
    path = folder / f"{stem}.yaml"
    text = made.puzzle.to_yaml()
    if path.exists() and (before := path.read_text(encoding="utf-8")) != text:
        more = _rounds_ahead(before, text)
        if more is not None and more <= 0 and interrupted.is_set():
            print(f"{path} is of this search further on, and stays", file=sys.stderr)
            return
        if more is None or more < 0:
            raise UsageError(f"{path} exists and has other content; remove it, or choose another folder")
    with writing(path):
        write_named(path, text.encode())
    certificate = _certificate(made.puzzle, maker.metric, path, interrupted) if arguments.certify else None
    if arguments.json:
        said: dict[str, Any] = {"type": "puzzle", "file": str(path), "family": maker.family, "metric": maker.metric}
        said |= {"optimum": made.optimum, "states": made.states, "board": made.puzzle.board(), "text": text}
        said["certificate"] = certificate
        print_json(said | _facts(made.puzzle, maker.metric, interrupted))
    else:
        print("\n".join(made.puzzle.board()))
        print(
            f"{path}: {made.puzzle.metric(maker.metric).counted((made.optimum,))}, {made.states:,} states", flush=True
        )


FACTS = 10.0
"""Seconds for the facts about a puzzle that `--json` has beside its optimum."""


def _facts(puzzle: Puzzle, metric: str, interrupted: Interrupted) -> dict[str, Any]:
    """The number of shortest plans, as `budge plans` counts them, and the measures of difficulty of `budge explore`;
    null where they cannot be counted within `FACTS`.
    """
    from ..runtime.budget import Budget
    from ..workflows.exploration import explore
    from ..workflows.why.find_reasons import plans

    budget = Budget(FACTS)
    budget.interrupted = interrupted
    counted = features = None
    with contextlib.suppress(StoppedError, UsageError):
        counted = plans(puzzle, metric, budget.part(budget.remaining / 2)).plans
        space = explore(puzzle, metric, budget).space
        features = space.features if space else None
    return {"plans": counted and counted.number, "difficulty": asdict(features) if features else None}


CERTIFY = 60.0
"""Seconds for the certificate of a puzzle."""


def _certificate(puzzle: Puzzle, metric: str, path: Path, interrupted: Interrupted) -> str | None:
    """Write a certificate of a puzzle's optimum beside its file, and check it; the folder, or None where there is none
    within `CERTIFY`. Raises `UsageError` if the folder holds something else.
    """
    from ..runtime.budget import Budget
    from ..workflows.certifying import NotCertified, certify, check_folder_is_ours
    from ..workflows.solving import solve

    folder, budget = path.with_suffix(".certificate"), Budget(CERTIFY)
    budget.interrupted = interrupted
    check_folder_is_ours(folder, puzzle, metric)
    solution = solve(puzzle, metric=metric, budget=budget)
    if solution.status.proven:
        with contextlib.suppress(NotCertified):
            certify(solution, folder, budget)
            return str(folder)
    print(f"no certificate for {path} within {CERTIFY:.0f} s", file=sys.stderr)
    return None


def _rounds_ahead(before: str, text: str) -> int | None:
    """By how many rounds a puzzle file is ahead of another; None unless both are by the same search, and the one before
    is as that has written it.
    """
    from ..models.families import load_text

    old, new = STAGE.search(before), STAGE.search(text)
    if old is None or new is None or old[2] != new[2]:
        return None
    try:
        untouched = load_text(before).to_yaml() == before
    except BudgeError:
        return None
    return int(new[3]) - int(old[3]) if untouched else None


def _maker(arguments: argparse.Namespace, interrupted: Interrupted) -> Maker:
    """What makes boards of the family; a puzzle to play from is grounded apart, within the limit. Raises `UsageError`,
    `StoppedError`.
    """
    from ..lab.makers import maker_for, maker_within
    from ..runtime.budget import Budget
    from ..runtime.worker import Apart

    base = None
    if arguments.from_ is not None:
        from ..models.library import load

        base = load(arguments.from_).to_yaml()  # with the rules of a family that stands in a file of its own
    board = {name: getattr(arguments, name) for name in ("size", "pieces", "walls", "metric", "length")}
    choose = partial(maker_for, arguments.family, base=base, **board)
    if base is None:
        return choose()
    with Apart() as apart, reporter_of(arguments, json=False) as progress:
        budget = Budget(_seconds(arguments))
        budget.interrupted = interrupted
        maker: Maker = apart.run(partial(maker_within, choose), budget, progress)
        return maker


def _seconds(arguments: argparse.Namespace) -> float | None:
    """The time limit of the search and of reading the puzzle to play from: 60 s, unless a limit or rounds are given."""
    return arguments.time_limit or (None if arguments.rounds else 60.0)
