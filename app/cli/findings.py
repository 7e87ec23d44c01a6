"""`hloscope findings`: report errors of ops in a run, mainly origins of NaN and infinities."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import BadInput, Finding

from ..base.failure import WRONG
from ..base.settings import Settings
from ..comparing.on_device import device_run
from ..present.findings import bad_input_json, finding_line
from ..runs.chunks.outcome import Outcome
from ..runs.chunks.planning import print_runs
from .options import add_grid, add_inputs, add_on, add_programs, add_settings, duration, with_executor

MOST_HARMS = 3
"""Maximum number of findings that `hloscope run` lists."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    add_inputs(command)
    add_grid(command)
    add_on(command)
    command.add_argument(
        "--seconds",
        type=duration,
        default=0.0,
        metavar="N",
        help="time limit for grading the findings as harmful or harmless (default: a few seconds)",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the findings of a run of each program; a harmful one counts as a program error.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, with `findings`, and the
    `inputs` that are not finite.
    """
    find = partial(_find, seconds=options.seconds)
    return print_runs(options, settings, find, lambda plan: with_executor(plan, options))


def _find(recording: Recording, outcome: Outcome, *, seconds: float) -> tuple[Outcome, Sequence[str]]:
    report = FindingReport(recording)
    report.follow(seconds)
    found, given = report.findings, report.bad_inputs
    device = device_run(recording)
    made = device.json() if device is not None else {}
    outcome = replace(outcome, about={**outcome.about, **made, **_json(recording, found, given)})
    if not outcome.code and "harmful" in (*(each.grade for each in found), *(each.grade for each in given)):
        outcome = replace(outcome, status="failed", code=WRONG)
    lines = [*device.lines()] if device is not None else []
    lines += [f"{each.grade}: {each.sentence}" for each in given]
    lines += [_line(finding) for finding in found]
    lines += [f"{report.rest}; --seconds N raises the limit"] if report.rest else []
    lines += (
        []
        if found or given or report.rest
        else [f"nothing found{' before the run stopped' if outcome.code else ''}"]
    )
    return outcome, [f"{outcome.chunk.source.name}: {line}" for line in lines]


@dataclass(frozen=True)
class Harms:
    """The harm in a run: the inputs that are not finite, and the harmful findings in order."""

    inputs: tuple[BadInput, ...] = ()
    findings: tuple[Finding, ...] = ()
    rest: str = ""
    """The findings that were not followed to the end for lack of time."""

    def lines(self, name: str) -> list[str]:
        """One line for each of the first, and the count of the rest; `name` is the program's."""
        sentences = [each.sentence for each in self.inputs] + [each.sentence for each in self.findings]
        lines = [f"{name}: {sentence}" for sentence in sentences[:MOST_HARMS]]
        more = len(sentences) - MOST_HARMS
        lines += [f"{name}: {more:,} more (hloscope findings lists them)"] if more > 0 else []
        return [*lines, f"{name}: {self.rest} (hloscope findings --seconds N)"] if self.rest else lines

    def json(self, recording: Recording) -> dict[str, Any]:
        """The fields of a JSON line."""
        found = _json(recording, self.findings, self.inputs)
        return {name: items for name, items in found.items() if items}


def harms(recording: Recording) -> Harms:
    """The harm in a run that has ended."""
    report = FindingReport(recording)
    if not report.may_find:
        return Harms()
    return Harms(
        tuple(each for each in report.bad_inputs if each.grade == "harmful"),
        tuple(each for each in report.findings if each.grade == "harmful"),
        report.rest,
    )


def _json(
    recording: Recording, findings: Sequence[Finding], inputs: Sequence[BadInput]
) -> dict[str, list[Any]]:
    """The fields of a JSON line."""
    return {
        "findings": [finding_line(recording, each) for each in findings],
        "inputs": [bad_input_json(each) for each in inputs],
    }


def _line(finding: Finding) -> str:
    times = f", in {finding.count:,} steps" if finding.count > 1 else ""
    short = "" if finding.followed else " (not followed to the end)"
    return f"{finding.grade}: {finding.sentence}{times}{short}"
