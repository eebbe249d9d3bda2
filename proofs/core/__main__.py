"""`python -m budge.proofs.core DIR`: check a certificate with the core alone.

In a copy of this folder, whatever its name, beside which one stands: `python -S -m core DIR`.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the working folder: nothing is imported from there

from .check import checked
from .limits import Limits, Rejected

if __name__ == "__main__":
    try:
        claim = checked({one.name: one.read_bytes() for one in Path(sys.argv[1]).iterdir() if one.is_file()}, Limits())
    except (Rejected, OSError) as error:
        sys.exit(f"not shown: {error!a}")
    print("valid for problem.txt:", claim.says, *claim.below or (), "by", claim.kind)
