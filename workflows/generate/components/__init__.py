"""Whole components of state spaces, quickly: every state that can be reached, and how far each is from the goal.

`engines.common.reachable` does this for any task. Making puzzles does it for a thousand boards a second, which have not
been puzzles yet: here boards are a few small arrays, a state is one word, and nothing is grounded.

    blocks   rectangles that slide (Rush Hour, sliding blocks): forward over the component, backward from its goals
    pulls    Sokoban: backward from the solved positions, by pulling
"""
