"""What a worker answers about a recording: bytes as they go to the browser, and whether they may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hloscope.engine.debugger.address import Address
from hloscope.engine.ir.types import TensorType

from .. import present
from . import grid_answers, index_answers, number_answers, provenance_answers
from .answering import (
    Answer,
    BadQuestion,
    NotRecorded,
    address_at,
    chunk_answer,
    json_answer,
    tensor_at,
    track_at,
)
from .runs import Run

JSON = dict[str, Any]
MOST_THUMBNAILS = 128
PIECE_BYTES = 4 << 20
MOST_PRINTS = 1_000
"""What a program prints is shown so many times, and each time as so many characters."""
PRINT_CHARACTERS = 10_000
PRINTS_AT_ONCE = 100


def answer(run: Run, question: str, parameters: JSON) -> Answer:
    """The answer to one of `QUESTIONS`."""
    try:
        return QUESTIONS[question](run, parameters)
    except (KeyError, IndexError) as error:
        raise NotRecorded from error
    except present.WindowError as error:
        raise BadQuestion(str(error)) from None


def _program(run: Run, parameters: JSON) -> Answer:
    return json_answer(present.program_table(run.recording.program))


def _op(run: Run, parameters: JSON) -> Answer:
    return json_answer(present.op_details(run.recording.program, parameters["op"], run.recording.settled))


def _outline(run: Run, parameters: JSON) -> Answer:
    chunk = present.outline_chunk(run.recording, parameters["chunk"], parameters.get("process", 0))
    return chunk_answer(run, chunk, "X-Steps")


def _frames(run: Run, parameters: JSON) -> Answer:
    chunk = present.frames_chunk(run.recording, parameters["chunk"], parameters.get("process", 0))
    return chunk_answer(run, chunk, "X-Frames")


def _summary(run: Run, parameters: JSON) -> Answer:
    address = address_at(parameters["address"])
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        return json_answer(present.summary_without_value(str(address), type, run.language))
    array = run.recording.value(address)
    lanes = _lanes(run, address)
    return json_answer(present.value_summary(str(address), array, type, lanes, run.language))


def _window(run: Run, parameters: JSON) -> Answer:
    array, type = tensor_at(run, parameters["address"])
    names = ("rows", "columns", "at", "from", "size", "level")
    window = present.Window.parse(*(parameters[name] for name in names))
    return Answer(present.window_bytes(array, type, window))


def _thumbnails(run: Run, parameters: JSON) -> Answer:
    """Those that are recorded; the others are left out."""
    found, missing = {}, False
    for text in parameters["addresses"]:
        try:
            array, type = tensor_at(run, text)
        except (KeyError, IndexError):
            missing = True
        except BadQuestion:
            continue
        else:
            lanes = _lanes(run, address_at(text))
            found[text] = present.thumbnail(array, type, lanes, run.language)
    if missing and run.replaying:
        raise NotRecorded
    return json_answer(found, final=not missing)


def _prints(run: Run, parameters: JSON) -> Answer:
    """What the program has printed in a process, from a number on: some at a time, and not all of it."""
    start, track = parameters["start"], track_at(run, parameters)
    if run.replaying and start >= len(track.prints):
        raise NotRecorded
    found = track.prints[start : min(start + PRINTS_AT_ONCE, MOST_PRINTS)]
    return json_answer([{"step": step, "text": _cut(text)} for step, text in found], final=False)


def _cut(text: str) -> str:
    return text if len(text) <= PRINT_CHARACTERS else f"{text[:PRINT_CHARACTERS]}…"


def _npy(run: Run, parameters: JSON) -> Answer:
    """A piece of the file, so that the server never holds a large one whole."""
    address, start = parameters["address"], parameters["start"]
    if run.file is None or run.file[0] != address:
        run.file = (address, present.npy_bytes(tensor_at(run, address)[0]))
    data = run.file[1]
    piece = data[start : start + PIECE_BYTES]
    if start + len(piece) >= len(data):
        run.file = None
    return Answer(piece, headers={"X-Total": str(len(data))})


def _lanes(run: Run, address: Address) -> tuple[int, ...] | None:
    frame, track = address.number, track_at(run, {"process": address.process})
    if address.kind == "s":
        frame = int(track.columns(frame, frame + 1)[1][0])
    return track.frame_lanes.get(frame)


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    **grid_answers.QUESTIONS,
    **provenance_answers.QUESTIONS,
    **index_answers.QUESTIONS,
    **number_answers.QUESTIONS,
    "program": _program,
    "op": _op,
    "outline": _outline,
    "frames": _frames,
    "summary": _summary,
    "window": _window,
    "thumbnails": _thumbnails,
    "npy": _npy,
    "prints": _prints,
}
