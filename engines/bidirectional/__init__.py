"""The engine `bidirectional`: breadth-first search from both ends."""
