"""Links by which others read a session: which session each leads to. Of a link itself only a hash is kept."""

from __future__ import annotations

import time

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.sqlite import insert

from .database import Database
from .tables import view_links


class KeptViewLinks:
    """The table of read-only links. Every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, link: str, session: str) -> None:
        """A link, by its hash, to a session, by its own."""
        with self._database.transaction() as connection:
            connection.execute(insert(view_links).values(link=link, session=session, created=time.time()))

    def session_of(self, link: str) -> str | None:
        """The session that a link leads to, None where there is no such link."""
        with self._database.read_transaction() as connection:
            query = select(view_links.c.session).where(view_links.c.link == link)
            return connection.execute(query).scalar_one_or_none()

    def count(self, session: str) -> int:
        """How many links lead to a session."""
        with self._database.read_transaction() as connection:
            query = select(func.count()).select_from(view_links).where(view_links.c.session == session)
            return int(connection.execute(query).scalar_one())

    def withdraw(self, session: str) -> int:
        """Delete all links to a session; how many there were."""
        with self._database.transaction() as connection:
            return connection.execute(delete(view_links).where(view_links.c.session == session)).rowcount
