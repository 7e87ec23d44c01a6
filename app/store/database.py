"""The database file of a store in SQLite (WAL mode): create, open, sync.

SQLite treats an empty file as a new database. A new store is created under a temporary name and renamed once complete,
so an empty file is recognized as damaged.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, update
from sqlalchemy.exc import SQLAlchemyError

from ..base.file_permissions import restrict_to_owner
from .failures import StoreError, cause_of, kind_of
from .tables import SCHEMA_VERSION, VERSION, meta, metadata, migrate
from .transactions import Database

FILE = "hloscope.sqlite"
BESIDE = ("-wal", "-shm")
"""Suffixes of SQLite's additional files: the write-ahead log and its index."""


class SqliteDatabase(Database):
    """The tables of one data folder."""

    def __init__(self, folder: Path, *, reads_only: bool = False) -> None:
        super().__init__()
        self.path = folder / FILE
        try:
            _check_file(self.path)
            self.is_new = not self.path.exists()
            if self.is_new and reads_only:
                raise StoreError(
                    f"there is no store in {folder}: name its folder with --set data_dir=FOLDER", "gone"
                )
            if self.is_new:
                _make(self.path)
            if not reads_only:
                _keep_private(self.path)
            self._file = _identity(self.path)
            with contextlib.ExitStack() as if_unusable:
                self._engine = _engine(self.path)
                if_unusable.callback(self.close)
                self._bring_up_to_date(reads_only=reads_only)
                if_unusable.pop_all()
        except (SQLAlchemyError, OSError) as error:
            raise _store_error(self.path, error) from error

    def _bring_up_to_date(self, *, reads_only: bool) -> None:
        if not inspect(self._engine).has_table(meta.name):
            raise StoreError(f"{self.path} is not an hloscope store: {_INSTEAD}", "damaged")
        if not reads_only:
            _write_ahead(self._engine)
        with self._engine.begin() as connection:
            version = connection.scalar(VERSION)
            if not reads_only:
                version = migrate(connection, version)
                # Always write, so that a read-only store is detected at the start.
                connection.execute(update(meta).where(meta.c.name == "schema_version").values(value=version))
        if version != str(SCHEMA_VERSION):
            raise StoreError(
                f"the store {self.path} has version {version}, and this hloscope reads version {SCHEMA_VERSION}: "
                "use the hloscope that made it, or another folder with --set data_dir=FOLDER",
                "version",
            )
        if not reads_only:
            metadata.create_all(self._engine)

    def shorten_log(self) -> None:
        """Move what the write-ahead log holds to the main file, as far as there is space."""
        with contextlib.suppress(SQLAlchemyError), self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def sync(self) -> None:
        """Flush the writes of all earlier transactions to disk; callable from any thread."""
        with contextlib.suppress(
            FileNotFoundError
        ):  # without a log, all data is in the main file and on disk
            sync_to_disk(Path(f"{self.path}-wal"))

    @contextlib.contextmanager
    def _begin(self) -> Iterator[Connection]:
        """A transaction; `StoreError` if the file was deleted: writes to it would be lost."""
        try:
            is_here = _identity(self.path) == self._file
        except OSError:
            is_here = False
        if not is_here:
            raise StoreError(f"the store {self.path} no longer exists", "gone")
        with super()._begin() as connection:
            yield connection


_INSTEAD = "move it away together with its -wal and -shm files, and restart to begin with an empty store"


def _check_file(path: Path) -> None:
    if path.exists():
        if path.stat().st_size == 0:
            raise StoreError(
                f"the store {path} is empty, and hloscope never leaves it so: put a copy back, or delete it to "
                "begin with an empty store",
                "damaged",
            )
    elif (wal := Path(f"{path}-wal")).exists() and wal.stat().st_size:
        raise StoreError(
            f"the store {path} is missing, but {wal.name} is there, which belongs to it: put it back, or delete "
            "that as well to begin with an empty store",
            "damaged",
        )


def _make(path: Path) -> None:
    """Create an empty store and rename it once complete; another server may be faster."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}-")
    os.close(handle)
    temporary = Path(name)
    try:
        engine = _engine(temporary)
        try:
            _write_ahead(engine)
            metadata.create_all(engine)
            with engine.begin() as connection:
                connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
        finally:
            engine.dispose()
        sync_to_disk(temporary)
        with contextlib.suppress(FileExistsError):
            _put(temporary, path)
        sync_to_disk(path.parent)
    finally:
        for suffix in ("", *BESIDE):
            Path(f"{temporary}{suffix}").unlink(missing_ok=True)


def _put(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        temporary.rename(path)


def sync_to_disk(path: Path) -> None:
    """Wait until the contents of a file or folder are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep_private(path: Path) -> None:
    """Restrict the files to their owner; SQLite copies the permissions to its other files."""
    for suffix in ("", *BESIDE):
        with contextlib.suppress(FileNotFoundError):
            restrict_to_owner(Path(f"{path}{suffix}"))


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _store_error(path: Path, error: Exception) -> StoreError:
    cause, kind = cause_of(error), kind_of(error)
    match kind:
        case "damaged":
            sentence = f"the store {path} is damaged ({cause}): put a copy back, or {_INSTEAD}"
        case "busy":
            sentence = f"the store {path} is held by another program ({cause}): end that program"
        case "full":
            sentence = f"there is no space for the store {path} ({cause}): free some space on its disk"
        case _:
            sentence = (
                f"the store {path} cannot be written ({cause}): check the permissions of its folder and its disk, or "
                "use another folder with --set data_dir=FOLDER"
            )
    return StoreError(sentence, kind)


def _engine(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)))

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # Damaged text loses only its damaged characters, not the row.
        connection.text_factory = lambda data: data.decode(errors="replace")
        # NORMAL: `sync` waits for the disk, once for many transactions; the file stays consistent.
        for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=5000"):
            connection.execute(f"PRAGMA {pragma}").close()

    return engine


def _write_ahead(engine: Engine) -> None:
    """Switch the file to WAL mode, permanently; only after it is known to be a store."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
