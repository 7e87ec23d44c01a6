"""What a worker answers about findings: what ops did wrong, and where the next value that is not finite was born."""

from __future__ import annotations

from hloscope.engine.debugger.grading import FindingReport

from ..present.findings import findings_json, origin_json
from ..runs.run import Run
from ..wire.findings import FindingsInfo, OriginStop
from ..wire.questions import Answer, FindingsQuestion, OriginQuestion
from .answer import NotRecorded, handler


def findings_of(run: Run, question: FindingsQuestion) -> Answer[FindingsInfo]:
    """The findings of a run, followed further where that is asked for."""
    if run.replaying:
        raise NotRecorded
    report = _report(run)
    if question.further and not report.complete:
        report.go_on()
    ended = run.recording.state.kind in ("done", "failed")
    return question.answer(findings_json(report), final=ended and report.complete)


def _origin(run: Run, question: OriginQuestion) -> Answer[OriginStop | None]:
    if run.replaying:
        raise NotRecorded
    found = _report(run).origin(question.process, question.step, backwards=question.direction == "back")
    ended = run.recording.state.kind in ("done", "failed")
    return question.answer(None if found is None else origin_json(run.recording, *found), final=ended)


def _report(run: Run) -> FindingReport:
    if run.report is None:
        run.report = FindingReport(run.recording)
    return run.report


HANDLERS = (handler(FindingsQuestion, findings_of), handler(OriginQuestion, _origin))
