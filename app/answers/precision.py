"""The precision of a recording: its errors against the same run in more digits."""

from typing import Literal

from hloscope.engine.comparison.shadow import Shadow

from ..present.precision import Precision
from ..runs.run import Run, kept
from ..wire.precision import PrecisionInfo
from ..wire.questions import Answer, json_answer
from .question import NotRecorded, RecordingQuestion, has_ended

WhatIf = Literal["", "bf16", "f16", "f8E4M3FN", "f8E5M2"]
SECONDS = 1.0
"""Maximum duration of one slice of the run in more digits; the next request continues it."""


class PrecisionQuestion(RecordingQuestion[PrecisionInfo]):
    """The errors of a run against the same run in more digits, by op, as far as computed; repeat it until `done`.

    The run in more digits (f64; 80-bit floats for f64) takes the decisions of the run: its integers, booleans and rounding to
    integers. Errors are relative to the whole of a value. `what_if`: a narrower type, of which `trials` says what the results would be
    if all ops, or one alone, rounded to it.
    """

    path = "/precision"

    what_if: WhatIf = ""

    def answer(self, run: Run) -> Answer[PrecisionInfo]:
        if run.replaying or not has_ended(run):
            raise NotRecorded
        found = _known(run).setdefault(self.what_if, Precision(run.recording, self.what_if))
        found.go_on(SECONDS)
        return json_answer(found.json(), final=found.done)


@kept
def _known(run: Run) -> dict[str, Precision]:
    """What is computed so far, by `what_if`."""
    return {}


def shadow_of(run: Run) -> Shadow | str:
    """The run in more digits, if it has been computed; else the reason why there is none."""
    known = [found for found in _known(run).values() if found.done]
    if not known:
        return "The lost digits are unknown until the program has run in more digits: see Precision."
    return known[0].shadow or known[0].problem
