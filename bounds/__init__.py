"""What is known before solving: relaxed reachability layers, and the bounds and mutexes that follow."""
