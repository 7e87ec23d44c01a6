"""Read-only links: whoever has one reads a session, without the server's token, and changes nothing.

A link is an identifier that stands where a session's id stands, `view-<secret>`; the recordings of the session are
`view-<secret>.<key>` to it. So the pages and the API are the same for readers, and what they may not do is refused in
one place, by the guard.
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections import OrderedDict

from ..base.errors import not_found
from ..base.keys import session_hash, view_link_hash
from ..base.single_flight import SingleFlight
from ..store.pending_writes import StoreThread

PREFIX = "view-"
OWN_PREFIX = "own-"
"""Of sessions that members of a room have made: whoever has such an id does all with the session, without the token."""
SECRET_BYTES = 32
MOST_KNOWN = 10_000
LINK = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


def is_link(identifier: str) -> bool:
    """Whether an identifier, of a session or of a recording, is one that a reader has."""
    return identifier.startswith(PREFIX)


def is_own(identifier: str) -> bool:
    """Whether an identifier is of a session that a member of a room has made."""
    return identifier.startswith(OWN_PREFIX)


def derived_link(secret: str, name: str) -> str:
    """The link that a server makes of its secret for a `name`, each time the same one."""
    digest = hmac.digest(secret.encode(), name.encode(), "sha256")
    return PREFIX + urlsafe_b64encode(digest).rstrip(b"=").decode()


def key_for(identifier: str, key: str) -> str:
    """What the recording `key` is called to whoever calls its session `identifier`."""
    return f"{identifier}.{key}" if (is_link(identifier) or is_own(identifier)) and key else key


class ViewLinks:
    """Makes links, and finds what they lead to."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread, self._store = thread, thread.store.view_links
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        """Pairs of a link and a recording that it lets read: the store is asked once for each."""
        self._asked = SingleFlight[None]()
        self._age = 0
        """How often it was forgotten what is known: what was found out before that is not known after it."""

    async def create(self, session: str) -> str:
        """A new link to a session, which is given by its hash."""
        identifier = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        await self._thread.call(self._store.add, view_link_hash(identifier), session)
        return identifier

    async def create_named(self, identifier: str, session: str) -> None:
        """A link that whoever asks for it has made, to a session, which is given by its hash."""
        await self._thread.call(self._store.add, view_link_hash(identifier), session)

    async def count(self, session: str) -> int:
        """How many links lead to a session."""
        return await self._thread.call(self._store.count, session)

    async def withdraw(self, session: str) -> None:
        """Let no link lead to a session any more."""
        await self._thread.call(self._store.withdraw, session)
        self.forget()

    def forget(self) -> None:
        """Ask the store again: a link was withdrawn, or a session deleted."""
        self._known.clear()
        self._age += 1

    async def hash_of(self, identifier: str) -> str:
        """The hash of a session, by its id or by a read-only link to it."""
        return await self.session_of(identifier) if is_link(identifier) else session_hash(identifier)

    async def session_of(self, identifier: str) -> str:
        """The hash of the session that a link leads to; `ApiError` where it leads nowhere."""
        found = None
        if LINK.fullmatch(identifier):
            found = await self._thread.recall(self._store.session_of, view_link_hash(identifier))
        if found is None:
            raise not_found("link; whoever made it may have withdrawn it")
        return found

    async def recording_of(self, name: str) -> str:
        """The key of a recording, by its key or by what it is called to a reader; `ApiError` if that may not read it."""
        if not (is_link(name) or is_own(name)):
            return name
        identifier, _, key = name.partition(".")
        if (identifier, key) not in self._known:
            await self._asked.do((identifier, key, self._age), lambda: self._find(identifier, key))
        return key

    async def _find(self, identifier: str, key: str) -> None:
        """Ask the store whether a link lets read a recording; `ApiError` if not."""
        age = self._age
        session = await self.hash_of(identifier)
        places = await self._thread.call(self._thread.store.runs_with_key, key)
        if all(place != session for place, _ in places):
            raise not_found("recording")
        if age == self._age:
            self._known[identifier, key] = None
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
