"""Making puzzles: random boards, moved to the hardest start of their component, made harder by mutation.

maker     what a family has to know for it: random boards, mutations, grading, what makes two boards the same
pieces    rectangles that slide
blocks    Rush Hour and sliding blocks      rooms     Sokoban, backward      play     any family, by random moves
search    rounds of independent units on an executor; the result does not depend on how many workers there are
seen      the store of boards that were graded and work that was done
finish    minimal, without mirror images, with the features wished for, proven again by an engine, written
"""
