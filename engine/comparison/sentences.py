"""Sentences and rows that present a comparison to readers."""

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

from ..debugger.address import Address
from ..debugger.recording import Recording
from .difference import Difference, join
from .runs import ComparedValue, RunComparison

_ORIGINS = {
    "given": "it is an input",
    "made": "its operands agree",
    "carried": "its operands already differ",
    "open": "whether its operands agree is unknown",
}
_NOTES = {
    "signed_zeros": "zeros of another sign",
    "flushed": "denormals that are 0 on one side",
    "infinities": "infinities that are finite on the other side",
    "lost_nans": "NaN that are numbers in the other run",
    "rounded_first": "compared as the narrower type",
}


def number_text(number: Any) -> str:
    """A number with the fewest distinguishing digits; `NaN`, `+Inf` or `-Inf` if not finite."""
    if not isinstance(number, float):
        return f"{number}"
    if not isfinite(number):
        return "NaN" if isnan(number) else "+Inf" if number > 0 else "-Inf"
    return f"{number:.9g}"


def difference_text(found: Difference) -> str:
    """`element [3, 17]: 2 -> 2.5, 4,194,304 ulps, 812 times its bound`."""
    if found.kind == "same_bits":
        return "the same bits"
    if found.kind == "shape" or found.index is None:
        return f"{found.before} became {found.after}"
    place = f"element {list(found.index)}: " if found.index else ""
    parts = [f"{place}{number_text(found.before)} -> {number_text(found.after)}"]
    parts += [_ulps_text(found.ulps)] if found.ulps is not None else []
    parts += [text] if (text := _ratio_text(found)) else []
    others = f"{found.count:,} of {found.size:,} elements differ" if found.size > 1 else ""
    return ", ".join([*parts, *([others] if others else [])])


def _ulps_text(ulps: float) -> str:
    """`1 ulp`; a part of one where a number of more digits is compared."""
    text = f"{ulps:,.0f}" if ulps >= 10 or ulps.is_integer() else f"{ulps:.2g}"
    return f"{text} {'ulp' if text == '1' else 'ulps'}"


def _ratio_text(found: Difference) -> str:
    """The error as a multiple of the noise of rounding, or of its bound; empty if neither is known."""
    if found.noise:
        return f"{found.error / found.noise:.3g} times the noise of rounding" if isfinite(found.error) else ""
    if found.ratio is None:
        return ""
    return "where nothing is rounded" if found.ratio == float("inf") else f"{found.ratio:.3g} times its bound"


def note_text(found: Difference) -> str:
    """`2 zeros of another sign`; empty without any."""
    return ", ".join(
        f"{count:,} {_NOTES[name]}" for name, count in found.notes.items() if name != "rounded_first"
    )


def name_of(value: ComparedValue) -> str:
    """The name of a value, without the process that names of another run's values end with."""
    return value.name.rpartition("@")[0] or value.name


def title_of(recording: Recording, value: ComparedValue) -> str:
    """`line 7: add %sum`, or the input."""
    where = process_text(recording, value.before)
    if value.op is None:
        return f"input {name_of(value)}{where}"
    return f"line {value.line}: {recording.program.ops[value.op].operation.spelled} {name_of(value)}{where}"


def process_text(recording: Recording, address: Address) -> str:
    """` in process (0, 1)` if there are several processes."""
    return f" in process {recording.process_name(address.process)}" if len(recording.tracks) > 1 else ""


def verdict_sentence(recording: Recording, comparison: RunComparison) -> str:
    """The verdict on the whole comparison: agreement, or the first divergence."""
    first = comparison.first
    if first is None:
        wrong = next((found for found in comparison.results if found.is_different), None)
        if wrong is not None:
            return f"The results differ: {difference_text(wrong)}; no earlier pair of values does."
        return _agreement(comparison)
    became = " became NaN" if first.difference.kind == "nan" else ""
    return (
        f"First divergence: {title_of(recording, first)}{_iteration_text(recording, first)}{became}, {difference_text(first.difference)}; "
        f"{_ORIGINS[first.origin]}.{_exact_text(comparison)}{results_text(comparison)}"
    )


def _iteration_text(recording: Recording, value: ComparedValue) -> str:
    """`, iteration 3 of the while in line 4`, for each loop around the step that made a value; empty outside of loops."""
    track, parts = recording.tracks[value.before.process], []
    frame = track.frame_of(value.before.number) if value.before.kind == "s" else 0
    while (opener := track.opener_of(frame)) is not None:
        bound = recording.program.ops[track.op_of(opener)]
        if bound.op.unpacked.name.endswith(".while"):
            line = recording.program.line_of(bound.id)
            parts.append(f", iteration {track.iteration_of(frame)} of the while in line {line}")
        frame = track.frame_of(opener)
    return "".join(parts)


def results_text(comparison: RunComparison) -> str:
    """The verdict on the results where earlier values differ; empty if they differ too."""
    results = comparison.results
    verdict = join(results).verdict
    if comparison.first is None or not results or verdict == "different":
        return ""
    if verdict == "unknown":
        return " Whether the results agree is unknown: rounding alone may change them as much."
    same = all(found.kind == "same_bits" for found in results)
    return f" Nevertheless the results {'have the same bits' if same else 'agree but for rounding'}."


def _exact_text(comparison: RunComparison) -> str:
    """A sentence on which result is closer to a run in more digits."""
    ratio = comparison.against_exact
    if ratio is None or comparison.first is None or comparison.first.origin == "given":
        return ""
    is_f64 = any(found.is_different and found.dtype == "float64" for found in comparison.results)
    truth = f"result in {'longer floats' if is_f64 else 'f64'}"
    if ratio > 4:
        return f" The first run is closer to the {truth}: the other is {ratio:,.3g} times as far from it."
    if ratio < 0.25:
        return f" The other run is closer to the {truth}: the first is {1 / ratio:,.3g} times as far from it."
    return f" Both results are about equally far from the {truth}, so the difference may be rounding that the bounds miss."


def _unknown_text(comparison: RunComparison) -> str:
    """Why it is unknown whether the runs agree."""
    unknown = [found for found in comparison.results if found.kind == "unknown"]
    what = f"{len(unknown):,} of {len(comparison.results):,} results" if unknown else "some values"
    amplified = next(reversed(list(comparison.amplified.items())), None)
    more = f"; %{amplified[0].removeprefix('%')}: {amplified[1]}" if amplified else ""
    worst = difference_text(unknown[0] if unknown else comparison.worst)
    return f"Unknown whether the runs agree: rounding alone may change {what} as much as they differ ({worst}){more}."


def _agreement(comparison: RunComparison) -> str:
    values, results = [found.difference for found in comparison.values], list(comparison.results)
    # Another engine's file may have the results alone, or with the inputs.
    are_results = not values or (not _differing(values) and _differing(results))
    noun, every = ("results", results) if are_results else ("values", values)
    count, differing = len(every), _differing(every)
    if not count:
        return "Nothing could be compared: the runs have no values in common."
    if not differing:
        return f"All {count:,} {noun} have the same bits."
    if comparison.verdict == "unknown":
        return _unknown_text(comparison)
    amplified = next(reversed(list(comparison.amplified.items())), None)
    more = f"; %{amplified[0].removeprefix('%')}: {amplified[1]}" if amplified else ""
    return f"The runs agree but for rounding: {differing:,} of {count:,} {noun} differ by no more than that{more}."


def _differing(every: Sequence[Difference]) -> int:
    return sum(found.kind != "same_bits" for found in every)
