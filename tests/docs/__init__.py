"""Tests of the pages of docs and their examples."""
