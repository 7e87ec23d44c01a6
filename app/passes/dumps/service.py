"""Operations of the API on dumps: keep, describe, examine, and step through two texts."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from ...base.cache import Cache
from ...base.errors import ApiError, not_found
from ...base.keys import dump_hash, passes_build
from ...base.settings import Settings
from ...sessions.sessions import Sessions
from ...store.dumps import DumpRecord, no_wishes
from ...store.files import InputFiles, Upload, file_pieces
from ...store.pending_writes import StoreThread
from ...wire import dumps as wire
from ...wire.dump_questions import DumpMemoryQuestion, StageInputsQuestion, StageTextQuestion
from ...wire.questions import Answer, Question
from ...wire.sessions import FileSpec, InputSpec
from .archives import holds_one_program, is_zip
from .examinations import Examination, Examinations
from .readers import DumpReaders

A = TypeVar("A")
KEPT_RECORDS = 32


class Dumps:
    """The dumps of this server. Only the holder of a dump's id can access it."""

    def __init__(
        self,
        settings: Settings,
        thread: StoreThread,
        files: InputFiles,
        sessions: Sessions,
        *,
        converts: bool,
    ) -> None:
        """`converts`: whether XLA may be started to read protocol buffers."""
        self._converts = converts
        self.settings, self.files, self._sessions = settings, files, sessions
        self._thread, self._store = thread, thread.store.dumps
        self.readers = DumpReaders(settings, sessions.supervisor.fork_server)
        self.examinations = Examinations(settings, self.readers, self._keep_found)
        self._records = Cache[str, DumpRecord](KEPT_RECORDS)
        self._watch: asyncio.Task[None] | None = None
        self._losses: set[asyncio.Task[None]] = set()
        sessions.servers.add(self, dump=self._on_changed)

    def start(self) -> None:
        """Start watching for idle processes."""
        self._watch = asyncio.create_task(self.readers.watch())

    async def stop(self) -> None:
        """End all processes."""
        if self._watch is not None:
            self._watch.cancel()
        await self.examinations.stop()
        await self.readers.stop()

    # Dumps.

    async def create(self, called: str, pieces: AsyncIterator[bytes]) -> str:
        """Create a dump from an uploaded archive; its id. `ApiError` if nothing can be examined."""
        async with self.files.receive(pieces) as received:
            most = self.settings.max_program_bytes
            if received.size and await asyncio.to_thread(holds_one_program, received.path, most):
                raise ApiError(
                    422, "one_program", f"{called} holds no dump of several stages.",
                    hint="Open it as a program: POST /api/sessions/from-file.",
                )  # fmt: skip
            return await self._create(called, received)

    async def create_of_path(self, path: Path) -> str:
        """Create a dump from a local folder or archive; its id."""
        if path.is_dir():
            async with self._packed(path, path.name or str(path)) as packed:
                return await self._create(path.resolve().name, packed)
        return await self.create(path.name, file_pieces(path))

    async def _create(self, called: str, received: Upload) -> str:
        if await asyncio.to_thread(is_zip, received.path):
            return await self._add(called, received)
        async with self._packed(received.path, called) as packed:
            return await self._add(called, packed)

    @asynccontextmanager
    async def _packed(self, source: Path, called: str) -> AsyncIterator[Upload]:
        async with self.files.make() as target:
            await self.readers.pack(source, called, target)
            yield await self.files.measure(target)

    async def _add(self, called: str, archive: Upload) -> str:
        """Keep an archive, with the texts of protocol buffers that have none."""
        if not await self.readers.count_protocol_buffers(archive.path, called) or not self._converts:
            return await self._keep(called, archive)
        async with self.files.make() as target:
            await self.readers.write_texts(archive.path, called, target)
            return await self._keep(called, await self.files.measure(target))

    async def _keep(self, called: str, archive: Upload) -> str:
        contents = await self.readers.read(archive.path, called)
        identifier = secrets.token_urlsafe(32)
        hash, build = dump_hash(identifier), passes_build()
        record = DumpRecord(hash, called, archive.name, contents, no_wishes(), None, build)

        def keep() -> None:
            self._store.add(record, archive.size)
            self.files.keep(archive)

        await self._thread.call(keep)
        self._remember(record)
        return identifier

    async def _record(self, identifier: str) -> DumpRecord:
        hash = dump_hash(identifier)
        if (known := self._records.get(hash)) is not None:
            return known
        found = await self._thread.call(self._store.find, hash)
        if found is None:
            raise not_found("dump")
        if found.build != passes_build():
            contents = await self.readers.read(self._path(found), found.name)
            found = replace(found, contents=contents, found=None, build=passes_build())
            await self._thread.call(self._store.set_contents, hash, contents, found.build)
        self._remember(found)
        return found

    def _remember(self, record: DumpRecord) -> None:
        self._records[record.id_hash] = record

    async def name(self, identifier: str) -> str:
        """The name of a dump."""
        return (await self._record(identifier)).name

    async def info(self, identifier: str) -> wire.DumpInfo:
        """The description that the page of a dump needs."""
        record = await self._record(identifier)
        progress = self.examinations.of(record).progress()
        return {"id": identifier, "name": record.name, **record.contents, "examination": progress}

    async def titles(self, identifiers: Sequence[str]) -> list[wire.DumpTitle | None]:
        """Name and verdict of each dump, `None` for a deleted one; it does not count as a visit."""
        hashes = [dump_hash(identifier) for identifier in identifiers]
        found = await self._thread.call(self._store.titles, hashes)
        return [_title(found.get(hash)) for hash in hashes]

    async def rename(self, identifier: str, name: str) -> None:
        """Rename a dump."""
        record = await self._record(identifier)
        if not await self._thread.call(self._store.rename, record.id_hash, name):
            raise not_found("dump")
        self._remember(replace(record, name=name))

    async def delete(self, identifier: str) -> None:
        """Delete a dump and its results immediately and permanently."""
        hash = dump_hash(identifier)
        if not await self._thread.free(self._store.delete, hash):
            raise not_found("dump")
        await self._end(hash)

    async def _end(self, hash: str) -> None:
        """End the processes of a deleted dump."""
        self._forget(hash)
        await self.examinations.cancel(hash)
        self.examinations.forget(hash)
        await self.readers.forget(hash)

    def _forget(self, hash: str) -> None:
        """Read a dump again when it is used again."""
        self._records.drop(hash)
        if not self.examinations.runs(hash):
            self.examinations.forget(hash)

    # Several servers on one store: one of them examines a dump, and all have its texts.

    def needs(self, hash: str) -> bool:
        """Whether this server examines the dump."""
        return self.examinations.runs(hash)

    async def leave(self, hash: str) -> None:
        """Do nothing: findings are written when they are complete."""

    def lost(self, hash: str) -> None:
        """Stop an examination of a dump that another server has."""
        if self.examinations.runs(hash):
            task = asyncio.get_running_loop().create_task(self.examinations.cancel(hash))
            self._losses.add(task)
            task.add_done_callback(self._losses.discard)

    async def _on_changed(self, hash: str) -> None:
        """Read again what another server has changed, and end what it has deleted."""
        for known in [hash] if hash else list(self._records):
            self._forget(known)
            if self.needs(known) and not await self._thread.call(self._store.titles, [known]):
                await self._end(known)

    # Examinations.

    async def progress(self, identifier: str, seen: int) -> wire.ExaminationProgress:
        """The changes of its examination since a version, as soon as there are any."""
        return await self.examinations.of(await self._record(identifier)).news(seen)

    async def examine(self, identifier: str, wishes: wire.ExaminationWishes) -> wire.ExaminationProgress:
        """Start an examination, unless one on the same inputs is running; cancel one on others.

        `ApiError` 409 if another server examines the dump.
        """
        record = await self._record(identifier)
        if await self._sessions.servers.take(record.id_hash):
            self._forget(record.id_hash)
            record = await self._record(identifier)
        known = self.examinations.of(record)
        if known.is_active and known.wishes == wishes:
            return known.progress()
        inputs = self._inputs_path(wishes)
        await self.examinations.cancel(record.id_hash)
        record = replace(record, wishes=wishes, found=None)
        await self._thread.call(self._store.set_wishes, record.id_hash, wishes)
        self._remember(record)
        return self.examinations.start(record, self._path(record), inputs).progress()

    async def stop_examining(self, identifier: str) -> wire.ExaminationProgress:
        """Cancel an examination."""
        record = await self._record(identifier)
        await self.examinations.cancel(record.id_hash)
        return self.examinations.of(record).progress()

    async def add_inputs(self, identifier: str, called: str, pieces: AsyncIterator[bytes]) -> wire.KeptInputs:
        """Keep a file of arrays as inputs of stages."""
        record = await self._record(identifier)
        async with self.files.receive(pieces) as upload:
            await self._sessions.supervisor.checkers.file(str(upload.path), called, None)

            def keep() -> None:
                self._store.add_given(record.id_hash, upload.name, upload.size)
                self.files.keep(upload)

            await self._thread.call(keep)
        return {"file": upload.name, "name": called}

    async def _keep_found(self, hash: str, found: wire.ExaminationProgress) -> None:
        if (record := self._records.get(hash)) is not None:
            self._remember(replace(record, found=found))
        await self._thread.call(self._store.set_found, hash, found)

    # Texts.

    async def ask(self, identifier: str, question: Question[A]) -> Answer[A]:
        """The answer of the process that reads it."""
        record = await self._record(identifier)
        return await self.readers.ask(record.id_hash, self._path(record), record.name, question)

    async def memory_difference(
        self, identifier: str, other: str
    ) -> Answer[list[wire.ModuleMemoryDifference]]:
        """What changed in memory and traffic from this dump to the other, for each module that both have."""
        after, most = await self._record(other), self.settings.max_dump_bytes
        return await self.ask(identifier, DumpMemoryQuestion(str(self._path(after)), after.name, most))

    async def step_through(self, identifier: str, module: int, stage: int) -> wire.SteppedPair:
        """Create a session of the texts around a pass as two runs, on the examination's inputs."""
        record = await self._record(identifier)
        before = self._before(record, self.examinations.of(record), module, stage)
        numbers = [number for number in (before, stage) if number is not None]
        texts = [
            bytes((await self.ask(identifier, StageTextQuestion(module, number))).body).decode("utf-8-sig")
            for number in numbers
        ]
        inputs = await self._inputs(identifier, record, module, numbers)
        name = _session_name(record, module, stage)
        session = await self._sessions.create(texts[0], name, None, inputs[0])
        problem = await self._problem(session)
        second = None
        if len(texts) > 1:
            started = await self._sessions.start_run(session, texts[1], None, inputs[1], None)
            second = started["run"]
            if second is None and not problem:
                problem = started["diagnostics"][0]["message"] if started["diagnostics"] else ""
        number = second["number"] if second else 1
        url = f"/s/{session}?run={number}&compare=1" if number > 1 else f"/s/{session}"
        return {"id": session, "url": url, "name": name, "problem": problem}

    def _before(self, record: DumpRecord, known: Examination, module: int, stage: int) -> int | None:
        """The stage before, or the last earlier one that can run."""
        modules = record.contents["modules"]
        if not (0 <= module < len(modules) and 0 <= stage < len(modules[module]["stages"])):
            raise not_found("stage")
        for number in range(stage - 1, -1, -1):
            found = known.stage(module, number)
            if found is None or found["verdict"] != "cannot_run":
                return number
        return None

    async def _inputs(
        self, identifier: str, record: DumpRecord, module: int, stages: list[int]
    ) -> list[list[InputSpec | None]]:
        """The inputs of stages in the form of a session: arrays of a file that is kept for it."""
        wishes = record.wishes
        path = self._inputs_path(wishes) if wishes["module"] == module else ""
        question = StageInputsQuestion(module, stages, wishes["seed"], path, wishes["file_name"])
        answer = await self.ask(identifier, question)
        names: list[list[str | None]] = json.loads(answer.headers["X-Inputs"])
        async with self.files.receive(_pieces(bytes(answer.body))) as upload:

            def keep() -> None:
                self._store.add_made(record.id_hash, upload.name, upload.size)
                self.files.keep(upload)

            await self._thread.call(keep)

        def spec(name: str | None) -> FileSpec | None:
            return None if name is None else {"kind": "file", "file": upload.name, "array": name}

        return [[spec(name) for name in row] for row in names]

    async def _problem(self, session: str) -> str:
        """The reason why a new session has no run; empty if it has one. It may wait in the queue."""
        found = await self._sessions.info(session)
        if found["run"] is not None:
            return ""
        errors = [each for each in found["diagnostics"] if each["severity"] == "error"]
        return f"The text before cannot be opened: {errors[0]['message']}" if errors else ""

    def _path(self, record: DumpRecord) -> Path:
        path = self.files.path(record.archive)
        if path is None:
            raise ApiError(
                410, "gone", "The archive of this dump is not there any more.", hint="Open the dump again."
            )
        return path

    def _inputs_path(self, wishes: wire.ExaminationWishes) -> str:
        if wishes["file"] is None:
            return ""
        path = self.files.path(wishes["file"])
        if path is None:
            raise ApiError(
                422, "input", f"{wishes['file_name']} is not there any more.", hint="Upload it again."
            )
        return str(path)


def _title(found: tuple[str, wire.ExaminationProgress | None] | None) -> wire.DumpTitle | None:
    if found is None:
        return None
    name, progress = found
    return {
        "name": name,
        "sentence": progress["sentence"] if progress else "",
        "is_wrong": bool(progress and progress["first_wrong"]),
    }


def _session_name(record: DumpRecord, module: int, stage: int) -> str:
    """`jit_f: algsimp (pass 14)`."""
    found = record.contents["modules"][module]
    at = found["stages"][stage]
    number = "" if at["number"] is None else f" (pass {at['number']})"
    key = found["key"].partition(".")[2] or found["key"]
    return f"{key[:80]}: {at['changed_by'][:80]}{number}"


async def _pieces(data: bytes) -> AsyncIterator[bytes]:
    yield data
