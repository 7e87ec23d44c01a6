"""The precision of a recording: its errors against the same run in more digits."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from hloscope.engine.debugger.recording import Recording

from ..present.precision import Precision
from ..runs.run import Run
from ..wire.precision import PrecisionInfo
from ..wire.questions import Answer, json_answer
from .question import NotRecorded, RecordingQuestion, has_ended

SECONDS = 1.0
"""Maximum duration of one slice of the run in more digits; the next request continues it."""
_KNOWN: WeakKeyDictionary[Recording, Precision] = WeakKeyDictionary()


@dataclass(frozen=True)
class PrecisionQuestion(RecordingQuestion[PrecisionInfo]):
    """The errors of a run against the same run in more digits, by op, as far as computed; repeat it until `done`.

    The run in more digits (f64; 80-bit floats for f64) takes the decisions of the run: its integers, booleans and rounding to
    integers. Errors are relative to the whole of a value.
    """

    path = "/precision"

    def answer(self, run: Run) -> Answer[PrecisionInfo]:
        if run.replaying or not has_ended(run):
            raise NotRecorded
        found = _KNOWN.setdefault(run.recording, Precision(run.recording))
        found.go_on(SECONDS)
        return json_answer(found.json(), final=found.done)


QUESTIONS = (PrecisionQuestion,)
