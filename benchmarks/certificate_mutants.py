"""Mutants of certificates: what the checker says of them, and whether it is so.

    python benchmarks/certificate_mutants.py                       5,000 mutants
    python benchmarks/certificate_mutants.py --count 500 --seed 2

Certificates of all families and kinds of evidence are changed in every file and every field, by bytes and by what they
mean, and say the numbers that they have then (`tests/helpers/mutated_certificates.py`). What is accepted is held
against plain search: of the problem text by a second reader, of the puzzle by Budge's engines. `invalid`: also what
only `budge verify` refuses, because Budge reads the puzzle otherwise. `true`, `FALSE`: accepted, and so or not so.
`fault`: the checker failed. `limit`: not decided within the limits; `over`: more than a second beyond the limit of
time.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from heading import heading

from tests.helpers.made_certificates import KINDS, write
from tests.helpers.mutated_certificates import MUTATIONS, judged, mutant

SECONDS, MEBIBYTES = 20.0, 512
COLUMNS = ("invalid", "unsupported", "true", "FALSE", "fault", "limit", "over")


def row(name: str, seen: Counter[str]) -> None:
    """A line of the table."""
    print(f"{name:46} {sum(seen.values()) - seen['over']:7,} {' '.join(f'{seen[c]:11,}' for c in COLUMNS)}", flush=True)


def main() -> int:
    """Print the table; gives 1 if something false was accepted, the checker failed, or a limit did not hold."""
    parser = argparse.ArgumentParser(description="Mutants of certificates: what the checker says of them.")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(heading())
    print(f"\n{'certificates':46} {'mutants':>7} {' '.join(f'{name:>11}' for name in COLUMNS)}")
    by_mutation: dict[str, Counter[str]] = {change.__name__: Counter() for change in MUTATIONS}
    each = -(-arguments.count // len(KINDS))
    with tempfile.TemporaryDirectory() as place:
        for kind in KINDS:
            seen, random_ = Counter[str](), random.Random(f"{arguments.seed}{kind}")
            for number in range(each):
                files = mutant(kind, number, random_)
                folder = write(Path(place, "mutant"), files)
                said = judged(folder, files, SECONDS, MEBIBYTES)
                found = [said.column, *(["over"] if said.seconds > SECONDS + 1 else [])]
                seen.update(found)
                by_mutation[MUTATIONS[number % len(MUTATIONS)].__name__].update(found)
                if set(found) & {"FALSE", "fault", "over"}:
                    print(f"# mutant {number}: {', '.join(found)}: {said.verdict.lines}", flush=True)
            row(", ".join(kind), seen)
    print()
    for name, seen in by_mutation.items():
        row(name.replace("_", " "), seen)
    total = sum(by_mutation.values(), Counter[str]())
    row("all", total)
    print(f"\nmost memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MiB")
    return int(any(total[name] for name in ("FALSE", "fault", "over")))


if __name__ == "__main__":
    sys.exit(main())
