"""The build works in a folder of its own, which it removes.

setuptools builds in `build/` of the checkout, leaves it there, and puts all that it finds in `build/lib` into the next
wheel: also modules that have been deleted or moved since. And the packages are found here, so that a new folder (an
engine, a family) is a package without being listed anywhere. Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

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


ROOT = Path(__file__).parent

NO_PACKAGES = ("tests", "benchmarks", "docs", "build")
"""Folders of the checkout that are no part of the package."""


def packages() -> list[str]:
    """`budge` and a package for every folder below it that has an `__init__.py`."""
    found = (path.parent.relative_to(ROOT).parts for path in ROOT.glob("*/**/__init__.py"))
    rooms = (parts for parts in found if parts[0] not in NO_PACKAGES and all(part.isidentifier() for part in parts))
    return ["budge", *sorted(".".join(("budge", *parts)) for parts in rooms)]


setup(packages=packages(), cmdclass={"build": FreshBuild, "build_py": WithoutSetup})
