"""The family `sokoban`."""
