"""The verdict on each stage: its results against those of the stage before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.comparison.difference import Difference, Tolerance, compare_arrays
from hloscope.engine.passes.text_changes import Counts

from .records import Number, StageReport, Verdict, Worst

if TYPE_CHECKING:
    from .microscope import ReadModule
    from .stage_runs import Ran

Array = NDArray[Any]
_VERDICTS: dict[str, Verdict] = {
    "same_bits": "same_bits",
    "rounding": "rounding",
    "wrong": "wrong",
    "nan": "nan",
    "shape": "signature",
}


@dataclass(frozen=True)
class Judged:
    """How the results of a stage compare with those before."""

    verdict: Verdict
    worst: Worst | None = None
    reason: str = ""
    result: int | None = None
    """The number of the leaf that differs most."""


def judge(before: Ran, after: Ran, bounds: Sequence[Array | None]) -> Judged:
    """The verdict on a text that ran, against the last one before it that ran."""
    if after.problem:
        verdict: Verdict = "signature" if after.kind == "signature" else "cannot_run"
        return Judged(verdict, reason=after.problem)
    if len(before.results) != len(after.results):
        return Judged(
            "signature", reason=f"it gives {len(after.results)} arrays, not {len(before.results)} as before"
        )
    differences = [
        _compare(one, _without_padding(other, one, after), bounds[number] if number < len(bounds) else None)
        for number, (one, other) in enumerate(zip(before.results, after.results, strict=True))
    ]
    if not differences:
        return Judged("same_bits")
    number, worst = max(
        enumerate(differences), key=lambda item: (item[1].severity, item[1].ratio or 0.0, item[1].ulps or 0.0)
    )
    if worst.kind == "same_bits":
        return Judged("same_bits")
    name = after.names[number] if number < len(after.names) else f"result {number}"
    if worst.kind == "shape":
        return Judged("signature", reason=_shape_reason(number, before, after), result=number)
    return Judged(_VERDICTS[worst.kind], worst_of(name, worst), result=number)


def worst_of(name: str, found: Difference) -> Worst:
    """The element that a comparison found to differ most."""
    index = tuple(found.index or ())
    return Worst(name, index, plain_number(found.before), plain_number(found.after), found.ulps)


def plain_number(value: Any) -> Number:
    """A number as Python has it."""
    found = value.item() if isinstance(value, np.generic) else value
    return found if isinstance(found, bool | int | float | complex | str) or found is None else float(found)


def _compare(before: Array, after: Array, bound: Array | None) -> Difference:
    if bound is not None and bound.shape == before.shape:
        return compare_arrays(before, after, bound)
    return compare_arrays(before, after, None, usual_tolerance(before))


def usual_tolerance(array: Array) -> Tolerance:
    """What is called rounding where no bound is known: some units in the last place, of the largest magnitude too."""
    try:
        step = float(np.finfo(array.dtype).eps) if array.dtype.kind in "fc" else _small_step(array)
    except ValueError:
        step = 0.0
    if not step:
        return Tolerance()
    finite = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    finite = finite[np.isfinite(finite)]
    largest = float(finite.max()) if finite.size else 0.0
    return Tolerance(absolute=64 * step * largest, relative=64 * step)


def _small_step(array: Array) -> float:
    import ml_dtypes

    return float(ml_dtypes.finfo(array.dtype).eps) / 16 if array.dtype.kind == "V" else 0.0


def _without_padding(after: Array, before: Array, ran: Ran) -> Array:
    """Parts that do not divide a size evenly are padded; what the whole never had is cut off."""
    if not ran.partitioned or after.ndim != before.ndim or after.shape == before.shape:
        return after
    if any(size < wanted for size, wanted in zip(after.shape, before.shape, strict=True)):
        return after
    return after[tuple(slice(0, size) for size in before.shape)]


def _shape_reason(number: int, before: Ran, after: Ran) -> str:
    one, other = before.results[number], after.results[number]
    told = f"result {number} is {other.dtype.name}{list(other.shape)}, not {one.dtype.name}{list(one.shape)} as before"
    if after.partitioned and other.ndim == one.ndim + 1 and other.shape[0] == after.processes:
        return f"{told}: no text of the dump states how the parts of {after.processes} processes are joined"
    return told


class Judge:
    """Goes through the stages of a module, each against the last one that ran."""

    def __init__(self, read: ReadModule, ran: dict[str, Ran], bounds: Sequence[Array | None]) -> None:
        self._read, self._ran, self._bounds = read, ran, bounds

    def reports(self) -> Iterator[tuple[StageReport, int | None]]:
        """Each stage, with the number of the stage that it was compared with."""
        last: int | None = None
        seen: set[str] = set()
        for at, stage in enumerate(self._read.module.stages):
            key = self._read.keys[at]
            ran = self._ran[key]
            changes = self._read.changes(at)
            counts = changes.counts if changes is not None else Counts()
            judged = self._judge(at, last, ran)
            seconds = 0.0 if key in seen else ran.seconds
            seen.add(key)
            yield (
                StageReport(
                    *(self._read.module, stage, counts, judged.verdict, judged.worst),
                    *(judged.reason, ran.hint if judged.reason else "", seconds),
                ),
                last,
            )
            last = last if ran.problem else at

    def _judge(self, at: int, last: int | None, ran: Ran) -> Judged:
        if at and self._read.keys[at] == self._read.keys[at - 1]:
            return Judged("same_text")
        if last is None:
            return Judged("cannot_run", reason=ran.problem) if ran.problem else Judged("same_text")
        return judge(self._ran[self._read.keys[last]], ran, self._bounds)
