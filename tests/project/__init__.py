"""Tests of the project itself: its rooms and its packages."""
