"""The engine `bidirectional`: breadth-first search from both ends."""

from ...models.forms import Costs
from ...models.late import late
from ..common.kernel_sets import BOUNDS
from ..engine import Engine, Kernels, Look, Place, Programs, TaskKind

ENGINE = Engine(
    name="bidirectional",
    order=50,
    solve=late(__package__, ".engine:bidirectional"),
    title="Bidirectional search",
    sentence="breadth-first search from both ends",
    also_loads=("budge.engines.common.kernels",),
    kernels=(Kernels("bidirectional", late(__package__, ".engine:compile_kernels"), seconds=3.0), BOUNDS),
    programs=Programs(
        late(__package__, ".programs:bidirectional"),
        late(__package__, ".fitness:preparation"),
        refuses=late(__package__, ".fitness:refusal"),
        compiles=late(__package__, "...analysis.substitutions.build:may_be_undone"),
        costs=Costs.ONE,
    ),
    place=Place("search", {TaskKind.PROGRAMS: 0, TaskKind.ONE_GOAL_STATE: 1}, seconds=300.0),
    look=Look("#8a7a3a", "h", duel="search"),
)
