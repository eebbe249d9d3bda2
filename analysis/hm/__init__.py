"""Relaxed reachability h^m: which sets of m facts can be true together, after how many steps at least.

From what others use down to the kernels:

    tables.py      `HmTables`: the values of a task, forward and backward, for m = 2 up to 5; its lower bound. Also what
                   they tell of a walker's cell, or an operator, beside a fact; h^m of the plans of at most L steps;
                   larger and larger m in a thread, while a solver works
    fixpoint.py    the definition of h^m; `relax`, the kernel: visits to operators, value by value; of one operator,
                   which facts may be kept, as an AND of rows of bits, and the sets that it makes true
    tuples.py      the numbers of sets, and rows of bits: how collections are packed; operators as flat arrays
"""
