"""Sessions: a stored program, inputs and position, with a worker while a page is open."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..base.cache import Cache
from ..base.errors import ApiError, not_found, over_limit
from ..base.fair_shares import Turns
from ..base.keys import engine_build, session_hash, text_hash
from ..base.large_texts import byte_count, check_size, run_apart
from ..base.settings import Settings
from ..store import Position, RunRecord, SessionRecord
from ..store.files import InputFiles, Upload
from ..store.pending_writes import Progress, StoreThread
from ..store.servers import Servers
from ..wire.input_files import with_paths
from ..wire.live import StateMessage
from ..wire.playground import DerivedElements, FormState, PlaygroundAnswer
from ..wire.program import CheckResult, Diagnostic, GridSize, QuickRun
from ..wire.sessions import Feed, Feeds, InputSpec, LaterStart, RunInfo, SessionInfo, StartedRun, UploadedFile
from ..workers.session_worker import OpenRequest, Status
from ..workers.supervisor import Supervisor
from ..workers.worker_slots import LeftQueue
from .hub import Hub
from .recordings import Recordings
from .run_conversion import (
    OPENING,
    RunRequest,
    as_diagnostic,
    inputs_of,
    is_refused,
    new_request,
    notices,
    pending_run,
    record_of,
    run_json,
    run_of,
    run_title,
    started_run,
    state_message,
    waiting_message,
)
from .stored_sessions import StoredSessions
from .verification import LARGE_PROGRAM, RefusedTexts, Verification, cancelled
from .view_links import ViewLinks, is_link, is_own

S = TypeVar("S")
MOST_LARGE_TEXTS = 2
"""Maximum number of large texts in memory; the windows of any other are read from the store one by one."""
TURN_SECONDS = 1.0
"""Timeout for a worker; after it, `create` returns the session without a run."""


class Sessions:
    """The operations on sessions that the API offers, independent of HTTP."""

    def __init__(
        self, settings: Settings, store: StoreThread, files: InputFiles,
        drop_answers: Callable[[Iterable[str]], None] = lambda recordings: None, address: str = "",
    ) -> None:  # fmt: skip
        """`drop_answers` drops cached answers about recordings; `address`: where this server's pages are."""
        self.settings, self.files = settings, files
        self.hub = Hub(settings.max_sockets)
        self._verification = Verification(self.hub)
        self.supervisor = Supervisor(
            settings, self._on_state,
            lambda hash, turn: self.hub.notify(hash, "waiting", waiting_message(turn)),
            self.hub.has_listeners, self.hub.is_worked_on, self._verification.report,
        )  # fmt: skip
        self._thread, self._store, self._progress = store, store.store, Progress(store)
        self._refused = RefusedTexts()
        self._large_texts = Cache[str, str](MOST_LARGE_TEXTS)
        """Texts of large programs by their hashes: a page requests the windows of one by one."""
        self._openings: dict[str, asyncio.Task[None]] = {}
        """The task that opens a session's run; it continues when the session gets a worker."""
        self.readings = Turns(
            range(max(1, settings.check_workers)), settings.max_waiting, "pages wait to be read"
        )
        """Turns at reading saved pages, each in a process of its own."""
        self.links = ViewLinks(store)
        self.recordings = Recordings(store, self.supervisor, self._opener, files, self.links, drop_answers)
        self.stored = StoredSessions(
            store, self._progress, self.supervisor, self._openings, self.links, self.recordings
        )
        self.servers = Servers(store, address)
        self.servers.add(self, session=self._on_deleted, links=self._on_withdrawn)

    def start(self) -> None:
        """Start workers, and tell other servers what this one has."""
        self.supervisor.start()
        self.servers.start()

    async def stop(self) -> None:
        """Write pending positions and stop all workers."""
        for task in self._openings.values():
            task.cancel()
        await asyncio.gather(*self._openings.values(), return_exceptions=True)
        await self._progress.close()
        await self.supervisor.stop()
        await self.servers.stop()

    # Several servers on one store.

    def needs(self, hash: str) -> bool:
        """Whether a page of the session is open here, or a write of it is pending."""
        pending = self._progress.position(hash) is not None
        return pending or hash in self._openings or self.hub.is_worked_on(hash)

    async def leave(self, hash: str) -> None:
        """Write what is pending, before another server gets the session."""
        await self._progress.flush()

    def lost(self, hash: str) -> None:
        """Drop the pending writes of a session that another server has."""
        self._progress.forget(hash)

    async def _on_deleted(self, hash: str) -> None:
        if hash:
            await self.stored.forget(hash)
        await self._on_withdrawn(hash)

    async def _on_withdrawn(self, hash: str) -> None:
        self.links.forget()
        await self.dismiss_link_holders()

    # Programs without a session.

    async def check(self, text: str, name: str, entry: str | None = None) -> CheckResult:
        """Diagnostics and entries of a program."""
        await check_size(text, self.settings.max_program_bytes)
        return await self.supervisor.checkers.check(text, name, entry)

    async def quick_run(self, text: str, name: str) -> QuickRun:
        """The steps of a small program, which is run without being stored."""
        await check_size(text, self.settings.max_program_bytes)
        return await self.supervisor.checkers.quick_run(text, name)

    async def playground(self, op: str, state: FormState, derive: DerivedElements | None) -> PlaygroundAnswer:
        """The evaluated form of an op; nothing is stored."""
        return await self.supervisor.checkers.playground(op, state, derive)

    async def create(
        self, text: str, name: str, entry: str | None, inputs: Sequence[InputSpec | None],
        grid: GridSize | None = None, feeds: Sequence[Feed] = (), upload: Upload | None = None,
        identifier: str = "", start: LaterStart | None = None,
    ) -> str:  # fmt: skip
        """The id of a new session; for a program with errors, the session has no run.

        `upload` is a file that the inputs name. If other sessions wait for a worker, the id is returned before the run
                is open.
        """
        await check_size(text, self.settings.max_program_bytes)
        identifier = identifier or secrets.token_urlsafe(32)
        hash = session_hash(identifier)
        now = self.supervisor.slots.reserve(hash)
        is_pending = not now or len(text) >= LARGE_PROGRAM
        # The text of a run is stored with it.
        await self._thread.call(self._store.add_session, hash, name, "" if is_pending else text)
        if upload:
            await self._thread.call(self._keep, hash, upload)
        if is_pending:
            run = await run_apart(len(text), lambda: pending_run(text, entry, inputs, grid, feeds, start))
            await self._add_first_run(hash, name, text, run)
            # The page shows a large program before it is verified, so wait only while the session is queued.
            seconds = 0 if now else TURN_SECONDS
            await self._with_open_run(await self._session(hash), seconds=seconds)
            return identifier
        try:
            await self.start_run(identifier, text, entry, inputs, None, grid, feeds, start)
        except ApiError as error:
            # Store the text even so: the page shows its diagnostics.
            await self._refused.note(hash, text, [as_diagnostic(error)])
        return identifier

    async def _add_first_run(self, hash: str, name: str, text: str, run: RunRecord) -> None:
        """Store the pending run of a new session while its worker begins to read: both take seconds for a large text.

        The worker's result is stored later, because the store performs one write after the other.
        """
        self._keep_large(run.program, text)
        with self.supervisor.hold_position(hash):
            self._opening(
                SessionRecord(hash, name, False, Position(1), run.created, [replace(run, number=1)])
            )
            try:
                await self._thread.call(self._store.add_run, hash, text, run)
            except ApiError:
                await self.stored.forget(hash)
                raise

    async def session(self, identifier: str) -> SessionRecord:
        """A session with its latest position, by its id or by a read-only link to it.

        By its id, it is this server's from now on; `ApiError` 409 if another server has it.
        """
        hash = await self.links.hash_of(identifier)
        found = await self._session(hash)
        if is_link(identifier) or not await self.servers.take(hash):
            return found
        return await self._session(hash)

    async def _session(self, hash: str) -> SessionRecord:
        found = await self._thread.recall(self._store.session, hash)
        if found is None:
            raise not_found("session")
        pending = self._progress.position(found.id_hash)
        if pending is None:
            return found
        return replace(found, position=pending)

    async def draft(self, session: SessionRecord) -> str | None:
        """The draft of a session, or None."""
        return await self._thread.recall(self._store.draft, session.id_hash) if session.has_draft else None

    async def shown_text(self, session: SessionRecord) -> str:
        """The program that a session shows."""
        draft = await self.draft(session)
        return await self._text(session.current) if draft is None and session.current else draft or ""

    async def info(self, identifier: str, *, patient: bool = True) -> SessionInfo:
        """The data with which the page opens a session; waits in the queue only if `patient`."""
        found, is_open = await self._info(identifier, patient=patient)
        if not (is_open or patient or found["waiting"] or found["verifying"]):  # it left the queue meanwhile
            found, _ = await self._info(identifier, patient=True)
        return found

    async def _info(self, identifier: str, *, patient: bool) -> tuple[SessionInfo, bool]:
        """As `info`, and whether the run is open."""
        session = await self.session(identifier)
        text = await self._text(session.current) if session.current else ""
        # An impatient caller gets a large program before it is verified.
        seconds = 0 if not patient and len(text) >= LARGE_PROGRAM else None
        session = await self._with_open_run(session, patient=patient, seconds=seconds)
        known = [run for run in session.runs if run.key]
        run = session.current or (known[-1] if known else None)
        text = await self._text(run) if run else ""
        shown = await self._run_info(session, run, text, patient, seconds) if run and run.key else None
        # Link holders see the text of the run, never the owner's unsaved draft.
        is_read = shown is not None and is_link(identifier)
        draft = None if is_read else await self.draft(session)
        draft = text if draft is None else draft
        is_open = (
            run is None
            or is_refused(run)
            or (run.engine == engine_build() and shown is not None and shown["state"] != OPENING)
        )
        found: SessionInfo = {
            "id": identifier,
            "name": session.name,
            "text": draft,
            "long_text": None,
            "read_only": is_link(identifier),
            "run": shown,
            "runs": [run_title(item) for item in known],
            "diagnostics": await self._diagnostics(session, run, text, draft),
            "breakpoints": list(session.position.breakpoints),
            "position": {"step": session.position.step, "path": list(session.position.path)},
            "limits": self.settings.limits().describe(),
            "waiting": self.supervisor.slots.turn(session.id_hash),
            "verifying": None if is_open or seconds is None else self._verification.of(session.id_hash, text),
        }
        return found, is_open

    async def run_info(self, identifier: str, number: int) -> RunInfo:
        """A run of the session."""
        session, run = await self._with_run(identifier, number)
        return await self._run_info(session, run, await self._text(run), True, None)

    async def long_text(self, identifier: str, hashed: str) -> str:
        """The session's text with this hash: of one of its runs or, for its owner, the draft. `ApiError` for another."""
        session = await self.session(identifier)
        run = next((run for run in session.runs if run.program == hashed), None)
        if run is not None:
            return await self._text(run)
        if is_link(identifier):
            raise not_found("text")
        known = self._large_texts.get(hashed) if session.has_draft else None
        if known is not None and self._refused.hash_of(session.id_hash) == hashed:
            return known  # a page requests many windows: reading and hashing the draft for each takes long
        draft = await self.draft(session)
        if draft is None or await asyncio.to_thread(text_hash, draft) != hashed:
            raise not_found("text")
        return draft

    async def set_draft(self, identifier: str, text: str) -> None:
        """Store the draft of the program."""
        await check_size(text, self.settings.max_program_bytes)
        if not await self._thread.call(self._store.set_draft, session_hash(identifier), text):
            raise not_found("session")

    async def move(self, identifier: str, position: Position) -> None:
        """Store the user's position; it is on disk when this returns, and later if the store fails."""
        hash = session_hash(identifier)
        is_known = self.recordings.has_run(hash, position.run)
        number = position.run
        try:
            if is_known:  # pages move many times a second: nothing is read for it
                await self.servers.take(hash)
            else:
                session = await self.session(identifier)
                number = number if session.run(number) else session.position.run
        except ApiError as error:
            if error.kind == "store" and is_known:
                self._progress.note(hash, position)
            raise
        await self._progress.move(hash, Position(number, position.step, position.path, position.breakpoints))

    async def add_file(self, identifier: str, called: str, pieces: AsyncIterator[bytes]) -> UploadedFile:
        """Store an uploaded file; returns its arrays and the arguments that they fit."""
        session = await self.session(identifier)
        run = session.current
        program = OpenRequest(await self._text(run), session.name, run.entry, []) if run else None
        async with self.files.receive(pieces) as upload:
            found = await self.supervisor.checkers.file(str(upload.path), called, program)
            most = self.settings.copy_bytes if is_own(identifier) else None
            await self._thread.call(self._keep, session.id_hash, upload, most)
        return {"file": upload.name, **found}

    def _keep(self, id_hash: str, upload: Upload, most: int | None = None) -> None:
        if not self._store.add_upload(id_hash, upload.name, upload.size, most):
            raise self._copy_is_full()
        self.files.keep(upload)

    def _copy_is_full(self) -> ApiError:
        limit = self.settings.copy_bytes
        error = over_limit(
            413, "copy_bytes", limit, f"This copy, made in a room, holds at most {limit:,} bytes."
        )
        error.hint = "Delete it, and make another one."
        return error

    async def dismiss_link_holders(self) -> None:
        """Close the sockets of those whose link was withdrawn."""
        for listener in self.hub.link_holders():
            try:
                await self.links.session_of(listener.link or "")
            except ApiError as gone:
                listener.dismiss(gone)

    async def sweep_files(self) -> int:
        """Delete the files that no session has; in the store's thread, so that no upload comes in between."""
        return await self._thread.call(self.files.sweep, self._store.needed_inputs)

    async def follow_deletion(self) -> None:
        """After sessions are deleted, close the sockets of their readers and delete their files."""
        await self.dismiss_link_holders()
        await self.sweep_files()

    # Runs.

    async def start_run(
        self, identifier: str, text: str, entry: str | None, inputs: Sequence[InputSpec | None] | None,
        breakpoints: Sequence[Any] | None, grid: GridSize | None = None, feeds: Sequence[Feed] | None = None,
        start: LaterStart | None = None,
    ) -> StartedRun:  # fmt: skip
        """Start a run, or return to the session's run of the same recording.

        The answer has no run if the program or its inputs have errors. Omitted `inputs` and `feeds` are those of the
                current run; so is an omitted grid if the inputs are omitted too.
        """
        await check_size(text, self.settings.max_program_bytes)
        session = await self.session(identifier)
        if is_own(identifier):
            held = await self._thread.call(self._store.held_bytes, session.id_hash)
            if held + await byte_count(text) > self.settings.copy_bytes:
                raise self._copy_is_full()
        try:
            requested = RunRequest(entry, inputs, grid, feeds, start)
            started = await self._start(session, text, requested, breakpoints)
        except LeftQueue:
            raise ApiError(503, "left", "The page that requested this run stopped waiting for it.") from None
        if started["run"] and session.current and not session.current.key:
            number = session.current.number
            await self._thread.call(self._store.return_to_run, session.id_hash, number, breakpoints)
        return started

    async def _start(
        self, session: SessionRecord, text: str, requested: RunRequest, breakpoints: Sequence[Any] | None
    ) -> StartedRun:
        request = new_request(session, text, requested, self._with_paths)
        result = await self.supervisor.open(session.id_hash, request)
        if result["key"] is None:
            await self._without_run(session, text, result["diagnostics"])
            return started_run(None, result)
        run = await self._keep_run(session, text, record_of(result, grid=request.grid), breakpoints)
        self._progress.forget(session.id_hash)
        self._refused.forget(session.id_hash)
        self.recordings.add(run.key, session.id_hash, run.number)
        status = self.supervisor.status(session.id_hash, run.key)
        if status is not None:
            self._on_state(session.id_hash, run.key, status)  # reports that came before the run had a number
        return started_run(run_json(run, text, status), result)

    async def _keep_run(
        self, session: SessionRecord, text: str, opened: RunRecord, breakpoints: Sequence[Any] | None
    ) -> RunRecord:
        """The stored run: the pending one, one of the same recording, or a new one."""
        before = session.current
        if before is not None and not before.key:
            opened = replace(opened, number=before.number)
            await self._thread.call(self._store.settle_run, session.id_hash, text, opened)
            return opened
        same = next((run for run in session.runs if run.key == opened.key), None)
        if same is None:
            return await self._thread.call(self._store.add_run, session.id_hash, text, opened, breakpoints)
        await self._thread.call(self._store.return_to_run, session.id_hash, same.number, breakpoints)
        return same

    async def _without_run(self, session: SessionRecord, text: str, problems: list[Diagnostic]) -> None:
        """Note the problems of a text, and store them with its pending run, or else the text as a draft."""
        await self._refused.note(session.id_hash, text, problems)
        run = session.current
        if run is not None and not run.key and run.program == self._refused.hash_of(session.id_hash):
            # The run keeps the text: to store a large one again as a draft would take seconds.
            refused = replace(run, engine=engine_build(), info={**run.info, "diagnostics": problems})
            await self._thread.call(self._store.renew_run, session.id_hash, refused)
        else:
            await self._thread.call(self._store.set_draft, session.id_hash, text)

    # Pending runs.

    def _opening(self, session: SessionRecord) -> asyncio.Task[None] | None:
        """The task that opens the current run, or None if this build has opened it."""
        run, hash = session.current, session.id_hash
        if run is None or run.engine == engine_build():
            return None
        if hash not in self._openings:
            task = self._openings[hash] = asyncio.create_task(self._open(session, run))
            task.add_done_callback(lambda _: self._on_opened(hash))
        return self._openings[hash]

    def _on_opened(self, hash: str) -> None:
        self._openings.pop(hash, None)
        self._verification.end(hash)

    async def _open(self, session: SessionRecord, run: RunRecord) -> None:
        text = await self._text(run)
        try:
            if run.key:
                await self._renew(session, run)
            else:
                given = run.feeds["given"] if run.feeds else None
                requested = RunRequest(
                    run.entry or None, inputs_of(run), run.grid, given, run.info.get("start")
                )
                await self._start(session, text, requested, None)
        except LeftQueue:
            pass  # the next request for the session opens it
        except ApiError as error:
            if not run.key and error.limit != "max_waiting":
                await self._without_run(session, text, [as_diagnostic(error)])

    async def _with_open_run(
        self, session: SessionRecord, *, patient: bool = True, seconds: float | None = None
    ) -> SessionRecord:
        """The session once its run is open, or its present state after the timeout."""
        task = self._opening(session)
        if task is None:
            return session
        await self.supervisor.run_in_time(task, session.id_hash, patient=patient, seconds=seconds)
        return await self._session(session.id_hash)

    async def _with_run(self, identifier: str, number: int) -> tuple[SessionRecord, RunRecord]:
        session = await self._with_open_run(await self.session(identifier))
        return session, run_of(session, number)

    async def record(self, identifier: str, number: int, steps: int | None) -> None:
        """Continue recording for `steps` more steps, or to the end."""
        session, run = await self._with_run(identifier, number)
        await self.supervisor.record(session.id_hash, run.key, lambda: self._opener(session, run), steps)

    async def feed(self, identifier: str, number: int, feed: Feed) -> RunInfo:
        """Add items to a queue that a run reads from, and continue recording."""
        session, run = await self._with_run(identifier, number)
        if run.feeds is None:
            raise ApiError(422, "input", "The program reads from no queue that you can fill.")
        located = self._with_paths(feed)
        await self.supervisor.feed(session.id_hash, run.key, lambda: self._opener(session, run), located)
        feeds: Feeds = {**run.feeds, "later": [*run.feeds["later"], feed]}
        await self._thread.call(self._store.set_feeds, session.id_hash, number, feeds)
        return await self.run_info(identifier, number)

    async def pause(self, identifier: str, number: int | None) -> None:
        """Stop recording."""
        session = await self.session(identifier)
        run = session.current if number is None else run_of(session, number)
        if run is not None and not run.key:
            await self.supervisor.give_up_opening(session.id_hash, cancelled())
        elif run is not None:
            await self.supervisor.pause(session.id_hash, run.key)

    async def states(self, identifier: str) -> list[StateMessage]:
        """The state messages of the session's runs, for a new listener."""
        session = await self.session(identifier)
        found = [(run, self.supervisor.status(session.id_hash, run.key)) for run in session.runs]
        return [state_message(run.number, run.key, status) for run, status in found if status]

    async def request_of(self, identifier: str, number: int) -> OpenRequest:
        """The request that opens a run in another process."""
        return await self._opener(*await self._with_run(identifier, number))

    async def keep_file(self, identifier: str, pieces: AsyncIterator[bytes]) -> str:
        """Store a file made for a session; returns its name."""
        session = await self.session(identifier)
        async with self.files.receive(pieces) as upload:
            await self._thread.call(self._keep, session.id_hash, upload)
        return upload.name

    # Parts.

    async def _text(self, run: RunRecord) -> str:
        found = self._large_texts.get(run.program)
        if found is None:
            found = await self._thread.recall(self._store.program, run.program)
            self._keep_large(run.program, found)
        return found

    def _keep_large(self, program: str, text: str) -> None:
        if len(text) >= LARGE_PROGRAM:
            self._large_texts[program] = text

    async def _opener(self, session: SessionRecord, run: RunRecord) -> OpenRequest:
        text = await self._text(run)
        return OpenRequest(
            text, session.name, run.entry, self._with_paths(inputs_of(run)), steps=run.steps, grid=run.grid,
            feeds=self._with_paths(run.feeds), start=self._with_paths(run.info.get("start")),
        )  # fmt: skip

    async def _run_info(
        self, session: SessionRecord, run: RunRecord, text: str, patient: bool, seconds: float | None
    ) -> RunInfo:
        if session.id_hash in self._openings:
            return run_json(run, text, None)
        if run.engine != engine_build():
            run = await self._renew(session, run)
        self.recordings.add(run.key, session.id_hash, run.number)
        status = None
        try:
            status = await self.supervisor.wait_until_open(
                session.id_hash, run.key, lambda: self._opener(session, run), patient=patient, seconds=seconds
            )
        except ApiError as error:
            if error.status != 503:
                raise
            status = self.supervisor.status(session.id_hash, run.key)
        return run_json(run, text, status)

    async def _renew(self, session: SessionRecord, run: RunRecord) -> RunRecord:
        """The run opened by this build of the engine; its recording has a new key."""
        result = await self.supervisor.open(session.id_hash, await self._opener(session, run))
        if result["key"] is None:
            return run
        new = record_of(result, number=run.number, created=run.created, steps=run.steps, grid=run.grid)
        new.info["diagnostics"] = [*notices(run), *new.info["diagnostics"]]
        await self._thread.call(self._store.renew_run, session.id_hash, new)
        return new

    async def _diagnostics(
        self, session: SessionRecord, run: RunRecord | None, text: str, draft: str
    ) -> list[Diagnostic]:
        problems = await self._refused.of(session.id_hash, draft)
        if problems is not None:
            return problems
        if run is not None and draft == text:
            return list(run.info["diagnostics"])
        try:
            return list((await self.check(draft, session.name))["diagnostics"])
        except ApiError as error:
            return [as_diagnostic(error)]

    def _with_paths(self, specs: S) -> S:
        """Input specifications, with the paths of the uploaded files they name."""
        return with_paths(specs, lambda file: str(path) if (path := self.files.path(file)) else None)

    def _on_state(self, hash: str, key: str, status: Status) -> None:
        if hash not in self._openings:  # else it ends when the run is stored, where pages find it
            self._verification.end_if_begun(hash)
        number = self.recordings.number(hash, key)
        if number is not None:
            self._progress.note_steps(hash, number, status.steps)
            self.hub.notify(hash, key, state_message(number, key, status))
