"""Findings that are not followed to the end: they are marked, count as harmful, and can be followed further."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings.sentences import rest_sentence

from .finding import KEPT, LENGTH, LOST, recorded, slow_down

F32 = np.float32


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make grading slow."""
    slow_down(monkeypatch)


def report_of(text: str) -> FindingReport:
    recording: Recording = recorded(text, np.array([100, 1], F32))
    return FindingReport(recording)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(("text", "grade"), [(LOST, "masked"), (KEPT, "harmful")])
def test_what_is_not_followed_counts_as_harmful_until_it_is(text: str, grade: str) -> None:
    report = report_of(text)
    (finding,) = report.findings
    assert (finding.grade, finding.followed, report.complete) == ("harmful", False, False)
    rounds = 0
    while not report.complete:
        rounds += 1
        assert rounds < LENGTH, "a search goes on where it has stopped, and so it ends"
        report.go_on()
    (finding,) = report.findings
    assert (finding.grade, finding.followed) == (grade, True)
    assert rounds > 3


@pytest.mark.usefixtures("slow")
def test_it_is_said_what_there_was_no_time_for() -> None:
    report = report_of(LOST)
    assert (
        report.rest == "1 finding was not followed to the end, so that it is not known whether it does harm"
    )
    report.follow(60)
    assert report.rest == ""
    assert (
        rest_sentence(2, 0)
        == "2 findings were not followed to the end, so that it is not known whether they do harm"
    )
    assert rest_sentence(0, 3) == "3 values were not compared between processes"


@pytest.mark.usefixtures("slow")
def test_what_is_known_is_not_followed_again() -> None:
    report = report_of(KEPT)
    while not report.complete:
        report.go_on()
    known = report.findings
    report.go_on()
    assert report.findings == known
    assert report.complete


@pytest.mark.usefixtures("slow")
def test_inputs_are_followed_within_the_same_time() -> None:
    report = FindingReport(recorded(LOST, np.array([np.inf, 1], F32)))
    (given,) = report.bad_inputs
    assert (given.grade, given.followed, report.complete) == ("harmful", False, False)
    while not report.complete:
        report.go_on()
    (given,) = report.bad_inputs
    assert (given.grade, given.followed) == ("neutral", True)


def test_without_a_limit_in_the_way_all_is_followed() -> None:
    report = report_of(LOST)
    assert [(finding.grade, finding.followed) for finding in report.findings] == [("masked", True)]
    assert report.complete
