"""Bounds on pushes and steps together, where the walker's steps are paid for."""
