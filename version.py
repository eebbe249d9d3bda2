"""The version, in one place for the package, its results and its reports."""

__version__ = "0.1.0"

SCHEMA = 1
"""The version of the JSON that commands write; it rises when a program that reads it has to know."""
