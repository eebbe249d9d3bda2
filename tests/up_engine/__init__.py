"""Tests of the engine of Unified Planning."""
