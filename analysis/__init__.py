"""What can be known of a task before it is solved, shared by every engine."""
