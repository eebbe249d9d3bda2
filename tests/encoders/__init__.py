"""Tests of models for solvers, and exports."""
