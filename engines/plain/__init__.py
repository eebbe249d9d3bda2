"""The engine `plain`: uniform-cost search in plain Python."""

from ...models.late import late
from ..engine import MOMENT, Engine, Look, Place, Programs

ENGINE = Engine(
    name="plain",
    order=30,
    solve=late(__package__, ".engine:plain"),
    title="Plain search",
    sentence="uniform-cost search in plain Python: nothing to compile, for small puzzles, and the definition that the "
    "tests hold the others against",
    programs=Programs(late(__package__, ".engine:plain")),
    certify=late(__package__, ".engine:certified"),
    place=Place("search", ranks={}, seconds=MOMENT, slice=True),
    look=Look("#4d4d4d", "x"),
)
