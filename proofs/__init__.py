"""Certificates of optimality, and the program that checks them.

This folder stands alone: it imports nothing of Budge, only Python's standard library and PyYAML. Copied out of the
repository it checks a certificate with `python proofs DIR`; within it, with `python -m budge.proofs DIR`. It reads the
puzzle itself, has rules of its own, makes the clauses that a refutation is about, and decides about the proof. Who
doubts an optimum reads these files, not the engines; `docs/certificates.md` says what each part shows.

    reading       YAML -> text and rows                       rules_*      one family each: file -> puzzle
    pieces        pieces on cells: replay, places             formula...   the clauses, one sentence each (of `layers`)
    sliding       the moves of a position, and a bound        lrat         proofs by unit propagation with hints
    boxes         the same for a player who pushes boxes      exhaustion   every state on a plan of N moves
    terms, expressions, acting    custom puzzles: what their definition says, interpreted
    manifest      the files of a certificate                  check        all of it, and the verdict
    limits        time, memory, and why a check ends          command      the command line
"""
