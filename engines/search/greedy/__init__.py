"""Greedy best-first search."""
