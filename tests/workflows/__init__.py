"""Tests of what is made of engines: compare, explore, verify, why."""
