"""A task whose actions are programs, and a horizon -> a formula.

values     what registers hold in a layer: choices of values by literals, whole numbers, and what is computed of them;
           `analysis.symbolic_machine` runs programs on these in place of numbers
horizon    the layers and steps of a bounded-horizon model; which values variables may have after so many actions
"""
