"""Questions to a worker, and its answers as bytes.

`app/answers` declares the questions about recordings, `dump_questions.py` those about dumps. The server passes an answer
on without reading it; its type is checked where the answer is made and where it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from typing_extensions import TypedDict

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


@dataclass(frozen=True)
class Question(Generic[A]):
    """A question that a worker answers with an `Answer[A]`."""


def json_answer(value: A, *, final: bool = True) -> Answer[A]:
    """`value` as JSON."""
    return Answer(json.dumps(value, allow_nan=False).encode(), JSON_TYPE, final)


def bytes_answer(
    body: bytes, *, final: bool = True, headers: Mapping[str, str] | None = None
) -> Answer[bytes]:
    """Columns or elements as bytes."""
    return Answer(body, BINARY_TYPE, final, headers or {})
