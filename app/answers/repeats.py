"""What a poll about a value covers: the value, and those that repeat it."""

from collections.abc import Sequence

import numpy as np

from ..present.repeats import Number, alike, find_repeats
from ..runs.run import Run
from ..wire.encoding import encoded
from ..wire.questions import Answer, json_answer
from ..wire.rooms import PollBeyond, PollCover
from .question import NotRecorded, RecordingQuestion, address_at
from .values import is_derived, tensor_at


class RepeatsQuestion(RecordingQuestion[PollCover]):
    """The values that show an element of a value, which may be computed from recorded ones."""

    address: str
    element: Sequence[int]

    def answer(self, run: Run) -> Answer[PollCover]:
        if run.replaying:
            raise NotRecorded
        element = tuple(self.element)
        array, _ = tensor_at(run, self.address)
        asked = [] if is_derived(self.address) else [*alike(run.recording, address_at(self.address), element)]
        found = find_repeats(run.recording, asked, Number.of(np.asarray(array[element]), None))
        cover: PollCover = {
            "addresses": [str(address) for address in (*asked, *found.addresses)],
            "beyond": [encoded(PollBeyond, each) for each in found.beyond],
        }
        return json_answer(cover, final=not found.beyond)
