"""The engines: ways of solving a task, and the table of them."""
