"""`python -m budge.proofs DIR...`, or `python proofs DIR...` with a copy of this folder: see `command`."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # this folder, or the working folder: nothing is imported from there

import os
import traceback
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

if __name__ == "__main__":
    package = __package__
    if not package:  # started as a folder: this file is no part of a package yet
        package = "budge_proofs"
        spec = spec_from_file_location(package, Path(__file__).with_name("__init__.py"))
        assert spec is not None
        sys.modules[package] = module_from_spec(spec)
    try:
        sys.exit(import_module(f"{package}.command").main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # 1 would say that a certificate is invalid
        traceback.print_exc()
        os._exit(74 if isinstance(error, OSError) else 70)
