"""Feature Space Search for boards of boxes (Shoham and Schaeffer 2020)."""
