"""Sets of objects that cost more together than their matching says (conflicts), and how they are found."""
