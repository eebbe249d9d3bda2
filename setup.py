"""The build works in a folder of its own, which it removes.

setuptools builds in `build/` of the checkout, leaves it there, and puts all that it finds in `build/lib` into the next
wheel: also modules that have been deleted or moved since. Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile

from setuptools import setup
from setuptools.command.build import build
from setuptools.command.build_py import build_py


class FreshBuild(build):
    """`build` in a temporary folder; the later commands take theirs from it."""

    def finalize_options(self) -> None:
        self.build_base = tempfile.mkdtemp(prefix="budge-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)
        super().finalize_options()


class WithoutSetup(build_py):
    """`build_py` without this file, which is no module of the package, though it stands in its folder."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        return [
            found for found in super().find_package_modules(package, package_dir) if found[:2] != ("budge", "setup")
        ]


setup(cmdclass={"build": FreshBuild, "build_py": WithoutSetup})
