"""Native searches over a task."""
