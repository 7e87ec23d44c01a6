"""Findings of a recording: incorrect results of ops, and origins of non-finite values."""

from typing import Annotated

from annotated_types import Ge, Le

from hloscope.engine.debugger.grading import FindingReport

from ..present.findings import findings_json, origin_json
from ..runs.run import Run, kept
from ..wire.findings import FindingsInfo, OriginStop
from ..wire.questions import Answer, json_answer
from .question import Direction, NotRecorded, Process, RecordingQuestion, has_ended


class FindingsQuestion(RecordingQuestion[FindingsInfo]):
    """Findings in the recorded steps, one for each op and kind, and the steps to mark.

    The effects of bad elements are followed for some seconds; while the answer has a `rest`, `further` follows them for as
    long again.
    """

    path = "/findings"

    further: bool = False

    def answer(self, run: Run) -> Answer[FindingsInfo]:
        if run.replaying:
            raise NotRecorded
        report = report_of(run)
        if self.further and not report.complete:
            report.go_on()
        return json_answer(findings_json(report), final=has_ended(run) and report.complete)


class OriginQuestion(RecordingQuestion[OriginStop | None]):
    """The nearest step after or before `step` where a harmful NaN or infinity originates.

    Null if the process has none.
    """

    path = "/findings/origin"
    examples = ({"step": -1},)

    step: Annotated[int, Ge(-1), Le(2**53)]
    process: Process = 0
    direction: Direction = "forward"

    def answer(self, run: Run) -> Answer[OriginStop | None]:
        if run.replaying:
            raise NotRecorded
        found = report_of(run).origin(self.process, self.step, backwards=self.direction == "back")
        return json_answer(
            None if found is None else origin_json(run.recording, *found), final=has_ended(run)
        )


@kept
def report_of(run: Run) -> FindingReport:
    """The findings of the run, computed on the first request."""
    return FindingReport(run.recording)
