"""Programs that are recorded, and what was found in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import hloscope
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import Finding
from hloscope.engine.limits import DEFAULT_LIMITS, Limits


def recorded(text: str, *inputs: Any, limits: Limits = DEFAULT_LIMITS) -> Recording:
    """A program, run to its end."""
    recording = Recording(hloscope.parse(text), [np.asarray(given) for given in inputs], limits)
    recording.record()
    assert recording.state.kind == "done", recording.state
    return recording


def found(text: str, *inputs: Any) -> tuple[Finding, ...]:
    """All that is found in a run of a program."""
    return FindingReport(recorded(text, *inputs)).findings


def sentences(findings: Sequence[Finding]) -> list[str]:
    """What is said of each, with its grade."""
    return [f"{finding.grade}: {finding.sentence}" for finding in findings]
