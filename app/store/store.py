"""What is kept of programs, sessions and runs. Every method is one transaction; call them off the event loop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert

from ..input_files import files_in
from ..keys import text_hash
from .database import Database
from .records import Position, RunRecord, SessionRecord, position_of, run_of
from .tables import inputs, programs, runs, sessions

JSON = dict[str, Any]


class Store:
    """All tables of one data folder."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(folder)
        self.sync = self._database.sync

    @property
    def writes(self) -> int:
        """How many transactions have written something."""
        return self._database.writes

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # Programs and inputs: named by contents, so writing twice changes nothing.

    def program(self, hash: str) -> str:
        """The text of a program."""
        with self._database.reading() as connection:
            return str(connection.scalars(select(programs.c.text).where(programs.c.hash == hash)).one())

    def add_input(self, hash: str, size: int) -> None:
        """Note that the data folder holds this file."""
        with self._database.writing() as connection:
            row = insert(inputs).values(hash=hash, size=size, created=time.time())
            connection.execute(row.on_conflict_do_nothing())

    # Sessions.

    def add_session(self, id_hash: str, name: str, draft: str) -> None:
        """A new session without a run."""
        now = time.time()
        with self._database.writing() as connection:
            values: JSON = {
                "draft": draft,
                "step": 0,
                "path": [],
                "breakpoints": [],
                "created": now,
                "updated": now,
            }
            connection.execute(insert(sessions).values(id_hash=id_hash, name=name, **values))

    def session(self, id_hash: str) -> SessionRecord | None:
        """The session with all its runs."""
        with self._database.reading() as connection:
            row = connection.execute(select(sessions).where(sessions.c.id_hash == id_hash)).one_or_none()
            if row is None:
                return None
            found = connection.execute(select(runs).where(runs.c.session == id_hash).order_by(runs.c.number))
            records = [run_of(run) for run in found]
            return SessionRecord(id_hash, row.name, row.draft, position_of(row), row.created, records)

    def set_draft(self, id_hash: str, text: str) -> bool:
        """Keep what is being written; False if there is no such session."""
        with self._database.writing() as connection:
            change = update(sessions).where(sessions.c.id_hash == id_hash)
            return bool(connection.execute(change.values(draft=text, updated=time.time())).rowcount)

    def add_run(
        self, id_hash: str, text: str, run: RunRecord, breakpoints: Sequence[Any] | None = None
    ) -> RunRecord:
        """The run with its number, the session's next one; it becomes the current run, at its first step."""
        with self._database.writing() as connection:
            connection.execute(
                insert(programs).values(hash=text_hash(text), text=text).on_conflict_do_nothing()
            )
            last = connection.scalar(select(func.max(runs.c.number)).where(runs.c.session == id_hash))
            values = {name: value for name, value in vars(run).items() if name != "number"}
            number = (last or 0) + 1
            connection.execute(insert(runs).values(session=id_hash, number=number, **values))
            _make_current(connection, id_hash, number, breakpoints)
        return RunRecord(number=number, **values)

    def return_to_run(self, id_hash: str, number: int, breakpoints: Sequence[Any] | None = None) -> None:
        """Make a run of before the current one, at its first step."""
        with self._database.writing() as connection:
            _make_current(connection, id_hash, number, breakpoints)

    def renew_run(self, id_hash: str, run: RunRecord) -> None:
        """Another build of the engine has opened the run, or what was damaged is whole: its key is another one now."""
        with self._database.writing() as connection:
            which = (runs.c.session == id_hash) & (runs.c.number == run.number)
            kept = ("key", "engine", "info", "inputs", "grid", "feeds")
            values = {name: getattr(run, name) for name in kept}
            connection.execute(update(runs).where(which).values(**values))

    def set_feeds(self, id_hash: str, number: int, feeds: JSON) -> None:
        """What is put into the queues of a run, since the user has put in more."""
        with self._database.writing() as connection:
            which = (runs.c.session == id_hash) & (runs.c.number == number)
            connection.execute(update(runs).where(which).values(feeds=feeds))

    def runs_with_key(self, key: str) -> list[tuple[str, int]]:
        """Session and number of each run that made this recording, the session visited last first."""
        query = select(runs.c.session, runs.c.number).join(sessions).where(runs.c.key == key)
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(sessions.c.updated.desc(), runs.c.number.desc()))
            return [(row.session, row.number) for row in found]

    def write_progress(self, positions: dict[str, Position], steps: dict[tuple[str, int], int]) -> None:
        """Positions of sessions and recorded steps of runs, many at a time."""
        with self._database.writing() as connection:
            for id_hash, position in positions.items():
                _write_position(connection, id_hash, position)
            for (id_hash, number), count in steps.items():
                which = (runs.c.session == id_hash) & (runs.c.number == number)
                connection.execute(update(runs).where(which).values(steps=count))

    def prune(self, days: int) -> list[str]:
        """Delete sessions that nobody has visited for so long; the files that no run needs any more."""
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.updated < time.time() - days * 86_400))
            used = select(runs.c.program).distinct()
            connection.execute(delete(programs).where(programs.c.hash.not_in(used)))
            kept = connection.execute(select(runs.c.inputs, runs.c.feeds))
            wanted = {spec["file"] for row in kept for spec in files_in([row.inputs, row.feeds])}
            day_ago = time.time() - 86_400
            old = connection.scalars(select(inputs.c.hash).where(inputs.c.created < day_ago)).all()
            unused = [hash for hash in old if hash not in wanted]
            connection.execute(delete(inputs).where(inputs.c.hash.in_(unused)))
        return unused


def _make_current(
    connection: Connection, id_hash: str, number: int, breakpoints: Sequence[Any] | None
) -> None:
    values: JSON = {"run": number, "step": 0, "path": [], "draft": None, "updated": time.time()}
    if breakpoints is not None:
        values["breakpoints"] = list(breakpoints)
    connection.execute(update(sessions).where(sessions.c.id_hash == id_hash).values(**values))


def _write_position(connection: Connection, id_hash: str, position: Position) -> None:
    values = {"step": position.step, "path": list(position.path), "breakpoints": list(position.breakpoints)}
    change = update(sessions).where(sessions.c.id_hash == id_hash)
    connection.execute(change.values(run=position.run, updated=time.time(), **values))
