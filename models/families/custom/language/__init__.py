"""The language of custom families: syntax, expressions, the check of their types, and their values."""
