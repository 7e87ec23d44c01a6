"""Two engines on one program, such as two versions of XLA: their results and their optimised texts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hloscope.engine.comparison.difference import Difference
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.devices import either

from ..processes.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaFailed, XlaUnusable
from .budget import Budget
from .comparing import judge_results, text_for_xla
from .divergence import Divergent, Locator
from .engines import SecondEngine, TimedEngine
from .extra_results import intermediates
from .hlo_texts import is_optimised
from .our_runs import OurRun
from .pair_report import EnginePair, Side
from .report import EngineComparison


@dataclass(frozen=True)
class NamedEngine:
    """An engine, its name and the options of its compilations."""

    name: str
    engine: SecondEngine
    overrides: Overrides


def compare_two_engines(
    engines: Sequence[NamedEngine], text: str, run: OurRun, limits: Limits, budget: Budget
) -> EnginePair:
    """Compare the results and the optimised texts of two engines; `XlaUnusable` if there is no such engine."""
    timed = [replace(given, engine=TimedEngine(given.engine, budget)) for given in engines]
    return _Comparing(timed, text_for_xla(text), run, limits, budget).result()


@dataclass
class _Comparing:
    engines: Sequence[NamedEngine]
    text: str
    run: OurRun
    limits: Limits
    budget: Budget

    def result(self) -> EnginePair:
        self.budget.tell("starting XLA")
        versions = [given.engine.versions() for given in self.engines]
        self.run = replace(self.run, device=either([found.rounding for found in versions]))
        (first, one), (second, other) = (
            self._side(given, version.title) for given, version in zip(self.engines, versions, strict=True)
        )
        if one is None or other is None:
            return EnginePair(self.run, first, second)
        self.budget.tell("finding out how far rounding takes each result")
        results = tuple(
            _judged_by_both(found, first.verdict(number) == second.verdict(number) == "same")
            for number, found in enumerate(self.run.compare(other, one))
        )
        names = tuple(self.run.result_name(number) for number in range(len(results)))
        found = EnginePair(self.run, first, second, results, names)
        return found if found.verdict == "same" else self._with_values(found)

    def _side(self, given: NamedEngine, title: str) -> tuple[Side, list[Array] | None]:
        self.budget.tell(f"compiling and running the program with {given.name}")
        as_written = is_optimised(self.text)
        request = self.text, given.overrides, self.run.grid
        try:
            theirs = given.engine.run(
                self.text, self.run.arguments, given.overrides, self.run.grid, as_written=as_written
            )
            optimised = self.text if as_written else given.engine.optimize(*request)
        except XlaUnusable:
            raise
        except XlaFailed as failure:
            return Side(given.name, EngineComparison(title, "failed", failure=str(failure))), None
        return Side(
            given.name, judge_results(title, self.run, theirs, self.limits, self.budget), optimised
        ), theirs

    def _with_values(self, found: EnginePair) -> EnginePair:
        """Add the intermediate values that differ."""
        one, other = (Locator(given.engine, self.run, given.overrides, self.budget) for given in self.engines)
        try:
            for locator in (one, other):
                locator.collect(self.limits.session_memory_bytes)
        except XlaFailed as failure:
            return replace(found, values_problem=str(failure))
        if not one.found:
            return replace(found, values_problem="there is none besides the results that could be requested")
        known = (
            value for value in intermediates(self.run) if value.value.name in one.found.keys() & other.found
        )
        differences = (
            Divergent(name, value.op, value.line, other.difference(value, other.found[name], one.found[name]))
            for value in known
            for name in [value.value.name]
        )
        values = tuple(value for value in differences if not value.difference.is_fine)
        problem = "" if values else "none differs if they are results too"
        return replace(found, values=values, values_problem=problem)


def _judged_by_both(found: Difference, both_agree: bool) -> Difference:
    """A result that agrees with ours in both engines agrees."""
    return found if found.is_fine or not both_agree else replace(found, kind="rounding", beyond=0)
