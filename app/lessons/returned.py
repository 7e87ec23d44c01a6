"""What a student's program returns, beside what the solution returns: with the lesson's inputs, never with hidden ones."""

from __future__ import annotations

import numpy as np

from hloscope.engine.debugger.track import Track
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..present.numbers import exact_number
from ..wire.lessons import ChangeResult, PicturedValue, ReturnedValue
from .changes import check_change, is_same
from .runs import Bounds, Recorded, record
from .tree import Change, Program

MOST_PICTURED = 400
"""Maximum number of elements of a result that is drawn."""


def judge_program(program: Program, text: str, change: Change, bounds: Bounds) -> ChangeResult:
    """Whether `text` in place of a lesson's program passes, and what it returns."""
    return {
        **check_change(program, text, change, bounds),
        "returned": returned_values(program, text, change, bounds),
    }


def returned_values(program: Program, text: str, change: Change, bounds: Bounds) -> list[ReturnedValue]:
    """The small results of `text` in place of a lesson's program; expected ones if the exercise compares results."""
    ours = _results(record(program, bounds, text), change.process)
    theirs = (
        _results(record(program, bounds, change.solution_text), change.process) if change.compares else ()
    )
    return [
        _returned(value, theirs[number] if number < len(theirs) else None)
        for number, value in enumerate(ours)
        if value.size <= MOST_PICTURED
    ]


def _results(found: Recorded, process: int) -> tuple[Array, ...]:
    tracks: list[Track] = [] if found.recording is None else list(found.recording.tracks)
    return (tracks[process].results() or ()) if process < len(tracks) else ()


def _returned(value: Array, wanted: Array | None) -> ReturnedValue:
    is_pictured = wanted is not None and wanted.size <= MOST_PICTURED
    return {
        "given": _pictured(value),
        "expected": _pictured(wanted) if wanted is not None and is_pictured else None,
        "differs": _differing(value, wanted) if wanted is not None and is_pictured else [],
    }


def _differing(value: Array, wanted: Array) -> list[int]:
    """The elements that differ, in row-major order; none where shapes or types differ, as then all do."""
    if value.dtype != wanted.dtype or value.shape != wanted.shape or is_same(value, wanted):
        return []
    pairs = zip(value.reshape(-1), wanted.reshape(-1), strict=True)
    return [
        at for at, (given, other) in enumerate(pairs) if not is_same(np.asarray(given), np.asarray(other))
    ]


def _pictured(value: Array) -> PicturedValue:
    element = of_dtype(value.dtype)
    assert element is not None
    return {
        "type": str(TensorType(value.shape, element)),
        "shape": list(value.shape),
        "elements": [exact_number(each) for each in value.reshape(-1)],
    }
