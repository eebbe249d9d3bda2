"""Certificates of optimality, and the program that checks them.

This folder stands alone: it imports nothing of Budge, only Python's standard library and PyYAML. Copied out of the
repository it checks a certificate with `python proofs DIR`; within it, with `python -m budge.proofs DIR`. It reads the
problem, makes the clauses that a refutation is about, and decides about the proof; and by rules of its own it says
whether the problem is the puzzle. Who doubts an optimum reads these files, not the engines;
`docs/proof-language.md` says which, for what claim.

    core                    what every claim about a problem text needs, and nothing else: read this first
    one_variable_formula    clauses without variables for actions, also with several actions in a step
    searching               exhaustion with several bounds; grouped_states: many states at once
    folder, check           the files of a certificate; the verdict, whichever its form is
    verdict, command        the words that are said of it; the command line
    by_rules                certificates without a problem text: exhaustion, parity
    end_state_formula       clauses about the end of a plan
    derivation              that the text is the puzzle, for all states; state_classes, fact_groups
    games                   each family: file -> puzzle -> graph, whose own rules are these:
    reading                 YAML -> text and rows
    boards                  boards as they are read: Rush Hour, sliding blocks, the n-puzzle, Sokoban
    rules, pages            their rules, a page each in the language of custom puzzles; and how a page gets its board
    rules_custom, rules_pddl        custom puzzles and problems in PDDL: both become trees of expressions and actions,
    rules_sas                       tasks in `.sas`, the output of a translator of PDDL: read as lists of PDDL
    terms, expressions, acting      which are interpreted
"""
