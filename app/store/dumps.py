"""Stored dumps of XLA's passes: archive, contents and findings of the examination."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, delete, insert, select, update

from ..wire.dumps import DumpContents, ExaminationProgress, ExaminationWishes
from .tables import dumps, inputs
from .transactions import Contents, Database, upsert

VISIT_SECONDS = 3600
"""Minimum age of a stored visit before it is updated."""
Files = Mapping[str, int]
"""The sizes of files in bytes, by their hashes."""


@dataclass(frozen=True)
class DumpRecord:
    """A stored dump."""

    id_hash: str
    name: str
    archive: str
    """The hash of the archive file."""
    contents: DumpContents
    wishes: ExaminationWishes
    found: ExaminationProgress | None
    """The findings of an examination; None if none was completed by this build."""
    build: str


class KeptDumps:
    """The table of dumps. Every method is one transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    def add(self, record: DumpRecord, size: int) -> None:
        """Add a dump whose archive has `size` bytes."""
        values = {
            "name": record.name,
            "archive": record.archive,
            "contents": record.contents,
            "wishes": record.wishes,
            "build": record.build,
            "created": time.time(),
            "visited": self._now(),
        }
        with self._database.transaction(contents=Contents.USED) as connection:
            _add_input(connection, record.archive, size)
            connection.execute(insert(dumps).values(id_hash=record.id_hash, **values))

    def find(self, id_hash: str) -> DumpRecord | None:
        """The dump, or None; the read counts as a visit, and the dump is no longer set aside."""
        with self._database.read_transaction() as connection:
            row = connection.execute(select(dumps).where(dumps.c.id_hash == id_hash)).one_or_none()
        if row is None:
            return None
        if row.set_aside is not None or row.visited < self._now() - VISIT_SECONDS:
            self._change(id_hash, {})
        contents = row.contents if isinstance(row.contents, dict) else {"modules": [], "files": []}
        wishes = row.wishes if isinstance(row.wishes, dict) else no_wishes()
        return DumpRecord(
            id_hash,
            row.name,
            row.archive,
            cast(DumpContents, contents),
            cast(ExaminationWishes, wishes),
            _progress(row.found),
            row.build,
        )

    def set_contents(self, id_hash: str, contents: DumpContents, build: str) -> None:
        """Replace the contents, as read by another build, and drop the findings."""
        self._change(id_hash, {"contents": contents, "build": build, "found": None})

    def set_wishes(self, id_hash: str, wishes: ExaminationWishes) -> None:
        """Replace the inputs on which stages run, and drop the findings; no other server may examine the dump."""
        self._change(id_hash, {"wishes": wishes, "given": wishes["file"], "found": None}, of=id_hash)

    def set_found(self, id_hash: str, found: ExaminationProgress) -> None:
        """Store the findings of an examination, which this server still has."""
        self._change(id_hash, {"found": found}, of=id_hash, is_held=True)

    def add_given(self, id_hash: str, hash: str, size: int) -> None:
        """Store a file of input arrays for the stages; it replaces the previous one."""
        self._add_file(id_hash, hash, size, "given")

    def add_made(self, id_hash: str, hash: str, size: int) -> None:
        """Store the inputs of stages that are opened in sessions, which then keep them."""
        self._add_file(id_hash, hash, size, "made")

    def rename(self, id_hash: str, name: str) -> bool:
        """Rename a dump; False if it does not exist."""
        return self._change(id_hash, {"name": name})

    def delete(self, id_hash: str) -> bool:
        """Delete a dump; False if it does not exist."""
        with self._database.transaction() as connection:
            self._database.tell(connection, "dump", id_hash)
            return bool(connection.execute(delete(dumps).where(dumps.c.id_hash == id_hash)).rowcount)

    def titles(self, id_hashes: Sequence[str]) -> dict[str, tuple[str, ExaminationProgress | None]]:
        """Names and findings of the existing dumps among these. Not counted as a visit."""
        query = select(dumps.c.id_hash, dumps.c.name, dumps.c.found).where(dumps.c.id_hash.in_(id_hashes))
        with self._database.read_transaction() as connection:
            rows = connection.execute(query).all()
        return {row.id_hash: (row.name, _progress(row.found)) for row in rows}

    def _add_file(self, id_hash: str, hash: str, size: int, column: str) -> None:
        with self._database.transaction(contents=Contents.USED) as connection:
            _add_input(connection, hash, size)
            connection.execute(update(dumps).where(dumps.c.id_hash == id_hash).values({column: hash}))

    def _change(
        self, id_hash: str, values: dict[str, Any], *, of: str | None = None, is_held: bool = False
    ) -> bool:
        visit = {"visited": self._now(), "set_aside": None}
        with self._database.transaction(of=of, is_held=is_held) as connection:
            if values:
                self._database.tell(connection, "dump", id_hash)
            change = update(dumps).where(dumps.c.id_hash == id_hash).values(**values, **visit)
            return bool(connection.execute(change).rowcount)


def _progress(kept: Any) -> ExaminationProgress | None:
    """The stored findings, or None if they are damaged."""
    return cast(ExaminationProgress, kept) if isinstance(kept, dict) else None


def no_wishes() -> ExaminationWishes:
    """The default inputs of an examination."""
    return {"seed": 0, "file": None, "file_name": "", "module": 0}


def _add_input(connection: Connection, hash: str, size: int) -> None:
    row = upsert(connection, inputs).values(hash=hash, size=size, created=time.time())
    connection.execute(row.on_conflict_do_nothing())
