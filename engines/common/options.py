"""Options that several engines have."""

from ..engine import Option

HORIZON_LIMIT = Option(
    "horizon_limit", int, None, "give up when it is proven that no plan has at most N steps", least=1
)

SEED = Option(
    "seed", int, None, "what its random choices begin with: the same seed, the same choices", least=0, most=2**31 - 1
)
"""For engines that make random choices. None, the default, is a seed too, always the same."""
