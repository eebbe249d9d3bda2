"""The file of a custom family, read, written and drawn, and the notation of its plans."""
