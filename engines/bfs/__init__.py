"""Breadth-first search, and uniform-cost search where costs differ."""
