"""Requests and answers with large texts: see `app/base/large_texts.py`."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import Any, TypeVar, cast

from fastapi import Request, Response

from ...base.large_texts import LARGE, dumps, loads, run_apart
from .typed_route import AnswerResponse, TypedRoute

M = TypeVar("M", bound=Mapping[str, Any])


class LargeTextRequest(Request):
    """A request whose JSON may contain a large text."""

    async def body(self) -> bytes:
        """The body, collected in one buffer; joining pieces would copy it."""
        if not hasattr(self, "_collected"):
            self._collected = bytearray()
            async for piece in self.stream():
                self._collected += piece
        return cast(bytes, self._collected)

    async def json(self) -> Any:
        """The parsed JSON body."""
        body, most = await self.body(), self.app.state.settings.max_body_bytes
        if len(body) < LARGE:
            return json.loads(body)
        found = await asyncio.to_thread(loads, body, most)
        self._collected.clear()  # FastAPI keeps it until the answer
        return found


class LargeTextRoute(TypedRoute):
    """A route for requests with large texts."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, called with a `LargeTextRequest`."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(LargeTextRequest(request.scope, request.receive))

        return handler


async def json_response(value: M) -> AnswerResponse[M]:
    """A JSON response that may contain large texts."""
    size = sum(len(item) for item in _strings(value))
    body = await run_apart(size, lambda: dumps(value))
    return AnswerResponse(body, media_type="application/json")


def _strings(value: Any) -> Iterator[str]:
    """The strings in an object and its nested objects."""
    for item in value.values():
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from _strings(item)
