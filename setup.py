"""The build works in a folder of its own, which it removes.

setuptools builds in `build/` of the checkout, leaves it there, and puts all that it finds in `build/lib` into the next
wheel: also modules that have been deleted or moved since. And the packages are found here, so that a new folder (an
engine, a family) is a package without being listed anywhere. Where `.ci/carry_kernels.py` has left compiled kernels,
the wheel carries them: it is for this platform and every Python, and needs no numba. Everything else about the package
is in pyproject.toml.
"""

from __future__ import annotations

import atexit
import re
import runpy
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.build import build
from setuptools.command.build_py import build_py


class FreshBuild(build):
    """`build` in a temporary folder; the later commands take theirs from it."""

    def finalize_options(self) -> None:
        self.build_base = tempfile.mkdtemp(prefix="budge-build-")
        atexit.register(shutil.rmtree, self.build_base, ignore_errors=True)
        super().finalize_options()


class PackageOnly(build_py):
    """`build_py` without this file, which is no module of the package, though it stands in its folder, and without
    kernels that do not fit the sources any more.
    """

    def find_data_files(self, package: str, src_dir: str) -> list[str]:
        found = super().find_data_files(package, src_dir)
        return [name for name in found if CARRIES or not Path(name).name.startswith("kernels.")]

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


def carries() -> bool:
    """Whether there are compiled kernels to carry, made after every source in the checkout was last written."""
    library = ROOT / "runtime" / "kernels.so"
    if not library.exists():
        return False
    sources = (path for room in ("runtime", "analysis", "engines", "lab") for path in (ROOT / room).rglob("*.py"))
    return library.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


CARRIES = carries()

REQUIRED = [
    "jinja2>=3.1",  # pages: `replay --html`, `site`, reports, values in notebooks; loaded only when one is written
    "numpy>=1.26",
    "ortools>=9.15,<9.16",  # CP-SAT; raised when the tests pass: its parameters and its models change with each release
    "psutil>=5.9",  # memory of child processes, on every system
    "python-constraint2>=2.2",  # the engine `csp`
    "pyyaml>=6.0.2",  # puzzle files, with positions
    "rich>=14",  # the live line and `budge replay` on a terminal; loaded only when it draws
    "shtab>=1.7",  # `budge completion`: scripts for shells from the parser as it is
]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def readme(text: str, repository: str, version: str) -> str:
    """README.md for the package index: links and pictures lead to the repository, at the tag of this version.

    The index resolves no relative links. Without the address of the repository they stay as they are.
    """
    base = {"": f"{repository}/blob/v{version}/", "!": f"{repository}/raw/v{version}/"}
    link = re.compile(r"(!?)(\[[^\]]*\])\((?!\w+:|#)")
    return link.sub(lambda found: f"{found[1]}{found[2]}({base[found[1]]}", text) if repository else text


given: dict[str, Any] = {
    "cmdclass": {"build": FreshBuild, "build_py": PackageOnly},
    "long_description_content_type": "text/markdown",
    "long_description": readme(
        (ROOT / "README.md").read_text(encoding="utf-8"),
        PROJECT.get("urls", {}).get("Source", ""),
        runpy.run_path(str(ROOT / "version.py"))["__version__"],
    ),
}
if CARRIES:
    from setuptools.command.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """A wheel with kernels calls nothing of Python's: it is for every version of it."""

        def get_tag(self) -> tuple[str, str, str]:
            return ("py3", "none", super().get_tag()[2])

    class WithKernels(Distribution):
        """A distribution with files that are for one platform."""

        def has_ext_modules(self) -> bool:
            return True

    given["cmdclass"]["bdist_wheel"], given["distclass"] = PlatformWheel, WithKernels

COMPILER = [] if CARRIES else PROJECT["optional-dependencies"]["kernels"]

setup(packages=packages(), install_requires=REQUIRED + COMPILER, **given)
