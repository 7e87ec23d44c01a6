"""Findings names the op at fault first in every program with a planted fault, and nothing in its twin without it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import Finding

from .planted import Planted, planted_programs

PROGRAMS = tuple(planted_programs())


def harmful(recording: Recording) -> list[Finding]:
    """What is found that does harm, in the order in which it was found."""
    return [found for found in FindingReport(recording).findings if found.grade == "harmful"]


def line_of(recording: Recording, finding: Finding) -> int:
    """The line of the op that a finding names."""
    span = recording.program.ops[finding.op].operation.span
    return recording.program.module.source.line_and_column(span.start)[0]


@pytest.mark.parametrize("planted", PROGRAMS, ids=lambda planted: planted.name)
def test_the_twins_differ_and_have_lines_of_the_same_numbers(planted: Planted) -> None:
    faulty, sound = planted.text("faulty").split("\n"), planted.text("sound").split("\n")
    assert len(faulty) == len(sound)
    assert faulty != sound or planted.inputs("faulty") != planted.inputs("sound")
    assert faulty[planted.faulty_line - 1]


def test_findings_names_every_planted_fault_first_and_nothing_in_the_twins(
    record_property: Callable[[str, object], None],
) -> None:
    missed, alarms = [], []
    for planted in PROGRAMS:
        recording = planted.record("faulty")
        found = harmful(recording)
        if not found or line_of(recording, found[0]) != planted.faulty_line:
            missed.append((planted.name, [finding.sentence for finding in found]))
        if found := harmful(planted.record("sound")):
            alarms.append((planted.name, [finding.sentence for finding in found]))
    count = len(PROGRAMS)
    silent = count - len(alarms)
    line = f"planted faults: {count - len(missed)} of {count} named first, {silent} of {count} twins without a finding"
    record_property("measured", line)
    assert not missed
    assert not alarms
    assert count >= 30
