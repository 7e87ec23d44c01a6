"""What all answers of a worker are made of: their form, and what a question may name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.track import Track
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.op import Array

from .. import present
from .runs import Run

JSON = dict[str, Any]


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


def json_answer(value: Any, *, final: bool = True) -> Answer:
    """`value` as JSON."""
    return Answer(json.dumps(value, allow_nan=False).encode(), "application/json", final)


def chunk_answer(run: Run, chunk: present.Chunk, header: str) -> Answer:
    """Columns, and in a header how many rows they have."""
    if not chunk.complete and run.replaying:
        raise NotRecorded
    return Answer(chunk.data, final=chunk.complete, headers={header: str(chunk.rows)})


def address_at(text: str) -> Address:
    """The address that a question names."""
    try:
        return Address.parse(text)
    except ValueError as error:
        raise BadQuestion(str(error)) from None


def tensor_at(run: Run, text: str) -> tuple[Array, TensorType]:
    """The value at an address, and its type."""
    address = address_at(text)
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        raise BadQuestion(f"{text} is a {present.type_text(type, run.language)}, which has no elements.")
    return run.recording.value(address), type


def track_at(run: Run, parameters: JSON) -> Track:
    """What is recorded of the process that a question is about, the first one if it names none."""
    return run.recording.tracks[parameters.get("process", 0)]
