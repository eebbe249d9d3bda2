"""From the rules of a custom family to a planning task: instances of actions, facts, operators."""
