"""What a worker answers about findings: what ops did wrong, and where the next value that is not finite was born."""

from __future__ import annotations

from hloscope.engine.debugger.grading import FindingReport

from ..present.findings import findings_json, origin_json
from ..runs.run import Run
from ..wire.findings import FindingsInfo, OriginStop
from ..wire.questions import Answer, FindingsQuestion, OriginQuestion
from .answer import NotRecorded, handler


def _findings(run: Run, question: FindingsQuestion) -> Answer[FindingsInfo]:
    if run.replaying:
        raise NotRecorded
    ended = run.recording.state.kind in ("done", "failed")
    report = _report(run)
    found = findings_json(run.recording, report.findings, report.bad_inputs)
    return question.answer(found, final=ended)


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


HANDLERS = (handler(FindingsQuestion, _findings), handler(OriginQuestion, _origin))
