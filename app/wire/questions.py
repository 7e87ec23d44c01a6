"""Questions to a worker, its answers as bytes, and the other messages on their socket, apart from buffers.

`app/answers` declares the questions about recordings, `dump_questions.py` those about dumps. The server passes an answer
on without reading it; its type is checked where the answer is made and where it is used.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypeVar, cast

from typing_extensions import TypedDict, dataclass_transform

from .events import WorkerError

A = TypeVar("A")
JSON_TYPE = "application/json"
BINARY_TYPE = "application/octet-stream"


class AnswerHead(TypedDict):
    """The head of an answer, without its body."""

    type: str
    final: bool
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer(Generic[A]):
    """The body of an HTTP response, which holds an `A`."""

    body: bytes | bytearray | memoryview
    type: str = BINARY_TYPE
    final: bool = True
    """Whether the answer is final, so that the browser may cache it."""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def head(self) -> AnswerHead:
        """The head, without the body."""
        return {"type": self.type, "final": self.final, "headers": dict(self.headers)}

    def json(self) -> A:
        """The value in a JSON body."""
        return cast(A, json.loads(bytes(self.body)))


@dataclass_transform(frozen_default=True)
class Asked:
    """The base of questions and tasks: each subclass is a frozen dataclass, whose fields are what is sent."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)


class Question(Asked, Generic[A]):
    """A question that a worker answers with an `Answer[A]`."""


def json_answer(value: A, *, final: bool = True) -> Answer[A]:
    """`value` as JSON."""
    return Answer(json.dumps(value, allow_nan=False).encode(), JSON_TYPE, final)


def bytes_answer(
    body: bytes, *, final: bool = True, headers: Mapping[str, str] | None = None
) -> Answer[bytes]:
    """Columns or elements as bytes."""
    return Answer(body, BINARY_TYPE, final, headers or {})


T = TypeVar("T")


class RequestMessage(TypedDict):
    """A question or a task: the name of its class and its fields, and for a question the key of the recording."""

    id: int
    kind: str
    key: str
    fields: dict[str, Any]


class ReplyMessage(TypedDict):
    """The outcome of a request; `closed`: the request's run is not open."""

    id: int
    result: NotRequired[Any]
    answer: NotRequired[AnswerHead]
    closed: NotRequired[bool]
    error: NotRequired[WorkerError]


def classes_by_name(base: type[T]) -> dict[str, type[T]]:
    """All direct and indirect subclasses of `base`, by name."""
    found = {each.__name__: each for each in base.__subclasses__()}
    for each in list(found.values()):
        found |= classes_by_name(each)
    return found
