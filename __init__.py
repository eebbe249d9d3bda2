"""Budge: moving-piece puzzles written in YAML, solved and proven shortest.

    import budge

    solution = budge.solve("bird-1", time_limit="1m")
    print(solution.status, solution.cost, solution.proof)
    print(*solution.notation)

Puzzles are names of shipped ones, paths, the text of a file, a dictionary with its keys, or what `load` gives.
Functions with the name of a command (`compare`, `verify`, `explore`, `hint`, `check`, `explain`, `certify`, ...) do
what it does; `puzzles` lists the shipped ones, `solve_iter` gives the events of a run as they come. The reference, with
examples, is docs/api.md.
"""

from __future__ import annotations

from .models import display as _display
from .version import __version__ as __version__

# Not from `typing`: its import takes 3 ms, and until `__main__` has set its handlers, Ctrl-C ends in a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_homes: dict[str, str] = {}
"""The public names, each with the module that has it, as soon as one is asked for."""


def _home_of_names() -> dict[str, str]:
    """The public names by the lines of `__init__.pyi`, which type checkers read: `from .api import solve as solve`."""
    if not _homes:
        from importlib.resources import files

        for line in (files(__name__) / "__init__.pyi").read_text(encoding="utf-8").splitlines():
            match line.split():
                case ["from", module, "import", name, "as", _] if name[:2] != "__":
                    _homes[name] = module
    return _homes


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that `import budge` costs nothing."""
    if name == "__all__":
        return sorted(_home_of_names())
    if name.startswith("__") or name not in _home_of_names():
        raise AttributeError(f"module 'budge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_homes[name], __name__), name)


def __dir__() -> list[str]:
    """The public names, for completion and `help`, whether they are imported yet or not."""
    return sorted({*_home_of_names(), *(name for name in globals() if name.startswith("__"))})


def _as_html(value: object) -> str | None:
    from .views.notebook import as_html

    return as_html(value)


def _as_dict(value: object) -> dict[str, Any]:
    from .views.notebook import as_dict

    return as_dict(value)


_display.show_by(_as_html, _as_dict)
