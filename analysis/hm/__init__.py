"""Relaxed reachability h^m: which sets of m facts can be true together, after how many steps at least.

From what others use down to the kernels:

    tables.py            `HmTables`: the values of a task, forward and backward, for m = 2 up to 5; its lower bound
    walker_pairs.py      what they tell of a walker's cell, or an operator, beside a fact
    within.py            h^m of the plans of at most L steps, where a plan of L + 1 is known: larger values, fewer sets
    background.py        larger and larger m in a thread, while a solver works
    fixpoint.py          the definition of h^m; `relax`, the kernel: visits to operators, value by value
    kept_facts.py        of one operator: which facts may be kept, as an AND of rows of bits
    achieved_sets.py     of one operator: the sets that it makes true; which of them wait, which are reached
    operator_arrays.py   operators, and operators reversed, as flat arrays
    packed_sets.py       whole collections of sets, in NumPy: all subsets, the next larger sets, those that meet a goal
    tuples.py            the numbers of sets, and rows of bits: how collections are packed
"""
