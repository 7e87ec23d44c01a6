"""Stored programs, sessions and runs. Methods are transactions, for threads only."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from ..base.keys import text_hash
from ..wire.sessions import Feeds
from .all_rows import AllRows
from .database import SqliteDatabase
from .dumps import KeptDumps
from .postgresql import PostgresqlDatabase
from .records import Position, RunRecord, SessionRecord, SessionTitle, position_of, run_of
from .reserve import Reserve
from .retention import Pruned, delete_unused_programs, needed_inputs, prune
from .rooms import KeptRooms
from .tables import inputs, meta, programs, rooms, runs, sessions, sources, uploads, view_links
from .transactions import Contents, Database, upsert

CLOCK = "clock"
RUN_BYTES = 1 << 14
"""Bytes that a run counts as at least: its facts, beside a small program."""
VISIT_SECONDS = 3600
"""Minimum age of a stored visit before it is updated."""
_MOVED = update(sessions).where(sessions.c.id_hash == bindparam("moved"))


class Store:
    """All tables, in a file of the data folder or in a shared database."""

    def __init__(
        self, folder: Path, ticks: Ticks = time.monotonic, address: str = "", *, reads_only: bool = False
    ) -> None:
        """`address`: the URL of a database that several servers share; empty: a file in the folder.

        `reads_only`: the store must exist, and is not changed, even to bring it to this version.
        """
        self._database: Database = (
            PostgresqlDatabase(address, reads_only=reads_only)
            if address
            else SqliteDatabase(folder, reads_only=reads_only)
        )
        self.shared = self._database if isinstance(self._database, PostgresqlDatabase) else None
        """The database if several servers share it."""
        self.sync = self._database.sync
        self.is_new = self._database.is_new
        with self._database.read_transaction() as connection:
            self._clock = RunningClock(_read_clock(connection), ticks)
        self.all_rows = AllRows(self._database, self.now)
        self.dumps = KeptDumps(self._database, self.now)
        self.view_links = KeptViewLinks(self._database)
        self.rooms = KeptRooms(self._database, self.now)
        self.reserve = Reserve(folder)

    @property
    def writes(self) -> int:
        """Number of write transactions, of other servers too as far as they are known."""
        return self._database.writes

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def make_room(self) -> None:
        """Free the space of the reserve and of the log, so that rows can be deleted on a full disk."""
        self.reserve.release()
        self._database.shorten_log()

    # Programs and inputs: identified by contents, so writing twice changes nothing.

    def program(self, hash: str) -> str:
        """The text of a program."""
        with self._database.read_transaction() as connection:
            return str(connection.scalars(select(programs.c.text).where(programs.c.hash == hash)).one())

    def add_upload(self, id_hash: str, hash: str, size: int, most: int | None = None) -> bool:
        """Record that a session has uploaded a file; False if it would then hold more than `most` bytes."""
        with self._database.transaction(of=id_hash, contents=Contents.USED) as connection:
            if most is not None and _held_bytes(connection, id_hash) + size > most:
                return False
            row = upsert(connection, inputs).values(hash=hash, size=size, created=time.time())
            connection.execute(row.on_conflict_do_nothing())
            binding = upsert(connection, uploads).values(session=id_hash, input=hash)
            connection.execute(binding.on_conflict_do_nothing())
        return True

    def held_bytes(self, id_hash: str) -> int:
        """Bytes of a session's files and of the programs of its runs; each run counts as at least `RUN_BYTES`."""
        with self._database.read_transaction() as connection:
            return _held_bytes(connection, id_hash)

    # Clock and retention.

    def now(self) -> float:
        """The time of the `RunningClock`, in seconds."""
        return self._clock.now()

    def beat(self) -> None:
        """Store the time of the clock."""
        with self._database.transaction() as connection:
            value = self._clock.later(_read_clock(connection))
            row = upsert(connection, meta).values(name=CLOCK, value=value)
            connection.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": value}))

    def prune(self, days: int, grace_days: int) -> Pruned:
        """Set aside what was not visited for `days`, and delete it `grace_days` later."""
        with self._database.transaction(contents=Contents.SWEPT) as connection:
            return prune(connection, self.now(), days, grace_days)

    def needed_inputs(self) -> set[str]:
        """The files that are in use; the rows of all others are deleted."""
        with self._database.transaction(contents=Contents.SWEPT) as connection:
            return needed_inputs(connection)

    # Sessions.

    def add_session(self, id_hash: str, name: str, draft: str) -> None:
        """Add a session without a run."""
        now = time.time()
        with self._database.transaction(of=id_hash) as connection:
            values: dict[str, Any] = {
                "draft": draft,
                "step": 0,
                "path": [],
                "breakpoints": [],
                "created": now,
                **self._visit_columns(),
            }
            connection.execute(insert(sessions).values(id_hash=id_hash, name=name, **values))

    def session(self, id_hash: str) -> SessionRecord | None:
        """The session with its runs, or None; the read counts as a visit, and the session is no longer set aside."""
        with self._database.read_transaction() as connection:
            row = connection.execute(_ABOUT_SESSIONS.where(sessions.c.id_hash == id_hash)).one_or_none()
        if row is None:
            return None
        if row.set_aside is not None or row.visited < self.now() - VISIT_SECONDS:
            with self._database.if_not_full(), self._database.transaction() as connection:
                visit = update(sessions).where(sessions.c.id_hash == id_hash)
                connection.execute(visit.values(visited=self.now(), set_aside=None))
        with self._database.read_transaction() as connection:
            found = connection.execute(select(runs).where(runs.c.session == id_hash).order_by(runs.c.number))
            records = [run_of(run) for run in found]
            return SessionRecord(id_hash, row.name, row.has_draft, position_of(row), row.created, records)

    def draft(self, id_hash: str) -> str | None:
        """The draft of a session; None if it shows its run's program, or does not exist."""
        with self._database.read_transaction() as connection:
            return connection.scalar(select(sessions.c.draft).where(sessions.c.id_hash == id_hash))

    def add_sources(self, id_hash: str, texts: Mapping[str, str]) -> None:
        """Add the user's source files to a session."""
        rows = [{"session": id_hash, "file": file, "text": text} for file, text in texts.items()]
        if rows:
            with self._database.transaction(of=id_hash) as connection:
                connection.execute(insert(sources), rows)

    def copy_sources(self, id_hash: str, to: str) -> None:
        """Copy the source files of a session to another one."""
        rows = select(literal(to), sources.c.file, sources.c.text).where(sources.c.session == id_hash)
        with self._database.transaction(of=to) as connection:
            connection.execute(insert(sources).from_select(["session", "file", "text"], rows))

    def source(self, id_hash: str, file: str) -> str | None:
        """The text of a session's source file, or None."""
        with self._database.read_transaction() as connection:
            wanted = (sources.c.session == id_hash) & (sources.c.file == file)
            return connection.execute(select(sources.c.text).where(wanted)).scalar_one_or_none()

    def rename_session(self, id_hash: str, name: str) -> bool:
        """Rename a session; False if it does not exist."""
        with self._database.transaction(of=id_hash) as connection:
            change = update(sessions).where(sessions.c.id_hash == id_hash)
            return bool(connection.execute(change.values(name=name, **self._visit_columns())).rowcount)

    def delete_session(self, id_hash: str) -> bool:
        """Delete a session, its runs and unused programs; False if it does not exist."""
        with self._database.transaction(contents=Contents.SWEPT) as connection:
            found = connection.execute(delete(sessions).where(sessions.c.id_hash == id_hash)).rowcount
            delete_unused_programs(connection)
            self._database.tell(connection, "session", id_hash)
            return bool(found)

    def session_titles(self, id_hashes: Sequence[str]) -> dict[str, SessionTitle]:
        """Titles of the existing sessions among these. Not counted as a visit."""
        is_current = (runs.c.session == sessions.c.id_hash) & (runs.c.number == sessions.c.run)
        is_current &= runs.c.key != ""  # otherwise it was not opened
        columns = (sessions.c.id_hash, sessions.c.name, sessions.c.step, runs.c.steps)
        query = select(*columns).select_from(sessions.outerjoin(runs, is_current))
        with self._database.read_transaction() as connection:
            found = connection.execute(query.where(sessions.c.id_hash.in_(id_hashes)))
            return {row.id_hash: SessionTitle(row.name, row.step, row.steps) for row in found}

    def set_draft(self, id_hash: str, text: str) -> bool:
        """Store the draft of a session; False if it does not exist."""
        with self._database.transaction(of=id_hash) as connection:
            change = update(sessions).where(sessions.c.id_hash == id_hash)
            return bool(connection.execute(change.values(draft=text, **self._visit_columns())).rowcount)

    def add_run(
        self, id_hash: str, text: str, run: RunRecord, breakpoints: Sequence[Any] | None = None
    ) -> RunRecord:
        """Add a run with the next number, and make it current at its first step."""
        with self._database.transaction(of=id_hash, contents=Contents.USED) as connection:
            _add_program(connection, text)
            last = connection.scalar(select(func.max(runs.c.number)).where(runs.c.session == id_hash))
            values = {name: value for name, value in vars(run).items() if name != "number"}
            number = (last or 0) + 1
            connection.execute(insert(runs).values(session=id_hash, number=number, **values))
            self._make_current(connection, id_hash, number, breakpoints)
        return RunRecord(number=number, **values)

    def settle_run(self, id_hash: str, text: str, run: RunRecord) -> None:
        """Store the facts about a pending run that was opened; the draft is unchanged."""
        values = {name: value for name, value in vars(run).items() if name not in ("number", "created")}
        which = (runs.c.session == id_hash) & (runs.c.number == run.number)
        with self._database.transaction(of=id_hash, contents=Contents.USED) as connection:
            _add_program(connection, text)
            connection.execute(update(runs).where(which).values(**values))

    def return_to_run(self, id_hash: str, number: int, breakpoints: Sequence[Any] | None = None) -> None:
        """Make an earlier run current, at its first step."""
        with self._database.transaction(of=id_hash) as connection:
            self._make_current(connection, id_hash, number, breakpoints)

    def renew_run(self, id_hash: str, run: RunRecord) -> None:
        """Replace a run's key and facts, after this build has opened or refused it or damage was repaired."""
        with self._database.transaction(of=id_hash) as connection:
            which = (runs.c.session == id_hash) & (runs.c.number == run.number)
            kept = ("key", "engine", "info", "inputs", "grid", "feeds")
            values = {name: getattr(run, name) for name in kept}
            connection.execute(update(runs).where(which).values(**values))

    def set_feeds(self, id_hash: str, number: int, feeds: Feeds) -> None:
        """Store the queue items of a run, after the user added some."""
        with self._database.transaction(of=id_hash) as connection:
            which = (runs.c.session == id_hash) & (runs.c.number == number)
            connection.execute(update(runs).where(which).values(feeds=feeds))

    def runs_with_key(self, key: str) -> list[tuple[str, int]]:
        """Session and number of each run with this recording, most recently updated first."""
        query = select(runs.c.session, runs.c.number).join(sessions).where(runs.c.key == key)
        with self._database.read_transaction() as connection:
            found = connection.execute(query.order_by(sessions.c.updated.desc(), runs.c.number.desc()))
            return [(row.session, row.number) for row in found]

    def write_progress(self, positions: dict[str, Position], steps: dict[tuple[str, int], int]) -> set[str]:
        """Write positions of sessions and step counts of runs in one transaction.

        Returns the sessions of which it wrote; another server has the others.
        """
        hashes = {*positions, *(id_hash for id_hash, _ in steps)}
        with self._database.transaction() as connection:
            held = self._database.held(connection, hashes)
            if moved := held & positions.keys():
                connection.execute(_MOVED, [self._moved(hash, positions[hash]) for hash in moved])
            for (id_hash, number), count in steps.items():
                if id_hash in held:
                    which = (runs.c.session == id_hash) & (runs.c.number == number)
                    connection.execute(update(runs).where(which).values(steps=count))
        return held

    def _visit_columns(self) -> dict[str, Any]:
        """The columns of a session that change with every visit."""
        return {"updated": time.time(), "visited": self.now(), "set_aside": None}

    def _make_current(
        self, connection: Connection, id_hash: str, number: int, breakpoints: Sequence[Any] | None
    ) -> None:
        values: dict[str, Any] = {
            "run": number,
            "step": 0,
            "path": [],
            "draft": None,
            **self._visit_columns(),
        }
        if breakpoints is not None:
            values["breakpoints"] = list(breakpoints)
        connection.execute(update(sessions).where(sessions.c.id_hash == id_hash).values(**values))

    def _moved(self, id_hash: str, position: Position) -> dict[str, Any]:
        return {
            "moved": id_hash,
            "run": position.run,
            "step": position.step,
            "path": list(position.path),
            "breakpoints": list(position.breakpoints),
            **self._visit_columns(),
        }


def _add_program(connection: Connection, text: str) -> None:
    hashed = text_hash(text)
    known = connection.scalar(select(programs.c.hash).where(programs.c.hash == hashed))
    if known is None:  # a large text takes long to send, even if the database has it
        row = upsert(connection, programs).values(hash=hashed, text=text)
        connection.execute(row.on_conflict_do_nothing())


def _read_clock(connection: Connection) -> str | None:
    return connection.scalar(select(meta.c.value).where(meta.c.name == CLOCK))


class KeptViewLinks:
    """The table of read-only links. Every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, link: str, session: str) -> None:
        """Add a link to a session, unless another server was faster; both are given by their hashes."""
        with self._database.transaction() as connection:
            row = upsert(connection, view_links).values(link=link, session=session, created=time.time())
            connection.execute(row.on_conflict_do_nothing())

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
            self._database.tell(connection, "links", session)
            return connection.execute(delete(view_links).where(_made_for(session))).rowcount


def _made_for(session: str) -> ColumnElement[bool]:
    """The condition for links made by users; the link of a room ends with the room."""
    return (view_links.c.session == session) & view_links.c.link.not_in(select(rooms.c.link))


_ABOUT_SESSIONS: Select[Any] = select(
    *(column for column in sessions.c if column is not sessions.c.draft),
    sessions.c.draft.is_not(None).label("has_draft"),
)
"""Sessions without their drafts, which may be large."""
Ticks = Callable[[], float]


class RunningClock:
    """The clock of retention: continues from the time that is stored.

    A machine's clock may be years ahead at one start and right at the next, and deleted data does not come back. This
    clock has no date: it counts while a server runs, and several servers at the same time do not make it faster.
    """

    def __init__(self, kept: str | None, ticks: Ticks = time.monotonic) -> None:
        self._start = _seconds(kept)
        self._ticks, self._began = ticks, ticks()

    def now(self) -> float:
        """The seconds so far; never decreasing."""
        return self._start + self._ticks() - self._began

    def later(self, kept: str | None) -> str:
        """The value to store: the maximum of this clock and the stored value."""
        return repr(max(_seconds(kept), self.now()))


def _seconds(kept: str | None) -> float:
    try:
        seconds = float(kept or 0)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0


def _held_bytes(connection: Connection, id_hash: str) -> int:
    files = select(func.sum(inputs.c.size)).join(uploads, uploads.c.input == inputs.c.hash)
    characters = func.length(programs.c.text)
    sizes = func.sum(case((characters > RUN_BYTES, characters), else_=RUN_BYTES))
    texts = select(sizes).join(runs, runs.c.program == programs.c.hash)
    return int(
        (connection.scalar(files.where(uploads.c.session == id_hash)) or 0)
        + (connection.scalar(texts.where(runs.c.session == id_hash)) or 0)
    )
