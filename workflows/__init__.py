"""What people do with engines: solve, compare, verify, explore."""
