"""The playground: ops with a form, their forms, and the evaluation of filled-in forms."""

from __future__ import annotations

from ...base.errors import not_found
from ...reference.playground.forms import form_json, form_list
from ...wire.playground import FormFamily, FormState, OpForm, PlaygroundAnswer
from ...wire.requests import PlaygroundRequest
from ..routes import Routes
from .common import Service, Turn

router = Routes("/api")


@router.get("/playground")
async def list_playground() -> list[FormFamily]:
    """All StableHLO ops by family, with the reason if an op has no form."""
    return form_list()


@router.get("/playground/{op}")
async def get_form(op: str) -> OpForm:
    """The form of an op: operands, fields, their default values, and examples."""
    found = form_json(op)
    if found is None:
        raise not_found("form of this op")
    return found


@router.post("/playground")
async def play(request: PlaygroundRequest, sessions: Service, turn: Turn) -> PlaygroundAnswer:
    """Evaluate a form: its program, values and index maps, or its problems by field."""
    state: FormState = {"operands": request.operands, "fields": request.fields}
    derive = None if request.derive is None else request.derive.plain()
    return await sessions.playground(request.op, state, derive)
