"""Tests of what is known of a task before it is solved."""
