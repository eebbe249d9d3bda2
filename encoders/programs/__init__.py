"""A task whose actions are programs, and a horizon -> a formula.

kinds      what registers hold where the state is not known
literals   literals, and conjunctions of them
values     what registers hold in a layer: choices of values by literals, whole numbers, and what is computed of them
registers  where the code reads and assigns registers
symbols    runs a program on such values in place of numbers: conditions and assignments of an action
model      a formula, and the actions that its solutions choose
reached    which values variables may have after so many actions
horizon    the layers and steps of a bounded-horizon model
sets       one model where the order of actions does not matter
"""
