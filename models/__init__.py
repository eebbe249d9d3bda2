"""What a puzzle is: YAML text -> document -> puzzle of a family -> task; plans and their replay."""
