"""The file of the store: SQLAlchemy Core over SQLite (WAL), opened, brought up to date, and brought onto the disk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, select, text, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import SQLAlchemyError

from .tables import COLUMNS_OF_2, SCHEMA_VERSION, meta, metadata

FILE = "hloscope.sqlite"


class StoreError(Exception):
    """The store cannot be used; the message says why, to whoever started the server."""


class Database:
    """The tables of one data folder, and transactions on them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._engine = _engine(self._path)
        self.writes = 0
        """How many transactions have written something."""
        try:
            self._prepare()
        except SQLAlchemyError as error:
            raise StoreError(f"the store in {folder} cannot be used: {_cause(error)}") from error

    def _prepare(self) -> None:
        metadata.create_all(self._engine)
        with self._engine.begin() as connection:
            row = insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION))
            connection.execute(row.on_conflict_do_nothing())
            version = connection.scalar(select(meta.c.value).where(meta.c.name == "schema_version"))
            if version == "1":
                version = _from_version_1(connection)
        if version != str(SCHEMA_VERSION):
            raise StoreError(
                f"the store has version {version}; this hloscope reads version {SCHEMA_VERSION}. "
                "Use the hloscope that made it, or another data folder."
            )

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction. Once it is over no killed process undoes it, and no power cut after the next `sync`."""
        with self._engine.begin() as connection:
            yield connection
        self.writes += 1

    def sync(self) -> None:
        """Bring onto the disk what all transactions so far have written; from any thread."""
        with contextlib.suppress(FileNotFoundError):  # without it, all is in the other file, and on the disk
            handle = os.open(f"{self._path}-wal", os.O_RDWR)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()


def _from_version_1(connection: Connection) -> str:
    """What version 2 has besides is empty for all that there is."""
    for column in COLUMNS_OF_2:
        connection.execute(text(f"ALTER TABLE runs ADD COLUMN {column} JSON"))
    found = str(SCHEMA_VERSION)
    connection.execute(update(meta).where(meta.c.name == "schema_version").values(value=found))
    return found


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # Damaged text costs the characters that are damaged, and not the row.
        connection.text_factory = lambda data: data.decode(errors="replace")
        # NORMAL leaves it to `sync` to wait for the disk, once for many transactions; what is kept is never torn.
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000"):
            connection.execute(f"PRAGMA {pragma}").close()

    return engine


def _cause(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error)
