"""Typed answers that FastAPI does not validate; `api_document.py` reads their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from fastapi import Response
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from ...base.large_texts import PIECE

A = TypeVar("A")


class PiecewiseResponse(Response):
    """A response sent in pieces, at the speed of the client."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for start in range(0, max(1, len(self.body)), PIECE):
            piece = self.body[start : start + PIECE]
            await send(
                {"type": "http.response.body", "body": piece, "more_body": start + PIECE < len(self.body)}
            )


class AnswerResponse(PiecewiseResponse, Generic[A]):
    """A response with the JSON of an `A`, or bytes, which is neither parsed nor validated."""


class TypedRoute(APIRoute):
    """A route whose function may return `AnswerResponse[A]` without validation by FastAPI."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if answer_type(endpoint) is not None:
            options["response_model"] = None
        super().__init__(path, endpoint, **options)


def answer_type(endpoint: Callable[..., Any]) -> Any:
    """The `A` of a function that returns `AnswerResponse[A]`; None for any other."""
    returned = get_type_hints(endpoint).get("return")
    return get_args(returned)[0] if get_origin(returned) is AnswerResponse else None
