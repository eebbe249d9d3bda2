"""The family `sliding-block`."""
