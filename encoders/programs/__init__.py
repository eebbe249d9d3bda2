"""A task whose actions are programs, and a horizon -> a formula.

values     what registers hold in a layer: choices of values by literals, whole numbers, and what is computed of them
symbols    runs a program on such values in place of numbers: conditions and assignments of an action; where the code
           reads and assigns registers; which values variables may have after so many actions
horizon    the layers and steps of a bounded-horizon model, and one model where the order of actions does not matter
"""
