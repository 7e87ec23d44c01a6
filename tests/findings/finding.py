"""Helpers: recorded programs, and their findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import hloscope
from hloscope.engine.debugger.grading import FindingReport, grader, harm
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import Finding
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from tests.debugger import programs


def recorded(text: str, *inputs: Any, limits: Limits = DEFAULT_LIMITS) -> Recording:
    """The recording of a program that ran to its end."""
    return programs.recorded(hloscope.parse(text), inputs, limits)


def found(text: str, *inputs: Any) -> tuple[Finding, ...]:
    """All findings of a run of a program."""
    return FindingReport(recorded(text, *inputs)).findings


def sentences(findings: Sequence[Finding]) -> list[str]:
    """The sentence of each finding, with its grade."""
    return [f"{finding.grade}: {finding.sentence}" for finding in findings]


class _SlowClock:
    """A clock that advances by a quarter of a second each time it is read."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 0.25
        return self.now


def slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a search for harm time for a few values only."""
    time = _SlowClock()
    monkeypatch.setattr(grader, "perf_counter", time)
    monkeypatch.setattr(harm, "perf_counter", time)


LENGTH = 40


def chain(end: str, last: str = "negate") -> str:
    """A program that passes the exponential of an input on through many ops, the last of which is `end`."""
    names = ["negate"] * (LENGTH - 1) + [last]
    steps = "\n".join(f"  %v{k + 1} = stablehlo.{name} %v{k} : tensor<2xf32>" for k, name in enumerate(names))
    return f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %zeros = stablehlo.constant dense<0.0> : tensor<2xf32>
  %v0 = stablehlo.exponential %x : tensor<2xf32>
{steps}
  %end = stablehlo.{end} %v{LENGTH}, %zeros : tensor<2xf32>
  return %end : tensor<2xf32>
}}"""


LOST, KEPT = chain("minimum", last="abs"), chain("add")
"""An infinity that is absorbed at the end, and one that reaches the result."""
