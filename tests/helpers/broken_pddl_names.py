"""Broken PDDL, each with all that is said of it: types, names, actions, conditions, effects, starts.

The form of the cases is that of `test_pddl_broken`.
"""

CASES = r"""
# two values
p: (= (far right left) 2) => (= (far left right) 2)
p.pddl:5:55: error: `(far left right)` has the value 3 already
  5 |          (= (total-cost) 0) (= (far left right) 3) (= (far left right) 2))
    |                                                       ^^^^^^^^^^^^^^^^
  help: remove one of the two

# an unknown function
p: (= (far right left) 2) => (= (fare right left) 2)
p.pddl:5:56: error: there is no function `fare`
  5 |          (= (total-cost) 0) (= (far left right) 3) (= (fare right left) 2))
    |                                                        ^^^^
  help: did you mean `far`?

# an unknown type
d: (?a ?b - place)\n    :precondition => (?a ?b - palce)\n    :precondition
d.pddl:7:26: error: there is no type `palce`
  7 |     :parameters (?a ?b - palce)
    |                          ^^^^^
  help: did you mean `place`?

# an undeclared type
p: left right - place => left right - harbour
p.pddl:3:47: error: there is no type `harbour`
  3 |   (:objects red - car blue - van left right - harbour)
    |                                               ^^^^^^^
  help: declare it in `:types` of the domain

# a total cost without brackets
d: (increase (total-cost) 1) => (increase total-cost 1)
d.pddl:13:67: error: the total cost stands in brackets
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase total-cost 1)))
     |                                                                   ^^^^^^^^^^
  help: write `(total-cost)`

# types in a circle
d: van - car) => van - car car - boat boat - van)
d.pddl:3:11: error: the type `car` is its own supertype: car - boat - van - car
  3 |   (:types car place - object  van - car car - boat boat - van)
    |           ^^^
  help: remove one of these `-`

# a type is missing
p: left right - place) => left right -)
p.pddl:3:45: error: a type is missing after `-`
  3 |   (:objects red - car blue - van left right -)
    |                                             ^
  help: write `NAME - TYPE`, or remove the `-`

# a name is missing
p: (:objects red => (:objects - car red
p.pddl:3:13: error: no object stands before this `-`
  3 |   (:objects - car red - car blue - van left right - place)
    |             ^
  help: write `NAME - TYPE`

# no type in either
d: (on ?c - car) => (on ?c - (either))
d.pddl:4:68: error: `(either)` is no type
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - (either)) (empty))
    |                                                                    ^^^^^^^^
  help: write a type, or `(either TYPE TYPE)`

# types in brackets
d: (on ?c - car) => (on ?c - (car van))
d.pddl:4:68: error: `(car van)` is no type
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - (car van)) (empty))
    |                                                                    ^^^^^^^^^
  help: write a type, or `(either TYPE TYPE)`

# an object of two types
p: blue - van => blue - van blue - place
p.pddl:3:34: error: the object `blue` has the type `van` already
  3 |   (:objects red - car blue - van blue - place left right - place)
    |                                  ^^^^
  help: give it one type; one that has both is `(either A B)`

# a predicate in a mistyped form
d: (boat ?a) (not => (boot ?a) (not
d.pddl:8:25: error: there is no predicate `boot`
  8 |     :precondition (and (boot ?a) (not (= ?a ?b)))
    |                         ^^^^
  help: did you mean `boat`?

# an undeclared predicate
p: (boat left) (empty) => (boat left) (sunny)
p.pddl:4:52: error: there is no predicate `sunny`
  4 |   (:init (at red left) (at blue left) (boat left) (sunny)
    |                                                    ^^^^^
  help: declare it in `:predicates` of the domain

# too few arguments
p: (at red left) => (at red)
p.pddl:4:10: error: `at` takes 2 arguments, and has 1
  4 |   (:init (at red) (at blue left) (boat left) (empty)
    |          ^^^^^^^^
  help: line 4 declares `(at ?c - car ?p - place)`

# too many arguments
d: (and (boat ?b) => (and (boat ?b ?a)
d.pddl:9:18: error: `boat` takes 1 argument, and has 2
  9 |     :effect (and (boat ?b ?a) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
    |                  ^^^^^^^^^^^^
  help: line 4 declares `(boat ?p - place)`

# a predicate twice
d: (on ?c - car) (empty)) => (on ?c - car) (empty) (boat ?x))
d.pddl:4:82: error: `boat` is declared twice, first on line 4
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) (empty) (boat ?x))
    |                                                                                  ^^^^
  help: remove one of them

# a predicate with a word of PDDL
d: (on ?c - car) (empty)) => (on ?c - car) (empty) (when ?x))
d.pddl:4:82: error: `when` has a meaning in PDDL, and cannot name a predicate
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) (empty) (when ?x))
    |                                                                                  ^^^^
  help: choose another name

# a parameter without a question mark
d: :parameters (?p - place) => :parameters (p - place)
d.pddl:15:18: error: a variable begins with `?`, and this is `p`
  15 |     :parameters (p - place)
     |                  ^
  help: write `?p`

# a predicate without brackets
d: (on ?c - car) (empty)) => (on ?c - car) empty)
d.pddl:4:73: error: a predicate is declared in brackets, and this is `empty`
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) empty)
    |                                                                         ^^^^^
  help: write `(empty)`

# an unknown variable
d: (at ?c ?p) (boat ?p) => (at ?car ?p) (boat ?p)
d.pddl:12:28: error: the variable `?car` is not declared here
  12 |     :precondition (and (at ?car ?p) (boat ?p) (empty))
     |                            ^^^^
  help: did you mean `?c`?

# a variable in the goal
p: (at red right) => (at ?c right)
p.pddl:6:19: error: the variable `?c` is not declared here
  6 |   (:goal (and (at ?c right) (forall (?v - van) (at ?v right))))
    |                   ^^
  help: write an object: there are no variables here

# a variable without a question mark
d: (at ?c ?p) (boat ?p) => (at c ?p) (boat ?p)
d.pddl:12:28: error: there is no object `c`
  12 |     :precondition (and (at c ?p) (boat ?p) (empty))
     |                            ^
  help: write `?c` for the variable

# a variable twice
d: (?c - car ?p - place)\n    :precondition => (?c - car ?c - place)\n    :precondition
d.pddl:11:27: error: the variable `?c` is declared twice
  11 |     :parameters (?c - car ?c - place)
     |                           ^^
  help: rename one of them
d.pddl:12:31: error: the variable `?p` is not declared here
  12 |     :precondition (and (at ?c ?p) (boat ?p) (empty))
     |                               ^^
  help: add it to `:parameters`, or to a quantifier around it
d.pddl:12:41: error: the variable `?p` is not declared here
  12 |     :precondition (and (at ?c ?p) (boat ?p) (empty))
     |                                         ^^
  help: add it to `:parameters`, or to a quantifier around it
d.pddl:13:38: error: the variable `?p` is not declared here
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)))
     |                                      ^^
  help: add it to `:parameters`, or to a quantifier around it

# an object of the wrong type
p: (boat left) => (boat red)
p.pddl:4:45: error: `red` is of type `car`, and argument 1 of `boat` of type `place`
  4 |   (:init (at red left) (at blue left) (boat red) (empty)
    |                                             ^^^
  help: line 4 declares `(boat ?p - place)`

# a variable of the wrong type
d: (at ?c ?p) (boat ?p) => (at ?p ?c) (boat ?p)
d.pddl:12:28: error: `?p` is of type `place`, and argument 1 of `at` of type `car`
  12 |     :precondition (and (at ?p ?c) (boat ?p) (empty))
     |                            ^^
  help: line 4 declares `(at ?c - car ?p - place)`

# an unknown object
p: (at blue left) => (at blu left)
p.pddl:4:28: error: there is no object `blu`
  4 |   (:init (at red left) (at blu left) (boat left) (empty)
    |                            ^^^
  help: did you mean `blue`?

# a variable at the start
p: (boat left) => (boat ?p)
p.pddl:4:45: error: the variable `?p` is not declared here
  4 |   (:init (at red left) (at blue left) (boat ?p) (empty)
    |                                             ^^
  help: write an object: there are no variables here

# an action twice
d: (:action leave => (:action board
d.pddl:14:12: error: the action `board` is declared twice, first on line 10
  14 |   (:action board
     |            ^^^^^
  help: rename or remove one of them

# an action without a name
d: (:action leave => (:action
d.pddl:15:5: error: an action needs a name
  15 |     :parameters (?p - place)
     |     ^^^^^^^^^^^
  help: write `(:action NAME ...)`

# a mistyped key
d: :precondition (imply => :preconditions (imply
d.pddl:16:5: error: an action has no `:preconditions`
  16 |     :preconditions (imply (empty) (exists (?c - van) (on ?c)))
     |     ^^^^^^^^^^^^^^
  help: did you mean `:precondition`?

# a key twice
d: :precondition (imply => :parameters () :precondition (imply
d.pddl:16:5: error: `:parameters` stands twice in the action `leave`
  16 |     :parameters () :precondition (imply (empty) (exists (?c - van) (on ?c)))
     |     ^^^^^^^^^^^
  help: join both by `(and ...)`

# a key without a value
d: (:action leave => (:action wait :effect)\n  (:action leave
d.pddl:14:17: error: `:effect` has no value
  14 |   (:action wait :effect)
     |                 ^^^^^^^
  help: write `()` for none

# two conditions without and
d: :precondition (and (boat ?a) (not (= ?a ?b))) => :precondition (boat ?a) (not (= ?a ?b))
d.pddl:8:29: error: one of `:parameters`, `:precondition`, `:effect` must stand here, not `(not (= ?a ?b))`
  8 |     :precondition (boat ?a) (not (= ?a ?b))
    |                             ^^^^^^^^^^^^^^^
  help: several conditions or effects are joined by `(and ...)`

# two conditions in one bracket
d: :precondition (and (boat ?a) (not (= ?a ?b))) => :precondition ((boat ?a) (not (= ?a ?b)))
d.pddl:8:20: error: a condition starts with a word, and this with `(boat ?a)`
  8 |     :precondition ((boat ?a) (not (= ?a ?b)))
    |                    ^^^^^^^^^
  help: for several conditions write `(and ...)`

# a condition without brackets
d: (boat ?p) (empty)) => (boat ?p) empty)
d.pddl:12:45: error: a condition stands in brackets, and this is `empty`
  12 |     :precondition (and (at ?c ?p) (boat ?p) empty)
     |                                             ^^^^^
  help: write `(empty)`

# not with two parts
d: (not (= ?a ?b)) => (not (= ?a ?b) (empty))
d.pddl:8:34: error: `not` takes a condition, and has 2 parts
  8 |     :precondition (and (boat ?a) (not (= ?a ?b) (empty)))
    |                                  ^^^^^^^^^^^^^^^^^^^^^^^
  help: check the brackets

# imply with one part
d: (imply (empty) (exists => (imply (exists
d.pddl:16:19: error: `imply` takes 2 conditions, and has 1 part
  16 |     :precondition (imply (exists (?c - van) (on ?c)))
     |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: check the brackets

# exists without variables
d: (exists (?c - van) (on ?c)) => (exists (on ?c))
d.pddl:16:34: error: `exists` takes variables and a condition, and has 1 part
  16 |     :precondition (imply (empty) (exists (on ?c)))
     |                                  ^^^^^^^^^^^^^^^^
  help: check the brackets

# when in a condition
d: (imply (empty) => (when (empty)
d.pddl:16:20: error: `when` stands in effects, not in conditions
  16 |     :precondition (when (empty) (exists (?c - van) (on ?c)))
     |                    ^^^^
  help: write `imply`, or move it to `:effect`

# an effect that is a choice
d: (and (on ?c) (not (at ?c ?p)) => (or (on ?c) (not (at ?c ?p))
d.pddl:13:14: error: `or` is a condition, and no effect
  13 |     :effect (or (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)))
     |              ^^
  help: say what becomes true; for a choice write an action for each case

# not of several effects
d: (and (on ?c) (not (at ?c ?p)) (not (empty)) => (and (on ?c) (not (and (at ?c ?p) (empty)))
d.pddl:13:31: error: an effect makes one atom false: `(not (NAME ...))`
  13 |     :effect (and (on ?c) (not (and (at ?c ?p) (empty))) (increase (total-cost) 1)))
     |                               ^^^^^^^^^^^^^^^^^^^^^^^^
  help: write a `not` for each atom

# when without a condition
d: (when (on ?c) (and (at ?c ?p) (not (on ?c)))) => (when (and (at ?c ?p) (not (on ?c))))
d.pddl:17:45: error: `when` takes a condition and an effect
  17 |     :effect (and (empty) (forall (?c - car) (when (and (at ?c ?p) (not (on ?c))))))))
     |                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: check the brackets

# an effect without brackets
d: (and (empty) (forall => (and empty (forall
d.pddl:17:18: error: an effect stands in brackets, and this is `empty`
  17 |     :effect (and empty (forall (?c - car) (when (on ?c) (and (at ?c ?p) (not (on ?c))))))))
     |                  ^^^^^
  help: write `(empty)`

# and at the start
p: (boat left) (empty) => (and (boat left) (empty))
p.pddl:4:40: error: `:init` lists atoms, and `and` is none
  4 |   (:init (at red left) (at blue left) (and (boat left) (empty))
    |                                        ^^^
  help: write each atom by itself

# a word at the start
p: (boat left) (empty) => (boat left) empty
p.pddl:4:51: error: an atom stands in brackets, and this is `empty`
  4 |   (:init (at red left) (at blue left) (boat left) empty
    |                                                   ^^^^^
  help: write `(empty)`

# a fact and its opposite
p: (boat left) (empty) => (boat left) (empty) (not (empty))
p.pddl:4:59: error: `(empty)` is true and false at the start
  4 |   (:init (at red left) (at blue left) (boat left) (empty) (not (empty))
    |                                                           ^^^^^^^^^^^^^
  help: remove one

# many at once
d: :typing => :typng
d: (on ?c - car) => (on ?c - cra)
d: (boat ?p) (empty)) => (boat ?q) (emty))
p: red - car => red - carr
p: (boat left) => (boat leeft)
p: minimize => minimise
d.pddl:2:18: error: `:typng` is not a requirement of PDDL
  2 |   (:requirements :typng :adl :action-costs)
    |                  ^^^^^^
  help: did you mean `:typing`?
d.pddl:4:68: error: there is no type `cra`
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - cra) (empty))
    |                                                                    ^^^
  help: did you mean `car`?
d.pddl:12:41: error: the variable `?q` is not declared here
  12 |     :precondition (and (at ?c ?p) (boat ?q) (emty))
     |                                         ^^
  help: add it to `:parameters`, or to a quantifier around it
d.pddl:12:46: error: there is no predicate `emty`
  12 |     :precondition (and (at ?c ?p) (boat ?q) (emty))
     |                                              ^^^^
  help: did you mean `empty`?
p.pddl:3:19: error: there is no type `carr`
  3 |   (:objects red - carr blue - van left right - place)
    |                   ^^^^
  help: did you mean `car`?
p.pddl:4:45: error: there is no object `leeft`
  4 |   (:init (at red left) (at blue left) (boat leeft) (empty)
    |                                             ^^^^^
  help: did you mean `left`?
p.pddl:7:3: error: only the total cost is minimized
  7 |   (:metric minimise (total-cost)))
    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: write `(:metric minimize (total-cost))`, or leave it out: then every action costs 1

# an empty atom at the start
p: (boat left) (empty) => (boat left) ()
p.pddl:4:51: error: an atom stands in brackets, and this is `()`
  4 |   (:init (at red left) (at blue left) (boat left) ()
    |                                                   ^^
  help: write `(NAME OBJECT ...)`
"""
