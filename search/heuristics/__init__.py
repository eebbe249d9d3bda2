"""Admissible heuristics and dead ends, found from the task itself."""
