"""The verdict on each stage, from its results and those of the stage before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hloscope.engine.comparison.difference import USEFUL, Difference, Test
from hloscope.engine.comparison.judge import judge_by_noise
from hloscope.engine.comparison.widening import by_witnesses, needs_witness
from hloscope.engine.ops.core.rounding import unit_roundoff

from ..processes.arrays import Array
from .pool import Pool, number_of
from .records import WRONG, StageReport, Verdict, Worst
from .stage_runs import Ran, Reference, StageTexts

LARGE_CONSTANTS = "Dump with --xla_dump_large_constants."
_VERDICTS: dict[str, Verdict] = {
    "same_bits": "same_bits",
    "rounding": "rounding",
    "unknown": "unknown",
    "wrong": "wrong",
    "nan": "nan",
    "shape": "signature",
}


@dataclass(frozen=True)
class Judged:
    """The comparison of a stage's results with those before."""

    verdict: Verdict
    worst: Worst | None = None
    reason: str = ""
    hint: str = ""
    results: tuple[int, ...] = ()
    """The numbers of the leaves that differ beyond rounding."""
    decided_by: Test = "bits"


def judge(before: Ran, after: Ran, reference: Reference, keys: Sequence[str]) -> Judged:
    """The verdict on a text that ran, against the last earlier one that ran; `keys` are those of both."""
    if len(before.results) != len(after.results):
        return Judged(
            "signature", reason=f"it gives {len(after.results)} arrays, not {len(before.results)} as before"
        )
    differences = _witnessed(
        [
            _compare(one, _without_padding(other, one, after), reference, number)
            for number, (one, other) in enumerate(zip(before.results, after.results, strict=True))
        ],
        reference,
        keys,
    )
    if not differences:
        return Judged("same_bits")
    number, worst = max(
        enumerate(differences), key=lambda item: (item[1].severity, item[1].ratio or 0.0, item[1].ulps or 0.0)
    )
    if worst.kind == "same_bits":
        return Judged("same_bits")
    name = after.names[number] if number < len(after.names) else f"result {number}"
    if worst.kind == "shape":
        return Judged("signature", reason=_shape_reason(number, before, after))
    wrong = tuple(at for at, found in enumerate(differences) if found.is_different)
    replaced = before.names[number] if wrong and number < len(before.names) else ""
    return Judged(
        _VERDICTS[worst.kind], worst_of(name, replaced, worst), results=wrong, decided_by=worst.decided_by
    )


def _witnessed(
    differences: Sequence[Difference], reference: Reference, keys: Sequence[str]
) -> Sequence[Difference]:
    """The verdicts of both texts in more digits, where the noise of rounding is no small error."""
    if reference.witnesses is None or not any(map(_is_doubtful, differences)):
        return differences
    apart, spreads = reference.witnesses(keys, [found.dtype for found in differences])
    return by_witnesses(differences, apart, lambda: spreads)


def _is_doubtful(found: Difference) -> bool:
    if not needs_witness(found) or found.kind != "rounding":
        return needs_witness(found)
    small = USEFUL * unit_roundoff(np.dtype(found.dtype)) * abs(found.before)
    return bool(found.error > small)


def worst_of(name: str, replaced: str, found: Difference) -> Worst:
    """The worst element of a comparison."""
    index = tuple(found.index or ())
    return Worst(name, index, found.before, found.after, found.ulps, replaced)


def _compare(before: Array, after: Array, reference: Reference, number: int) -> Difference:
    """The difference of two results, held against the noise of the first text's."""
    if number >= len(reference.results) or reference.results[number].shape != before.shape:
        return judge_by_noise(before, after, [(before, [])])
    return judge_by_noise(before, after, reference.sides(number), reference.coarsest)


def _without_padding(after: Array, before: Array, ran: Ran) -> Array:
    """Remove the padding of partitions that do not divide a size evenly."""
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


@dataclass(frozen=True)
class JudgedStage:
    """A stage and the stage that it was compared with."""

    report: StageReport
    at: int
    """Its number among the stages of the module."""
    before: int | None
    """The number of the last earlier stage that ran."""
    results: tuple[int, ...]
    """The numbers of the results that differ beyond rounding."""


class Judge:
    """Judge the stages of a module, each against the last earlier one that ran."""

    def __init__(self, texts: StageTexts, ran: Mapping[str, Ran], reference: Reference | None = None) -> None:
        """Without a `reference` verdicts are preliminary."""
        self._texts, self._ran, self._reference = texts, ran, reference
        self._read = texts.read
        self._trusted: set[int] = set()
        """Stages whose guessed constants are confirmed by results that agree with those before."""

    def stages(self) -> Iterator[JudgedStage]:
        """Each stage with its verdict, in order."""
        last: int | None = None
        seen: set[str] = set()
        for at, key in enumerate(self._read.keys):
            judged = self._checked(at, self._judge(at, last, self._ran[key]))
            report = self._report(at, judged, 0.0 if key in seen else self._ran[key].seconds)
            seen.add(key)
            yield JudgedStage(report, at, last, judged.results)
            last = last if judged.verdict == "cannot_run" or self._ran[key].problem else at

    def _checked(self, at: int, judged: Judged) -> Judged:
        """Drop a verdict that may be due to a wrongly guessed constant."""
        if self._reference is None:
            return judged
        guesses = self._texts.constants[at].guesses
        open_guesses = {name: stage for name, stage in guesses.items() if stage not in self._trusted}
        if judged.verdict not in WRONG or judged.reason or not open_guesses:
            if judged.verdict not in WRONG and judged.verdict != "cannot_run":
                self._trusted.update(guesses.values())
            return judged
        names = ", ".join(f"%{name}" for name in list(open_guesses)[:6])
        reason = f"the text leaves out the numbers of {names}, and those of an array of the same shape, which another file has, lead to other results"
        return Judged("cannot_run", reason=reason, hint=LARGE_CONSTANTS)

    def _report(self, at: int, judged: Judged, seconds: float) -> StageReport:
        hint = judged.hint or (self._ran[self._read.keys[at]].hint if judged.reason else "")
        return StageReport(
            self._read.module,
            self._read.module.stages[at],
            self._read.counts(at),
            judged.verdict,
            judged.worst,
            judged.reason,
            hint,
            seconds,
            judged.decided_by,
        )

    def _judge(self, at: int, last: int | None, ran: Ran) -> Judged:
        if ran.problem:
            return Judged("signature" if ran.kind == "signature" else "cannot_run", reason=ran.problem)
        if last is None or (last == at - 1 and self._read.keys[at] == self._read.keys[last]):
            return Judged("same_text")
        keys = [self._read.keys[last], self._read.keys[at]]
        return judge(self._ran[keys[0]], ran, self._reference or Reference((), ()), keys)


def with_culprit(pool: Pool, texts: StageTexts, judged: JudgedStage) -> StageReport:
    """The report of a wrong stage, with the culprit instruction if one is found."""
    read = texts.read
    if judged.before is None or judged.report.worst is None:
        return judged.report
    if read.tables[judged.before] is None or read.tables[judged.at] is None:
        return judged.report
    keys = [read.keys[judged.before], read.keys[judged.at]]
    (_, reply), *_ = pool.run([texts.task("locate", keys, results=judged.results)])
    found = reply.message.get("culprit")
    if found is None:
        return judged.report
    before, after = map(number_of, found["values"])
    worst = Worst(
        f"%{found['after']}",
        tuple(found["index"]),
        before,
        after,
        number_of(found["ulps"]),
        f"%{found['before']}",
        found["process"],
    )
    return replace(judged.report, worst=worst)
