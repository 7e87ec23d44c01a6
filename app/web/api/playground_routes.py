"""The playground: the ops that have a form, their forms, and answers to what is filled in."""

from __future__ import annotations

from fastapi import APIRouter

from ...base.errors import not_found
from ...reference.playground import form_json, form_list
from ...wire.playground import FormFamily, OpForm, PlaygroundAnswer
from ...wire.requests import PlaygroundRequest
from .common import Service

router = APIRouter()


@router.get("/playground")
async def list_playground() -> list[FormFamily]:
    """All StableHLO ops by family; those without a form say why."""
    return form_list()


@router.get("/playground/{op}")
async def get_form(op: str) -> OpForm:
    """The form of an op by its full name: operands, fields, what they hold at first, examples."""
    found = form_json(op)
    if found is None:
        raise not_found("form of this op")
    return found


@router.post("/playground")
async def play(request: PlaygroundRequest, sessions: Service) -> PlaygroundAnswer:
    """What a form stands for: its program, values and maps; or problems, each tied to fields."""
    return await sessions.playground(request.op, {"operands": request.operands, "fields": request.fields})
