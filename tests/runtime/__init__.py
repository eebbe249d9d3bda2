"""Tests of processes, limits, kernels and events."""
