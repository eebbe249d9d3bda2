"""How values show themselves in notebooks.

A notebook asks a value for `_repr_html_`. Values are defined here and in the rooms above, but pictures are drawn by
`views/`, which imports them all. So the values only know this hook; the package's `__init__` gives it the renderer
(docs/decisions/0011-notebook-display.md).
"""

from __future__ import annotations

from collections.abc import Callable

Renderer = Callable[[object], str | None]
"""A value as HTML, or None if there is nothing but its text."""


def _nothing(value: object) -> str | None:
    return None


_renderer: Renderer = _nothing


def show_by(renderer: Renderer) -> None:
    """From now on values are shown by this renderer."""
    global _renderer
    _renderer = renderer


class Displayed:
    """A value that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _renderer(self)
