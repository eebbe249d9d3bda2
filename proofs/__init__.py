"""Certificates of optimality, and the program that checks them.

This folder stands alone: it imports nothing of Budge, only Python's standard library and PyYAML. Copied out of the
repository it checks a certificate with `python proofs DIR`; within it, with `python -m budge.proofs DIR`. It reads the
problem, makes the clauses that a refutation is about, and decides about the proof; and by rules of its own it says
whether the problem is the puzzle. Who
doubts an optimum reads these files, not the engines; `docs/proof-language.md` says which, for what claim.

    core          what every claim about a problem text needs, and nothing else: read this first
    changing      clauses without variables for actions       parallel, counting      and several actions in a step
    folder        the files of a certificate                  check        whichever its form is
    problem_folder          with a problem text               verdict      the words that are said of it
    by_rules      without one: exhaustion, parity             command      the command line
    distances, endings      a bound for that, and clauses about the end of a plan
    same_problem, games     whether the text is the puzzle, whose own rules are these:
    reading       YAML -> text and rows                       puzzles, rules_*     each family: file -> puzzle
    pieces        pieces on cells: replay, places             sliding      the moves of a position, and a bound
    boxes         the same for a player who pushes boxes      exhaustion   every position on a plan of N moves
    terms, expressions, acting    custom puzzles: what their definition says, interpreted
"""
