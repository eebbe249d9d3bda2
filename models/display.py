"""How values show themselves in notebooks and as JSON.

A notebook asks a value for `_repr_html_`. Values are defined here and in the rooms above, but pictures are drawn and
JSON is written by `views/`, which imports them all. So the values only know these hooks; the package's `__init__` gives
them the renderers (docs/decisions/0011-notebook-display.md).
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`: `import budge` loads this module, and must load nothing else
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Renderer = Callable[[object], str | None]
    """A function that writes a value as HTML; it gives None if there is nothing but its text."""

    Objects = Callable[[object], dict[str, Any]]
    """A value as the object that `--json` prints."""


def _nothing(_value: object) -> str | None:
    return None


def _no_object(value: object) -> dict[str, Any]:
    raise TypeError(f"nothing writes a {type(value).__name__} as JSON: import the package `budge` first")


_renderer: Renderer = _nothing
_objects: Objects = _no_object


def show_by(renderer: Renderer, objects: Objects) -> None:
    """Show values in notebooks by this renderer, and write them as JSON by `objects`, from now on."""
    global _renderer, _objects
    _renderer, _objects = renderer, objects


class Written:
    """A value that has a form as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The value as the object that the command of the same kind prints with `--json`."""
        return _objects(self)

    def to_json(self) -> str:
        """The object as a line of JSON."""
        import json  # here, for `import budge` loads this module

        return json.dumps(self.to_dict(), ensure_ascii=False)


class Displayed(Written):
    """A value that notebooks show as HTML, too."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _renderer(self)
