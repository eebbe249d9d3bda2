"""Additive pattern databases: exact distances of a few objects, added up."""
