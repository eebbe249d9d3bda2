"""Saturated cost partitioning: small projections that share the costs of operators, so that their distances add up."""
