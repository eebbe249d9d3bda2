"""The family `n-puzzle`."""
