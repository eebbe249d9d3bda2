"""Compile all kernels for a baseline processor into the shared library that a wheel carries (`runtime/kernels.py`).

python .ci/carry_kernels.py      with numba and a C compiler; Budge is installed editable from here
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

MACHINES = {
    "x86_64": ("x86-64-v2", ["cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"]),
    "AMD64": ("x86-64-v2", ["cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"]),
    "aarch64": ("generic", []),
    "arm64": ("apple-m1", []),
}
"""The baseline by the machine's name: LLVM's name of the processor, and what it knows, as Linux names it."""


def main() -> None:
    processor, instructions = MACHINES[platform.machine()]
    with tempfile.TemporaryDirectory() as folder:
        # numba reads its settings when it is loaded.
        os.environ |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
        from budge.lab.make_kernels import call_all, code_of
        from budge.runtime import kernel_files, kernels

        index, code = code_of(call_all(), "budge_kernel_")
        file = Path(folder, "kernels.o")
        file.write_bytes(code)
        strict = [] if sys.platform == "darwin" else ["-Wl,--no-undefined", "-Wl,-s"]
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-shared", *strict, "-o", kernels.CARRIED, file], check=True)
    facts = {"sources": kernel_files.sources_hash(), "instructions": instructions, "kernels": index}
    kernels.INDEX.write_text(json.dumps(facts))
    print(f"{len(index)} kernels, {kernels.CARRIED.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
