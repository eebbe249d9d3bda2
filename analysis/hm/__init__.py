"""Relaxed reachability h^m: which sets of m facts can be true together, after how many steps at least."""
