"""Messages on the socket between the server and a worker, apart from buffers."""

from __future__ import annotations

from typing import Any, NotRequired, TypeVar

from typing_extensions import TypedDict

from .events import WorkerError
from .questions import AnswerHead

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
