"""What several engines use: stores of states, successors, plans and their shortening, exploration."""
