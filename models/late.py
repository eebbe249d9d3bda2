"""Functions of modules that are imported when they are first called: solvers and compilers are slow to load."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import resolve_name
from typing import Any


def late(package: str, place: str) -> Callable[..., Any]:
    """The function at a place such as ".engine:solve", seen from a package (`__package__`). It can be sent to other
    processes, as it is kept by its name.
    """
    module, _, name = place.partition(":")
    return partial(_called, resolve_name(module, package), name)


def _called(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(import_module(module), name)(*arguments, **options)
