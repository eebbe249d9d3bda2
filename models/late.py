"""Functions of modules that are imported when they are first called: solvers and compilers are slow to load."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Late:
    """A function by its module and name. It is a value, not a closure, so that it can be sent to other processes."""

    module: str
    name: str

    def load(self) -> Any:
        """The function itself; its module is imported now."""
        return getattr(import_module(self.module), self.name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.load()(*arguments, **options)


def late(package: str, place: str) -> Late:
    """The function at a place such as ".engine:solve", seen from a package (`__package__`)."""
    module, _, name = place.partition(":")
    dots = len(module) - len(module.lstrip("."))
    base = package.split(".")
    return Late(".".join([*base[: len(base) - dots + 1], module[dots:]]), name)
