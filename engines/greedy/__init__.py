"""The engine `greedy`: a plan soon, by weighted A*, made shorter afterwards."""

from ...models.late import late
from ..engine import Engine, Look, Place, Programs, TaskKind
from .rules import WITHOUT

ENGINE = Engine(
    name="greedy",
    order=80,
    solve=late(__package__, ".engine:greedy"),
    title="Greedy search",
    sentence="a plan soon, by weighted A*, then shortened; proves nothing",
    also_loads=("budge.engines.common.kernels",),
    programs=Programs(
        late(__package__, ".programs:greedy"), late(__package__, "..common.programs.sample:compile_kernels")
    ),
    options=(WITHOUT,),
    kernels=late(__package__, ".engine:greedy"),
    promises_optimum=False,
    place=Place("quick plan", dict.fromkeys(TaskKind, 1), seconds=20.0, niceness=10),
    look=Look("#8c8c8c", "P"),
)
