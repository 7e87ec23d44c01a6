"""Expressions over recorded values: their results, and the words of their language."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen

from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import FIELDS, FUNCTIONS, VARIABLES, evaluate, parse

from ..present.expression_results import CHECKED, fault_json, result_json
from ..runs.run import Run
from ..wire.expressions import ExpressionLanguage, ExpressionResult
from ..wire.questions import Answer, json_answer
from .question import NotRecorded, Process, RecordingQuestion, has_ended

SECONDS = 0.5
"""Duration after which an answer evaluates no further expressions."""

Expression = Annotated[str, MaxLen(1_000)]


@dataclass(frozen=True)
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


def _result(run: Run, text: str, place: RunLocation | None) -> ExpressionResult:
    try:
        parsed = parse(text, run.recording.program.derive(values_by_name))
    except ExpressionError as error:
        return fault_json(error, is_form=True)
    if place is None:
        return CHECKED
    try:
        return result_json(evaluate(parsed, place))
    except ExpressionError as error:
        return fault_json(error, is_form=False)


@dataclass(frozen=True)
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


QUESTIONS = (EvaluateQuestion, LanguageQuestion)
