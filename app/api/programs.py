"""Programs that no session holds yet: checking a text, trying a small one, the examples, the ops."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from ..errors import not_found
from ..examples import example, examples
from ..reference import op_list, op_page
from ..schemas import CheckRequest
from .common import Service
from .large import LargeTextRoute, json_response

router = APIRouter(route_class=LargeTextRoute)


@router.post("/check")
async def check(request: CheckRequest, sessions: Service) -> Response:
    """What is wrong with a program, and what it can be entered by."""
    return await json_response(await sessions.check(request.text, request.name, request.entry))


@router.post("/try")
async def try_out(request: CheckRequest, sessions: Service) -> dict[str, Any]:
    """The steps of a small program, each with its results written out."""
    return await sessions.trial(request.text, request.name)


@router.get("/ops")
async def list_ops() -> list[dict[str, Any]]:
    """All ops: name, sentence, family, HLO opcode, XLA's name."""
    return op_list()


@router.get("/ops/{name}")
async def get_op(name: str) -> dict[str, Any]:
    """All that the op's page says."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    return found


@router.get("/examples")
async def list_examples() -> list[dict[str, str | bool]]:
    """The gallery."""
    return [
        {
            "name": item.name,
            "title": item.title,
            "description": item.description,
            "file": item.file,
            "parallel": item.parallel,
        }
        for item in examples()
    ]


@router.get("/examples/{name}")
async def get_example(name: str) -> dict[str, str]:
    """One example with its text."""
    found = example(name)
    if found is None:
        raise not_found("example")
    return {"name": name, "title": found.title, "description": found.description, "text": found.text}
