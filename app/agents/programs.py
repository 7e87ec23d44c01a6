"""Programs as agents name them: opened from text, a file or a snippet of Python, and found again by id."""

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.frontend import load
from hloscope.engine.source import Source

from ..answers.lines import first_of
from ..base.errors import ApiError, not_found
from ..base.failure import Failure
from ..classroom.copies import check_copy
from ..export.session_pages import is_saved_session, open_page
from ..present.input_specs import input_spec
from ..runs.chunks.reading import entry_function
from ..runs.formats.program_file import ProgramFile
from ..runs.launching import ArgumentSource
from ..runs.npz import arguments_of, read_grid_inputs
from ..runs.run_inputs import SKIP, given_json
from ..sessions.collected_sources import texts_of_text
from ..sessions.new_sessions import create_of_program
from ..sessions.view_links import is_link, is_own
from ..wire.sessions import Argument, InputSpec, RunInfo, SessionInfo
from .desk import Desk

ARRAYS = (".npz", ".npy", ".safetensors", ".pt")
DUMP = "dump-"
"""Beginning of the ids of dumps."""
MOST_SHOWN = 8
"""Maximum number of inputs, and of results, that `open` lists."""
_ID = re.compile(r"(?P<session>[A-Za-z0-9_-]{1,100})(?:\.(?P<run>\d{1,9}))?")
SETTLE_SECONDS = 20.0
SNIPPET_SECONDS = 120.0
RUN_SNIPPET = """
import sys
import hloscope
names = {"__name__": "__main__"}
exec(compile(sys.stdin.read(), "snippet.py", "exec"), names)
if "f" not in names:
    sys.exit("it defines no function f")
hloscope.record(names["f"], *names.get("inputs", ())).save(sys.argv[1])
"""
"""Records `f(*inputs)` of the snippet on standard input; the file keeps the program and its inputs."""


@dataclass(frozen=True)
class Opened:
    """A run of a session; `run` is null if the program has errors."""

    session: str
    info: SessionInfo
    run: RunInfo | None

    @property
    def id(self) -> str:
        """The id by which tools find it again."""
        return f"{self.session}.{self.run['number']}" if self.run else self.session

    @property
    def key(self) -> str:
        """The recording; `ApiError` if there is none."""
        if self.run is None or not self.run["key"]:
            raise ApiError(
                409, "no_run", "The program has errors, so that it has no run.", hint="diagnose lists them."
            )
        return self.run["key"]


@dataclass(frozen=True)
class Sources:
    """What `open` and `diagnose` take: exactly one of them."""

    text: str = ""
    path: str = ""
    jax: str = ""


async def open_program(
    desk: Desk, sources: Sources, name: str, inputs: Sequence[str], entry: str, beside: str
) -> Opened | str:
    """A new session, or with `beside` a new run of that session; the id of a dump for its folder."""
    given = [kind for kind, value in vars(sources).items() if value]
    if len(given) > 1 or not (given or beside):
        raise ApiError(422, "request", "Give one of text, path and jax.")
    if (sources.path or sources.jax) and desk.read is None:
        raise _no_files()
    file = await _read(desk, sources) if sources.path or sources.jax else None
    if isinstance(file, Path):
        if not await asyncio.to_thread(is_saved_session, file):
            return DUMP + await desk.dumps.create_of_path(file)
        return await settled(desk, await open_page(desk.sessions, file))
    text, called = (file.text, Path(file.name).name) if file else (sources.text, name)
    if len(inputs) == 1 and inputs[0].strip().endswith(ARRAYS):
        if beside or entry:
            raise ApiError(
                422, "request", "A file of inputs goes with neither beside nor entry.",
                hint="Give the inputs as literals, or leave beside and entry out.",
            )  # fmt: skip
        file, inputs = await _with_arrays(desk, text, called, entry, inputs[0].strip()), ()
    if beside:
        return await _beside(desk, beside, text, inputs, entry)
    if file is not None and not inputs and (file.partitions or not entry):
        session = await create_of_program(desk.sessions, file, called)
    else:
        session = await desk.sessions.create(text, called, entry or None, _specs(inputs))
    if file is not None:
        texts = await asyncio.to_thread(texts_of_text, Source(file.text, file.name), desk.settings)
        await desk.sessions.stored.keep_sources(session, texts)
    return await settled(desk, session)


async def _with_arrays(desk: Desk, text: str, called: str, entry: str, path: str) -> ProgramFile:
    """A program with the inputs of a file, by their names or in their order."""
    if desk.read is None:
        raise _no_files()

    def read() -> ProgramFile:
        program = load(Source(text, called), desk.settings.limits()).program
        if program is None:
            return ProgramFile(text, called)
        wanted = arguments_of(entry_function(program, entry or None))
        arrays = read_grid_inputs(Path(path).expanduser(), wanted, desk.settings.session_memory_bytes)
        given = tuple(each.common for each in arrays if each.common is not None)
        if len(given) < len(wanted):
            raise ApiError(422, "input", f"{path} has no array for each of the {len(wanted)} arguments.")
        return ProgramFile(text, called, partitions=(given,))

    return await asyncio.to_thread(read)


def _no_files() -> ApiError:
    return ApiError(
        403, "local", "This server reads no files of yours, and runs no Python.",
        hint="Send the program as text; or use `hloscope mcp` on your machine.",
    )  # fmt: skip


async def _beside(desk: Desk, beside: str, text: str, inputs: Sequence[str], entry: str) -> Opened:
    """Another program, or the same one on other inputs, as a run of the session; by default on the same inputs."""
    before = await found(desk, beside)
    check_owner(before.session)
    text = text or (before.run or before.info)["text"]
    if is_own(before.session):
        await check_copy(desk.sessions, before.session, text)
    given: Sequence[InputSpec | None] | None = _specs(inputs) if inputs else None
    if given is None and before.run is not None:
        given = [argument["input"] for argument in before.run["arguments"]]
    started = await desk.sessions.start_run(before.session, text, entry or None, given, None)
    if started["run"] is None:
        return Opened(before.session, {**before.info, "diagnostics": started["diagnostics"]}, None)
    return await settled(desk, f"{before.session}.{started['run']['number']}")


def check_owner(session: str) -> None:
    """Refuse to change a session by a read-only link, as the server's guard does."""
    if is_link(session):
        raise ApiError(
            403, "read_only", "This link is for reading only.", hint="Open the program again, and use its id."
        )


async def found(desk: Desk, identifier: str) -> Opened:
    """The run of an id: of a session its current run."""
    named = _ID.fullmatch(identifier)
    if named is None or identifier.startswith(DUMP):
        raise _unknown(identifier)
    try:
        info = await desk.sessions.info(named["session"])
        number = int(named["run"]) if named["run"] else None
        run = info["run"] if number is None else await desk.sessions.run_info(named["session"], number)
    except ApiError as error:
        raise (_unknown(identifier) if error.kind == "not_found" else error) from None
    return Opened(named["session"], info, run)


def _unknown(identifier: str) -> ApiError:
    error = not_found("program")
    error.message = f"There is no program '{identifier[:60]}'."
    error.hint = "open creates one and returns its id; passes takes the id of a dump."
    return error


async def settled(desk: Desk, identifier: str) -> Opened:
    """The run at its end, or as far as it is recorded after some seconds; the next call continues the recording."""
    opened = await found(desk, identifier)
    end = time.monotonic() + SETTLE_SECONDS
    hash = (await desk.sessions.session(opened.session)).id_hash
    listener = desk.sessions.hub.join(hash, opened.session if is_link(opened.session) else None)
    try:
        asked = False
        while opened.run is not None and (left := end - time.monotonic()) > 0:
            state = opened.run["state"]["kind"]
            if state == "paused" and not asked:
                asked = True
                await desk.sessions.record(opened.session, opened.run["number"], None)
            elif state != "recording":
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(listener.take(), min(left, 1.0))
            opened = await found(desk, opened.id)
    finally:
        desk.sessions.hub.leave(hash, listener)
        if opened.run is not None and opened.run["state"]["kind"] == "recording":
            # Also when the call is cancelled, so that no recording continues without a reader.
            await asyncio.shield(desk.sessions.pause(opened.session, opened.run["number"]))
    return await found(desk, opened.id)


def _specs(inputs: Sequence[str]) -> list[InputSpec | None]:
    """Inputs as the command line writes them; an empty one is made up, `skip` skips an op without results."""
    return [
        SKIP
        if text.strip() == SKIP["kind"]
        else given_json(ArgumentSource.parse(text))
        if text.strip()
        else None
        for text in inputs
    ]


async def _read(desk: Desk, sources: Sources) -> ProgramFile | Path:
    """The program of a file or a snippet; the path of a dump or a saved page."""
    if sources.jax:
        with tempfile.TemporaryDirectory(prefix="hloscope-snippet-") as folder:
            return await _read_file(desk, await _recorded(sources.jax, Path(folder) / "snippet.py"))
    return await _read_file(desk, Path(sources.path).expanduser())


async def _read_file(desk: Desk, place: Path) -> ProgramFile | Path:
    assert desk.read is not None
    if not await asyncio.to_thread(place.exists):
        raise ApiError(404, "not_found", f"There is no file {str(place)[:200]}.", hint="Give the whole path.")
    if place.suffix == ".py":
        raise ApiError(
            422, "file", f"{place.name} is Python.",
            hint="Give code as jax: it defines a function f and a tuple inputs, and may import the file.",
        )  # fmt: skip
    try:
        return await asyncio.to_thread(desk.read, place)
    except Failure as failure:
        raise ApiError(422, "file", str(failure)) from None


async def _recorded(snippet: str, file: Path) -> Path:
    """The recording of a snippet's `f(*inputs)`, which runs as the user's own Python does."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RUN_SNIPPET, str(file),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await communicate(child, snippet.encode(), SNIPPET_SECONDS)
    if child.returncode or not file.exists():
        told = errors.decode(errors="replace").strip().splitlines() or ["it printed no error"]
        raise ApiError(
            422, "snippet", f"The snippet failed: {told[-1][:400]}",
            hint="It defines a function f and a tuple inputs; hloscope records f(*inputs).",
        )  # fmt: skip
    return file


async def communicate(
    child: asyncio.subprocess.Process, given: bytes | None, seconds: float
) -> tuple[bytes, bytes]:
    """The output of a process, which is killed after the time limit or if the caller is cancelled."""
    try:
        return await asyncio.wait_for(child.communicate(given), seconds)
    except TimeoutError:
        raise ApiError(
            503, "limit", f"The process has not ended within {seconds:g} s.", hint="Give it less to do."
        ) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


def summary(opened: Opened) -> dict[str, Any]:
    """The answer of `open` about a run."""
    info, run = opened.info, opened.run
    about: dict[str, Any] = {"id": opened.id, "name": info["name"]}
    if run is None:
        return {**about, "state": "errors"}
    grid = run["grid"]
    processes = grid["replicas"] * grid["partitions"]
    return {
        **about,
        "function": run["entry"],
        "state": run["state"]["kind"],
        "reason": run["state"]["reason"] if run["state"]["kind"] != "done" else None,
        "steps": run["steps"],
        "processes": processes if processes > 1 else None,
        "inputs": first_of(run["arguments"], MOST_SHOWN, _input_line),
        "results": first_of(run["results"], MOST_SHOWN),
    }


def _input_line(argument: Argument) -> dict[str, str]:
    return {"name": argument["name"], "type": argument["type"], "input": _input_text(argument["input"])}


def _input_text(spec: InputSpec) -> str:
    """The input as `inputs` writes it; its kind if it comes from a file."""
    try:
        return str(input_spec(spec))[:80]
    except InputError:
        return spec["kind"]
