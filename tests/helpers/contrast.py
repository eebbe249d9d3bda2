"""How well a colour is seen on another one."""

from __future__ import annotations


def contrast(*colours: str) -> float:
    """The contrast of two colours by WCAG 2: letters want 4.5."""
    parts = [[int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)] for colour in colours]
    linear = [[p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in part] for part in parts]
    dark, bright = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in linear)
    return (bright + 0.05) / (dark + 0.05)
