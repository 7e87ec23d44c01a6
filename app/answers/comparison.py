"""What a worker answers about two runs of a session: their values in pairs, steps that belong together, differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.comparison.elements import distance
from hloscope.engine.ir.element_types import F64
from hloscope.engine.ir.types import TensorType

from .. import present
from ..present.comparison import joint_range
from ..present.elements import Array, as_numbers
from ..present.run_comparison import (
    comparison_rows,
    comparison_sentence,
    counts_of,
    execution_rows,
    row_of_first,
)
from ..runs.other_values import OtherValues, ValuesPair
from ..runs.run import Run
from ..runs.run_pair import RunPair
from ..wire.pair_questions import (
    ComparisonQuestion,
    DifferenceQuestion,
    DifferenceWindowQuestion,
    MatchedStepQuestion,
    OtherValueQuestion,
    OtherWindowQuestion,
    PairQuestion,
)
from ..wire.questions import Answer
from ..wire.run_comparison import DifferenceInfo, MatchedStep, RunsCompared
from ..wire.values import ValueSummary
from .answer import BadQuestion, NotRecorded, address_at, tensor_at

A = TypeVar("A")
Other = Run | OtherValues
"""What a run is compared with."""
SECONDS = 1.5
"""The longest that a comparison may keep others waiting: it goes on when it is asked for again."""
MOST_ROWS = 2_000
"""Rows in one answer."""


def answer_of_two(run: Run, other: Other, question: PairQuestion[A]) -> Answer[A]:
    """The answer to a question about two runs."""
    try:
        return HANDLERS[type(question)](run, other, question)
    except (KeyError, IndexError) as error:
        raise NotRecorded from error
    except present.WindowError as error:
        raise BadQuestion(str(error)) from None


def _comparison(run: Run, other: Other, question: ComparisonQuestion) -> Answer[RunsCompared]:
    tolerance = _tolerance(question)
    pair = _pair(run, other, tolerance)
    pair.go_on(SECONDS)
    found, runs = pair.so_far(), (run.recording, other.recording)
    same = pair.same_program
    rows = comparison_rows(runs, found.values, pair.matching, same_program=same)
    first, counts = row_of_first(rows, found.first), counts_of(rows)
    if question.op is not None:
        chosen = [value for value in found.values if value.op == question.op]
        rows = execution_rows(runs, chosen, pair.matching, same_program=same)
        first = None
    start, limit = question.start, min(question.limit, MOST_ROWS)
    told: RunsCompared = {
        "sentence": comparison_sentence(
            runs, found, ended=pair.ended, confirmed=tolerance is None and _is_confirmed(other)
        ),
        "first": first,
        "rows": rows[start : start + limit],
        "start": start,
        "total": len(rows),
        "counts": counts,
        "compared": len(found.values),
        "done": pair.ended,
        "origin": other.about if isinstance(other, OtherValues) else None,
    }
    return question.answer(told, final=pair.ended and _over(run) and _over(other))


def _is_confirmed(other: Other) -> bool:
    return isinstance(other, OtherValues) and other.about["confirmed"]


def _tolerance(question: ComparisonQuestion) -> Tolerance | None:
    if question.absolute is None and question.relative is None:
        return None
    return Tolerance(question.absolute or 0.0, question.relative or 0.0)


def _pair(run: Run, other: Other, tolerance: Tolerance | None) -> RunPair:
    """What is found of the pair so far; begun anew where more is recorded than before."""
    if run.replaying or other.replaying:
        raise NotRecorded
    name = (other.key, tolerance, run.step_count, other.step_count, _over(run), _over(other))
    if run.pair is None or run.pair[0] != name:
        pair = (
            ValuesPair(run.recording, other, tolerance)
            if isinstance(other, OtherValues)
            else RunPair(run.recording, other.recording, tolerance)
        )
        run.pair = (name, pair)
    return run.pair[1]


def _over(run: Other) -> bool:
    return run.recording.state.kind in ("done", "failed")


def _matched_step(run: Run, other: Other, question: MatchedStepQuestion) -> Answer[MatchedStep]:
    pair, process, back = _steps_pair(run, other), question.process, question.side == "after"
    found = pair.step_of(process, question.step, back=back)
    there = run.recording if back else other.recording
    told: MatchedStep = {
        "step": found.step, "process": process, "exact": found.exact, "name": "", "spelled": "", "line": 0,
    }  # fmt: skip
    if found.step is not None and found.step < there.tracks[process].step_count:
        bound = there.program.ops[there.tracks[process].op_of(found.step)]
        told["name"] = there.program.values[bound.results[0]].name if bound.results else ""
        told["spelled"] = bound.operation.spelled
        told["line"] = there.program.line_of(bound.id)
    return question.answer(told, final=_over(run) and _over(other))


def _steps_pair(run: Run, other: Other) -> RunPair:
    """Whichever comparison of the two there is: all match alike."""
    if run.pair is not None and run.pair[1].after is other.recording and run.pair[0][0] == other.key:
        return run.pair[1]
    return _pair(run, other, None)


def _difference(run: Run, other: Other, question: DifferenceQuestion) -> Answer[DifferenceInfo]:
    array, type = _distance(run, other, question.before, question.after)
    values = [tensor_at(run, question.before)[0], _tensor_of(other, question.after)[0]]
    told: DifferenceInfo = {
        "distance": present.value_summary(question.before, array, type),
        "range": joint_range(values),
    }
    return question.answer(told)


def _difference_window(run: Run, other: Other, question: DifferenceWindowQuestion) -> Answer[bytes]:
    array, type = _distance(run, other, question.before, question.after)
    window = present.Window.parse(
        question.rows, question.columns, question.at, question.start, question.size, question.level
    )
    return question.answer(present.window_bytes(array, type, window))


def _distance(run: Run, other: Other, before: str, after: str) -> tuple[Array, TensorType]:
    """How far two values are apart, element by element, as f64."""
    name = (other.key, before, after)
    if run.distance is None or run.distance[0] != name:
        run.distance = (name, _apart(tensor_at(run, before)[0], _tensor_of(other, after)[0]))
    array = run.distance[1]
    return array, TensorType(array.shape, F64)


def _tensor_of(other: Other, text: str) -> tuple[Array, TensorType]:
    """The value of what a run is compared with, and its type."""
    if isinstance(other, OtherValues):
        return other.tensor(address_at(text))
    return tensor_at(other, text)


def _other_value(_: Run, other: Other, question: OtherValueQuestion) -> Answer[ValueSummary]:
    array, type = _tensor_of(other, question.address)
    return question.answer(present.value_summary(question.address, array, type))


def _other_window(_: Run, other: Other, question: OtherWindowQuestion) -> Answer[bytes]:
    array, type = _tensor_of(other, question.address)
    window = present.Window.parse(
        question.rows, question.columns, question.at, question.start, question.size, question.level
    )
    return question.answer(present.window_bytes(array, type, window))


def _apart(before: Array, after: Array) -> Array:
    if before.shape != after.shape:
        raise BadQuestion(
            f"The values have the shapes {list(before.shape)} and {list(after.shape)}: there are no elements to compare."
        )
    if before.dtype != after.dtype:
        before, after = (as_numbers(value).astype(np.float64) for value in (before, after))
    return distance(before, after).reshape(before.shape)


HANDLERS: Mapping[type[PairQuestion[Any]], Callable[[Run, Other, Any], Answer[Any]]] = {
    ComparisonQuestion: _comparison,
    MatchedStepQuestion: _matched_step,
    DifferenceQuestion: _difference,
    DifferenceWindowQuestion: _difference_window,
    OtherValueQuestion: _other_value,
    OtherWindowQuestion: _other_window,
}
