"""The frame of every report: its style for light and dark screens, phones and wide ones, and its scripts.

The page says everything without scripts, which sort tables and play plans (`web/replay.js`).
"""

from __future__ import annotations

from collections.abc import Iterable

from .board_files import script, style
from .html import escape

STYLE = """
:root { color-scheme: light dark; --ground: #fdfdfc; --ink: #1c1c1a; --line: #d5d5d0; --soft: #f1f1ee; --bad: #b3261e;
  --quiet: #5c5c57; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16171a; --ink: #e6e6e3; --line: #3a3c42; --soft: #212328; --bad: #ff8a80; --quiet: #a5a7ad; }
}
* { box-sizing: border-box; }
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 84rem; padding: 1rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5rem 0 1rem; }
caption { max-width: calc(100vw - 2rem); text-align: left; padding-bottom: 0.3rem; color: var(--quiet); }
th, td { border-bottom: 1px solid var(--line); padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
th { background: var(--soft); white-space: nowrap; }
th button { all: unset; cursor: pointer; font: inherit; font-weight: bold; }
th button:focus-visible { outline: 2px solid; }
th[aria-sort=ascending] button::after { content: " \\25B4"; }
th[aria-sort=descending] button::after { content: " \\25BE"; }
.scroll table { width: max-content; }
td { max-width: 24rem; }
.number { text-align: right; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
@media (max-width: 34rem) { .facts { display: block; } .facts dd { margin: 0 0 0.4rem; } }
code { font-size: 0.95em; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
figure { margin: 1rem 0; max-width: 36rem; }
figcaption { color: var(--quiet); }
.plot { width: 100%; height: auto; }
.puzzle { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-start; }
.puzzle > * { max-width: 100%; }
.puzzle > figure:first-child { flex: 0 0 auto; }
.budge-board { max-height: 24rem; }
.bad { border: 2px solid var(--bad); color: var(--bad); font-weight: bold; padding: 0.5rem 1rem; }
"""

SCRIPT = """
for (const table of document.querySelectorAll(".scroll table")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => {
        const text = row.cells[column].textContent, number = parseFloat(text.replace(/,/g, ""));
        return head.className === "number" ? (text ? number : Infinity) : text;
      };
      const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
      const rows = [...body.rows].sort((a, b) => order(key(a), key(b)));
      body.append(...(down ? rows.reverse() : rows));
    };
  });
}
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole document that needs nothing from elsewhere."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}{style()}</style></head><body>",
            *parts,
            f"<script>{SCRIPT}{script('board')}{script('replay')}</script></body></html>\n",
        ]
    )


def figure(picture: str, caption: str) -> str:
    """A picture and what it shows."""
    return f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"


def facts(named: Iterable[tuple[str, str]]) -> str:
    """Names with their values; empty ones are left out."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in named if text)
    return f'<dl class="facts">{rows}</dl>'
