"""`python -m budge.proofs.core DIR`: check a certificate with the core alone, without limits but those of files."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the working folder: nothing is imported from there

from pathlib import Path

from .check import checked
from .limits import Limits, Rejected

if __name__ == "__main__":
    try:
        shown = checked({file.name: file.read_bytes() for file in Path(sys.argv[1]).iterdir()}, Limits(None, None))
    except (Rejected, OSError) as error:
        sys.exit(f"not shown: {error}")
    print(shown.what, *shown.by, f"to be trusted: Python, what problem.txt means, {shown.trust}", sep="\n  ")
