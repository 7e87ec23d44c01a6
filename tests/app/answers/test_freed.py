"""A run that a worker closes is freed with all that was computed of it."""

import gc
from typing import Any
from weakref import ref

import numpy as np

from hloscope.app.answers.findings import FindingsQuestion
from hloscope.app.answers.index_maps import MapsQuestion
from hloscope.app.answers.memory import MemoryQuestion
from hloscope.app.answers.precision import PrecisionQuestion
from hloscope.app.answers.question import RecordingQuestion, answer
from hloscope.app.answers.search import SearchQuestion
from hloscope.app.runs.run import Run
from tests.debugger.programs import CALLS, recorded


def test_nothing_that_was_computed_of_a_run_outlives_it() -> None:
    run = Run("key", recorded(CALLS, [np.ones(4, np.float32)]))
    questions: list[RecordingQuestion[Any]] = [
        MapsQuestion(0),
        PrecisionQuestion(),
        MemoryQuestion(),
        FindingsQuestion(),
        SearchQuestion("any"),
    ]
    for question in questions:
        answer(run, question)
    freed = ref(run.recording)
    del run
    gc.collect()
    assert freed() is None
