"""A recording as HTML: its errors, and the steps with pictures of their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import BadInput, Finding
from hloscope.engine.ir.types import TensorType
from hloscope.engine.remote_values import OnOtherHost

from ...present.html.markup import (
    MOST_CHARACTERS,
    Html,
    block,
    capped,
    code,
    cut,
    heading,
    line,
    row,
    shown,
    table,
    tag,
    void,
)
from ...present.html.pictures import strip
from ...present.summary import value_text
from ...runs.recorded.values import RecordedFrame, RecordedStep, RecordedValue

FIRST_STEPS, LAST_STEPS = 40, 10
MOST_FINDINGS = 20
MOST_PROCESSES = 16
MOST_ARGUMENTS = 20
SECONDS = 2.0
"""Time limit for pictures: those of dropped values need a run."""
GRADES = {"harmful": "does harm", "masked": "leaves nothing behind", "neutral": "is meant"}


def recording_html(
    recording: Recording, name: str, findings: Sequence[Finding], bad_inputs: Sequence[BadInput], rest: str
) -> str:
    """The outcome of a program's run, under its name; `rest`: what the findings leave open, as a sentence."""
    deadline = monotonic() + SECONDS
    grid = _grid(recording, deadline) if len(recording.tracks) > 1 else ()
    return shown(
        _title(recording, name),
        *_state(recording),
        *_findings(findings, bad_inputs),
        *([line(rest)] if rest else []),
        *grid,
        *_given(recording, deadline),
        *_steps(recording, deadline),
    )


def _title(recording: Recording, name: str) -> Html:
    count = sum(track.step_count for track in recording.tracks)
    steps = "1 step" if count == 1 else f"{count:,} steps"
    grid = f" of {len(recording.tracks)} processes" if len(recording.tracks) > 1 else ""
    of_name = "" if name == "<text>" else f" of {name}"
    return heading(f"Recording{of_name}, {steps}{grid}")


def _state(recording: Recording) -> Iterator[Html]:
    if recording.state.kind != "done":
        yield block(recording.state.describe(recording.program.module.source))


def _findings(findings: Sequence[Finding], bad_inputs: Sequence[BadInput]) -> Iterator[Html]:
    said = [
        tag("li", f"{finding.sentence} ({GRADES[finding.grade]})")
        for finding in findings
        if finding.grade != "neutral"
    ]
    said += [tag("li", given.sentence) for given in bad_inputs]
    if said:
        yield line(tag("strong", "Findings"))
        yield tag("ul", *said[:MOST_FINDINGS], style="margin:4px 0")
    if len(said) > MOST_FINDINGS:
        yield line(f"… and {len(said) - MOST_FINDINGS:,} more: recording.findings has them all.")


def _grid(recording: Recording, deadline: float) -> Iterator[Html]:
    """The outcome of each process of a grid."""
    rows = []
    for track in recording.tracks[:MOST_PROCESSES]:
        last = RecordedStep(recording, track.step_count - 1, track.number) if track.step_count else None
        cells = _picture_and_text(last.operands, deadline) if last is not None else ("", "")
        rows.append(row(f"{track.number}", f"{track.step_count:,}", *cells))
    yield table(("process", "steps", "read last", ""), rows, f"On {recording.grid}")
    if len(recording.tracks) > MOST_PROCESSES:
        yield line(f"… and {len(recording.tracks) - MOST_PROCESSES:,} processes more.")


def _given(recording: Recording, deadline: float) -> Iterator[Html]:
    """The arguments of the function, of process 0."""
    arguments = RecordedFrame(recording, 0).arguments
    kept = capped(
        (
            row(code(value.name), *_picture_and_text((value,), deadline))
            for value in arguments[:MOST_ARGUMENTS]
        ),
        MOST_CHARACTERS // 4,
    )
    if kept:
        yield table(("argument", "value", ""), kept)
    if len(arguments) > len(kept):
        yield line(f"… and {len(arguments) - len(kept):,} arguments more.")


def _steps(recording: Recording, deadline: float) -> Iterator[Html]:
    count = recording.tracks[0].step_count
    numbers: Sequence[int] = range(count)
    if count > FIRST_STEPS + LAST_STEPS:
        numbers = [*range(FIRST_STEPS), *range(count - LAST_STEPS, count)]
    kept = capped(
        (_row(RecordedStep(recording, number), deadline) for number in numbers), MOST_CHARACTERS // 2
    )
    caption = "Steps of process 0" if len(recording.tracks) > 1 else ""
    if kept:
        yield table(("step", "line", "op", "made", ""), kept, caption)
    if count > len(kept):
        yield line(
            f"{count - len(kept):,} more steps are not shown here: ",
            code("recording.show()"),
            " steps through all of them.",
        )


def _row(step: RecordedStep, deadline: float) -> Html:
    text = tag("span", code(cut(step.text)), *(() if step.source is None else (void("br"), step.source)))
    return row(f"{step.number:,}", f"{step.line}", text, *_picture_and_text(_made(step), deadline))


def _made(step: RecordedStep) -> Sequence[RecordedValue]:
    """The results of a step; none if the run ended within it."""
    is_over = step.recording.tracks[step.process].finish_of(step.number) is not None
    return step.results if is_over else ()


def _picture_and_text(values: Sequence[RecordedValue], deadline: float) -> tuple[Html, Html]:
    """A picture of the first value; the text counts the others."""
    if not values or monotonic() > deadline:
        return Html(""), Html("")
    value = values[0]
    type = value.recording.type_of(value.address)
    if not isinstance(type, TensorType):
        return Html(""), code(cut(value.type))
    try:
        array = value.numpy()
    except OnOtherHost as other:
        return Html(""), tag("span", f"on host {other.host}")
    text = value_text(array, type)
    more = f" and {len(values) - 1:,} more" if len(values) > 1 else ""
    return strip(array, f"picture of {text}") if array.ndim and array.size else Html(""), tag(
        "span", code(text), more
    )
