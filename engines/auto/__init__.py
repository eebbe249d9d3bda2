"""The portfolio `auto`: engines side by side, sharing bounds and plans."""
