"""A store in PostgreSQL, which several servers share.

Uploaded files stay in the data folder, which the servers therefore share too.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, func, insert, inspect, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from .failures import StoreError, cause_of, kind_of
from .leases import HeldLeases, delete_ended, tables_of_servers
from .tables import SCHEMA_VERSION, VERSION, meta, metadata, migrate
from .transactions import Contents, Database

DRIVER = "postgresql+psycopg"
EXAMPLE = f"{DRIVER}://USER:PASSWORD@HOST/DATABASE"
CONNECT_SECONDS = 5
"""Timeout for a connection."""
SILENCE_MS = 10_000
"""Milliseconds after which a database that does not answer counts as down."""
HANGING_MS = 5_000
"""Milliseconds after which the database ends the transaction of a server that does not continue it."""
CHANNEL = "hloscope"
LISTEN_SECONDS = 0.5
"""Interval at which a listener looks whether it should stop."""
RETRY_SECONDS = 1.0
"""Seconds until a database that was down is tried again."""
OPENING, CONTENTS = 0x686C6F01, 0x686C6F02
"""The numbers of two locks: of servers that start, and of shared programs and inputs."""
DAY = 86_400.0

Hear = Callable[[str, str], None]
"""Called with the kind of a change, and the hash of what another server has changed."""


class PostgresqlDatabase(Database):
    """The tables of one database."""

    def __init__(self, address: str, *, reads_only: bool = False) -> None:
        super().__init__()
        self._engine = _engine(address)
        self._name = self._engine.url.render_as_string(hide_password=True)
        self.leases = HeldLeases()
        self._down_until = 0.0
        try:
            with contextlib.ExitStack() as if_unusable:
                if_unusable.callback(self.close)
                self._check() if reads_only else self._open()
                if_unusable.pop_all()
        except SQLAlchemyError as error:
            raise _store_error(self._name, error) from error

    def _open(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(OPENING)))  # servers may start at once
            self.is_new = not inspect(connection).has_table(meta.name)
            metadata.create_all(connection)
            tables_of_servers.create_all(connection)
            if self.is_new:
                connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
            version = migrate(connection, connection.scalar(VERSION))
            self._check_version(version)
            # Always write, so that a read-only store is detected at the start.
            connection.execute(update(meta).where(meta.c.name == "schema_version").values(value=version))
            delete_ended(connection, DAY)

    def _check(self) -> None:
        """Change nothing, and raise `StoreError` unless there is a store of this version."""
        self.is_new = False
        with self._engine.begin() as connection:
            if not inspect(connection).has_table(meta.name):
                raise StoreError(f"there is no store in {self._name}: check the setting store", "gone")
            self._check_version(connection.scalar(VERSION))

    def _check_version(self, version: str | None) -> None:
        if version != str(SCHEMA_VERSION):
            raise StoreError(
                f"the store {self._name} has version {version}, and this hloscope reads version {SCHEMA_VERSION}: "
                "use the hloscope that made it, or another database",
                "version",
            )

    @contextlib.contextmanager
    def _begin(self) -> Iterator[Connection]:
        """A transaction; of many requests for a database that is down, few wait for it."""
        if monotonic() < self._down_until:
            raise StoreError("it did not answer a moment ago", "down")
        try:
            with super()._begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            if kind_of(error) == "down":
                self._down_until = monotonic() + RETRY_SECONDS
            raise

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A transaction that reads all tables as they are at one moment, and may take its time."""
        with self._begin() as connection:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self.allow_pauses(connection)
            yield connection

    def allow_pauses(self, connection: Connection) -> None:
        """Let this transaction take its time between two statements."""
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")

    def _fence(self, connection: Connection, of: str, *, is_held: bool) -> None:
        if is_held:
            self.leases.check(connection, of)
        else:
            self.leases.take(connection, of)

    def held(self, connection: Connection, hashes: set[str]) -> set[str]:
        """Those of these sessions that no other server has until the transaction ends."""
        return self.leases.of(connection, hashes)

    def _lock_contents(self, connection: Connection, contents: Contents) -> None:
        lock = func.pg_advisory_xact_lock if contents is Contents.SWEPT else func.pg_advisory_xact_lock_shared
        connection.execute(select(lock(CONTENTS)))

    def close(self) -> None:
        """Release all leases, if the database answers, and close all connections."""
        with contextlib.suppress(SQLAlchemyError, StoreError):
            if self.leases.held:
                self.release(set(self.leases.held))
        super().close()

    # Leases, each by one transaction.

    def take(self, hash: str) -> None:
        """Take the lease of a session or room; `Elsewhere` if another server has it."""
        is_new = hash not in self.leases.held
        with self._begin() as connection:
            self.leases.take(connection, hash)
        if is_new:
            self.writes += 1  # another server may have written it

    def renew(self) -> set[str]:
        """Renew all leases; returns those that were lost."""
        with self._begin() as connection:
            return self.leases.renew(connection)

    def release(self, hashes: set[str]) -> None:
        """Release leases: the next server that asks gets them."""
        with self._begin() as connection:
            self.leases.release(connection, hashes)
            for hash in hashes:
                self.tell(connection, "released", hash)

    # Changes by other servers.

    def tell(self, connection: Connection, kind: str, hash: str) -> None:
        """Tell the other servers of a change, once the transaction is committed."""
        connection.execute(select(func.pg_notify(CHANNEL, f"{self.leases.owner} {kind} {hash}")))

    def ask_for(self, hash: str) -> None:
        """Ask the server that has a lease to release it if nobody uses it there."""
        with self._begin() as connection:
            self.tell(connection, "wanted", hash)

    def listen(self, hear: Hear, stop: threading.Event) -> None:
        """Hear of the changes of other servers, until `stop`; for a thread of its own.

        What came while there was no connection is unknown: after each one, the kind is `all` and the hash empty.
        """
        while not stop.is_set():
            with contextlib.suppress(SQLAlchemyError, OSError):
                self._listen(hear, stop)
            stop.wait(RETRY_SECONDS)

    def _listen(self, hear: Hear, stop: threading.Event) -> None:
        with self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            try:
                connection.exec_driver_sql(f"LISTEN {CHANNEL}")
                driver: Any = connection.connection.driver_connection
                hear("all", "")
                while not stop.is_set():
                    for note in driver.notifies(timeout=LISTEN_SECONDS, stop_after=1):
                        self._hear(note.payload, hear)
            except driver_errors() as error:
                raise OSError(str(error)) from error
            finally:
                connection.invalidate()  # nobody else gets a connection that listens

    def _hear(self, payload: str, hear: Hear) -> None:
        sender, _, rest = payload.partition(" ")
        if sender != self.leases.owner:
            kind, _, hash = rest.partition(" ")
            self.writes += 1  # what was read before may have changed
            hear(kind, hash)


def driver_errors() -> type[Exception]:
    """The class of the errors that the driver raises by itself."""
    import psycopg

    return psycopg.Error


def _engine(address: str) -> Engine:
    try:
        url = make_url(address)
    except ArgumentError:
        url = None
    if url is None or url.drivername != DRIVER:
        raise StoreError(
            f"the setting store is not an address of a PostgreSQL database: write {EXAMPLE}", "gone"
        )
    given = {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": SILENCE_MS,
        "keepalives_idle": SILENCE_MS // 1000,
        "application_name": CHANNEL,
        "options": f"-c idle_in_transaction_session_timeout={HANGING_MS}",
    }
    try:
        # Each transaction asks first whether its connection is alive: the database may have been restarted.
        return create_engine(url, connect_args=given, pool_pre_ping=True)
    except ImportError as error:
        raise StoreError(
            "a store in PostgreSQL needs psycopg: install hloscope[postgresql]", "gone"
        ) from error


def _store_error(name: str, error: SQLAlchemyError) -> StoreError:
    cause, kind = cause_of(error), kind_of(error)
    match kind:
        case "down" | "busy":
            advice = "start the database, or correct the address in the setting store: host, database, user and password"
        case "full":
            advice = "free some space on its disk"
        case _:
            advice = "check the rights of its user in this database"
    return StoreError(f"the store {name} cannot be used ({cause}): {advice}", kind)
