"""The engine `cp-sat`: bounded-horizon models of rising horizon, solved by CP-SAT.

engine         what is known before the first model, then a strategy, then the second component of the metric
strategies     how the horizon rises; what `--strategy` chooses
run            what is known so far; encoding and solving one model
companion      exact-horizon solvers that run in parallel
horizons       how they divide the horizons among them
parallel       parallel steps
race           two solves of one formula side by side
lexicographic  metrics of two components
solver         one solve by CP-SAT, under a budget
lrat           a proof of CP-SAT's that can be checked
trimming       a proof without what it does not need
tunables       all constants, with their ranges and measurements
"""
