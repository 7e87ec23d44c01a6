"""Two engines on one program, such as two versions of XLA: their results and their optimised texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from hloscope.engine.comparison.difference import Difference, Verdict, join
from hloscope.engine.limits import Limits

from ..processes.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaFailed, XlaUnusable
from .budget import Budget
from .comparing import NARROWED, judge_results, text_for_xla
from .divergence import Divergent, Locator
from .engines import SecondEngine, TimedEngine
from .extra_results import intermediates
from .hlo_texts import is_optimised
from .optimised_texts import OptimisedTexts
from .our_runs import OurRun
from .report import EngineComparison


@dataclass(frozen=True)
class Side:
    """One of the engines."""

    name: str
    """As it was named: `jaxlib==0.9.2`."""
    found: EngineComparison
    """Its results, compared with ours; no search for a culprit."""
    text: str = field(default="", repr=False)
    """The optimised HLO; empty without results."""

    def verdict(self, number: int | None = None) -> Verdict:
        """The verdict on a result against ours, by its number, or on all of them."""
        if self.found.is_fine:
            return "same"
        return join(self.found.results).verdict if number is None else self.found.results[number].verdict


@dataclass(frozen=True)
class EnginePair:
    """Two engines on one program."""

    run: OurRun = field(repr=False)
    first: Side
    second: Side
    results: tuple[Difference, ...] = ()
    """The results of the second, compared with those of the first."""
    result_names: tuple[str, ...] = ()
    values: tuple[Divergent, ...] = ()
    """Intermediate values that differ, where a result does, in the order of the program."""
    values_problem: str = ""
    """The reason if there are none."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both engines."""
        return self.first, self.second

    @property
    def verdict(self) -> Verdict:
        """The verdict on the results; *different* too if only one engine has any."""
        failed = [side.found.verdict == "failed" for side in self.sides]
        return join(self.results).verdict if not any(failed) else "unknown" if all(failed) else "different"

    @cached_property
    def texts(self) -> OptimisedTexts | None:
        """What appeared and what went in the optimised text; `None` if an engine has none."""
        texts = [side.text for side in self.sides]
        return OptimisedTexts.of(*texts) if all(texts) else None

    def __str__(self) -> str:
        from .pair_report import lines_of_pair

        return "\n".join(lines_of_pair(self))


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
        products = max(NARROWED.get(version.platform, 0.0) for version in versions)
        self.run = replace(self.run, products=products)
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
