"""Expressions over recorded values: their results, and the words of their language."""

from collections.abc import Sequence
from time import monotonic
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le, MaxLen, MinLen
from numpy.typing import NDArray

from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import FIELDS, FUNCTIONS, VARIABLES, Parsed, Value, evaluate, parse

from ..present.expression_results import CHECKED, fault_json, point_json, result_json
from ..runs.run import Run
from ..wire.expressions import CurveRange, ExpressionCurve, ExpressionLanguage, ExpressionResult
from ..wire.questions import Answer, json_answer
from .question import NotRecorded, Process, RecordingQuestion, Start, Step, has_ended

SECONDS = 0.5
"""Duration after which an answer evaluates no further expressions."""

CURVE_SECONDS = 0.2
"""Duration after which an answer ends a curve, to be continued."""
MOST_POINTS, MOST_PICTURES = 2_000, 64
"""Maximum number of points of a curve, and of pictures of tensors."""

Expression = Annotated[str, MaxLen(1_000)]


class EvaluateQuestion(RecordingQuestion[list[ExpressionResult | None]]):
    """The results of expressions at a step, before its op runs; an error is a result with its position.

    Without a step, expressions are only checked. The answer stops after half a second: the rest are null.
    """

    path = "/evaluate"
    examples = ({"expression": "max(%0) - 1", "step": 2}, {"expression": "max(%0"})

    expression: Annotated[list[Expression], MinLen(1), MaxLen(16)]
    process: Process = 0
    step: Annotated[int | None, Ge(0), Le(2**53)] = None

    def answer(self, run: Run) -> Answer[list[ExpressionResult | None]]:
        place = None if self.step is None else location_at(run, self.process, self.step)
        end, found = monotonic() + SECONDS, list[ExpressionResult | None]()
        for text in self.expression:
            found.append(_result(run, text, place) if not found or monotonic() < end else None)
        return json_answer(found, final=None not in found and (place is None or has_ended(run)))


def location_at(run: Run, process: int, step: int) -> RunLocation:
    """Step `step` of a process, or the end of its run; raises `NotRecorded`."""
    if process >= len(run.recording.tracks) or step > run.recording.tracks[process].step_count:
        raise NotRecorded
    return RunLocation(run.recording, process, step)


class CurveQuestion(RecordingQuestion[ExpressionCurve]):
    """An expression at the end of each iteration of a loop, before each execution of an op, or in each process.

    At most 2,000 numbers or 64 pictures of tensors, evenly spread over all steps. An answer takes a fifth of a second;
    `next` says where to continue.
    """

    path = "/evaluate/curve"
    examples = ({"expression": "max(result)", "step": 2, "over": "executions"},)

    expression: Expression
    over: CurveRange
    step: Step
    process: Process = 0
    start: Start = 0

    def answer(self, run: Run) -> Answer[ExpressionCurve]:
        place, end = location_at(run, self.process, self.step), monotonic() + CURVE_SECONDS
        found: ExpressionCurve = {"points": [], "count": 0, "total": 0, "next": None, "fault": None}
        try:
            parsed = parse(self.expression, run.recording.program.derive(values_by_name))
            steps = self._steps(place)
        except ExpressionError as error:
            found["fault"] = fault_json(error, is_form=True)
            return json_answer(found, final=False)
        most = MOST_PICTURES if isinstance(_value(parsed, place), np.ndarray) else MOST_POINTS
        chosen = _spread(len(steps), most)
        found["total"], found["count"] = len(steps), len(chosen)
        for point in range(self.start, len(chosen)):
            at, number = self._point(place, int(steps[chosen[point]]), chosen[point])
            found["points"].append(point_json(at, number, _value(parsed, at)))
            if monotonic() > end and point + 1 < len(chosen):
                found["next"] = point + 1
                break
        return json_answer(found, final=has_ended(run))

    def _steps(self, place: RunLocation) -> Sequence[int] | NDArray[np.intp]:
        """The steps of the curve, or the processes; `ExpressionError` if there are none."""
        if self.over == "processes":
            return range(len(place.recording.tracks))
        if place.at_end:
            raise ExpressionError("the run has ended here", hint="Go to a step.")
        steps = place.executions() if self.over == "executions" else place.iterations()
        if not len(steps):
            raise ExpressionError("the current op is in no loop", hint="Go into a loop.")
        return steps

    def _point(self, place: RunLocation, step: int, number: int) -> tuple[RunLocation, int]:
        """The location of a point, and its number."""
        if self.over == "processes":
            return place.elsewhere(step), step
        at = RunLocation(place.recording, place.process, step)
        return at, at.iteration if self.over == "iterations" else number


def _value(parsed: Parsed, place: RunLocation) -> Value | ExpressionError:
    try:
        return evaluate(parsed, place)
    except ExpressionError as error:
        return error


def _spread(count: int, most: int) -> Sequence[int]:
    """At most `most` of `count` numbers, evenly spread, with the first and the last."""
    if count <= most:
        return range(count)
    return [at * (count - 1) // (most - 1) for at in range(most)]


def _result(run: Run, text: str, place: RunLocation | None) -> ExpressionResult:
    try:
        parsed = parse(text, run.recording.program.derive(values_by_name))
    except ExpressionError as error:
        return fault_json(error, is_form=True)
    if place is None:
        return CHECKED
    found = _value(parsed, place)
    return fault_json(found, is_form=False) if isinstance(found, ExpressionError) else result_json(found)


class LanguageQuestion(RecordingQuestion[ExpressionLanguage]):
    """The functions, variables and fields of expressions, for completion."""

    path = "/expression-language"

    def answer(self, run: Run) -> Answer[ExpressionLanguage]:
        return json_answer(
            {
                "functions": [{"name": name, "meaning": found.meaning} for name, found in FUNCTIONS.items()],
                "variables": [{"name": name, "meaning": meaning} for name, meaning in VARIABLES.items()],
                "fields": [{"name": name, "meaning": meaning} for name, meaning in FIELDS.items()],
            }
        )
