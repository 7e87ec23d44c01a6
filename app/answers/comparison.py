"""Two runs of a session side by side: pairs of values, steps that belong together, differences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le, MaxLen

from hloscope.engine.comparison.difference import Tolerance, as_narrower
from hloscope.engine.comparison.elements import Measure, measured
from hloscope.engine.ir.element_types import F64, of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.rounding import units_of
from hloscope.engine.value_facts import as_numbers

from ..present.comparison import joint_range
from ..present.elements import Array
from ..present.numbers import exact_number
from ..present.run_comparison import (
    comparison_rows,
    comparison_sentence,
    counts_of,
    execution_rows,
    row_of_first,
)
from ..present.summary import computed_summary
from ..present.value_windows import Window, window_bytes
from ..runs.other_values import OtherValues, ValuesPair
from ..runs.run import Run
from ..runs.run_pair import RunPair
from ..wire import run_comparison as wire
from ..wire.questions import Answer, bytes_answer, json_answer
from ..wire.values import ValueSummary
from .question import (
    BadQuestion,
    Named,
    NotRecorded,
    Other,
    PairQuestion,
    Planes,
    Process,
    Short,
    Start,
    Step,
    address_at,
    has_ended,
)
from .values import tensor_at

SECONDS = 1.5
"""Maximum duration of one slice of a comparison; the next request continues it."""
MOST_ROWS = 2_000
"""Maximum number of rows in one answer."""

Bound = Annotated[float | None, Ge(0), Le(1e300)]
Indices = Annotated[str, MaxLen(4_000)]
Corner = Annotated[str, Named("from"), MaxLen(400)]


class ComparisonQuestion(PairQuestion[wire.RunsCompared]):
    """The values of two runs of a session in pairs, as far as compared; repeat it until `done`.

    Without `absolute` and `relative` each value has its own rounding-error bound; with them an error within either
    counts as rounding. With `op`, the executions of that op of the first run, one by one.
    """

    path = "/comparison"
    examples = ({"other": "{key}", "limit": 2},)

    absolute: Bound = None
    relative: Bound = None
    op: Annotated[int | None, Ge(0), Le(2**31)] = None
    start: Start = 0
    limit: Annotated[int, Ge(1), Le(MOST_ROWS)] = 1_000

    def answer(self, run: Run, other: Other) -> Answer[wire.RunsCompared]:
        tolerance = self._tolerance()
        pair = pair_of(run, other, tolerance)
        pair.go_on(SECONDS)
        found, runs = pair.so_far(), (run.recording, other.recording)
        same = pair.same_program
        rows = comparison_rows(runs, found.values, pair.matching, same_program=same)
        # The results of a run in progress are unknown, not missing.
        ended = pair.ended and has_ended(run) and has_ended(other)
        confirmed = tolerance is None and isinstance(other, OtherValues) and other.about["confirmed"]
        sentence = comparison_sentence(runs, found, rows, ended=ended, confirmed=confirmed)
        first, counts = row_of_first(rows, found.first), counts_of(rows)
        if self.op is not None:
            chosen = [value for value in found.values if value.op == self.op]
            rows = execution_rows(runs, chosen, pair.matching, same_program=same)
            first = None
        compared: wire.RunsCompared = {
            "sentence": sentence,
            "first": first,
            "rows": rows[self.start : self.start + min(self.limit, MOST_ROWS)],
            "start": self.start,
            "total": len(rows),
            "counts": counts,
            "compared": len(found.values),
            "done": pair.ended,
            "origin": other.about if isinstance(other, OtherValues) else None,
        }
        return json_answer(compared, final=ended)

    def _tolerance(self) -> Tolerance | None:
        if self.absolute is None and self.relative is None:
            return None
        return Tolerance(self.absolute or 0.0, self.relative or 0.0)


def pair_of(run: Run, other: Other, tolerance: Tolerance | None) -> RunPair:
    """The comparison so far; restarted if more steps are recorded than before."""
    if run.replaying or other.replaying:
        raise NotRecorded
    name = (other.key, tolerance, run.step_count, other.step_count, has_ended(run), has_ended(other))
    if run.pair is None or run.pair[0] != name:
        pair = (
            ValuesPair(run.recording, other, tolerance)
            if isinstance(other, OtherValues)
            else RunPair(run.recording, other.recording, tolerance)
        )
        run.pair = (name, pair)
    return run.pair[1]


class MatchedStepQuestion(PairQuestion[wire.MatchedStep]):
    """The step of the other run that matches `step`; `side=after`: `step` is the other run's."""

    path = "/comparison/step"
    examples = ({"other": "{key}", "step": 2},)

    step: Step
    process: Process = 0
    side: wire.Side = "before"

    def answer(self, run: Run, other: Other) -> Answer[wire.MatchedStep]:
        pair, back = _steps_pair(run, other), self.side == "after"
        found = pair.step_of(self.process, self.step, back=back)
        there = run.recording if back else other.recording
        matched: wire.MatchedStep = {
            "step": found.step, "process": self.process, "exact": found.exact, "name": "", "spelled": "", "line": 0,
        }  # fmt: skip
        if found.step is not None and found.step < there.tracks[self.process].step_count:
            bound = there.program.ops[there.tracks[self.process].op_of(found.step)]
            matched["name"] = there.program.values[bound.results[0]].name if bound.results else ""
            matched["spelled"] = bound.operation.spelled
            matched["line"] = there.program.line_of(bound.id)
        return json_answer(matched, final=has_ended(run) and has_ended(other))


def _steps_pair(run: Run, other: Other) -> RunPair:
    """Any existing comparison of the two runs: all match steps alike."""
    if run.pair is not None and run.pair[1].after is other.recording and run.pair[0][0] == other.key:
        return run.pair[1]
    return pair_of(run, other, None)


@dataclass(frozen=True)
class _ValuePair:
    """The fields of questions about the distance of two values."""

    address: Short
    other_address: Short
    measure: Measure = "absolute"


@dataclass(frozen=True)
class _OtherValue:
    """The fields of questions about the value of a file that corresponds to a value of the run."""

    address: Short


@dataclass(frozen=True)
class _Rectangle:
    """The fields of questions about a rectangle of a tensor."""

    rows: Short = "-1"
    columns: Short = "-1"
    at: Indices = ""
    start: Corner = "0,0"
    size: Short = "1,1"
    level: Short = "0"
    planes: Planes = 0

    def cut(self, array: Array, type: TensorType) -> Answer[bytes]:
        """The rectangle of `array`."""
        window = Window.parse(
            self.rows, self.columns, self.at, self.start, self.size, self.level, self.planes
        )
        return bytes_answer(window_bytes(array, type, window))


RECTANGLE: Mapping[str, int | str] = {"rows": 0, "columns": 1, "at": "0,0", "size": "2,2"}
"""The fields of a rectangle in example requests."""


class DifferenceQuestion(_ValuePair, PairQuestion[wire.DifferenceInfo]):
    """The distance of two values, element by element: its statistics, and the range of both values."""

    path = "/comparison/difference"
    examples = ({"other": "{key}", "address": "0.s2.0", "other_address": "0.s2.0"},)

    def answer(self, run: Run, other: Other) -> Answer[wire.DifferenceInfo]:
        array, type = _distance(run, other, self)
        values = [tensor_at(run, self.address)[0], _tensor_of(other, self.other_address)[0]]
        return json_answer(
            {
                "distance": computed_summary(self.address, array, type, run.language),
                "range": joint_range(values),
                "count": int(np.count_nonzero(array)),
                "worst": _worst(array, *values),
            }
        )


class DifferenceWindowQuestion(_Rectangle, _ValuePair, PairQuestion[bytes]):
    """A rectangle of the distance of two values, in the form of a value's window, in f64."""

    path = "/comparison/window"
    examples = ({"other": "{key}", "address": "0.s2.0", "other_address": "0.s2.0", **RECTANGLE},)

    def answer(self, run: Run, other: Other) -> Answer[bytes]:
        return self.cut(*_distance(run, other, self))


def _distance(run: Run, other: Other, pair: _ValuePair) -> tuple[Array, TensorType]:
    """The difference of two values, element by element, as f64."""
    name = (other.key, pair.address, pair.other_address, pair.measure)
    if run.distance is None or run.distance[0] != name:
        (before, *types), (after, *others) = (
            tensor_at(run, pair.address),
            _tensor_of(other, pair.other_address),
        )
        with units_of([*types, *others]):
            run.distance = (name, _apart(before, after, pair.measure))
    array = run.distance[1]
    return array, TensorType(array.shape, F64)


def _apart(before: Array, after: Array, measure: Measure) -> Array:
    if before.shape != after.shape:
        raise BadQuestion(
            f"The values have the shapes {list(before.shape)} and {list(after.shape)}: there are no elements to compare."
        )
    if before.dtype != after.dtype:
        # Units in the last place are those of the narrower type; other measures need no rounding.
        narrower = as_narrower(before, after) if measure == "ulps" else None
        before, after = narrower or (as_numbers(value).astype(np.float64) for value in (before, after))
        if measure == "ulps" and narrower is None:
            raise BadQuestion("The types of the values have no common units in the last place.")
    found = measured(before, after, measure)
    if found is None:
        raise BadQuestion("Only floating-point numbers have units in the last place: choose another measure.")
    return found.reshape(before.shape)


def _worst(apart: Array, value: Array, other: Array) -> wire.FarthestElement | None:
    """The first element that is furthest apart; NaN first. `None` if no element is apart."""
    if not apart.any():
        return None
    sizes = np.abs(apart)
    place = int(np.argmax(np.isnan(sizes)) if np.isnan(sizes).any() else np.argmax(sizes))
    index = tuple(int(at) for at in np.unravel_index(place, apart.shape))
    first, second, distance = (exact_number(array[index]) for array in (value, other, apart))
    return {"index": list(index), "value": first, "other": second, "apart": distance}


ARRAY = "array:"
"""Prefix of an address: the array of a file with the name that follows."""


def _tensor_of(other: Other, text: str) -> tuple[Array, TensorType]:
    """The value of the other run or file, and its type."""
    if isinstance(other, OtherValues):
        return (
            _array_of(other, text.removeprefix(ARRAY))
            if text.startswith(ARRAY)
            else other.tensor(address_at(text))
        )
    return tensor_at(other, text)


def _array_of(other: OtherValues, name: str) -> tuple[Array, TensorType]:
    """An array of a file, whichever value it belongs to."""
    if (array := other.values.get(name)) is None:
        raise BadQuestion(f"The file has no array named {name!r}; it has {', '.join([*other.values][:8])}.")
    if (type := of_dtype(array.dtype)) is None:
        raise BadQuestion(f"{name}: elements of NumPy's {array.dtype} have no counterpart in StableHLO.")
    return array, TensorType(array.shape, type)


class OtherValueQuestion(_OtherValue, PairQuestion[ValueSummary]):
    """The value of a file that corresponds to a value of the run: its type and statistics.

    `array:NAME` as the address: an array of the file by its name.
    """

    path = "/comparison/value"
    examples = ({"other": "values:{file}", "address": "0.s2.0"},)
    example_program = "values"

    def answer(self, run: Run, other: Other) -> Answer[ValueSummary]:
        array, type = _tensor_of(other, self.address)
        return json_answer(computed_summary(self.address, array, type, run.language))


class OtherWindowQuestion(_Rectangle, _OtherValue, PairQuestion[bytes]):
    """A rectangle of a file's value, in the form of a window of the run's value."""

    path = "/comparison/value/window"
    examples = ({"other": "values:{file}", "address": "0.s2.0", **RECTANGLE},)
    example_program = "values"

    def answer(self, run: Run, other: Other) -> Answer[bytes]:
        return self.cut(*_tensor_of(other, self.address))
