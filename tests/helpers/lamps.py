"""A family of lamps and switches, whose goal is not ordered."""

from __future__ import annotations

LAMPS = """\
format: 1
family: custom
grid: |
{grid}
legend:
  "*": lit
  ".": floor
state:
  lit: {{of: cell}}
actions:
  press:
    with: {{c: cell}}
    set:
      lit[c]: not lit[c]
      lit[n] for n in neighbours(c): not lit[n]
{more}
goal: not any(lit)
"""
