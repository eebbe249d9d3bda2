"""Boards with boxes: cells, reach, macro moves, deadlocks and pruning, read by A* and feature space search."""
