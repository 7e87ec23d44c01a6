"""Read-only links to a session: made, counted and withdrawn by who has the session itself."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ...base.errors import ApiError
from ...sessions.view_links import is_link
from ...wire.sessions import NewViewLink, ViewLinkCount
from .common import Service

router = APIRouter(prefix="/sessions")


@router.post("/{session}/links", status_code=201)
async def create_link(session: str, sessions: Service) -> NewViewLink:
    """A link by which anybody reads the session, without this server's token: program, runs, inputs, all values."""
    record = await sessions.session(session)
    link = await sessions.links.create(record.id_hash)
    return {"id": link, "url": f"/s/{link}", "embed_url": f"/embed/{link}"}


@router.get("/{session}/links")
async def links(session: str, sessions: Service) -> ViewLinkCount:
    """How many read-only links lead to the session, and the sites whose pages may embed one."""
    if is_link(session):
        raise ApiError(403, "read_only", "Who reads a session by a link is not told of other links.")
    record = await sessions.session(session)
    return {
        "links": await sessions.links.count(record.id_hash),
        "embed_sites": sessions.settings.embedding_sites(),
    }


@router.delete("/{session}/links", status_code=204, response_class=Response)
async def withdraw_links(session: str, sessions: Service) -> None:
    """Withdraw all read-only links to the session: they lead nowhere from now on."""
    record = await sessions.session(session)
    await sessions.links.withdraw(record.id_hash)
