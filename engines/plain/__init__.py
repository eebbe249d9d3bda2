"""Search in plain Python: nothing to compile."""
