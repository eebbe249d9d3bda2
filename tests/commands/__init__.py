"""Tests of the command line and the programming interface."""
