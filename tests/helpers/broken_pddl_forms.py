"""Broken PDDL, each with all that is said of it: files, brackets, sections, costs, and what is refused.

The form of the cases is that of `test_pddl_broken`.
"""

CASES = r"""
# an empty domain
d: * =>
d.pddl: error: the file is empty
  help: a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`

# a domain of comments only
d: * => ; (define (domain ferry))\n
d.pddl: error: the file is empty but for comments
  help: a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`

# the files are swapped
d: * => (define (problem one) (:domain x))
p: * => (define (domain x))
d.pddl:1:9: error: this is the problem, and the other file is its domain
  1 | (define (problem one) (:domain x))
    |         ^^^^^^^^^^^^^
  help: swap the two files

# the domain twice
p: * => DOMAIN
p.pddl:1:9: error: both files are the same domain
  1 | (define (domain ferry)
    |         ^^^^^^^^^^^^^^
  help: name the domain, then its problem

# the problem twice
d: * => PROBLEM
p.pddl:1:9: error: both files are the same problem
  1 | (define (problem one)
    |         ^^^^^^^^^^^^^
  help: name the domain first, then the problem

# two domains
p: * => (define (domain other))
p.pddl:1:9: error: this is a domain, and the second file must be a problem
  1 | (define (domain other))
    |         ^^^^^^^^^^^^^^
  help: name a problem's file

# a puzzle in YAML
d: * => format: 1\nfamily: rush-hour\nboard: |\n  AA..\n
d.pddl: error: this is a YAML file, not PDDL
  help: a puzzle in YAML is one file: name it alone

# no define
d: (define (domain ferry) => (domain ferry
d.pddl:1:2: error: a PDDL file starts with `(define`, not with `(domain`
  1 | (domain ferry
    |  ^^^^^^
  help: a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`

# words before define
d: (define (domain ferry) => PDDL 3.1 (define (domain ferry)
d.pddl:1:1: error: a PDDL file starts with `(define`, not with `PDDL`
  1 | PDDL 3.1 (define (domain ferry)
    | ^^^^
  help: a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`

# a mistyped kind
d: (domain ferry) => (domian ferry)
d.pddl:1:10: error: `(domain NAME)` or `(problem NAME)` must follow `(define`
  1 | (define (domian ferry)
    |          ^^^^^^
  help: did you mean `domain`?

# a mistyped define
p: (define (problem one) => (defin (problem one)
p.pddl:1:2: error: a PDDL file starts with `(define`, not with `(defin`
  1 | (defin (problem one)
    |  ^^^^^
  help: did you mean `define`?

# a domain without a name
d: (domain ferry) => (domain)
d.pddl:1:9: error: `(domain ...)` takes one name
  1 | (define (domain)
    |         ^^^^^^^^
  help: write `(domain NAME)`

# a name of two words
d: (domain ferry) => (domain the ferry)
d.pddl:1:9: error: `(domain ...)` takes one name
  1 | (define (domain the ferry)
    |         ^^^^^^^^^^^^^^^^^^
  help: write `(domain NAME)`

# a domain and a problem in one file
p: (:metric minimize (total-cost))) => (:metric minimize (total-cost))) (define (problem two))
p.pddl:7:37: error: a second `(define`: a file has one domain or one problem
  7 |   (:metric minimize (total-cost))) (define (problem two))
    |                                     ^^^^^^
  help: put the domain and the problem into two files

# text behind the end
p: (:metric minimize (total-cost))) => (:metric minimize (total-cost))) end
p.pddl:7:36: error: text after the end of `(define` of line 1
  7 |   (:metric minimize (total-cost))) end
    |                                    ^^^
  help: remove it, or remove a `)` before it

# the last bracket is missing
p: (:metric minimize (total-cost))) => (:metric minimize (total-cost))
p.pddl:1:1: error: this `(` is not closed: the file ends before
  1 | (define (problem one)
    | ^
  help: add a `)` where its part ends

# two brackets are missing at the end of an action
d: (increase (total-cost) 1))) => (increase (total-cost) 1)
d.pddl:13:13: error: this `(` is not closed before `(:action` on line 14
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)
     |             ^
  help: add 2 `)` before line 14, where the part ends

# a bracket too many at the end of an action
d: (increase (total-cost) 1))) => (increase (total-cost) 1))))
d.pddl:13:84: error: this `)` closes `(define` of line 1, but `(:action` follows on line 14
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1))))
     |                                                                                    ^
  help: remove one `)`: there is one too many here or further up

# a bracket too many at the end
p: (:metric minimize (total-cost))) => (:metric minimize (total-cost))))
p.pddl:7:35: error: this `)` closes nothing
  7 |   (:metric minimize (total-cost))))
    |                                   ^
  help: remove it, or add the `(` that it should close

# a null character
p: (boat left) => (boat\0left)
p.pddl:4:44: error: control character U+0000
  4 |   (:init (at red left) (at blue left) (boat�left) (empty)
    |                                            ^
  help: save the file as text, in UTF-8

# a zero width space
d: (on ?c - car) (empty)) => (on\u200b ?c - car) (empty))
d.pddl:4:62: error: an invisible character, U+200B
  4 |   (:predicates (at ?c - car ?p - place) (boat ?p - place) (on� ?c - car) (empty))
    |                                                              ^
  help: remove it

# 200 brackets
p: (:goal (and => (:goal DEEP(and
p.pddl:104:1: error: brackets are nested more than 100 deep
  104 | (not
      | ^
  help: state the condition with fewer `and`, `or`, `not` inside each other

# a mistyped section
d: (:predicates => (:predicate
d.pddl:4:4: error: a domain has no section `:predicate`
  4 |   (:predicate (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) (empty))
    |    ^^^^^^^^^^
  help: did you mean `:predicates`?

# a section of the problem in the domain
d: (:action board => (:goal (empty)) (:action board
d.pddl:10:4: error: a domain has no section `:goal`
  10 |   (:goal (empty)) (:action board
     |    ^^^^^
  help: it belongs into the problem

# a section twice
p: (:goal => (:init (boat left)) (:goal
p.pddl:6:4: error: the section `:init` stands twice; the first is on line 4
  6 |   (:init (boat left)) (:goal (and (at red right) (forall (?v - van) (at ?v right))))
    |    ^^^^^
  help: write it once

# a section without brackets
d: (:types => :strips (:types
d.pddl:3:3: error: `:strips` is no section
  3 |   :strips (:types car place - object  van - car)
    |   ^^^^^^^
  help: a section is `(:action ...)`, `(:init ...)` and the like

# an unknown requirement
d: :typing => :typping
d.pddl:2:18: error: `:typping` is not a requirement of PDDL
  2 |   (:requirements :typping :adl :action-costs)
    |                  ^^^^^^^^
  help: did you mean `:typing`?

# no start
p: * => (define (problem one) (:domain ferry)\n  (:objects red - car) (:goal (empty)))
p.pddl:1:9: error: the problem has no `:init`
  1 | (define (problem one) (:domain ferry)
    |         ^^^^^^^^^^^^^
  help: add `(:init ...)`, what is true at the start

# no goal
p: (:goal (and (at red right) (forall (?v - van) (at ?v right))))\n =>
p.pddl:1:9: error: the problem has no `:goal`
  1 | (define (problem one)
    |         ^^^^^^^^^^^^^
  help: add `(:goal ...)`, what is true at the end

# an empty goal
p: (:goal (and (at red right) (forall (?v - van) (at ?v right)))) => (:goal)
p.pddl:6:3: error: the goal is empty
  6 |   (:goal)
    |   ^^^^^^^
  help: write `(:goal (and ...))`

# two goals
p: (:goal (and (at red right) (forall (?v - van) (at ?v right)))) => (:goal (at red right) (at blue right))
p.pddl:6:25: error: a goal is one condition
  6 |   (:goal (at red right) (at blue right))
    |                         ^^^^^^^^^^^^^^^
  help: join several by `(and ...)`

# another domain
p: (:domain ferry) => (:domain ferries)
p.pddl:2:12: error: this is a problem of the domain `ferries`, not of `ferry`
  2 |   (:domain ferries)
    |            ^^^^^^^
  help: write `ferry`, or name the file of the domain that is meant

# no domain
p: (:domain ferry) =>
p.pddl:1:9: error: a problem names its domain
  1 | (define (problem one)
    |         ^^^^^^^^^^^^^
  help: write `(:domain ferry)`

# a derived predicate that is not declared
d: (:action board => (:derived (free ?p - place) (not (boat ?p)))\n  (:action board
d.pddl:10:14: error: there is no predicate `free`
  10 |   (:derived (free ?p - place) (not (boat ?p)))
     |              ^^^^
  help: declare it in `:predicates` of the domain

# a derived predicate without a condition
d: (:action board => (:derived (empty))\n  (:action board
d.pddl:10:3: error: a derived predicate has an atom and a condition
  10 |   (:derived (empty))
     |   ^^^^^^^^^^^^^^^^^^
  help: write `(:derived (NAME ?x) CONDITION)`

# a derived predicate with too few variables, that actions change, and that the start gives
d: (:action board => (:derived (boat) (not (empty)))\n  (:action board
d.pddl:9:18: error: `boat` is derived: it is true where its condition is, and nowhere else
  9 |     :effect (and (boat ?b) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
    |                  ^^^^^^^^^
  help: make true or false what its condition asks for
d.pddl:9:33: error: `boat` is derived: it is true where its condition is, and nowhere else
  9 |     :effect (and (boat ?b) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
    |                                 ^^^^^^^^^
  help: make true or false what its condition asks for
d.pddl:10:13: error: `boat` takes 1 argument, and has 0
  10 |   (:derived (boat) (not (empty)))
     |             ^^^^^^
  help: line 4 declares `(boat ?p - place)`
p.pddl:4:39: error: `boat` is derived: it is true where its condition is, and nowhere else
  4 |   (:init (at red left) (at blue left) (boat left) (empty)
    |                                       ^^^^^^^^^^^
  help: make true or false what its condition asks for

# two definitions that ask for each other, and one that stands twice
d: (on ?c - car) (empty) => (on ?c - car) (empty) (a) (b ?c - car)
d: (:action board => (:derived (a) (b red)) (:derived (b ?c - car) (not (a))) (:derived (a) (empty))\n  (:action board
d.pddl:10:13: error: the definition of `a` leads back to itself
  10 |   (:derived (a) (b red)) (:derived (b ?c - car) (not (a))) (:derived (a) (empty))
     |             ^^^
  help: make it an ordinary predicate, which actions keep true or false
d.pddl:10:36: error: the definition of `b` leads back to itself
  10 |   (:derived (a) (b red)) (:derived (b ?c - car) (not (a))) (:derived (a) (empty))
     |                                    ^^^^^^^^^^^^
  help: make it an ordinary predicate, which actions keep true or false
d.pddl:10:70: error: `a` is derived twice
  10 |   (:derived (a) (b red)) (:derived (b ?c - car) (not (a))) (:derived (a) (empty))
     |                                                                      ^^^
  help: join both conditions by `(or ...)`

# axioms of old PDDL
d: (:action board => (:axiom :vars (?p) :context (boat ?p) :implies (free ?p))\n  (:action board
d.pddl:10:4: error: axioms of old PDDL (`:axiom`) are not read
  10 |   (:axiom :vars (?p) :context (boat ?p) :implies (free ?p))
     |    ^^^^^^
  help: write `(:derived (NAME ?x) CONDITION)`

# an action that takes time
d: (:action leave => (:durative-action leave :duration (= ?duration 1)
d.pddl:14:4: error: actions that take time (`:durative-action`) are not read
  14 |   (:durative-action leave :duration (= ?duration 1)
     |    ^^^^^^^^^^^^^^^^
  help: write `:action`, and give what counts as an action cost

# the time of an action
d: (:action leave => (:action leave :duration (= ?duration 1)
d.pddl:14:18: error: actions that take time (`:duration`) are not read
  14 |   (:action leave :duration (= ?duration 1)
     |                  ^^^^^^^^^
  help: write `:action`, and give what counts as an action cost

# constraints on the plan
p: (:metric => (:constraints (always (empty)))\n  (:metric
p.pddl:7:4: error: constraints on whole plans (`:constraints`) are not read
  7 |   (:constraints (always (empty)))
    |    ^^^^^^^^^^^^
  help: add a predicate that actions keep, and ask for it in preconditions and `:goal`

# a constraint in the goal
p: (at red right) => (sometime (at red right))
p.pddl:6:16: error: constraints on whole plans (`sometime`) are not read
  6 |   (:goal (and (sometime (at red right)) (forall (?v - van) (at ?v right))))
    |                ^^^^^^^^
  help: add a predicate that actions keep, and ask for it in preconditions and `:goal`

# a preference
p: (at red right) => (preference first (at red right))
p.pddl:6:16: error: preferences (`preference`) are not read
  6 |   (:goal (and (preference first (at red right)) (forall (?v - van) (at ?v right))))
    |                ^^^^^^^^^^
  help: make it a part of `:goal`, or an action with a cost that forgoes it

# a fact at a time
p: (boat left) => (at 5 (boat left))
p.pddl:4:40: error: facts that become true at a time (`at`) are not read
  4 |   (:init (at red left) (at blue left) (at 5 (boat left)) (empty)
    |                                        ^^
  help: state what is true at the start, and let actions change it

# a number in a condition
d: (boat ?a) (not => (boat ?a) (>= (fuel) 1) (not
d.pddl:8:35: error: numbers other than action costs (`>=`) are not read
  8 |     :precondition (and (boat ?a) (>= (fuel) 1) (not (= ?a ?b)))
    |                                   ^^
  help: use objects for the values, as `(next n1 n2)`

# a number in an equation
d: (not (= ?a ?b)) => (= (far ?a ?b) 3)
d.pddl:8:38: error: numbers other than action costs (`far`) are not read
  8 |     :precondition (and (boat ?a) (= (far ?a ?b) 3))
    |                                      ^^^
  help: use objects for the values, as `(next n1 n2)`

# a number that an action changes
d: (increase (total-cost) 1) => (decrease (fuel) 1)
d.pddl:13:58: error: numbers other than action costs (`decrease`) are not read
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (decrease (fuel) 1)))
     |                                                          ^^^^^^^^
  help: use objects for the values, as `(next n1 n2)`

# a number that is no cost
d: (increase (total-cost) 1) => (increase (fuel) 1)
d.pddl:13:68: error: numbers other than action costs (`fuel`) are not read
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (fuel) 1)))
     |                                                                    ^^^^
  help: if it is what the plan costs, name it in `:metric`; else use objects for the values, as `(next n1 n2)`

# a function whose values are objects
d: (far ?a ?b - place) - number => (far ?a ?b - place) - place
d.pddl:5:59: error: functions whose values are objects (`place`) are not read
  5 |   (:functions (total-cost) - number (far ?a ?b - place) - place)
    |                                                           ^^^^^
  help: use a predicate with one more argument

# a function in place of an object
d: (and (boat ?b) => (and (boat (far ?a ?b))
d.pddl:9:25: error: functions whose values are objects (`far`) are not read
  9 |     :effect (and (boat (far ?a ?b)) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
    |                         ^^^
  help: use a predicate with one more argument

# a function that gets an object
p: (= (far left right) 3) => (= (far left right) left)
p.pddl:5:49: error: functions whose values are objects (`left`) are not read
  5 |          (= (total-cost) 0) (= (far left right) left) (= (far right left) 2))
    |                                                 ^^^^
  help: use a predicate with one more argument

# effects by chance
d: (increase (total-cost) 1) => (probabilistic 0.5 (empty))
d.pddl:13:58: error: effects by chance or by choice (`probabilistic`) are not read
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (probabilistic 0.5 (empty))))
     |                                                          ^^^^^^^^^^^^^
  help: write an action for each outcome, if the plan may choose

# a cost to make large
p: minimize (total-cost) => maximize (total-cost)
p.pddl:7:3: error: only the total cost is minimized
  7 |   (:metric maximize (total-cost)))
    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: write `(:metric minimize (total-cost))`, or leave it out: then every action costs 1

# a sum to make small
p: minimize (total-cost) => minimize (+ (total-cost) (total-time))
p.pddl:7:3: error: only the total cost is minimized
  7 |   (:metric minimize (+ (total-cost) (total-time))))
    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: write `(:metric minimize (total-cost))`, or leave it out: then every action costs 1

# a cost with a fraction
p: (far left right) 3) => (far left right) 3.5)
p.pddl:5:49: error: a value is a whole number, not 3.5
  5 |          (= (total-cost) 0) (= (far left right) 3.5) (= (far right left) 2))
    |                                                 ^^^
  help: multiply all costs by the same number, so that they are whole

# a negative cost
d: (increase (total-cost) 1) => (increase (total-cost) -1)
d.pddl:13:80: error: a cost cannot be negative
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) -1)))
     |                                                                                ^^
  help: add the same number to all costs, if all plans are as long

# a cost that is no number
d: (increase (total-cost) 1) => (increase (total-cost) one)
d.pddl:13:80: error: a cost is a whole number, not `one`
  13 |     :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) one)))
     |                                                                                ^^^
  help: write a number, as `1`

# a cost that is computed
d: (far ?a ?b)))) => (* 2 (far ?a ?b)))))
d.pddl:9:67: error: a cost is a number or a function that no action changes, not a calculation
  9 |     :effect (and (boat ?b) (not (boat ?a)) (increase (total-cost) (* 2 (far ?a ?b)))))
    |                                                                   ^^^^^^^^^^^^^^^^^
  help: declare a function, and give its values in `:init`

# a cost that is too large
p: (far left right) 3) => (far left right) 99999999999999999999)
p.pddl:5:49: error: a value is at most 1,000,000,000
  5 |          (= (total-cost) 0) (= (far left right) 99999999999999999999) (= (far right left) 2))
    |                                                 ^^^^^^^^^^^^^^^^^^^^
  help: divide all costs by the same number
"""
