"""Tasks and bounded models in the formats of other programs."""
