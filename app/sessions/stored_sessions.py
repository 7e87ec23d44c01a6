"""Stored sessions: list, rename and delete them, and keep their source files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ..base.errors import ApiError, not_found
from ..base.keys import session_hash
from ..store import SessionTitle as StoredTitle
from ..store.pending_writes import Progress, StoreThread
from ..wire.sessions import SessionTitle
from ..workers.supervisor import Supervisor
from .recordings import Recordings
from .view_links import ViewLinks


class StoredSessions:
    """Operations on stored sessions; each requires the id of the session."""

    def __init__(
        self, thread: StoreThread, progress: Progress, supervisor: Supervisor,
        openings: Mapping[str, asyncio.Task[None]], links: ViewLinks, recordings: Recordings,
    ) -> None:  # fmt: skip
        """`openings`: the tasks that are opening runs, by session."""
        self._thread, self._store = thread, thread.store
        self._progress, self._supervisor = progress, supervisor
        self._openings, self._links, self._recordings = openings, links, recordings

    async def titles(self, identifiers: Sequence[str]) -> list[SessionTitle | None]:
        """Name and position of each session; None for a deleted one. Not counted as a visit."""
        hashes = [await self._hash(identifier) for identifier in identifiers]
        await self._progress.flush()
        found = await self._thread.call(self._store.session_titles, hashes)
        return [_title(found.get(hash)) for hash in hashes]

    async def _hash(self, identifier: str) -> str:
        """The hash of a session by its id or link; empty if the link is unknown."""
        try:
            return await self._links.hash_of(identifier)
        except ApiError:
            return ""

    async def rename(self, identifier: str, name: str) -> None:
        """Rename a session."""
        if not await self._thread.call(self._store.rename_session, session_hash(identifier), name):
            raise not_found("session")

    async def keep_sources(self, identifier: str, texts: Mapping[str, str]) -> None:
        """Store the user's source files that were sent with a session's program."""
        await self._thread.call(self._store.add_sources, session_hash(identifier), texts)

    async def copy_sources(self, hash: str, copied: str) -> None:
        """Copy the source files of the session `hash` to the session `copied`, both given by their hashes."""
        await self._thread.call(self._store.copy_sources, hash, session_hash(copied))

    async def source(self, identifier: str, file: str) -> str | None:
        """A source file that was sent with a session's program, or None."""
        hash = await self._links.hash_of(identifier)
        return await self._thread.call(self._store.source, hash, file)

    async def delete(self, identifier: str) -> None:
        """Delete a session with its runs and drafts permanently, and end its worker."""
        hash = session_hash(identifier)
        if not await self._thread.free(self._store.delete_session, hash):
            raise not_found("session")
        await self.forget(hash)

    async def forget(self, hash: str) -> None:
        """Cancel the tasks and drop the caches of a deleted session, given by its hash."""
        self._links.forget()
        self._recordings.forget(hash)
        if (opening := self._openings.get(hash)) is not None:
            opening.cancel()
        self._progress.forget(hash)
        await self._supervisor.forget(hash)


def _title(found: StoredTitle | None) -> SessionTitle | None:
    return None if found is None else {"name": found.name, "step": found.step, "steps": found.steps}
