"""A small domain and problem in PDDL."""

from __future__ import annotations

from .pddl_domains import FERRY

DOMAIN, PROBLEM = FERRY
