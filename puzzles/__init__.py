"""The puzzles that come with Budge: YAML files by family, each with the optimum that it is known to have."""
