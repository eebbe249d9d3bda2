"""The engine of Unified Planning: one class for its three operation modes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TextIO

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    Engine,
    OptimalityGuarantee,
    PlanGenerationResult,
    ValidationResult,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.plans import Plan, PlanKind

from ..engines.table import DEFAULT_ENGINE, find
from ..models.errors import UsageError
from ..runtime.budget import DEFAULT_MEMORY_LIMIT
from ..runtime.quantities import mebibytes, seconds
from .answers import NAME
from .kinds import supported_kind, unsupported
from .solving import Settings, answers
from .validation import validated


class BudgePlanner(Engine, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):  # type: ignore[misc]
    """Optimal planner, anytime planner and plan validator for classical problems.

    up.OneshotPlanner(name="budge", params={"engine": "astar", "timeout": "2m", "certificate": "proof"})
    """

    def __init__(
        self,
        engine: str = DEFAULT_ENGINE,
        timeout: float | str | None = None,
        memory_limit: float | str | None = DEFAULT_MEMORY_LIMIT,
        certificate: str | None = None,
        **options: Any,
    ) -> None:
        """`engine`: one of Budge (docs/engines.md), and its `options`. `timeout`: seconds, for calls that name none.
        `memory_limit` in MiB. `certificate`: a folder for the certificate of an answer that is proven.

        Raises `UPUsageError` for what does not exist or is of the wrong type.
        """
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        try:
            self._promises = find(engine).promises_optimum
            self._settings = Settings(
                engine=engine,
                seconds=None if timeout is None else seconds(timeout),
                memory=None if memory_limit is None else mebibytes(memory_limit),
                certificate=certificate,
                options=find(engine).checked(options),
            )
        except (UsageError, ValueError, TypeError) as error:
            raise UPUsageError(f"budge: {error}") from None

    @property
    def name(self) -> str:
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        """Every feature that is read."""
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether all features of a kind are read."""
        return not unsupported(problem_kind)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Whether plans of a kind are judged: those that are sequences."""
        return plan_kind is PlanKind.SEQUENTIAL_PLAN

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Whether plans have a guarantee. They are optimal, and so as good as any guarantee asks for."""
        return optimality_guarantee in (OptimalityGuarantee.SOLVED_OPTIMALLY, OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Whether plans of `get_solutions` have a guarantee: each is cheaper than those before."""
        return anytime_guarantee is AnytimeGuarantee.INCREASING_QUALITY

    @staticmethod
    def get_credits(**_params: Any) -> Credits:
        """What the library prints when the engine is used."""
        return Credits(
            name="Budge",
            author="The Budge authors",
            contact="",
            website="",
            license="MIT",
            short_description="Plans proven optimal, by search and CP-SAT, with certificates.",
            long_description="Plans proven optimal, by search and CP-SAT side by side, each replayed by the rules of "
            "PDDL; on demand with certificates that a small program checks without Budge's engines.",
        )

    # Planning

    def _solve(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: TextIO | None = None,
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: TextIO | None = None,
        warm_start_plan: Plan | None = None,
        **params: Any,
    ) -> PlanGenerationResult:
        self._ignores(heuristic=heuristic, warm_start_plan=warm_start_plan, **params)
        settings = self._within(timeout, self.optimality_metric_required)
        *_, answer = answers(problem, settings, output_stream, any_plan=True)
        return answer

    def _get_solutions(
        self, problem: AbstractProblem, timeout: float | None = None, output_stream: TextIO | None = None
    ) -> Iterator[PlanGenerationResult]:
        return self._get_solutions_with_params(problem, timeout, output_stream)

    def _get_solutions_with_params(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: TextIO | None = None,
        warm_start_plan: Plan | None = None,
        **params: Any,
    ) -> Iterator[PlanGenerationResult]:
        self._ignores(warm_start_plan=warm_start_plan, **params)
        return answers(problem, self._within(timeout), output_stream)

    def _within(self, timeout: float | None, optimal: bool = False) -> Settings:
        """The settings of a call. Raises `UPUsageError` for a time limit that is none, and if the plan must be
        optimal, and the engine does not promise that.
        """
        if optimal and not self._promises:
            raise UPUsageError(f"budge: the engine `{self._settings.engine}` does not promise an optimal plan")
        try:
            return self._settings if timeout is None else replace(self._settings, seconds=seconds(timeout))
        except (ValueError, TypeError) as error:
            raise UPUsageError(f"budge: `timeout` {error}") from None

    @staticmethod
    def _ignores(**given: Any) -> None:
        """Warn of what was given and is not used."""
        for name in (name for name, value in given.items() if value is not None):
            warnings.warn(f"budge makes no use of `{name}`", stacklevel=5)

    # Validating

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        return validated(problem, plan)
