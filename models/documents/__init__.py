"""From YAML text to values that know their line and column, and every problem of a file at once."""
