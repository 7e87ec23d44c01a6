"""The reference of ops, for signed-in users and for visitors with only a session's link."""

from __future__ import annotations

from ...base.errors import not_found
from ...reference import op_list, op_page
from ...wire.reference import ListedOp, OpPage
from ..routes import Routes
from .common import Service

router = Routes("/api")


@router.get("/ops")
async def list_ops() -> list[ListedOp]:
    """All ops: name, summary, family, HLO opcode and XLA's name."""
    return op_list()


@router.get("/ops/{name}")
async def get_op(name: str) -> OpPage:
    """The data of an op's page."""
    found = op_page(name)
    if found is None:
        raise not_found("op")
    return found


@router.get("/sessions/{session}/ops")
async def list_ops_beside(session: str, sessions: Service) -> list[ListedOp]:
    """All ops, for link holders and owners of room copies, who need no token."""
    await sessions.session(session)
    return await list_ops()


@router.get("/sessions/{session}/ops/{name}")
async def get_op_beside(session: str, name: str, sessions: Service) -> OpPage:
    """The data of an op's page, for link holders and owners of room copies."""
    await sessions.session(session)
    return await get_op(name)
