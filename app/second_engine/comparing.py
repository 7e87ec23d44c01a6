"""A program by our engine and by a second one: whether they agree, and if not, where they part and who is guilty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hloscope.engine.comparison.difference import Difference, compare_arrays, join
from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits

from ..xla.arrays import Array
from ..xla.engine import OptionValue, Overrides
from ..xla.failures import XlaCrashed, XlaFailed, XlaMissing
from .blame import (
    IN_WIDE,
    Text,
    emitted_answers,
    find_change,
    first_wrong,
    made_by,
    read_texts,
    wide_arrays,
)
from .divergence import Locator
from .engines import Function, SecondEngine
from .hlo_texts import is_hlo, is_optimised, widened
from .isolation import Guilty, isolate
from .our_runs import OurRun, run_ours
from .program_lines import lines_of_instruction, without_locations
from .report import Blame, EngineComparison, SwitchedOff, Verdict

DISABLED = "xla_disable_hlo_passes"
FEW_ULPS = 16
"""Rounding of no more was not amplified, whatever might have come of it."""
SECONDS = 120.0
"""How long instructions are run alone."""


def compare_with_function(run: OurRun, function: Function) -> EngineComparison:
    """The results of a Python function of the same arguments, against ours."""
    given = function(*run.arguments)
    results = list(given) if isinstance(given, list | tuple) else [given]
    name = getattr(function, "__name__", type(function).__name__)
    return _judged(f"the function {name}", run, [np.asarray(result) for result in results])


def compare_with_engine(
    engine: SecondEngine, text: str, run: OurRun, overrides: Overrides, limits: Limits
) -> EngineComparison:
    """The whole inquiry: results, first divergence, and blame. `XlaMissing` where there is no second engine."""
    sent = text if is_hlo(text) else without_locations(text)
    return _Inquiry(engine, sent, run, dict(overrides), limits).result()


@dataclass
class _Inquiry:
    engine: SecondEngine
    text: str
    run: OurRun
    overrides: Mapping[str, OptionValue]
    limits: Limits

    def result(self) -> EngineComparison:
        versions = self.engine.versions()
        name = f"XLA of jaxlib {versions.jaxlib} on {versions.platform}"
        try:
            ask = self.engine.run_emitted if is_optimised(self.text) else self.engine.run
            theirs = ask(self.text, self.run.arguments, self.overrides)
        except XlaMissing:
            raise
        except XlaFailed as failure:
            followed = isinstance(failure, XlaCrashed) and not is_optimised(self.text)
            blame = self._crash_blame(failure) if followed else None
            return EngineComparison(name, "failed", failure=str(failure), blame=blame)
        found = _judged(name, self.run, theirs)
        if not found.is_fine:
            return self._explained(found, theirs)
        strict = replace(self.run, strict=True)
        if join(strict.compare(theirs)).is_fine:
            return found
        # An overflow, or NaN, that the other one does not have: allowed by rounding, but more likely meant.
        closer = replace(self, run=strict)._explained(replace(found, results=strict.compare(theirs)), theirs)
        return closer if closer.verdict == "identity" else found

    def _explained(self, found: EngineComparison, theirs: Sequence[Array]) -> EngineComparison:
        if is_optimised(self.text):
            alone = isolate(self.engine, self.text, self.run, self.overrides, self.limits, SECONDS)
            return replace(found, blame=Blame(isolation=alone, text_is_right=True))
        located = Locator(self.engine, self.run, self.overrides).locate()
        try:
            texts = read_texts(self.engine, self.text, self.overrides, self.limits)
        except XlaFailed as failure:
            return replace(found, located=located, blame=Blame(problem=str(failure)))
        blame = self._blame(texts)
        near = bool(texts) and self._is_near_truth(texts[0].text, theirs)
        is_identity = near or bool(blame.changed and blame.changed.is_identity)
        verdict: Verdict = "identity" if is_identity else "wrong"
        return replace(found, verdict=verdict, located=located, blame=blame, near_truth=near)

    # Who is guilty

    def _crash_blame(self, failure: XlaFailed) -> Blame | None:
        """The first text whose code crashes in the same way, and what comes without the pass that wrote it."""
        try:
            texts = read_texts(self.engine, self.text, self.overrides, self.limits)
        except XlaFailed:
            return None
        answers = []
        for answer in emitted_answers(self.engine, texts, self.run, self.overrides):
            answers.append(answer)
            if answer.crash and answer.problem == str(failure):
                return self._confirmed(Blame(tuple(answers), answer))
        return Blame(tuple(answers))

    def _blame(self, texts: Sequence[Text]) -> Blame:
        if not texts:
            return Blame(problem="XLA has written no text between its passes")
        answers = tuple(emitted_answers(self.engine, texts, self.run, self.overrides))
        found = Blame(answers, first_wrong(answers))
        last = texts[-1]
        try:
            optimised = run_ours(last.text, self.run.arguments, self.limits)
        except ProgramError as error:
            return self._confirmed(replace(found, problem=f"the optimised text does not run here: {error}"))
        if not join(self.run.compare(optimised.results)).is_fine:
            return self._confirmed(replace(found, changed=find_change(texts, self.run, self.limits)))
        alone = isolate(self.engine, last.text, optimised, self.overrides, self.limits, SECONDS)
        found = replace(found, isolation=alone, text_is_right=True)
        if alone.guilty is not None:
            found = self._with_instruction(found, texts, alone.guilty)
        return self._confirmed(found)

    def _with_instruction(self, found: Blame, texts: Sequence[Text], guilty: Guilty) -> Blame:
        written = guilty.instruction.written
        maker = made_by(texts, written.name, written.opcode)
        lines = lines_of_instruction(texts[-1].instructions, guilty.instruction, self.run)
        return replace(found, made_by=maker, lines=lines)

    def _confirmed(self, found: Blame) -> Blame:
        """With the passes that may have a part in it switched off, one at a time."""
        texts = [found.suspect, found.turned.text if found.turned else None]
        names = dict.fromkeys(text.stage.changed_by for text in texts if text is not None)
        return replace(found, switched_off=tuple(self._without(name) for name in names if _is_pass(name)))

    def _without(self, name: str) -> SwitchedOff:
        already = str(self.overrides.get(DISABLED, ""))
        off = ",".join(filter(None, [already, name]))
        try:
            theirs = self.engine.run(self.text, self.run.arguments, {**self.overrides, DISABLED: off})
        except XlaFailed as failure:
            return SwitchedOff(name, None, str(failure))
        return SwitchedOff(name, join(self.run.compare(theirs)).is_fine)

    def _is_near_truth(self, text: str, theirs: Sequence[Array]) -> bool:
        """Whether all that differs beyond rounding is what the program gives in nearly real numbers."""
        try:
            truth = run_ours(widened(text), wide_arrays(self.run.arguments), self.limits).results
        except ProgramError:
            return False
        pairs = zip(self.run.compare(theirs), theirs, truth, strict=False)
        return all(
            found.is_fine or (found.kind != "shape" and compare_arrays(exact, wide, None, IN_WIDE).is_fine)
            for found, other, exact in pairs
            for wide in wide_arrays([other])
        )


def _is_pass(name: str) -> bool:
    return bool(name) and "pipeline-start" not in name and "optimizations" not in name


# Verdicts on results


def _judged(engine: str, run: OurRun, theirs: Sequence[Any]) -> EngineComparison:
    """The verdict that results alone allow."""
    results = run.compare(theirs)
    number = max(range(len(results)), key=lambda at: _rank(results[at]), default=0)
    worst = join(results)
    found = EngineComparison(engine, "same_bits", results, number)
    if worst.kind == "same_bits":
        return found
    if not worst.is_fine:
        return replace(found, verdict="wrong")
    if all(result.notes.get("flushed", 0) == result.count for result in results):
        return replace(found, verdict="flushed")
    ulps = results[number].ulps
    grown = run.amplifier(number)
    if grown is None or (ulps is not None and ulps <= FEW_ULPS):
        return replace(found, verdict="rounding")
    times = f"{grown[1]:,.0f} times" if np.isfinite(grown[1]) else "without limit"
    return replace(found, verdict="amplified", amplified=f"{times} by {grown[0]}")


def _rank(found: Difference) -> tuple[int, float]:
    return found.severity, found.ratio or 0.0
