"""Members' copies of the room's session, limited in number and size."""

import secrets

from ..base.errors import ApiError, over_limit
from ..base.keys import session_hash
from ..base.large_texts import byte_count, check_size
from ..sessions.new_sessions import copy_session
from ..sessions.sessions import Sessions
from ..sessions.view_links import OWN_PREFIX, is_own
from ..store.pending_writes import StoreThread
from ..store.rooms import KeptRooms
from ..wire.rooms import NewCopy

SECRET_BYTES = 32


class Copies:
    """The copies made by members of all rooms."""

    def __init__(self, sessions: Sessions, thread: StoreThread) -> None:
        self._sessions, self._settings = sessions, sessions.settings
        self._thread = thread
        self._store: KeptRooms = thread.store.rooms
        self._making: set[tuple[str, str]] = set()
        """Rooms and members with a copy in progress; a second one is refused to keep the limit."""

    async def make(self, room: str, member: str, link: str, run: int | None, text: str | None) -> NewCopy:
        """Create a copy for a member, by hashes; `text` replaces the program."""
        if text is not None:
            await check_copy(self._sessions, OWN_PREFIX, text)
        if (room, member) in self._making:
            raise ApiError(409, "copy", "Your copy is already being made.")
        self._making.add((room, member))
        try:
            await self._check_count(room, member)
            identifier = OWN_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
            await copy_session(self._sessions, link, run, text=text, called=identifier)
            await self._thread.call(self._store.add_copy, room, member, session_hash(identifier))
        finally:
            self._making.discard((room, member))
        return {"id": identifier, "url": f"/s/{identifier}"}

    async def _check_count(self, room: str, member: str) -> None:
        limit = self._settings.copies_per_member
        maximum = limit * self._settings.max_room_members
        if await self._thread.call(self._store.copies, room, member) >= limit:
            error = over_limit(
                429, "copies_per_member", limit, f"You have made {limit} copies in this room.", "copies"
            )
            error.hint = "Continue in one of them, or delete one that you do not need."
            raise error
        if await self._thread.call(self._store.all_copies, room) >= maximum:
            message = "This room has its maximum number of copies."
            raise over_limit(429, "copies_per_member", limit, message, "room_copies")


async def check_copy(sessions: Sessions, session: str, text: str) -> None:
    """Raise `ApiError` 413 if a program is too large for a member's copy."""
    limit = sessions.settings.copy_program_bytes
    if is_own(session) and await byte_count(text) > limit:
        message = f"The program is larger than {limit:,} bytes, and this is a copy made in a room."
        raise over_limit(413, "copy_program_bytes", limit, message, "copy_size")
    await check_size(text, sessions.settings.max_program_bytes)
