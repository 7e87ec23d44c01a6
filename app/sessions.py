"""Sessions: a program, inputs and a position in the store; a worker when somebody looks; nothing else."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .errors import ApiError, not_found, over_limit
from .input_files import with_paths
from .keys import engine_build, session_hash, text_hash
from .known_runs import KnownRuns
from .large_texts import apart, byte_count
from .live import Hub
from .progress import Progress, StoreThread
from .run_records import (
    OPENING,
    as_diagnostic,
    described,
    new_feeds,
    notices,
    record_of,
    run_of,
    state_message,
    titled,
    waiting_message,
    wanted_inputs,
    wanted_run,
)
from .settings import Settings
from .store import Position, RunRecord, SessionRecord
from .store.files import InputFiles, Upload
from .workers.framing import Frame
from .workers.places import Left
from .workers.replies import raise_error
from .workers.seat import OpenRequest, Status
from .workers.supervisor import Supervisor

JSON = dict[str, Any]
MOST_PROBLEMS = 1_000
TURN_SECONDS = 1.0
"""For so long it is waited for a worker before a new session is told without its run."""


class Sessions:
    """Everything that the API does; knows no HTTP."""

    def __init__(self, settings: Settings, store: StoreThread, files: InputFiles) -> None:
        self.settings, self.files = settings, files
        self.hub = Hub()
        self.supervisor = Supervisor(settings, self._changed, self._waits, self.hub.listening)
        self._thread, self._store = store, store.store
        self._progress = Progress(store)
        self._known = KnownRuns(store)
        self._problems: OrderedDict[str, tuple[str, list[JSON]]] = OrderedDict()
        """What kept a text from running, for the sessions that were tried last."""
        self._openings: dict[str, asyncio.Task[None]] = {}
        """Of sessions whose run is not open yet: it goes on by itself when it is their turn."""

    def start(self) -> None:
        """Start workers."""
        self.supervisor.start()

    async def stop(self) -> None:
        """Write positions, end workers."""
        for task in self._openings.values():
            task.cancel()
        await asyncio.gather(*self._openings.values(), return_exceptions=True)
        await self._progress.close()
        await self.supervisor.stop()

    # Programs without a session.

    async def check(self, text: str, name: str, entry: str | None = None) -> JSON:
        """Diagnostics and entries of a program."""
        await self._check_size(text)
        return await self.supervisor.checkers.check(text, name, entry)

    async def trial(self, text: str, name: str) -> JSON:
        """A small program, run at once and forgotten."""
        await self._check_size(text)
        return await self.supervisor.checkers.trial(text, name)

    async def playground(self, op: str, operands: JSON, fields: JSON) -> JSON:
        """The answer to the form of an op; nothing is kept."""
        return await self.supervisor.checkers.playground(op, operands, fields)

    # Sessions.

    async def create(
        self, text: str, name: str, entry: str | None, inputs: Sequence[JSON | None],
        grid: JSON | None = None, feeds: Sequence[JSON] = (),
    ) -> str:  # fmt: skip
        """The id of a new session; a program with errors makes one too, without a run.

        Where others wait for a worker, it is told before the run is open.
        """
        await self._check_size(text)
        identifier = secrets.token_urlsafe(32)
        hash = session_hash(identifier)
        now = self.supervisor.places.reserve(hash)
        await self._thread.call(self._store.add_session, hash, name, text)
        if not now:
            run = wanted_run(text, entry, inputs, grid, feeds)
            await self._thread.call(self._store.add_run, hash, text, run)
            await self._with_open_run(await self._session(hash), seconds=TURN_SECONDS)
            return identifier
        try:
            await self.start_run(identifier, text, entry, inputs, None, grid, feeds)
        except ApiError as error:
            # The text is kept in any case, and the page shows what is wrong.
            await self._note_problems(hash, text, [as_diagnostic(error)])
        return identifier

    async def session(self, identifier: str) -> SessionRecord:
        """The session as it is kept, and where it is now."""
        return await self._session(session_hash(identifier))

    async def _session(self, hash: str) -> SessionRecord:
        found = await self._thread.call(self._store.session, hash)
        if found is None:
            raise not_found("session")
        pending = self._progress.position(found.id_hash)
        if pending is None:
            return found
        return SessionRecord(found.id_hash, found.name, found.draft, pending, found.created, found.runs)

    async def info(self, identifier: str, *, patient: bool = True) -> JSON:
        """All that the page needs to open a session; who is not `patient` does not wait for its turn."""
        found, is_open = await self._info(identifier, patient=patient)
        if not (is_open or patient or found["waiting"]):  # its turn came meanwhile
            found, _ = await self._info(identifier, patient=True)
        return found

    async def _info(self, identifier: str, *, patient: bool) -> tuple[JSON, bool]:
        """The same, and whether the run is open."""
        session = await self._with_open_run(await self.session(identifier), patient=patient)
        known = [run for run in session.runs if run.key]
        run = session.current or (known[-1] if known else None)
        text = await self._text(run) if run else ""
        shown = await self._run_info(session, run, text, patient=patient) if run and run.key else None
        draft = text if session.draft is None else session.draft
        is_open = run is None or (
            run.engine == engine_build() and shown is not None and shown["state"] != OPENING
        )
        found = {
            "id": identifier,
            "name": session.name,
            "text": draft,
            "run": shown,
            "runs": [titled(item) for item in known],
            "diagnostics": await self._diagnostics(session, run, text, draft),
            "breakpoints": list(session.position.breakpoints),
            "position": {"step": session.position.step, "path": list(session.position.path)},
            "limits": self.settings.limits().described(),
            "waiting": {"before": before} if (before := self.before(identifier)) is not None else None,
        }
        return found, is_open

    async def run_info(self, identifier: str, number: int) -> JSON:
        """One of the session's runs."""
        session, run = await self._with_run(identifier, number)
        return await self._run_info(session, run, await self._text(run), patient=True)

    async def set_draft(self, identifier: str, text: str) -> None:
        """Keep what is being written."""
        await self._check_size(text)
        if not await self._thread.call(self._store.set_draft, session_hash(identifier), text):
            raise not_found("session")

    async def move(self, identifier: str, position: Position) -> None:
        """Keep where the user is; it is on the disk when this returns."""
        session = await self.session(identifier)
        number = position.run if session.run(position.run) else session.position.run
        await self._progress.move(
            session.id_hash, Position(number, position.step, position.path, position.breakpoints)
        )

    async def add_file(self, identifier: str, called: str, pieces: AsyncIterator[bytes]) -> JSON:
        """Keep an uploaded file; its arrays, and the arguments that they fit."""
        session = await self.session(identifier)
        run = session.current
        program = OpenRequest(await self._text(run), session.name, run.entry, []) if run else None
        async with self.files.received(pieces) as upload:
            found = await self.supervisor.checkers.file(str(upload.path), called, program)
            await self._thread.call(self._keep, session.id_hash, upload)
        return {"file": upload.name, **found}

    def _keep(self, id_hash: str, upload: Upload) -> None:
        self._store.add_upload(id_hash, upload.name, upload.size)
        self.files.keep(upload)

    # Runs.

    async def start_run(
        self, identifier: str, text: str, entry: str | None, inputs: Sequence[JSON | None] | None,
        breakpoints: Sequence[Any] | None, grid: JSON | None = None, feeds: Sequence[JSON] | None = None,
    ) -> JSON:  # fmt: skip
        """A new run, unless the program is wrong; one that was there before is gone back to.

        Without `inputs` and `feeds` it has those of the run before, and without inputs and a grid its grid too.
        """
        await self._check_size(text)
        session = await self.session(identifier)
        try:
            started = await self._start(session, text, entry, inputs, breakpoints, grid, feeds)
        except Left:
            raise ApiError(503, "left", "Nobody waited any more for this run to be opened.") from None
        if started["run"] and session.current and not session.current.key:
            number = session.current.number
            await self._thread.call(self._store.return_to_run, session.id_hash, number, breakpoints)
        return started

    async def _start(
        self, session: SessionRecord, text: str, entry: str | None, inputs: Sequence[JSON | None] | None,
        breakpoints: Sequence[Any] | None, grid: JSON | None, feeds: Sequence[JSON] | None,
    ) -> JSON:  # fmt: skip
        before = session.current
        if inputs is None and before and not before.key:
            inputs = wanted_inputs(before)
        previous = before.info["arguments"] if inputs is None and before else []
        if grid is None and inputs is None and before:
            grid = before.grid
        request = OpenRequest(
            text, session.name, entry, self._located(inputs or []), self._located(previous),
            grid=grid, feeds=self._located(new_feeds(feeds, before)),
        )  # fmt: skip
        result = await self.supervisor.open(session.id_hash, request)
        if "key" not in result:
            await self._without_run(session, text, result["diagnostics"])
            return {
                "run": None,
                "diagnostics": result["diagnostics"],
                "dropped_inputs": result["dropped_inputs"],
            }
        run = next((run for run in session.runs if run.key == result["key"]), None)
        if before is not None and not before.key:
            run = record_of(result, number=before.number, grid=grid)
            await self._thread.call(self._store.settle_run, session.id_hash, text, run)
        elif run is None:
            record = record_of(result, grid=grid)
            run = await self._thread.call(self._store.add_run, session.id_hash, text, record, breakpoints)
        else:
            await self._thread.call(self._store.return_to_run, session.id_hash, run.number, breakpoints)
        self._progress.forget(session.id_hash)
        self._problems.pop(session.id_hash, None)
        self._known.know(run.key, session.id_hash, run.number)
        status = self.supervisor.status(session.id_hash, run.key)
        if status is not None:
            self._changed(session.id_hash, run.key, status)  # what was said before the run had a number
        return {
            "run": described(run, text, status),
            "diagnostics": result["diagnostics"],
            "dropped_inputs": result["dropped_inputs"],
        }

    async def _without_run(self, session: SessionRecord, text: str, problems: list[JSON]) -> None:
        """The text is kept, and what is wrong with it is told; a run that was wanted is no more."""
        if session.current is not None and not session.current.key:
            await self._thread.call(self._store.drop_run, session.id_hash, session.current.number)
        await self._thread.call(self._store.set_draft, session.id_hash, text)
        await self._note_problems(session.id_hash, text, problems)

    # Runs that wait to be opened.

    def _opening(self, session: SessionRecord) -> asyncio.Task[None] | None:
        """What opens the current run of a session, if it is not open for this build of the engine."""
        run, hash = session.current, session.id_hash
        if run is None or run.engine == engine_build():
            return None
        if hash not in self._openings:
            task = self._openings[hash] = asyncio.create_task(self._open(session, run))
            task.add_done_callback(lambda _: self._openings.pop(hash, None))
        return self._openings[hash]

    async def _open(self, session: SessionRecord, run: RunRecord) -> None:
        text = await self._text(run)
        try:
            if run.key:
                await self._renew(session, run)
            else:
                given = run.feeds["given"] if run.feeds else None
                await self._start(session, text, run.entry or None, wanted_inputs(run), None, run.grid, given)
        except Left:
            pass  # it is opened when somebody looks at it again
        except ApiError as error:
            if not run.key and error.limit != "max_waiting_sessions":
                await self._without_run(session, text, [as_diagnostic(error)])

    async def _with_open_run(
        self, session: SessionRecord, *, patient: bool = True, seconds: float | None = None
    ) -> SessionRecord:
        """The session once its run is open, or as it is when that takes too long."""
        task = self._opening(session)
        if task is None:
            return session
        await self.supervisor.until(task, session.id_hash, patient=patient, seconds=seconds)
        return await self._session(session.id_hash)

    async def _with_run(self, identifier: str, number: int) -> tuple[SessionRecord, RunRecord]:
        session = await self._with_open_run(await self.session(identifier))
        return session, run_of(session, number)

    def asking(self, identifier: str) -> AbstractContextManager[None]:
        """For as long as a request waits: the session keeps its place in the queue."""
        return self.supervisor.asking(session_hash(identifier))

    def before(self, identifier: str) -> int | None:
        """How many are before the session in the queue for a worker; None if it is not in it."""
        return self.supervisor.places.before(session_hash(identifier))

    def leave(self, identifier: str) -> None:
        """Give up its place in the queue."""
        self.supervisor.places.leave(session_hash(identifier))

    def _waits(self, hash: str, before: int | None) -> None:
        self.hub.tell(hash, "waiting", waiting_message(before))

    async def record(self, identifier: str, number: int, steps: int | None) -> None:
        """Go on recording."""
        session, run = await self._with_run(identifier, number)
        await self.supervisor.record(session.id_hash, run.key, lambda: self._opener(session, run), steps)

    async def feed(self, identifier: str, number: int, feed: JSON) -> JSON:
        """Put items into a queue that a run takes from, and go on recording."""
        session, run = await self._with_run(identifier, number)
        if run.feeds is None:
            raise ApiError(422, "input", "The program takes from no queue that could be filled.")
        located = self._located(feed)
        await self.supervisor.feed(session.id_hash, run.key, lambda: self._opener(session, run), located)
        feeds = {**run.feeds, "later": [*run.feeds["later"], feed]}
        await self._thread.call(self._store.set_feeds, session.id_hash, number, feeds)
        return await self.run_info(identifier, number)

    async def pause(self, identifier: str, number: int | None) -> None:
        """Stop recording."""
        session = await self.session(identifier)
        run = session.current if number is None else run_of(session, number)
        if run is not None:
            await self.supervisor.pause(session.id_hash, run.key)

    async def states(self, identifier: str) -> list[JSON]:
        """What there is to say about the session's runs to somebody who begins to listen."""
        session = await self.session(identifier)
        found = [(run, self.supervisor.status(session.id_hash, run.key)) for run in session.runs]
        return [state_message(run.number, run.key, status) for run, status in found if status]

    # Recordings.

    async def ask(self, key: str, question: str, **parameters: Any) -> Frame:
        """The answer of whichever worker has the recording, or can record it again."""
        hash, number = await self._known.place(key, self.supervisor.active_session(key))

        async def opener() -> OpenRequest:
            session = await self._thread.call(self._store.session, hash)
            run = session.run(number) if session else None
            if session is None or run is None or run.key != key:
                raise not_found("recording")
            return await self._opener(session, run)

        frame = await self.supervisor.ask(hash, key, opener, question, parameters)
        raise_error(frame)
        return frame

    # Parts.

    async def _check_size(self, text: str) -> None:
        limit = self.settings.max_program_bytes
        if len(text) > limit or await byte_count(text) > limit:
            raise over_limit(413, "max_program_bytes", limit, f"The program is larger than {limit:,} bytes.")

    async def _text(self, run: RunRecord) -> str:
        return await self._thread.call(self._store.program, run.program)

    async def _opener(self, session: SessionRecord, run: RunRecord) -> OpenRequest:
        text = await self._text(run)
        return OpenRequest(
            text, session.name, run.entry, self._located(run.inputs), steps=run.steps, grid=run.grid,
            feeds=self._located(run.feeds),
        )  # fmt: skip

    async def _run_info(self, session: SessionRecord, run: RunRecord, text: str, *, patient: bool) -> JSON:
        if session.id_hash in self._openings:
            return described(run, text, None)
        if run.engine != engine_build():
            run = await self._renew(session, run)
        self._known.know(run.key, session.id_hash, run.number)
        status = None
        try:
            status = await self.supervisor.opened(
                session.id_hash, run.key, lambda: self._opener(session, run), patient=patient
            )
        except ApiError as error:
            if error.status != 503:
                raise
            status = self.supervisor.status(session.id_hash, run.key)
        return described(run, text, status)

    async def _renew(self, session: SessionRecord, run: RunRecord) -> RunRecord:
        """The run as this build of the engine sees it: its recording has another key."""
        result = await self.supervisor.open(session.id_hash, await self._opener(session, run))
        if "key" not in result:
            return run
        new = record_of(result, number=run.number, created=run.created, steps=run.steps, grid=run.grid)
        new.info["diagnostics"] = [*notices(run), *new.info["diagnostics"]]
        await self._thread.call(self._store.renew_run, session.id_hash, new)
        return new

    async def _diagnostics(
        self, session: SessionRecord, run: RunRecord | None, text: str, draft: str
    ) -> list[JSON]:
        hash, problems = self._problems.get(session.id_hash, ("", []))
        if hash and hash == await _hash_of(draft):
            return problems
        if run is not None and draft == text:
            return list(run.info["diagnostics"])
        try:
            return list((await self.check(draft, session.name))["diagnostics"])
        except ApiError as error:
            return [as_diagnostic(error)]

    async def _note_problems(self, session: str, text: str, diagnostics: list[JSON]) -> None:
        """Remember why a text does not run: its inputs may be to blame, which a check does not see."""
        self._problems.pop(session, None)
        self._problems[session] = (await _hash_of(text), diagnostics)
        while len(self._problems) > MOST_PROBLEMS:
            self._problems.popitem(last=False)

    def _located(self, specs: Any) -> Any:
        """Specifications, with the paths of those that are files here."""
        return with_paths(specs, lambda file: str(path) if (path := self.files.path(file)) else None)

    def _changed(self, hash: str, key: str, status: Status) -> None:
        number = self._known.number(hash, key)
        if number is not None:
            self._progress.recorded(hash, number, status.steps)
            self.hub.tell(hash, key, state_message(number, key, status))


async def _hash_of(text: str) -> str:
    return await apart(len(text), lambda: text_hash(text))
