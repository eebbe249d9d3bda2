"""Finding evidence that no plan of a problem costs less than a claim. Nothing here has to be trusted."""

from .choice import Found, find_evidence
from .endings import refuted_endings

__all__ = ["Found", "find_evidence", "refuted_endings"]
