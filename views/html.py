"""HTML by templates: `templates/*.html`, which Jinja2 fills in. Whoever writes no page does not load it.

Everything that a template prints is escaped, but for what says that it is HTML: the result of `render`, a picture, and
what is marked by `Markup`. A name that a template asks for and nobody has given is an error.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache, partial
from json import dumps
from typing import TYPE_CHECKING, Any

from markupsafe import Markup as Markup

from ..models.errors import printable_lines
from ..models.text import counted
from .shapes import style
from .svg import board_svg

if TYPE_CHECKING:
    from jinja2 import Environment


def render(name: str, **values: Any) -> Markup:
    """A page, or a part of one, by its template: `render("table", head=..., lines=...)`."""
    return Markup(_templates().get_template(f"{name}.html").render(values))


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader(str(__package__)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.globals |= {"board": partial(board_svg, style=False), "table": table, "counted": counted}
    return pages


def _printed(value: object) -> object:
    """A text of a file as a page shows it: it turns around nothing that follows it (U+202E)."""
    return printable_lines(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def table(
    head: Sequence[str],
    lines: Iterable[Sequence[str]],
    caption: str = "",
    numbers: Iterable[int] = (),
    sort: tuple[str, bool] | None = None,
) -> Markup:
    """A table in a box that scrolls; without a head, the first cell of each line is its heading.

    The columns `numbers` are aligned to the right. `sort`: the column by which it is sorted, and whether descending.
    """
    return render("table", head=head, lines=lines, caption=caption, numbers={*numbers}, sort=sort)


def as_script(value: Any) -> Markup:
    """A value as JSON in a `<script>`: nothing in it ends the script, begins a comment or turns text around."""
    text = dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = "".join(char if char.isprintable() else dumps(char)[1:-1] for char in text)
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(f'<script type="application/json">{text}</script>')


def closed_page(name: str, title: str, code: str = "", more: Sequence[str] = (), **values: Any) -> str:
    """A page that may load nothing and send nothing: its content security policy names the hashes of its own style and
    script. `more`: styles besides those of all such pages.
    """
    rules = style("page", *more)
    own = f"style-src '{_hash(rules)}'; script-src '{_hash(code)}'"
    policy = Markup(f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'")
    return str(render(name, title=title, style=Markup(rules), code=Markup(code), policy=policy, **values))


def _hash(text: str) -> str:
    """The hash of an inline style or script, as a content security policy takes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
