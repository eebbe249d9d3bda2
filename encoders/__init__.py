"""A task and a horizon -> a solver's model."""
