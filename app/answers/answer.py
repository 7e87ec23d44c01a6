"""What all answers to questions about a recording share: what keeps a worker from answering, what a question may name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from hloscope.engine.debugger.address import Address
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from .. import present
from ..runs.run import Run
from ..wire.questions import Answer, BytesQuestion, Question


class NotRecorded(Exception):
    """The step or frame is not recorded; it may be yet, when a run is being replayed."""


class OtherClosed(Exception):
    """The run that another one is compared with is not open."""


class BadQuestion(Exception):
    """The question makes no sense; the message is a sentence for the user."""


def chunk_answer(run: Run, question: BytesQuestion, chunk: present.Chunk, header: str) -> Answer[bytes]:
    """Columns, and in a header how many rows they have."""
    if not chunk.complete and run.replaying:
        raise NotRecorded
    return question.answer(chunk.data, final=chunk.complete, headers={header: str(chunk.rows)})


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


Q = TypeVar("Q", bound=Question[Any])
Handler: TypeAlias = tuple[type[Question[Any]], Callable[[Run, Any], Answer[Any]]]


def handler(question: type[Q], answer: Callable[[Run, Q], Answer[Any]]) -> Handler:
    """What answers the questions of a class."""
    return question, answer
