"""The studio: a page in the browser on which puzzles are written, seen, played, solved, compared and shared."""
