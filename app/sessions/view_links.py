"""Read-only links: their holders read a session without the server's token.

A link is an identifier `view-<secret>`, used in place of the session's id; through it, the session's recordings are
named `view-<secret>.<key>`. Pages and API are therefore the same for link holders, and the guard alone refuses what
they may not do.
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import urlsafe_b64encode

from ..base.cache import Cache
from ..base.errors import ApiError, not_found
from ..base.keys import session_hash, view_link_hash
from ..base.shared_work import SharedWork
from ..store.pending_writes import StoreThread

PREFIX = "view-"
OWN_PREFIX = "own-"
"""Prefix of sessions made by members of a room; the id gives full access without the token."""
SECRET_BYTES = 32
MOST_READABLE = 10_000
"""Maximum number of cached pairs of a link and a recording."""
LINK = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


def is_link(identifier: str) -> bool:
    """Whether an identifier, of a session or a recording, belongs to a read-only link."""
    return identifier.startswith(PREFIX)


def is_own(identifier: str) -> bool:
    """Whether an identifier is that of a session made by a member of a room."""
    return identifier.startswith(OWN_PREFIX)


def no_such_link() -> ApiError:
    """The error of a link that is unknown or was withdrawn."""
    return not_found("link; its owner may have withdrawn it")


def derived_link(secret: str, name: str) -> str:
    """The link derived from a server's secret and a `name`; always the same."""
    digest = hmac.digest(secret.encode(), name.encode(), "sha256")
    return PREFIX + urlsafe_b64encode(digest).rstrip(b"=").decode()


def key_for(identifier: str, key: str) -> str:
    """The name of the recording `key` for a client that names its session `identifier`."""
    return f"{identifier}.{key}" if (is_link(identifier) or is_own(identifier)) and key else key


class ViewLinks:
    """Creates, resolves and withdraws links."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread, self._store = thread, thread.store.view_links
        self._readable = Cache[tuple[str, str], None](MOST_READABLE)
        """Pairs of a link and a recording that it may read."""
        self._lookups = SharedWork[None]()
        self._age = 0
        """Number of times the cache was cleared; lookups begun before then are not cached."""

    async def create(self, session: str) -> str:
        """A new link to a session, given by its hash."""
        identifier = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        await self._thread.call(self._store.add, view_link_hash(identifier), session)
        return identifier

    async def create_named(self, identifier: str, session: str) -> None:
        """Store a link that the caller has generated, to a session given by its hash."""
        await self._thread.call(self._store.add, view_link_hash(identifier), session)

    async def count(self, session: str) -> int:
        """The number of links to a session."""
        return await self._thread.call(self._store.count, session)

    async def withdraw(self, session: str) -> None:
        """Withdraw all links to a session."""
        await self._thread.call(self._store.withdraw, session)
        self.forget()

    def forget(self) -> None:
        """Clear the cache, after a link was withdrawn or a session deleted."""
        self._readable.clear()
        self._age += 1

    async def hash_of(self, identifier: str) -> str:
        """The hash of a session, by its id or by a read-only link to it."""
        return await self.session_of(identifier) if is_link(identifier) else session_hash(identifier)

    async def session_of(self, identifier: str) -> str:
        """The hash of the session behind a link; `ApiError` if the link is unknown."""
        found = None
        if LINK.fullmatch(identifier):
            found = await self._thread.recall(self._store.session_of, view_link_hash(identifier))
        if found is None:
            raise no_such_link()
        return found

    async def recording_of(self, name: str) -> str:
        """The key of a recording, by key or by its name through a link.

        `ApiError` if the link may not read it.
        """
        if not (is_link(name) or is_own(name)):
            return name
        identifier, _, key = name.partition(".")
        if (identifier, key) not in self._readable:
            await self._lookups.join((identifier, key, self._age), lambda: self._find(identifier, key))
        return key

    async def _find(self, identifier: str, key: str) -> None:
        """Check in the store that a link may read a recording; `ApiError` if not."""
        age = self._age
        session = await self.hash_of(identifier)
        runs = await self._thread.call(self._thread.store.runs_with_key, key)
        if all(owner != session for owner, _ in runs):
            raise not_found("recording")
        if age == self._age:
            self._readable[identifier, key] = None
