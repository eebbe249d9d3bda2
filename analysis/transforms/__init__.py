"""Tasks to tasks: the same puzzle in the form that an engine can use."""
