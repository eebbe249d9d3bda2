"""Tests of puzzles, their documents and tasks."""
