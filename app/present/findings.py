"""Findings as JSON."""

from typing import Any

from hloscope.engine.debugger.grading import FindingReport, fault_address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import KINDS, BadInput, Finding, Occurrence, fault_words

from ..wire.encoding import encoded
from ..wire.findings import BadInputInfo, FindingCause, FindingInfo, FindingMark, FindingsInfo, OriginStop


def findings_json(report: FindingReport) -> FindingsInfo:
    """All findings with the steps to mark, and the inputs that contain NaN or infinities."""
    recording, findings = report.recording, report.findings
    marks = [
        mark_json(recording, number, finding, occurrence)
        for number, finding in enumerate(findings)
        for occurrence in finding.occurrences
    ]
    marks.sort(key=lambda mark: (mark["process"], mark["step"]))
    return {
        "findings": [_finding(recording, number, finding) for number, finding in enumerate(findings)],
        "inputs": [bad_input_json(found) for found in report.bad_inputs],
        "marks": marks,
        "found": recording.finding_count,
        "steps": recording.step_count,
        "rest": report.rest,
        "elsewhere": report.elsewhere,
    }


def bad_input_json(found: BadInput) -> BadInputInfo:
    """An input that contains NaN or infinities."""
    return encoded(BadInputInfo, found)


def _finding(recording: Recording, number: int, finding: Finding) -> FindingInfo:
    return encoded(
        FindingInfo,
        finding,
        op_name=recording.program.ops[finding.op].operation.name,
        title=KINDS[finding.kind].title,
        first=mark_json(recording, number, finding, finding.first),
        worst=mark_json(recording, number, finding, finding.worst),
        cause=None if finding.cause is None else encoded(FindingCause, finding.cause),
    )


def finding_line(recording: Recording, finding: Finding) -> dict[str, Any]:
    """A finding as a member of the command line's JSON lines."""
    first = finding.first
    return {
        "line": recording.program.line_of(finding.op),
        "op": recording.program.ops[finding.op].operation.name,
        "kind": finding.kind,
        "grade": finding.grade,
        "followed": finding.followed,
        "count": finding.count,
        "process": first.process,
        "step": first.step,
        "address": str(fault_address(recording, finding.op, first)),
        "elements": first.fault.elements,
        "size": first.fault.size,
        "index": list(first.fault.index),
        "sentence": finding.sentence,
    }


def mark_json(recording: Recording, number: int, finding: Finding, occurrence: Occurrence) -> FindingMark:
    """A step that a finding marks."""
    fault = occurrence.fault
    return encoded(
        FindingMark,
        occurrence,
        finding=number,
        tick=recording.tracks[occurrence.process].tick_of(occurrence.step),
        elements=fault.elements,
        size=fault.size,
        address=str(fault_address(recording, finding.op, occurrence)),
        index=fault.index,
        words=fault_words(fault),
    )


def origin_json(recording: Recording, number: int, finding: Finding, occurrence: Occurrence) -> OriginStop:
    """A step in which a NaN or an infinity of finding `number` originated."""
    address = str(fault_address(recording, finding.op, occurrence))
    index, sentence = occurrence.fault.index, finding.sentence
    return encoded(OriginStop, occurrence, finding=number, address=address, index=index, sentence=sentence)
