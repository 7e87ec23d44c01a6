"""Stored read-only links to sessions; only the hash of a link is stored."""

from __future__ import annotations

import time

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.dialects.sqlite import insert

from .database import Database
from .tables import rooms, view_links


class KeptViewLinks:
    """The table of read-only links. Every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, link: str, session: str) -> None:
        """Add a link to a session; both are given by their hashes."""
        with self._database.transaction() as connection:
            connection.execute(insert(view_links).values(link=link, session=session, created=time.time()))

    def session_of(self, link: str) -> str | None:
        """The session of a link, or None for an unknown link."""
        with self._database.read_transaction() as connection:
            query = select(view_links.c.session).where(view_links.c.link == link)
            return connection.execute(query).scalar_one_or_none()

    def count(self, session: str) -> int:
        """The number of links to a session, those of rooms excepted."""
        with self._database.read_transaction() as connection:
            query = select(func.count()).select_from(view_links).where(_made_for(session))
            return int(connection.execute(query).scalar_one())

    def withdraw(self, session: str) -> int:
        """Delete the links to a session, those of rooms excepted; returns their number."""
        with self._database.transaction() as connection:
            return connection.execute(delete(view_links).where(_made_for(session))).rowcount


def _made_for(session: str) -> ColumnElement[bool]:
    """The condition for links made by users; the link of a room ends with the room."""
    return (view_links.c.session == session) & view_links.c.link.not_in(select(rooms.c.link))
