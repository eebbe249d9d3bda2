"""The version, in one place for the package, its results and its reports."""

__version__ = "0.1.0"
