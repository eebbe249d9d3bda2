"""The engine `csp`: bounded-horizon models, solved by python-constraint."""

from ...models.task import Costs
from ..engine import HORIZON_LIMIT, Engine, PlotStyle

ENGINE = Engine(
    name="csp",
    order=20,
    module=f"{__package__}.engine",
    title="python-constraint",
    sentence="bounded-horizon models, solved by python-constraint",
    options=(HORIZON_LIMIT,),
    compiled=True,
    costs=Costs.POSITIVE,
    prompt=False,
    style=PlotStyle("#9467bd", "D"),
)
