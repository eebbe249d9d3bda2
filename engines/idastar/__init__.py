"""Iterative deepening A*."""
