"""What compiled kernels are made of: the files whose edit makes compiled code stale.

Kernels take module constants into their machine code, so a file counts from which such a constant comes, too.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

MARKS = b"njit", b"(NamedTuple)", b"import numba", b"from numba"
"""What a source has that kernels are made of: kernels, named tuples that they take, what numba is told of them."""

_IMPORT = re.compile(rb"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_WORD = re.compile(rb"\w+")


def fingerprint(source: Path) -> str:
    """A hash of all source files that the kernels of a module depend on."""
    return hash_of(sources(source))[:16]


def hash_of(files: set[Path]) -> str:
    """A hash of the names, with their folders, and texts of files: the same wherever the package is."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update("/".join(file.parts[-2:]).encode() + _text(file))
    return digest.hexdigest()


def sources(*modules: Path) -> set[Path]:
    """The files that the kernels of some modules are made of.

    From one file to the files that it imports, as long as there are kernels in them, the named tuples that kernels
    take, or what numba is told of how to compile them (`by_address`, `compilers`). Of another file what can matter is a
    constant: it counts itself if a constant (a name in capitals) is imported from it, and what it imports does not.
    A folder that is looked through (by `pkgutil.iter_modules`) counts with all of its files. Where the code is kept
    (`cache_places`) makes no difference to it.
    """
    files, waiting = set(modules), list(modules)
    while waiting:
        for imported, constant in _imports(waiting.pop()):
            if imported not in files and imported.name != "cache_places.py" and (constant or has_kernels(imported)):
                files.add(imported)
                if has_kernels(imported):
                    waiting.append(imported)
    return files


@cache
def _text(source: Path) -> bytes:
    return source.read_bytes()


def has_kernels(source: Path) -> bool:
    """Whether a file has kernels, named tuples that they take, or words for numba."""
    return any(word in _text(source) for word in MARKS)


@cache
def _imports(source: Path) -> list[tuple[Path, bool]]:
    """The files of the package that a file imports, and whether a constant is among what it imports from each."""
    found = []
    for dots, name, imported in _IMPORT.findall(_text(source)):
        base = (
            source.parents[len(dots) - 1].joinpath(*name.decode().split(".")) if name else source.parents[len(dots) - 1]
        )
        names = _WORD.findall(imported)
        if base.is_dir():
            found += [
                (base / f"{word.decode()}.py", True) for word in names if (base / f"{word.decode()}.py").is_file()
            ]
            base = base / "__init__"
            init = base.with_suffix(".py")
            if init.is_file() and b"iter_modules" in _text(init):  # it imports whatever is in its folder
                found += [(file, True) for file in base.parent.rglob("*.py")]
        module = base.with_suffix(".py")
        if module.is_file():
            found.append((module, any(word.isupper() for word in names)))
    return found
