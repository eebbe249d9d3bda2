"""A template: copy this folder to `engines/NAME`, and Budge has another engine (docs/adding-an-engine.md).

This file is read whenever Budge starts, so it imports nothing that is slow; `module` has the function `solve`, and is
imported when the engine is first used.
"""

from budge.engines.engine import Engine, Option, PlotStyle, Programs

ENGINE = Engine(
    name="template",  # what `--engine` takes
    order=1000,  # where it stands in lists: the smallest number first
    module=f"{__package__}.engine",  # where its function `solve` is
    title="Template",
    sentence="iterative deepening, as in the textbook",
    options=(  # each is a keyword of `solve`, and a flag on the command line, which its sentence explains
        Option("steps", str, "given", "in which order steps are tried", choices=("given", "reversed")),
    ),
    programs=Programs(compiled=False),  # its `solve` takes tasks whose actions are programs as well
    style=PlotStyle("#123456", "2"),  # colour and marker in plots
    # With `role=PortfolioRole("search", {TaskKind.ONE_GOAL: 3})` the portfolio `auto` would use it as well.
)
