"""The engine `bird`: Richard Bird's plan refinement for vehicles in lanes."""
