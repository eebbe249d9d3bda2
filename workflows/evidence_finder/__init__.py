"""Finding evidence that no plan of a problem costs less than a claim. Nothing here has to be trusted."""

from .choose_evidence import Found, find_evidence, refuted_endings

__all__ = ["Found", "find_evidence", "refuted_endings"]
