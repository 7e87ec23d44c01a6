"""Programs that no session holds yet: checking a text, and the examples."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ..errors import not_found
from ..examples import example, examples
from ..schemas import CheckRequest
from .common import Service

router = APIRouter()


@router.post("/check")
async def check(request: CheckRequest, sessions: Service) -> dict[str, Any]:
    """What is wrong with a program, and what it can be entered by."""
    return await sessions.check(request.text, request.name)


@router.get("/examples")
async def list_examples() -> list[dict[str, str]]:
    """The gallery."""
    return [
        {"name": item.name, "title": item.title, "description": item.description, "file": item.file}
        for item in examples()
    ]


@router.get("/examples/{name}")
async def get_example(name: str) -> dict[str, str]:
    """One example with its text."""
    found = example(name)
    if found is None:
        raise not_found("example")
    return {"name": name, "title": found.title, "description": found.description, "text": found.text}
