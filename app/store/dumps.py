"""Dumps of XLA's passes in the store: the name of the archive, what it holds, and what was found out of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.sqlite import insert

from ..wire.dumps import DumpContents, ExaminationProgress, ExaminationWishes
from .database import Database
from .tables import dumps, inputs

VISIT_SECONDS = 3600
"""How old a visit may be without being written again."""
Files = Mapping[str, int]
"""The bytes of files, by the hashes that they are kept under."""


@dataclass(frozen=True)
class DumpRecord:
    """A dump as it is kept."""

    id_hash: str
    name: str
    archive: str
    """The hash of the file that it is."""
    contents: DumpContents
    wishes: ExaminationWishes
    found: ExaminationProgress | None
    """What an examination has found; `None` where there was none to its end, or by another build."""
    build: str


class KeptDumps:
    """The table of dumps. Every method is one transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._database, self._now = database, now

    def add(self, record: DumpRecord, size: int) -> None:
        """A new dump, whose archive has so many bytes."""
        values = {
            "name": record.name,
            "archive": record.archive,
            "contents": record.contents,
            "wishes": record.wishes,
            "build": record.build,
            "created": time.time(),
            "visited": self._now(),
        }
        with self._database.transaction() as connection:
            connection.execute(_file(record.archive, size))
            connection.execute(insert(dumps).values(id_hash=record.id_hash, **values))

    def find(self, id_hash: str) -> DumpRecord | None:
        """The dump; whoever asks for it visits it, and it is not set aside any more."""
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
        """What the archive holds, read by another build; what the one before has found counts no more."""
        self._change(id_hash, {"contents": contents, "build": build, "found": None})

    def set_wishes(self, id_hash: str, wishes: ExaminationWishes) -> None:
        """What stages shall be run on; what was found before counts no more."""
        self._change(id_hash, {"wishes": wishes, "given": wishes["file"], "found": None})

    def set_found(self, id_hash: str, found: ExaminationProgress) -> None:
        """What an examination has found."""
        self._change(id_hash, {"found": found})

    def add_given(self, id_hash: str, hash: str, size: int) -> None:
        """A file of arrays that stages may be run on; it is kept until another one is."""
        self._add_file(id_hash, hash, size, "given")

    def add_made(self, id_hash: str, hash: str, size: int) -> None:
        """The inputs of stages that are stepped through; sessions that need them keep them then."""
        self._add_file(id_hash, hash, size, "made")

    def rename(self, id_hash: str, name: str) -> bool:
        """Give it another name; False if there is no such dump."""
        return self._change(id_hash, {"name": name})

    def delete(self, id_hash: str) -> bool:
        """Delete it; False if there is no such dump."""
        with self._database.transaction() as connection:
            return bool(connection.execute(delete(dumps).where(dumps.c.id_hash == id_hash)).rowcount)

    def titles(self, id_hashes: Sequence[str]) -> dict[str, tuple[str, ExaminationProgress | None]]:
        """The name of each of these dumps that there are, and what was found; they are not visited by that."""
        query = select(dumps.c.id_hash, dumps.c.name, dumps.c.found).where(dumps.c.id_hash.in_(id_hashes))
        with self._database.read_transaction() as connection:
            rows = connection.execute(query).all()
        return {row.id_hash: (row.name, _progress(row.found)) for row in rows}

    def _add_file(self, id_hash: str, hash: str, size: int, column: str) -> None:
        with self._database.transaction() as connection:
            connection.execute(_file(hash, size))
            connection.execute(update(dumps).where(dumps.c.id_hash == id_hash).values({column: hash}))

    def _change(self, id_hash: str, values: dict[str, Any]) -> bool:
        visit = {"visited": self._now(), "set_aside": None}
        with self._database.transaction() as connection:
            change = update(dumps).where(dumps.c.id_hash == id_hash).values(**values, **visit)
            return bool(connection.execute(change).rowcount)


def _progress(kept: Any) -> ExaminationProgress | None:
    """What was found, unless it is damaged."""
    return cast(ExaminationProgress, kept) if isinstance(kept, dict) else None


def no_wishes() -> ExaminationWishes:
    """What stages are run on unless somebody wishes otherwise."""
    return {"seed": 0, "file": None, "file_name": "", "module": 0}


def _file(hash: str, size: int) -> Any:
    return insert(inputs).values(hash=hash, size=size, created=time.time()).on_conflict_do_nothing()
