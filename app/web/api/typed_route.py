"""Typed answers that FastAPI does not validate; `api_document.py` reads their types."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from fastapi import Response
from fastapi.routing import APIRoute

A = TypeVar("A")


class AnswerResponse(Response, Generic[A]):
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
