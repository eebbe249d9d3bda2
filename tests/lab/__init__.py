"""Tests of batches, their store, other machines and generated puzzles."""
