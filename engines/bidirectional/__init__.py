"""The engine `bidirectional`: breadth-first search from both ends."""

from ...models.forms import Costs
from ...models.late import late
from ...models.program import ProgramTask
from ..engine import Engine, Look, Place, Programs, TaskKind

SEARCH = late(__package__, ".programs:bidirectional")

ENGINE = Engine(
    name="bidirectional",
    order=50,
    solve=SEARCH,
    reads=ProgramTask,
    title="Bidirectional search",
    sentence="breadth-first search from both ends, where actions are programs that can be undone (cubes)",
    programs=Programs(
        SEARCH,
        late(__package__, ".fitness:preparation"),
        refuses=late(__package__, ".fitness:refusal"),
        compiles=late(__package__, "...analysis.inverse_programs:may_be_undone"),
        costs=Costs.ONE,
    ),
    place=Place("search", {TaskKind.PROGRAMS: 0}, seconds=300.0),
    look=Look("#8a7a3a", "h", duel="search"),
)
