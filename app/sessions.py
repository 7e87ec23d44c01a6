"""Sessions: a program, inputs and a position in the store; a worker when somebody looks; nothing else."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

from .errors import ApiError, not_found, over_limit
from .input_files import with_paths
from .keys import engine_build, session_hash, text_hash
from .large_texts import apart, byte_count
from .live import Hub
from .progress import Progress, StoreThread
from .settings import Settings
from .store import NOTICE, Position, RunRecord, SessionRecord
from .store.files import InputFiles, Upload
from .workers.framing import Frame
from .workers.replies import raise_error
from .workers.seat import OpenRequest, Status
from .workers.supervisor import Supervisor

JSON = dict[str, Any]
KNOWN_KEYS = 1_000
OPENING = {"kind": "recording", "reason": "The run is being opened.", "diagnostic": None}
UNKNOWN = Status(OPENING, 0, 0, None).described()
KNOWN_OF_A_RUN = ("arguments", "results", "diagnostics", "grid", "needed_grid", "user_queues")
"""What is kept of a run so that the page is told without a worker."""


class Sessions:
    """Everything that the API does; knows no HTTP."""

    def __init__(self, settings: Settings, store: StoreThread, files: InputFiles) -> None:
        self.settings, self.files = settings, files
        self.hub = Hub()
        self.supervisor = Supervisor(settings, self._changed)
        self._thread, self._store = store, store.store
        self._progress = Progress(store)
        self._places: OrderedDict[str, tuple[str, int]] = OrderedDict()
        """Session and run of recordings that were asked for lately."""
        self._problems: OrderedDict[str, tuple[str, list[JSON]]] = OrderedDict()
        """What kept a text from running, for the sessions that were tried last."""
        self._numbers: dict[tuple[str, str], int] = {}
        """The run of a session that made a recording; two sessions may have made the same."""

    def start(self) -> None:
        """Start workers."""
        self.supervisor.start()

    async def stop(self) -> None:
        """Write positions, end workers."""
        await self._progress.close()
        await self.supervisor.stop()

    # Programs without a session.

    async def check(self, text: str, name: str, entry: str | None = None) -> JSON:
        """Diagnostics and entries of a program."""
        await self._check_size(text)
        return await self.supervisor.check(text, name, entry)

    async def trial(self, text: str, name: str) -> JSON:
        """A small program, run at once and forgotten."""
        await self._check_size(text)
        return await self.supervisor.trial(text, name)

    async def playground(self, op: str, operands: JSON, fields: JSON) -> JSON:
        """The answer to the form of an op; nothing is kept."""
        return await self.supervisor.playground(op, operands, fields)

    # Sessions.

    async def create(
        self, text: str, name: str, entry: str | None, inputs: Sequence[JSON | None],
        grid: JSON | None = None, feeds: Sequence[JSON] = (),
    ) -> str:  # fmt: skip
        """The id of a new session; a program with errors makes one too, without a run."""
        await self._check_size(text)
        identifier = secrets.token_urlsafe(32)
        await self._thread.call(self._store.add_session, session_hash(identifier), name, text)
        try:
            await self.start_run(identifier, text, entry, inputs, None, grid, feeds)
        except ApiError as error:
            # The text is kept in any case, and the page shows what is wrong.
            await self._note_problems(session_hash(identifier), text, [_as_diagnostic(error)])
        return identifier

    async def session(self, identifier: str) -> SessionRecord:
        """The session as it is kept, and where it is now."""
        found = await self._thread.call(self._store.session, session_hash(identifier))
        if found is None:
            raise not_found("session")
        pending = self._progress.position(found.id_hash)
        if pending is None:
            return found
        return SessionRecord(found.id_hash, found.name, found.draft, pending, found.created, found.runs)

    async def info(self, identifier: str) -> JSON:
        """All that the page needs to open a session."""
        session = await self.session(identifier)
        run = session.current or (session.runs[-1] if session.runs else None)
        text = await self._text(run) if run else ""
        shown = await self._run_info(session, run, text) if run else None
        draft = text if session.draft is None else session.draft
        return {
            "id": identifier,
            "name": session.name,
            "text": draft,
            "run": shown,
            "runs": [_titled(item) for item in session.runs],
            "diagnostics": await self._diagnostics(session, run, text, draft),
            "breakpoints": list(session.position.breakpoints),
            "position": {"step": session.position.step, "path": list(session.position.path)},
            "limits": self.settings.limits().described(),
        }

    async def run_info(self, identifier: str, number: int) -> JSON:
        """One of the session's runs."""
        session = await self.session(identifier)
        run = _run(session, number)
        return await self._run_info(session, run, await self._text(run))

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
            found = await self.supervisor.file(str(upload.path), called, program)
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
        before = session.current
        previous = before.info["arguments"] if inputs is None and before else []
        if grid is None and inputs is None and before:
            grid = before.grid
        request = OpenRequest(
            text, session.name, entry, self._located(inputs or []), self._located(previous),
            grid=grid, feeds=self._located(_new_feeds(feeds, before)),
        )  # fmt: skip
        result = await self.supervisor.open(session.id_hash, request)
        if "key" not in result:
            await self._thread.call(self._store.set_draft, session.id_hash, text)
            await self._note_problems(session.id_hash, text, result["diagnostics"])
            return {
                "run": None,
                "diagnostics": result["diagnostics"],
                "dropped_inputs": result["dropped_inputs"],
            }
        run = next((run for run in session.runs if run.key == result["key"]), None)
        if run is None:
            record = _record(result, grid=grid)
            run = await self._thread.call(self._store.add_run, session.id_hash, text, record, breakpoints)
        else:
            await self._thread.call(self._store.return_to_run, session.id_hash, run.number, breakpoints)
        self._progress.forget(session.id_hash)
        self._problems.pop(session.id_hash, None)
        self._know(run.key, session.id_hash, run.number)
        status = self.supervisor.status(session.id_hash, run.key)
        if status is not None:
            self._changed(session.id_hash, run.key, status)  # what was said before the run had a number
        return {
            "run": _described(run, text, status),
            "diagnostics": result["diagnostics"],
            "dropped_inputs": result["dropped_inputs"],
        }

    async def record(self, identifier: str, number: int, steps: int | None) -> None:
        """Go on recording."""
        session = await self.session(identifier)
        run = _run(session, number)
        await self.supervisor.record(session.id_hash, run.key, lambda: self._opener(session, run), steps)

    async def feed(self, identifier: str, number: int, feed: JSON) -> JSON:
        """Put items into a queue that a run takes from, and go on recording."""
        session = await self.session(identifier)
        run = _run(session, number)
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
        run = session.current if number is None else _run(session, number)
        if run is not None:
            await self.supervisor.pause(session.id_hash, run.key)

    async def states(self, identifier: str) -> list[JSON]:
        """What there is to say about the session's runs to somebody who begins to listen."""
        session = await self.session(identifier)
        found = [(run, self.supervisor.status(session.id_hash, run.key)) for run in session.runs]
        return [_state_message(run.number, run.key, status) for run, status in found if status]

    # Recordings.

    async def ask(self, key: str, question: str, **parameters: Any) -> Frame:
        """The answer of whichever worker has the recording, or can record it again."""
        hash, number = await self._place(key)

        async def opener() -> OpenRequest:
            session = await self._thread.call(self._store.session, hash)
            run = session.run(number) if session else None
            if session is None or run is None or run.key != key:
                raise not_found("recording")
            return await self._opener(session, run)

        frame = await self.supervisor.ask(hash, key, opener, question, parameters)
        raise_error(frame)
        return frame

    async def _place(self, key: str) -> tuple[str, int]:
        if key in self._places:
            self._places.move_to_end(key)
            return self._places[key]
        found = await self._thread.call(self._store.runs_with_key, key)
        if not found:
            raise not_found("recording")
        active = self.supervisor.active_session(key)
        hash, number = next((place for place in found if place[0] == active), found[0])
        self._know(key, hash, number)
        return hash, number

    def _know(self, key: str, hash: str, number: int) -> None:
        self._numbers[hash, key] = number
        self._places[key] = (hash, number)
        self._places.move_to_end(key)
        while len(self._places) > KNOWN_KEYS:
            self._places.popitem(last=False)

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

    async def _run_info(self, session: SessionRecord, run: RunRecord, text: str) -> JSON:
        if run.engine != engine_build():
            run = await self._renewed(session, run)
        self._know(run.key, session.id_hash, run.number)
        status = None
        try:
            status = await self.supervisor.opened(
                session.id_hash, run.key, lambda: self._opener(session, run)
            )
        except ApiError as error:
            if error.status != 503:
                raise
            status = self.supervisor.status(session.id_hash, run.key)
        return _described(run, text, status)

    async def _renewed(self, session: SessionRecord, run: RunRecord) -> RunRecord:
        """The run as this build of the engine sees it: its recording has another key."""
        result = await self.supervisor.open(session.id_hash, await self._opener(session, run))
        if "key" not in result:
            return run
        new = _record(result, number=run.number, created=run.created, steps=run.steps, grid=run.grid)
        new.info["diagnostics"] = [*_notices(run), *new.info["diagnostics"]]
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
            return [_as_diagnostic(error)]

    async def _note_problems(self, session: str, text: str, diagnostics: list[JSON]) -> None:
        """Remember why a text does not run: its inputs may be to blame, which a check does not see."""
        self._problems.pop(session, None)
        self._problems[session] = (await _hash_of(text), diagnostics)
        while len(self._problems) > KNOWN_KEYS:
            self._problems.popitem(last=False)

    def _located(self, specs: Any) -> Any:
        """Specifications, with the paths of those that are files here."""
        return with_paths(specs, lambda file: str(path) if (path := self.files.path(file)) else None)

    def _changed(self, hash: str, key: str, status: Status) -> None:
        number = self._numbers.get((hash, key))
        if number is not None:
            self._progress.recorded(hash, number, status.steps)
            self.hub.tell(hash, key, _state_message(number, key, status))


async def _hash_of(text: str) -> str:
    return await apart(len(text), lambda: text_hash(text))


def _run(session: SessionRecord, number: int) -> RunRecord:
    run = session.run(number)
    if run is None:
        raise not_found("run")
    return run


def _new_feeds(feeds: Sequence[JSON] | None, before: RunRecord | None) -> JSON:
    """What a new run's queues hold: what is given, else all that was put into those of the run before.

    The mark makes the run's key its own: what is put in later makes the recording of that name longer, and two
    runs would not go on in the same way.
    """
    kept = feeds is None and before is not None and before.feeds is not None
    given = [*before.feeds["given"], *before.feeds["later"]] if kept and before and before.feeds else feeds
    return {"mark": secrets.token_hex(8), "given": list(given or []), "later": [], "kept": kept}


def _record(
    result: JSON, *, number: int = 0, created: float | None = None, steps: int | None = None,
    grid: JSON | None = None,
) -> RunRecord:  # fmt: skip
    info = {name: result[name] for name in KNOWN_OF_A_RUN}
    inputs = [argument["input"] for argument in result["arguments"]]
    steps = result["steps"] if steps is None else steps
    return RunRecord(
        number, result["program"], result["entry"], inputs, info, result["key"], engine_build(), steps,
        time.time() if created is None else created, grid, result["feeds"],
    )  # fmt: skip


def _notices(run: RunRecord) -> list[JSON]:
    """What the run has lost in the store, which no opening finds out again."""
    return [item for item in run.info["diagnostics"] if item.get("kind") == NOTICE]


def _described(run: RunRecord, text: str, status: Status | None) -> JSON:
    known = status.described() if status else {**UNKNOWN, "steps": run.steps}
    alone = {"replicas": 1, "partitions": 1}
    return {
        "number": run.number,
        "key": run.key,
        "text": text,
        "entry": run.entry,
        "arguments": run.info["arguments"],
        "results": run.info["results"],
        "grid": run.info.get("grid", alone),
        "needed_grid": run.info.get("needed_grid", alone),
        "user_queues": run.info.get("user_queues", []),
        "feeds": run.feeds,
        **known,
    }


def _titled(run: RunRecord) -> JSON:
    created = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    return {"number": run.number, "created": created, "title": f"Run {run.number}: @{run.entry}"}


def _state_message(number: int, key: str, status: Status) -> JSON:
    return {"type": "state", "run": number, "key": key, **status.described()}


def _as_diagnostic(error: ApiError) -> JSON:
    """What kept the server from looking at a program, where the page shows what is wrong with it."""
    place = {"from": 0, "to": 0, "line": 1, "column": 1, "severity": "error", "op": None}
    return place | {"kind": error.kind, "label": error.limit, "message": error.message, "hint": error.hint}
