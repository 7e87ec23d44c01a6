"""Runs the examples of the gallery and writes a small picture of what each computes, for their cards.

`python -m tests.example_pictures` writes `app/reference/examples/pictures.json` anew: the server reads it, and runs nothing.
"""

from __future__ import annotations

import json
from collections import Counter

import numpy as np

from hloscope.app.present.summary import thumbnail
from hloscope.app.reference.examples import PICTURES, Example, examples
from hloscope.app.wire.values import ThumbnailInfo
from hloscope.engine.debugger import address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.value_facts import HEIGHT, WIDTH
from tests.programs import opened
from tests.server_process import ROOT

FEWEST = 6
"""Elements that make a picture."""


def recorded(example: Example) -> Recording:
    """A whole run of an example, on its own inputs."""
    recording = opened(example.text, example.file)
    recording.record()
    return recording


def telling_value(recording: Recording) -> Array:
    """The first result of some elements, with a pixel each if possible; of a program that computes numbers the ones that it came to in turn."""
    results = recording.results() or ()
    large = [value for value in results if value.size >= FEWEST]
    approach = np.empty(0) if large else _approach(recording)
    # The means of many elements have nearly one colour.
    single = [value for value in large if value.size <= WIDTH * HEIGHT]
    return (single or large)[0] if large else approach if approach.size > 1 else _largest(recording)


def picture(example: Example) -> ThumbnailInfo:
    """The picture of one example."""
    value = telling_value(recorded(example))
    element_type = of_dtype(value.dtype)
    assert element_type is not None
    return thumbnail(value, TensorType(value.shape, element_type))


def _approach(recording: Recording) -> Array:
    """What the arithmetic op that ran most often gave, each time."""
    track = recording.tracks[0]
    ops = [track.op_of(step) for step in range(track.step_count)]
    floats = [op for step, op in enumerate(ops) if _is_float_scalar(recording, step, op)]
    (op, _), *_ = Counter(reversed(floats)).most_common(1)
    made = (address.result(step) for step, found in enumerate(ops) if found == op)
    return np.array([recording.value(place) for place in made if recording.keeps(place)])


def _largest(recording: Recording) -> Array:
    track = recording.tracks[0]
    made = (
        address.result(s) for s in range(track.step_count) if recording.program.ops[track.op_of(s)].results
    )
    values = (recording.value(place) for place in made if recording.keeps(place))
    return max((value for value in values if isinstance(value, np.ndarray)), key=lambda value: value.size)


def _is_float_scalar(recording: Recording, step: int, op: int) -> bool:
    if not recording.program.ops[op].results or not recording.keeps(address.result(step)):
        return False
    found = recording.type_of(address.result(step))
    return isinstance(found, TensorType) and found.rank == 0 and found.element_type.is_float


def main() -> None:
    """Write the file."""
    found = {example.name: picture(example) for example in examples()}
    text = ",\n".join(f" {json.dumps(name)}: {json.dumps(info)}" for name, info in found.items())
    (ROOT / "app" / "reference" / "examples" / PICTURES).write_text(f"{{\n{text}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
