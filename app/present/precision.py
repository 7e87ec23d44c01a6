"""The precision of a run against the same run in more digits, as JSON and in words."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite, log2
from time import perf_counter

import numpy as np

from hloscope.engine.comparison.shadow import (
    Blame,
    NoShadow,
    Shadow,
    StepLoss,
    Suspect,
    agreeing_bits,
    find_blame,
    largest_errors,
    worst_steps,
)
from hloscope.engine.comparison.what_if import Trial, what_if
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import LimitError
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.program import BoundOperation

from ..wire.encoding import encoded
from ..wire.precision import BitsInfo, BlameInfo, LossInfo, PrecisionInfo, ResultPrecision, TrialInfo

MOST_LOSSES = 100
"""Maximum number of ops in one answer."""
MOST_LINES = 12
"""Number of ops in the report for a terminal."""
NARROWER = ("bf16", "f16", "f8E4M3FN", "f8E5M2")
"""Types that ops may be tried with."""
LEAST_BITS = 0.5
"""Lost bits from which on an op is listed."""


@dataclass
class Precision:
    """The precision of a recorded run, computed in slices; printed, the report."""

    recording: Recording
    what_if: str = ""
    """A narrower type that ops are tried with, one of `NARROWER`."""
    problem: str = ""
    done: bool = False
    shadow: Shadow | None = None
    blame: Blame | None = None
    trials: list[Trial] = field(default_factory=list)
    """With all ops, and with each alone, the worst first."""
    _work: Iterator[None] = field(init=False)

    def __post_init__(self) -> None:
        self._work = self._steps()

    def go_on(self, seconds: float) -> None:
        """Compute for about `seconds`."""
        end = perf_counter() + seconds
        while not self.done and perf_counter() < end:
            try:
                next(self._work)
            except StopIteration:
                self.done = True
            except (NoShadow, LimitError) as reason:
                self.problem, self.done, self.shadow = str(reason), True, None

    def _steps(self) -> Iterator[None]:
        shadow = Shadow(self.recording)
        yield from shadow.make()
        self.shadow = shadow
        self.blame = yield from find_blame(shadow)
        if self.what_if:
            self.trials = yield from what_if(shadow, ELEMENT_TYPES[self.what_if].dtype)

    def json(self) -> PrecisionInfo:
        """What is known so far."""
        shadow = self.shadow
        worst = (
            [] if shadow is None else [each for each in worst_steps(shadow) if each.lost_bits >= LEAST_BITS]
        )
        worst.sort(key=lambda loss: (-loss.lost_bits, loss.step))
        program = self.recording.program
        errors = {} if shadow is None else largest_errors(shadow)
        return {
            "done": self.done,
            "problem": self.problem,
            "sentence": self.sentence(),
            "wide": "" if shadow is None else _wide_name(shadow),
            "results": [] if shadow is None else _results(shadow),
            "losses": [_loss(self.recording, each) for each in worst[:MOST_LOSSES]],
            "total": len(worst),
            "ops": list(errors),
            "errors": [_finite(error) for error in errors.values()],
            "blame": None if self.blame is None else _blame(self.recording, self.blame),
            "taken": [] if shadow is None else sorted({program.line_of(op) for op in shadow.taken}),
            "whatIf": self.what_if,
            "trials": [self._trial(each) for each in self.trials],
        }

    def sentence(self) -> str:
        """What the run loses, and where."""
        if self.problem or self.shadow is None:
            return self.problem
        wide = _wide_name(self.shadow)
        results = _results(self.shadow)
        if not results:
            return "The program returns no floating-point values."
        worst = min(results, key=lambda found: found["agreeingBits"] / found["bits"])
        which = "The result" if len(results) == 1 else f"Result {worst['number']}"
        if len(self.recording.tracks) > 1:
            one = (
                "The result"
                if all(found["number"] == 0 for found in results)
                else f"Result {worst['number']}"
            )
            which = f"{one} of process {self.recording.process_name(worst['process'])}"
        if worst["error"] is None:
            return f"{which} has elements that are finite either here or in {wide}, but not in both."
        if self.shadow.is_sound:
            return f"Every result agrees with the run in {wide} to within a few roundings of its type."
        return (
            f"{which} differs from the run in {wide} by {_part(worst['error'])} its size: "
            f"{worst['agreeingBits']:.1f} of its {worst['bits']} bits agree."
        )

    def _trial(self, trial: Trial) -> TrialInfo:
        units = self.shadow.units if self.shadow is not None else []
        unit = max((each for each in units if each), default=1.0)
        is_hlo = self.recording.program.module.language == "hlo"
        bound = None if trial.op is None else self.recording.program.ops[trial.op]
        return encoded(
            TrialInfo,
            trial,
            name="" if bound is None else _name(self.recording, bound),
            spelled="" if bound is None else _short(bound),
            line=0 if bound is None else self.recording.program.line_of(bound.id),
            error=_finite(trial.error),
            agreeing_bits=agreeing_bits(trial.error, unit),
            sentence=_trial_sentence(
                trial,
                self.what_if.lower() if is_hlo else self.what_if,
                "" if self.shadow is None else _wide_name(self.shadow),
            ),
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int = MOST_LINES) -> Iterator[str]:
        """The report for a terminal, with the first `most` ops."""
        found = self.json()
        yield found["sentence"]
        if self.blame is not None:
            yield blame_sentence(self.recording, self.blame)
        for loss in found["losses"][:most]:
            yield (
                f"line {loss['line']}, {loss['spelled']}{' ' + loss['name'] if loss['name'] else ''}: "
                f"{_bits(loss['lostBits'])} lost, {loss['agreeingBits']:.1f} of {loss['bits']} agree"
            )
        if found["total"] > most:
            yield f"{found['total'] - most:,} more ops lose fewer"
        for trial in found["trials"][: most + 1]:
            place = (
                "every op"
                if trial["op"] is None
                else f"line {trial['line']}, {trial['spelled']} {trial['name']}"
            )
            yield f"{place} in {self.what_if}: {trial['sentence']}"
        if found["taken"]:
            lines = "line" if len(found["taken"]) == 1 else "lines"
            yield f"taken from the run, without a counterpart in {found['wide']}: {lines} {', '.join(map(str, found['taken']))}"


def _bits(count: float | None) -> str:
    return "all bits" if count is None else f"{count:.1f} bits"


def blame_sentence(recording: Recording, blame: Blame) -> str:
    """The op whose rounding matters most, and where its loss is born."""
    guilty, born = blame.guilty, blame.born
    name = _place(recording, guilty)
    if not isfinite(guilty.local):
        return f"{name} leaves the range of its type: the result is finite in only one of the two runs."
    effect = f"its rounding alone changes the results by {_part(born.alone)} their size"
    if born is guilty:
        return f"{name} loses most: {effect}."
    return (
        f"{name} loses most: it makes relative errors of its operands {_times(guilty.amplification)} as large. "
        f"The loss is born in {_place(recording, born)}: {effect}."
    )


def _place(recording: Recording, suspect: Suspect) -> str:
    bound = recording.program.ops[suspect.loss.op]
    return f"{_short(bound)} on line {recording.program.line_of(bound.id)}"


def _short(bound: BoundOperation) -> str:
    """The op without its dialect."""
    return bound.operation.spelled.rpartition(".")[2]


def _name(recording: Recording, bound: BoundOperation) -> str:
    return recording.program.values[bound.results[0]].name if bound.results else ""


def _trial_sentence(trial: Trial, dtype: str, wide: str) -> str:
    """`the results change by 0.3 % of their size; 2 of 96 elements overflow`."""
    if not trial.elements:
        return f"nothing changes: no op has more digits than {dtype}"
    if not isfinite(trial.error):
        words = "the results are not finite where they should be"
    elif not trial.error:
        words = f"the results are those of the run in {wide}"
    else:
        words = f"the results differ from the run in {wide} by {_part(trial.error)} their size"
    counts = ((trial.overflowing, "overflow"), (trial.vanishing, "become 0"))
    lost = [f"{count:,} of {trial.elements:,} rounded elements {what}" for count, what in counts if count]
    return "; ".join([words, *lost])


def _part(error: float) -> str:
    """`4.6 % of`, `95 times`, `3e-08 of`."""
    if error >= 2:
        return _times(error) if isfinite(error) else "infinitely many times"
    return f"{_rounded(100 * error)} % of" if error >= 1e-3 else f"{error:.2g} of"


def _times(factor: float) -> str:
    return f"{_rounded(factor)} times"


def _rounded(number: float) -> str:
    """Two digits, not in scientific notation for numbers that people read in words."""
    return f"{float(f'{number:.2g}'):,.10g}"


def _wide_name(shadow: Shadow) -> str:
    return {"float64": "f64"}.get(np.dtype(shadow.wide_dtype).name, "80-bit floats")


def _results(shadow: Shadow) -> list[ResultPrecision]:
    processes = shadow.recording.grid.num_processes
    each = max(1, len(shadow.units) // processes)
    return [
        {"process": at // each, "number": at % each, "error": _finite(error), **_bits_of(error, unit)}
        for at, (error, unit) in enumerate(zip(shadow.results, shadow.units, strict=True))
        if unit
    ]


def _bits_of(error: float, unit: float) -> BitsInfo:
    return {"agreeingBits": agreeing_bits(error, unit), "bits": round(-log2(unit))}


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None


def _loss(recording: Recording, loss: StepLoss) -> LossInfo:
    bound = recording.program.ops[loss.op]
    return {
        "op": loss.op,
        "process": loss.process,
        "step": loss.step,
        "name": _name(recording, bound),
        "spelled": _short(bound),
        "line": recording.program.line_of(loss.op),
        "error": _finite(loss.error),
        "handedOn": _finite(loss.handed_on),
        "lostBits": _finite(loss.lost_bits),
        **_bits_of(loss.error, loss.unit),
    }


def _blame(recording: Recording, blame: Blame) -> BlameInfo:
    return {
        "sentence": blame_sentence(recording, blame),
        "guilty": _loss(recording, blame.guilty.loss),
        "born": _loss(recording, blame.born.loss),
        "alone": _finite(blame.guilty.alone),
        "bornAlone": _finite(blame.born.alone),
        "amplification": blame.guilty.amplification,
    }
