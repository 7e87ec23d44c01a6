"""What the reference says of ops: for who has signed in, and for who has a session by a secret link alone."""

from __future__ import annotations

from fastapi import APIRouter

from ...base.errors import not_found
from ...reference import op_list, op_page
from ...wire.reference import ListedOp, OpPage
from .common import Service

router = APIRouter()


@router.get("/ops")
async def list_ops() -> list[ListedOp]:
    """All ops: name, sentence, family, HLO opcode, XLA's name."""
    return op_list()


@router.get("/ops/{name}")
async def get_op(name: str) -> OpPage:
    """All that the op's page says."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    return found


@router.get("/sessions/{session}/ops")
async def list_ops_beside(session: str, sessions: Service) -> list[ListedOp]:
    """The same for who reads a session by a link, or has made a copy in a room: they need no token."""
    await sessions.session(session)
    return await list_ops()


@router.get("/sessions/{session}/ops/{name}")
async def get_op_beside(session: str, name: str, sessions: Service) -> OpPage:
    """The same for who reads a session by a link, or has made a copy in a room: they need no token."""
    await sessions.session(session)
    return await get_op(name)
