"""`python -m budge.proofs DIR...`, or `python proofs DIR...` with a copy of this folder: check certificates.

Exit codes: 0 all are valid, 1 one is invalid, 2 wrong usage, 3 one is unsupported or a limit was reached, 70 a fault of
the checker, 74 the verdict cannot be written, 130 it was broken off (Ctrl-C).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from pathlib import Path

if not __package__:  # started as a folder: then its parent, not the folder itself, is where it is imported from
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    __package__ = Path(__file__).resolve().parent.name
    __import__(__package__)

from .check import INVALID, UNSUPPORTED, VALID, check_folder
from .limits import Limits

CODES = {VALID: 0, UNSUPPORTED: 3, INVALID: 1}


def main(argv: list[str] | None = None) -> int:
    """Check the certificates that are named; gives the exit code."""
    parser = argparse.ArgumentParser(description="Check certificates of optimality.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--puzzle", type=Path, metavar="FILE", help="the puzzle that the certificates have to be about")
    parser.add_argument("--outside", action="store_true", help="also ask cake_lpr and lrat-check, where installed")
    parser.add_argument("--plain", action="store_true", help="check proofs in plain Python, however large they are")
    parser.add_argument("--time-limit", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--memory-limit", type=int, default=4096, metavar="MIB")
    arguments = parser.parse_args(argv)
    puzzle = None
    if arguments.puzzle:
        try:
            puzzle = arguments.puzzle.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            parser.error(f"cannot read {arguments.puzzle}: {error}")
    codes = []
    with contextlib.suppress(BrokenPipeError):
        for folder in arguments.folders:
            limits = Limits(arguments.time_limit, arguments.memory_limit)
            fast = False if arguments.plain else None
            verdict = check_folder(folder, limits, outside=arguments.outside, puzzle=puzzle, fast=fast)
            print(*([f"{folder}:"] if len(arguments.folders) > 1 else []), *verdict.lines, sep="\n", flush=True)
            codes.append(CODES[verdict.status])
    return 1 if 1 in codes else max(codes, default=0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # 1 would say that a certificate is invalid
        traceback.print_exc()
        os._exit(74 if isinstance(error, OSError) else 70)
