"""What a worker answers about a recording: bytes as they go to the browser, and whether they may change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.debugger.address import Address
from engine.ir.types import TensorType
from engine.ops.op import Array

from .. import present
from .runs import Run

JSON = dict[str, Any]
MOST_THUMBNAILS = 128
PIECE_BYTES = 4 << 20
MOST_PRINTS = 1_000
"""What a program prints is shown so many times, and each time as so many characters."""
PRINT_CHARACTERS = 10_000
PRINTS_AT_ONCE = 100


class NotRecorded(Exception):
    """The step or frame is not recorded; it may be yet, when a run is being replayed."""


class BadQuestion(Exception):
    """The question makes no sense; the message is a sentence for the user."""


@dataclass(frozen=True)
class Answer:
    """The body of an HTTP answer."""

    body: bytes
    type: str = "application/octet-stream"
    final: bool = True
    """Whether it will always be the same, so that the browser may keep it."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def described(self) -> JSON:
        """All but the body."""
        return {"type": self.type, "final": self.final, "headers": dict(self.headers)}


def answer(run: Run, question: str, parameters: JSON) -> Answer:
    """The answer to one of `QUESTIONS`."""
    try:
        return QUESTIONS[question](run, parameters)
    except (KeyError, IndexError) as error:
        raise NotRecorded from error
    except present.WindowError as error:
        raise BadQuestion(str(error)) from None


def _json(value: Any, *, final: bool = True) -> Answer:
    return Answer(json.dumps(value, allow_nan=False).encode(), "application/json", final)


def _program(run: Run, parameters: JSON) -> Answer:
    return _json(present.program_table(run.recording.program))


def _op(run: Run, parameters: JSON) -> Answer:
    return _json(present.op_details(run.recording.program, parameters["op"], run.recording.settled))


def _outline(run: Run, parameters: JSON) -> Answer:
    return _chunk(run, present.outline_chunk(run.recording, parameters["chunk"]), "X-Steps")


def _frames(run: Run, parameters: JSON) -> Answer:
    return _chunk(run, present.frames_chunk(run.recording, parameters["chunk"]), "X-Frames")


def _chunk(run: Run, chunk: present.Chunk, header: str) -> Answer:
    if not chunk.complete and run.replaying:
        raise NotRecorded
    return Answer(chunk.data, final=chunk.complete, headers={header: str(chunk.rows)})


def _summary(run: Run, parameters: JSON) -> Answer:
    address = _address(parameters["address"])
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        return _json(present.summary_without_value(str(address), type, run.language))
    array = run.recording.value(address)
    lanes = _lanes(run, address)
    return _json(present.value_summary(str(address), array, type, lanes, run.language))


def _window(run: Run, parameters: JSON) -> Answer:
    array, type = _tensor(run, parameters["address"])
    names = ("rows", "columns", "at", "from", "size", "level")
    window = present.Window.parse(*(parameters[name] for name in names))
    return Answer(present.window_bytes(array, type, window))


def _thumbnails(run: Run, parameters: JSON) -> Answer:
    """Those that are recorded; the others are left out."""
    found, missing = {}, False
    for text in parameters["addresses"]:
        try:
            array, type = _tensor(run, text)
        except (KeyError, IndexError):
            missing = True
        except BadQuestion:
            continue
        else:
            lanes = _lanes(run, _address(text))
            found[text] = present.thumbnail(array, type, lanes, run.language)
    if missing and run.replaying:
        raise NotRecorded
    return _json(found, final=not missing)


def _prints(run: Run, parameters: JSON) -> Answer:
    """What the program has printed, from a number on: some at a time, and not all of it."""
    start, recording = parameters["start"], run.recording
    if run.replaying and start >= len(recording.prints):
        raise NotRecorded
    found = recording.prints[start : min(start + PRINTS_AT_ONCE, MOST_PRINTS)]
    return _json([{"step": step, "text": _cut(text)} for step, text in found], final=False)


def _cut(text: str) -> str:
    return text if len(text) <= PRINT_CHARACTERS else f"{text[:PRINT_CHARACTERS]}…"


def _npy(run: Run, parameters: JSON) -> Answer:
    """A piece of the file, so that the server never holds a large one whole."""
    address, start = parameters["address"], parameters["start"]
    if run.file is None or run.file[0] != address:
        run.file = (address, present.npy_bytes(_tensor(run, address)[0]))
    data = run.file[1]
    piece = data[start : start + PIECE_BYTES]
    if start + len(piece) >= len(data):
        run.file = None
    return Answer(piece, headers={"X-Total": str(len(data))})


def _address(text: str) -> Address:
    try:
        return Address.parse(text)
    except ValueError as error:
        raise BadQuestion(str(error)) from None


def _tensor(run: Run, text: str) -> tuple[Array, TensorType]:
    address = _address(text)
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        raise BadQuestion(f"{text} is a {present.type_text(type, run.language)}, which has no elements.")
    return run.recording.value(address), type


def _lanes(run: Run, address: Address) -> tuple[int, ...] | None:
    frame = address.number
    if address.kind == "s":
        frame = int(run.recording.columns(frame, frame + 1)[1][0])
    return run.recording.frame_lanes.get(frame)


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
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
