"""Save sessions as pages, and open pages as sessions."""

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..base.errors import ApiError, over_limit
from ..base.large_texts import ESCAPES
from ..base.settings import Settings
from ..processes.child_process import passed_on
from ..processes.worker import WorkerDied, perform_in_child
from ..runs.executed_values import device_start
from ..runs.saved_runs import is_saved_run
from ..sessions.sessions import Sessions
from ..store import Position
from ..store.files import Upload, file_pieces
from ..wire.input_files import files_in, renamed
from ..wire.program import SourceText
from ..wire.questions import Answer
from ..wire.requests import SessionRequest, plain_feeds, plain_grid, plain_inputs
from ..wire.sessions import RunInfo, SessionInfo
from .one_file.collecting import collect
from .one_file.page import PageError
from .one_file.reading import HEAD_BYTES, OpenedPage, is_page
from .one_file.session import NAME
from .one_file.table import Table
from .one_file.writing import assemble, extent_of, program_windows
from .page_job import SESSION, PageFiles, ReadSavedPage
from .saved_recording import RECORDING

MODULE = "hloscope.app.export.page_job"

MOST_FILE_BYTES = 64 << 20
"""Maximum bytes of uploaded files in a page."""
MOST_BY_LINK = 8 << 20
"""Maximum bytes of values in a page requested by a link holder."""
NONE = (404, 409, 422)
"""Status codes of requests without a response."""

ReadSource = Callable[[str], SourceText]


async def page_of(
    sessions: Sessions, identifier: str, number: int, step: int | None, budget: int, read: ReadSource
) -> tuple[str, bytes]:
    """A run of a session as a page, at a step, and the name of the session.

    `read` reads files of the user's own code that were not uploaded with the program. Raises `ApiError`.
    """
    info, run = await sessions.info(identifier), await sessions.run_info(identifier, number)
    told = _alone(info, run, step)
    by_link = info["read_only"]
    table = await _answered(sessions, run["key"], told, min(budget, MOST_BY_LINK) if by_link else budget)
    sources = await _sources(sessions, identifier, table, None if by_link else read)
    files = await asyncio.to_thread(_files, sessions, run)
    try:
        data = await asyncio.to_thread(assemble, told, table, sources, files)
    except PageError as error:
        raise ApiError(503, "page", f"hloscope cannot make the page: {error}.") from error
    return info["name"], data


def _alone(info: SessionInfo, run: RunInfo, step: int | None) -> SessionInfo:
    """The session in the page: with this run, and without an id."""
    alone: RunInfo = {**run, "key": NAME}
    titles = [title for title in info["runs"] if title["number"] == run["number"]]
    position = info["position"] if step is None else {"step": step, "path": []}
    is_shown = info["run"] is not None and info["run"]["number"] == run["number"]
    # Unsaved edits are private.
    text = info["text"] if is_shown and not info["read_only"] else run["text"]
    told: SessionInfo = {**info, "id": NAME, "read_only": True, "run": alone}
    return {**told, "runs": titles, "position": position, "text": text}


async def _answered(sessions: Sessions, key: str, told: SessionInfo, budget: int) -> Table:
    asking = collect(extent_of(told), budget)
    found: Answer[Any] | None = None
    while True:
        # Compression is CPU-bound, and others wait for the loop.
        question = await asyncio.to_thread(_next, asking, found)
        if isinstance(question, Table):
            return question
        try:
            found = await sessions.recordings.ask(key, question)
        except ApiError as error:
            if error.status not in NONE:
                raise
            found = None


def _next(asking: Any, found: Answer[Any] | None) -> Any:
    """The next request, or the table: a thread cannot raise `StopIteration`."""
    try:
        return asking.send(found)
    except StopIteration as stop:
        return stop.value


async def _sources(
    sessions: Sessions, identifier: str, table: Table, read: ReadSource | None
) -> dict[str, str]:
    """The files that the program's ops name, as far as the session's page shows them."""
    places = (place for window in program_windows(table) for place in window["ops"]["locations"])
    names = dict.fromkeys(place.rsplit(":", 2)[0] for place in places if place)
    found: dict[str, str] = {}
    for name in names:
        text = await sessions.stored.source(identifier, name)
        if text is None and read is not None:
            told = await asyncio.to_thread(read, name)
            text = None if told["lines"] is None else "\n".join(told["lines"])
        if text is not None:
            found[name] = text
    return found


def _files(sessions: Sessions, run: RunInfo) -> dict[str, bytes]:
    """The uploaded files of inputs, by their names in the inputs."""
    paths = {}
    for spec in files_in([[argument["input"] for argument in run["arguments"]], run["feeds"]]):
        path = sessions.files.path(spec["file"])
        if path is None:
            raise ApiError(404, "not_found", "The file of an input no longer exists: upload it again.")
        paths[spec["file"]] = path
    size = sum(path.stat().st_size for path in paths.values())
    if size > MOST_FILE_BYTES:
        said = f"The inputs of the run are files of {size:,} bytes; a page can have {MOST_FILE_BYTES:,}."
        raise ApiError(413, "page", said)
    return {name: path.read_bytes() for name, path in paths.items()}


def is_saved_session(path: Path) -> bool:
    """Whether a file is a saved page, by its first bytes, or a saved recording; only for files of one's own."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return is_page(stream.read(HEAD_BYTES)) or is_saved_run(path)


async def open_page(sessions: Sessions, path: Path) -> str:
    """Create a session from a saved page or recording, which another process reads; its id. Raises `ApiError`."""
    settings = sessions.settings
    size, limit = path.stat().st_size, settings.max_upload_bytes
    if size > limit:
        raise over_limit(413, "max_upload_bytes", limit, f"The file is larger than {limit:,} bytes.")
    if not size:
        raise ApiError(422, "request", "The file is empty.")
    with tempfile.TemporaryDirectory(prefix="hloscope-page-") as name:
        folder = Path(name)
        found = await _read_in_child(sessions, ReadSavedPage(str(path), name, limit))
        page = await asyncio.to_thread(_session_in, folder, settings)
        files = [(called, folder / str(number)) for number, called in enumerate(found["files"])]
        if found["is_recording"]:
            files = [(RECORDING, path)]
        return await _with_files(sessions, page, files, {})


async def _read_in_child(sessions: Sessions, task: ReadSavedPage) -> PageFiles:
    milliseconds = sessions.settings.check_time_limit_ms
    try:
        async with sessions.readings.turn():
            return await perform_in_child(MODULE, task, seconds=milliseconds / 1000, environment=passed_on())
    except TimeoutError:
        raise over_limit(
            422, "check_time_limit_ms", milliseconds, "The file took too long to read."
        ) from None
    except WorkerDied:
        message = "The process that reads the file has ended: it may need more memory than there is."
        raise ApiError(422, "page", message) from None


def _session_in(folder: Path, settings: Settings) -> OpenedPage:
    """The session of a page that was read, without its files."""
    file = folder / SESSION
    most = ESCAPES * (2 * settings.max_program_bytes + settings.max_sources_bytes) + settings.max_body_bytes
    if file.stat().st_size > most:
        raise over_limit(
            413, "max_program_bytes", settings.max_program_bytes, "The texts in the file are too large."
        )
    return OpenedPage(**json.loads(file.read_bytes()))


async def _with_files(
    sessions: Sessions, page: OpenedPage, files: list[tuple[str, Path]], kept: dict[str, Upload]
) -> str:
    """Create the session after its files are on the disk, because its first run reads them."""
    if not files:
        return await _create(sessions, page, kept)
    (name, path), *others = files
    async with sessions.files.receive(file_pieces(path)) as upload:
        sessions.files.keep(upload)
        identifier = await _with_files(sessions, page, others, {**kept, name: upload})
        await sessions.keep_file(identifier, file_pieces(path))  # the session owns it from now on
    return identifier


async def _create(sessions: Sessions, page: OpenedPage, kept: dict[str, Upload]) -> str:
    named = {name: upload.name for name, upload in kept.items()}
    request = SessionRequest.model_validate(
        {
            "text": page.text, "name": page.name, "entry": page.entry, "grid": page.grid,
            "inputs": renamed(page.inputs, named), "feeds": renamed(page.feeds, named), "sources": page.sources,
        }
    )  # fmt: skip
    grid, inputs = plain_grid(request.grid), plain_inputs(request.inputs)
    start = device_start(page.device, named[RECORDING]) if page.device else None
    identifier = await sessions.create(
        page.text, page.name, page.entry, inputs, grid, plain_feeds(request.feeds), start=start
    )
    await sessions.stored.keep_sources(identifier, page.sources)
    if page.draft != page.text:
        await sessions.set_draft(identifier, page.draft)
    await sessions.move(identifier, Position(None, page.step, page.path, page.breakpoints))
    return identifier
