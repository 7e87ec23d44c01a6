"""Read-only links: created, counted and withdrawn by users of the session itself."""

from __future__ import annotations

from fastapi import Response

from ...base.errors import ApiError
from ...sessions.view_links import is_link
from ...wire.sessions import NewViewLink, ViewLinkCount
from ..routes import Routes
from .common import Service

router = Routes("/api/sessions")


@router.post("/{session}/links", status_code=201)
async def create_link(session: str, sessions: Service) -> NewViewLink:
    """Create a link for reading the session without the token: program, runs and values."""
    record = await sessions.session(session)
    link = await sessions.links.create(record.id_hash)
    return {"id": link, "url": f"/s/{link}", "embed_url": f"/embed/{link}"}


@router.get("/{session}/links")
async def links(session: str, sessions: Service) -> ViewLinkCount:
    """The number of read-only links, and the sites whose pages may embed the session."""
    if is_link(session):
        raise ApiError(403, "read_only", "A read-only link does not give access to the list of links.")
    record = await sessions.session(session)
    return {
        "links": await sessions.links.count(record.id_hash),
        "embed_sites": sessions.settings.embedding_sites(),
    }


@router.delete("/{session}/links", status_code=204, response_class=Response)
async def withdraw_links(session: str, sessions: Service) -> None:
    """Withdraw all read-only links to the session."""
    record = await sessions.session(session)
    await sessions.links.withdraw(record.id_hash)
    await sessions.dismiss_link_holders()
