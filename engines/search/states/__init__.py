"""What the searches share: stored states, successors, the way back."""
