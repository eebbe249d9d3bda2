"""Deadlocks: what can be proven of states from which the goal cannot be reached any more."""
