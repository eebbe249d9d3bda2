"""Experiments: many puzzles, engines and limits; a store that keeps every run; and what can be asked of it."""
