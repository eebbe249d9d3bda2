"""The family `pddl`: planning problems in the Planning Domain Definition Language."""

from ...family import Drawing, Family
from ...late import late
from ..custom.puzzle import Act
from .files import KEYS, own_metrics
from .problem import ACTIONS, NOTATION, Pddl, PddlSimulator

FAMILY: Family[Pddl, Act] = Family(
    name="pddl",
    title="PDDL",
    sentence="A planning problem in PDDL: a domain and a problem, as planners read them.",
    metrics=(ACTIONS,),
    own_metrics=own_metrics,
    moves=Act,
    keys=KEYS,
    sample="""\
format: 1
family: pddl
domain: |
  (define (domain ferry)
    (:requirements :strips :typing)
    (:types place car)
    (:predicates (at ?c - car ?p - place) (ferry-at ?p - place) (on ?c - car) (empty))
    (:action sail
      :parameters (?from ?to - place)
      :precondition (and (ferry-at ?from) (not (= ?from ?to)))
      :effect (and (ferry-at ?to) (not (ferry-at ?from))))
    (:action board
      :parameters (?c - car ?p - place)
      :precondition (and (at ?c ?p) (ferry-at ?p) (empty))
      :effect (and (on ?c) (not (at ?c ?p)) (not (empty))))
    (:action debark
      :parameters (?c - car ?p - place)
      :precondition (and (on ?c) (ferry-at ?p))
      :effect (and (at ?c ?p) (empty) (not (on ?c)))))
problem: |
  (define (problem two-cars)
    (:domain ferry)
    (:objects left right - place red blue - car)
    (:init (at red left) (at blue left) (ferry-at left) (empty))
    (:goal (and (at red right) (at blue right))))
expect: {cost: 7}
""",
    read=late(__package__, ".reading:read"),
    ground=late(__package__, ".grounding:ground"),
    form=late(__package__, ".grounding:form_of"),
    complete=late(__package__, ".grounding:complete"),
    simulate=PddlSimulator,
    goal=Pddl.goal_text,
    write=late(__package__, ".reading:write"),
    write_after=late(__package__, ".reading:write_after"),
    counts=Pddl.counts,
    notation=NOTATION,
    drawing=Drawing("map"),
    other_names=("planning", "strips"),
)
