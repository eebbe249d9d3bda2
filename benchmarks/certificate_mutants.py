"""Mutants of certificates, and folders that were made to do harm: what the checker says of them, and whether it is so.

    python benchmarks/certificate_mutants.py                       5,000 mutants, and every folder of tests/harmful.py
    python benchmarks/certificate_mutants.py --count 500 --seed 2

Certificates of all kinds of evidence are changed in every file and every field, by bytes and by what they mean, and
signed again (`tests/mutations.py`). What is accepted is held against plain search, which shares nothing with the
checker.
`unread`: accepted, but Budge does not read the puzzle, so that `budge verify` refuses it. `fault`: the checker failed.
`limit`: not decided within the limits; `over`: more than a second beyond the limit of time.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from budge.models.errors import PuzzleError
from budge.proofs.check import check_folder
from budge.proofs.core.limits import Limits
from budge.proofs.verdict import INVALID, VALID, CertificateVerdict
from heading import heading

from tests.harmful import BOMBS, HARMFUL
from tests.mutations import KINDS, is_true, write_mutant

SECONDS, MEBIBYTES = 20.0, 512
COLUMNS = ("invalid", "unsupported", "true", "FALSE", "unread", "fault", "limit", "over")


def checked(folder: Path) -> Counter[str]:
    """What the checker says of a folder, in one of the columns, or two."""
    began = time.monotonic()
    verdict = check_folder(folder, Limits(SECONDS, MEBIBYTES))
    late = time.monotonic() - began > SECONDS + 1
    return Counter([_column(verdict), *(["over"] if late else [])])


def _column(verdict: CertificateVerdict) -> str:
    if "this checker failed" in verdict.problem:
        return "fault"
    if verdict.status == VALID:
        try:
            return "true" if is_true(verdict) else "FALSE"
        except PuzzleError:
            return "unread"
    if verdict.status == INVALID:
        return "invalid"
    return "limit" if verdict.problem.startswith("not decided") else "unsupported"


def row(name: str, seen: Counter[str]) -> None:
    """A line of the table."""
    print(f"{name:46} {sum(seen.values()) - seen['over']:7,} {' '.join(f'{seen[c]:11,}' for c in COLUMNS)}", flush=True)


def folders(title: str, listed: dict[str, Callable[[Path], None]], place: Path) -> Counter[str]:
    """The folders that were made to do harm."""
    seen = Counter[str]()
    for number, (name, make) in enumerate(listed.items()):
        folder = place / f"{title}{number}"
        make(folder)
        found = checked(folder)
        seen += found
        if set(found) - {"invalid", "unsupported", "limit"}:
            print(f"# {name}: {', '.join(found)}", flush=True)
    row(title, seen)
    return seen


def main() -> int:
    """Print the table; gives 1 if something false was accepted, the checker failed, or a limit did not hold."""
    parser = argparse.ArgumentParser(description="Mutants of certificates: what the checker says of them.")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(heading())
    print(f"\n{'certificates':46} {'mutants':>7} {' '.join(f'{name:>11}' for name in COLUMNS)}")
    total, each = Counter[str](), -(-arguments.count // len(KINDS))
    with tempfile.TemporaryDirectory() as place:
        for kind in KINDS:
            text, metric, evidence = kind
            seen, random_ = Counter[str](), random.Random(f"{arguments.seed}{kind}")
            for number in range(each):
                write_mutant(Path(place, "mutant"), kind, number, random_)
                found = checked(Path(place, "mutant"))
                seen += found
                if set(found) & {"FALSE", "fault", "over"}:
                    print(f"# mutant {number}: {', '.join(found)}", flush=True)
            family = text.split("family: ")[1].split("\n")[0]
            row(f"{family}, {metric}, {evidence}", seen)
            total += seen
        row("all mutants", total)
        total += folders("made to be believed", HARMFUL, Path(place))
        total += folders("made to take time or memory", BOMBS, Path(place))
    row("all", total)
    print(f"\nmost memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MiB")
    return int(any(total[name] for name in ("FALSE", "fault", "over")))


if __name__ == "__main__":
    sys.exit(main())
