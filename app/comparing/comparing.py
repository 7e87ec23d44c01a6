"""Compare a program in our engine and a second one: agreement, divergence and culprit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hloscope.engine.comparison.difference import Difference, compare_arrays, join
from hloscope.engine.comparison.named_values import process_suffix
from hloscope.engine.comparison.widening import exact_results, is_as_near, nearer
from hloscope.engine.debugger.address import Address
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.syntax import looks_like_hlo

from ..processes.arrays import Array
from ..xla.engine import OptionValue, Overrides
from ..xla.failures import XlaCrashed, XlaFailed, XlaUnusable
from .between_passes import (
    IN_WIDE,
    NO_TIME,
    SAFE_FROM,
    Text,
    boundary_answers,
    emitted_answers,
    find_change,
    find_failing_pass,
    first_wrong,
    made_by,
    read_texts,
    run_text,
    wide_arrays,
)
from .budget import Budget
from .divergence import Locator
from .engines import Function, SecondEngine, TimedEngine
from .hlo_texts import is_optimised, lines_of_instruction, without_locations
from .isolation import Culprit, isolate
from .our_runs import OurRun
from .repeated import find_varying
from .report import Attribution, EngineComparison, SwitchedOff, Verdict

DISABLED = "xla_disable_hlo_passes"
FEW_ULPS = 16
"""Rounding up to this many units was not amplified, whatever the bound is."""


def compare_with_function(run: OurRun, function: Function) -> EngineComparison:
    """Compare the results of a Python function of the same arguments with ours."""
    if len(run.processes) > 1 and not run.grid[2]:
        raise InputError(
            f"the program runs on {run.recording.grid}, each process with different arguments, which a function does not take",
            hint='Compare with against="xla", or with another run.',
        )
    given = function(*run.arguments)
    results = list(given) if isinstance(given, list | tuple) else [given]
    name = getattr(function, "__name__", type(function).__name__)
    return _judged(
        f"the function {name}", run, [np.asarray(result) for result in results] * len(run.processes)
    )


def compare_with_engine(
    engine: SecondEngine,
    text: str,
    run: OurRun,
    overrides: Overrides,
    limits: Limits,
    budget: Budget | None = None,
    *,
    keep_bytes: int = 0,
    repeat: int = 1,
) -> EngineComparison:
    """The whole comparison: results, first divergence, and attribution.

    `XlaUnusable` if there is no second engine, or it lacks a flag. When `budget` is spent, no new work starts,
    and the report lists the omissions. `keep_bytes`: maximum bytes of the engine's intermediate values to
    return, whether they differ or not. `repeat`: number of runs of the compiled program on the same inputs.
    """
    spent = Budget() if budget is None else budget
    return _Inquiry(
        TimedEngine(engine, spent),
        text_for_xla(text),
        run,
        dict(overrides),
        limits,
        spent,
        keep_bytes,
        repeat,
    ).result()


def text_for_xla(text: str) -> str:
    """The program as XLA gets it, so that XLA records its lines."""
    return text if looks_like_hlo(text) else without_locations(text)


def judge_results(
    engine: str, run: OurRun, theirs: Sequence[Array], limits: Limits, budget: Budget
) -> EngineComparison:
    """The verdict from the results, and from a run in more digits where they differ beyond rounding."""
    found = _judged(engine, run, theirs)
    return found if found.is_fine else _confirmed_rounding(found, run, theirs, limits, budget)


@dataclass
class _Inquiry:
    engine: SecondEngine
    text: str
    run: OurRun
    overrides: Mapping[str, OptionValue]
    limits: Limits
    budget: Budget
    keep_bytes: int
    repeat: int

    def result(self) -> EngineComparison:
        self.budget.tell("starting XLA")
        versions = self.engine.versions()
        name = versions.title
        self.run = replace(self.run, device=versions.rounding)
        self.budget.tell("compiling and running the program with XLA")
        try:
            theirs = self._run_it()
            others = [self._run_it() for _ in range(self.repeat - 1)]
        except XlaUnusable:
            raise
        except XlaFailed as failure:
            return self._failed(name, failure)
        self.budget.tell("finding out how far rounding takes each result")
        found = self._verdict(name, theirs)
        if others:
            names = [self.run.result_name(number) for number in range(len(theirs))]
            repeated = find_varying([theirs, *others], names)
            found = replace(found, repeated=replace(repeated, reason=self.run.unordered_text))
        return self._with_values(found, theirs) if self.keep_bytes else found

    def _run_it(self) -> list[Array]:
        as_written = is_optimised(self.text)
        return self.engine.run(
            self.text, self.run.arguments, self.overrides, self.run.grid, as_written=as_written
        )

    def _failed(self, name: str, failure: XlaFailed) -> EngineComparison:
        if is_optimised(self.text):
            return EngineComparison(name, "failed", failure=str(failure))
        self.budget.tell("finding the pass that fails")
        failing = find_failing_pass(self.engine, self.text, self.overrides, failure, self.run.grid)
        if failing:
            attribution = Attribution(switched_off=(self._without(failing),))
            told = f"the pass `{failing}` fails: {failure}"
            return EngineComparison(
                name, "failed", failure=told, failed_pass=failing, attribution=attribution
            )
        found = None
        if isinstance(failure, XlaCrashed):
            found = self._attribute_crash(failure)
        return EngineComparison(name, "failed", failure=str(failure), attribution=found)

    def _verdict(self, name: str, theirs: Sequence[Array]) -> EngineComparison:
        found = judge_results(name, self.run, theirs, self.limits, self.budget)
        if found.is_fine:
            return found
        return (
            self._looked_into(found, theirs) if found.verdict == "unknown" else self._explained(found, theirs)
        )

    def _looked_into(self, found: EngineComparison, theirs: Sequence[Array]) -> EngineComparison:
        """An unknown verdict; `wrong` if a value before the results is different."""
        if is_optimised(self.text):
            alone = isolate(self.engine, self.text, self.run, self.overrides, self.limits, self.budget)
            is_wrong = alone.culprit is not None
            attribution = Attribution(isolation=alone, text_is_right=is_wrong)
            return replace(found, verdict="wrong" if is_wrong else "unknown", attribution=attribution)
        located = self.locator.locate(one_by_one=False)
        if located.first is None:
            return replace(found, located=located)
        self.budget.tell("running the program in more digits, to tell rounding from faults")
        if self.locator.is_as_near(located.first, self.budget.within(self.limits)):
            return replace(found, located=replace(located, first=None))
        return self._explained(replace(found, verdict="wrong"), theirs)

    def _with_values(self, found: EngineComparison, theirs: Sequence[Array]) -> EngineComparison:
        """Add the intermediate values by name, and report the unavailable ones."""
        try:
            left_out = self.locator.collect(self.keep_bytes)
            problem = f"values left out, as too large or too many: {left_out:,}" if left_out else ""
        except XlaFailed as failure:
            problem = str(failure)
        values = named_values_of(self.run, theirs, self.locator.found)
        return replace(found, values=values, values_problem=problem)

    @cached_property
    def locator(self) -> Locator:
        """The locator that requests intermediate values."""
        return Locator(self.engine, self.run, self.overrides, self.budget)

    def _explained(self, found: EngineComparison, theirs: Sequence[Array]) -> EngineComparison:
        if is_optimised(self.text):
            alone = isolate(self.engine, self.text, self.run, self.overrides, self.limits, self.budget)
            return replace(found, attribution=Attribution(isolation=alone, text_is_right=True))
        located = self.locator.locate()
        try:
            texts = read_texts(self.engine, self.text, self.overrides, self.limits, self.run.grid)
        except XlaFailed as failure:
            return replace(found, located=located, attribution=Attribution(problem=str(failure)))
        attribution = self._attribute(texts)
        near = bool(texts) and self._is_near_truth(texts[0], theirs)
        is_identity = near or bool(attribution.changed and attribution.changed.is_identity)
        verdict: Verdict = "identity" if is_identity else "wrong"
        return replace(found, verdict=verdict, located=located, attribution=attribution)

    # Attribution

    def _attribute_crash(self, failure: XlaCrashed) -> Attribution | None:
        """The first text whose code crashes in the same way, and the outcome without its pass."""
        try:
            texts = read_texts(self.engine, self.text, self.overrides, self.limits, self.run.grid)
        except XlaFailed:
            return None
        answers = []
        for answer in emitted_answers(self.engine, texts, self.run, self.overrides, self.budget):
            answers.append(answer)
            if answer.crash == failure.cause:
                return self._confirmed(Attribution(tuple(answers), answer))
        return Attribution(tuple(answers))

    def _attribute(self, texts: Sequence[Text]) -> Attribution:
        if not texts:
            return Attribution(problem="XLA has written no text between its passes")
        last = texts[-1]
        try:
            self.budget.tell("running the optimised text")
            optimised = run_text(last, self.run, self.budget.within(self.limits))
        except ProgramError as error:
            return self._confirmed(self._emitted(texts, f"the optimised text does not run here: {error}"))
        found = self._emitted(texts)
        if join(self.run.compare(optimised.results)).is_different:
            changed = find_change(texts, self.run, self.limits, self.budget)
            return self._confirmed(replace(found, changed=changed))
        alone = isolate(self.engine, last.text, optimised.run, self.overrides, self.limits, self.budget)
        found = replace(found, isolation=alone, text_is_right=True)
        if alone.culprit is not None:
            found = self._with_instruction(found, texts, alone.culprit)
        return self._confirmed(found)

    def _emitted(self, texts: Sequence[Text], problem: str = "") -> Attribution:
        """Code generation's results. Limited to a part of the time: it is slow for large texts."""
        part = Budget(self.budget.left / 3, self.budget.tell)
        answers = tuple(boundary_answers(self.engine, texts, self.run, self.overrides, part))
        return Attribution(answers, first_wrong(answers), problem=problem)

    def _with_instruction(self, found: Attribution, texts: Sequence[Text], culprit: Culprit) -> Attribution:
        written = culprit.instruction.written
        maker = made_by(texts, written.name, written.opcode)
        lines = lines_of_instruction(texts[-1].instructions, culprit.instruction, self.run)
        return replace(found, made_by=maker, lines=lines)

    def _confirmed(self, found: Attribution) -> Attribution:
        """Switch off the suspect passes, one at a time, to confirm."""
        texts = [found.suspect, found.turned.text if found.turned else None]
        names = dict.fromkeys(text.stage.changed_by for text in texts if text is not None)
        return replace(found, switched_off=tuple(self._without(name) for name in names if _is_pass(name)))

    def _without(self, name: str) -> SwitchedOff:
        if self.budget.is_spent:
            return SwitchedOff(name, None, NO_TIME)
        self.budget.tell(f"compiling without the pass {name}")
        already = str(self.overrides.get(DISABLED, ""))
        off = ",".join(filter(None, [already, name]))
        try:
            theirs = self.engine.run(
                self.text, self.run.arguments, {**self.overrides, DISABLED: off}, self.run.grid
            )
        except XlaFailed as failure:
            return SwitchedOff(name, None, str(failure))
        return SwitchedOff(name, join(self.run.compare(theirs)).is_fine)

    def _is_near_truth(self, text: Text, theirs: Sequence[Array]) -> bool:
        """Whether all differences beyond rounding match the program in nearly real numbers."""
        if all(array.dtype in (np.float64, np.complex128) for array in theirs):
            return False  # the program has no fewer digits than the one to compare it with
        try:
            limits = self.budget.within(self.limits)
            truth = run_text(text, self.run, limits, is_wide=True).results
        except ProgramError:
            return False
        pairs = zip(self.run.compare(theirs), theirs, truth, strict=False)
        return all(
            found.is_fine or (found.kind != "shape" and compare_arrays(exact, wide, None, IN_WIDE).is_fine)
            for found, other, exact in pairs
            for wide in wide_arrays([other])
        )


def _is_pass(name: str) -> bool:
    return bool(name) and not any(part in name for part in ("pipeline-start", "optimizations", SAFE_FROM))


# Verdicts on results


def _judged(engine: str, run: OurRun, theirs: Sequence[Any]) -> EngineComparison:
    """The verdict from the results alone."""
    results = run.compare(theirs)
    number = max(range(len(results)), key=lambda at: _rank(results[at]), default=0)
    worst = join(results)
    found = EngineComparison(engine, "same_bits", results, number, result_name=run.result_name(number))
    if worst.kind == "same_bits":
        return found
    if worst.verdict == "unknown":
        return replace(found, verdict="unknown", amplified=run.amplified_by(number))
    if not worst.is_fine:
        return replace(found, verdict="wrong")
    if all(result.notes.get("flushed", 0) == result.count for result in results):
        return replace(found, verdict="flushed")
    ulps = results[number].ulps
    by = "" if ulps is not None and ulps <= FEW_ULPS else run.amplified_by(number)
    verdict: Verdict = "amplified" if by else "rounding"
    return replace(found, verdict=verdict, amplified=by, rows=run.deciding_rows(number, results[number]))


def _confirmed_rounding(
    found: EngineComparison, run: OurRun, theirs: Sequence[Array], limits: Limits, budget: Budget
) -> EngineComparison:
    """Another verdict if a run in more digits shows results as good as ours, because bounds are probabilistic."""
    if run.tolerance is not None:
        return found
    budget.tell("running the program in more digits, to tell rounding from faults")
    exact = exact_results(run.recording, budget.within(limits))
    if exact is None or len(exact) != len(theirs):
        return found
    undecided = [number for number, result in enumerate(found.results) if not result.is_fine]
    triples = [(exact[number], run.results[number], theirs[number]) for number in undecided]
    for number, (truth, ours, other) in zip(undecided, triples, strict=True):
        result = found.results[number]
        if not _may_be_rounded(result):
            return found
        if not (
            is_as_near(truth, ours, other) if result.is_different else run.vanishes(number, truth, other)
        ):
            return found
    times = max(nearer(*triple) for triple in triples)
    by = run.amplified_by(found.result) or "beyond its bound"
    return replace(found, verdict="amplified", amplified=by, against_exact=times)


def _may_be_rounded(found: Difference) -> bool:
    """Whether floats differ, and all of them are finite."""
    return found.kind in ("wrong", "unknown") and isinstance(found.after, float | complex)


def _rank(found: Difference) -> tuple[int, float]:
    return found.severity, found.ratio or 0.0


def named_values_of(
    run: OurRun, results: Sequence[Array], found: Mapping[str, Sequence[Array]]
) -> dict[str, Array]:
    """Intermediate values under their names, and results under theirs and as `out_0`, ….

    Requesting a value changes what an engine computes: a value that is a result of the program is taken from
    the run without other requests.
    """
    values = {}
    for name, parts in found.items():
        for process, part in enumerate(parts):
            values[name + process_suffix(run.recording, process)] = part
    each = len(results) // len(run.processes)
    for process in run.processes:
        suffix = process_suffix(run.recording, process)
        own = results[process * each : (process + 1) * each]
        values |= {f"out_{number}{suffix}": result for number, result in enumerate(own)}
        values |= {
            name + suffix: result
            for name, result in zip(_result_names(run, process), own, strict=False)
            if name
        }
    return values


def _result_names(run: OurRun, process: int) -> Iterator[str]:
    """The name of each flat result at its definition; empty for inputs and constants."""
    for address in run.result_addresses:
        if address.process == process:
            yield from _names(run, address)


def _names(run: OurRun, address: Address) -> Iterator[str]:
    recording = run.recording
    track = recording.tracks[address.process]
    is_made = (
        address.kind == "s" and not recording.program.ops[track.op_of(address.number)].op.traits.is_constant
    )
    name = recording.program.values[recording.value_number(address)].name
    value = recording.value(address)
    if not is_tuple(value):
        yield name if is_made else ""
        return
    yield from _parts(name if is_made else "", value)


def _parts(name: str, value: Array) -> Iterator[str]:
    for number, part in enumerate(value.tolist()):
        inner = f"{name}.{number}" if name else ""
        if is_tuple(part):
            yield from _parts(inner, part)
        else:
            yield inner
