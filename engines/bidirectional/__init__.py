"""The engine `bidirectional`: breadth-first search from both ends."""

from ...models.late import late
from ...models.program import ProgramTask
from ...models.task import Costs
from ..engine import Engine, Look, Place, Programs, TaskKind

SEARCH = late(__package__, ".engine:bidirectional")

ENGINE = Engine(
    name="bidirectional",
    order=50,
    solve=SEARCH,
    reads=ProgramTask,
    title="Bidirectional search",
    sentence="breadth-first search from both ends, where actions are programs that can be undone (cubes)",
    programs=Programs(
        SEARCH,
        late(__package__, ".engine:compile_kernels"),
        refuses=late(__package__, ".engine:refusal"),
        costs=Costs.ONE,
    ),
    place=Place("search", {TaskKind.PROGRAMS: 0}, seconds=300.0),
    look=Look("#8a7a3a", "h", duel="search"),
)
