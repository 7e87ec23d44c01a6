"""What every database of a store offers: transactions, and the few statements that differ between SQLite and PostgreSQL."""

import contextlib
from collections.abc import Iterator
from enum import Enum

from sqlalchemy import Connection, Engine, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from .failures import kind_of


class Contents(Enum):
    """What a transaction does with programs and inputs, which sessions share."""

    USED = "used"
    """It refers to them, so nobody deletes unused ones until it ends."""
    SWEPT = "swept"
    """It deletes the unused ones, so nobody begins to refer to them until it ends."""


class Database:
    """The tables of a store, and transactions on them.

    The methods that do nothing are those of a database that one server uses, and that flushes what it commits.
    """

    is_new: bool
    """Whether the tables were created by this object."""
    _engine: Engine

    def __init__(self) -> None:
        self.writes = 0
        """Number of write transactions, of other servers too as far as they are known."""

    @contextlib.contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._begin() as connection:
            yield connection

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads all tables as they are at one moment, and may take its time."""
        with self._begin() as connection:
            connection.exec_driver_sql("BEGIN")  # SQLite's driver begins with the first write only
            yield connection

    def allow_pauses(self, connection: Connection) -> None:
        """Let this transaction take its time between two statements."""

    @contextlib.contextmanager
    def transaction(
        self, *, of: str | None = None, is_held: bool = False, contents: Contents | None = None
    ) -> Iterator[Connection]:
        """A write transaction; it survives a killed process, and a power cut after `sync`.

        `of`: the session or room that it writes, by its hash, which no other server may have; with `is_held`, this
        server must have it already.
        """
        with self._begin() as connection:
            if of is not None:
                self._fence(connection, of, is_held=is_held)
            if contents is not None:
                self._lock_contents(connection, contents)
            yield connection
        self.writes += 1

    @contextlib.contextmanager
    def if_not_full(self) -> Iterator[None]:
        """Skip a write without which a reader is served as well, on a full disk."""
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            if kind_of(error) != "full":
                raise

    def tell(self, connection: Connection, kind: str, hash: str) -> None:
        """Tell the other servers of a change, once the transaction is committed."""

    def held(self, connection: Connection, hashes: set[str]) -> set[str]:
        """Those of these sessions that no other server has until the transaction ends."""
        return hashes

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def sync(self) -> None:
        """Flush the writes of all earlier transactions to disk; callable from any thread."""

    def shorten_log(self) -> None:
        """Free what the database's log holds of the disk, as far as possible."""

    @contextlib.contextmanager
    def _begin(self) -> Iterator[Connection]:
        """A transaction; `StoreError` if the database is not the one that was opened."""
        with self._engine.begin() as connection:
            yield connection

    def _fence(self, connection: Connection, of: str, *, is_held: bool) -> None:
        """Raise `Elsewhere` if another server has this session or room."""

    def _lock_contents(self, connection: Connection, contents: Contents) -> None:
        """Wait for the other servers; see `Contents`."""


def upsert(connection: Connection, table: Table) -> sqlite.Insert:
    """An insertion that can have `on_conflict_…`, in the words of the connection's database."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)  # type: ignore[return-value] # it has the same methods
    return sqlite.insert(table)
