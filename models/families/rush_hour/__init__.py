"""The family `rush-hour`."""
