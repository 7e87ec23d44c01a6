"""`hloscope.debug`: open a program in the local debugger; control its session from Python."""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.ops.core.values import is_tuple
from hloscope.engine.outside_results import Answers, OutsideResult, outside_results

from ..base.settings import Settings
from ..passes.python_passes import Passes
from ..runs.array_files.stored import as_bits
from ..runs.run_inputs import OF_EXECUTIONS
from ..sessions.collected_sources import source_texts
from ..web.local_server import LocalServer, NoServer, local_server, stop_server
from . import api as python_api
from .functions import record_given
from .given_programs import GivenProgram, Options, given_program
from .hosts.callbacks import Callbacks
from .local_client import LocalClient, ServerRefused
from .recording import Recording

POLL_SECONDS = 0.25


def debug(
    program: Any,
    *arguments: Any,
    stage: str | None = None,
    open: bool | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    callbacks: Callbacks = None,
    on: str | None = None,
    **named: Any,
) -> Session:
    """Open a program in the browser debugger, with its call arguments as inputs.

    `program` is what `hloscope.record` accepts: a function, which is called with `arguments` and `named`; a
    program object of JAX, Equinox, Flax, TensorFlow or PyTorch; or text, bytes or a path, and then `arguments`
    are its inputs in order. `stage` is `stablehlo`, `hlo`, `optimized`, or `passes`: the program after each
    pass of XLA.

    `callbacks` are those of `record`: with `"run"` the program is recorded in this process first, and the
    results of its callbacks are sent to the server, for each execution. With `on`, as in `record`, the server has XLA
    compute the values on that device.

    The local server is found, or started in the background, where it outlives this process. `open` controls
    whether a browser opens; by default one does, except in a notebook, which shows the debugger in the cell.
    Nothing leaves the machine.
    """
    options = Options(stage, static_argnums, static_argnames)
    settings = Settings.load()
    if stage == "passes":
        session: Session = _debug_passes(program, arguments, named, options, limits, settings)
    else:
        given = given_program(program, arguments, named, options, limits)
        session = open_session(
            given, _server(settings), entry=entry, limits=limits, callbacks=callbacks, on=on
        )
    if shows_in_browser(open):
        session.open()
    return session


def shows_in_browser(open: bool | None) -> bool:
    """Whether a session opens in a browser; by default it does, except in a notebook."""
    return open if open is not None else not _in_notebook()


def stop_local_server() -> bool:
    """Stop the server that `debug` found or started; whether there was one. Sessions are kept."""
    return stop_server(Settings.load())


class Session:
    """A program in the debugger of this machine.

    As a context manager it ends with `close`.
    """

    def __init__(
        self,
        server: LocalServer,
        path: str,
        name: str,
        make: Callable[[], Recording],
        passes: Passes | None = None,
    ) -> None:
        self._client, self._path = LocalClient(server), path
        self._make = make
        self.name = name
        """The title in the page: the name of the function or the file."""
        self.passes = passes
        """The changes of each pass, as `hloscope.passes` returns them; of the stage `passes` only."""

    @staticmethod
    def local_server(settings: Settings) -> LocalServer:
        """The local server, started if necessary; `ProgramError` if it cannot start."""
        return _server(settings)

    @property
    def url(self) -> str:
        """The page's address with the sign-in token: anyone who has it can use this server."""
        return self._client.server.url(self._path)

    @property
    def id(self) -> str:
        """The session id on the server."""
        return self._path.rpartition("/")[2]

    @cached_property
    def recording(self) -> Recording:
        """The run in this process: every value, error and NaN origin. Recorded at first access."""
        return self._make()

    def open(self) -> None:
        """Open the page in a browser of this machine."""
        threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()

    def wait(self, seconds: float | None = None) -> str:
        """Wait until the debugger has recorded the run: `done`, `failed` or `paused`.

        `TimeoutError` after `seconds`.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            info = self._client.info(self.id)
            run = info["run"]
            if run is None and info["diagnostics"] and not info["verifying"]:
                return "failed"
            if run is not None and run["state"]["kind"] != "recording":
                return str(run["state"]["kind"])
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"{self.name} is still recorded after {seconds:g} s")
            time.sleep(POLL_SECONDS)

    def goto(self, place: Address | int | str) -> None:
        """Move to a step: a number, a value's address, a name (`%5`), a source line (`train.py:12`).

        The page shows that step when it is next opened or loaded.
        """
        step = self.recording.step_at(place)
        self._client.move(self.id, {"step": step, "path": self.recording.path_of(step)})

    def close(self) -> None:
        """Delete the session and its run on the server; the recording in this process stays."""
        if self.passes is not None:
            self._client.delete_dump(self.id)
        else:
            self._client.delete(self.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """Omits the token, because a notebook saves its output."""
        return f"<hloscope.Session {self.name} at {self._address}>"

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self._client.server.port}{self._path}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The debugger in the cell, with its recording; a link for the passes of XLA."""
        link = {"text/plain": repr(self), "text/html": self._link()}
        if self.passes is not None:
            return link, {}
        show = getattr(self._view, "_repr_mimebundle_", None)
        data, metadata = (
            show(**options) if show is not None else ({"text/html": self._view._repr_html_()}, {})
        )
        return {
            **data,
            "text/plain": link["text/plain"],
            "text/html": data["text/html"] + link["text/html"],
        }, metadata

    @cached_property
    def _view(self) -> Any:
        return self.recording.show()

    def _link(self) -> str:
        return (
            f'<p><a href="{escape(self._address)}" target="_blank">{escape(self.name)} in hloscope</a>. '
            "Use <code>session.open()</code> to sign in a new browser.</p>"
        )


def open_session(
    given: GivenProgram,
    server: LocalServer,
    *,
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    callbacks: Callbacks = None,
    recording: Recording | None = None,
    on: str | None = None,
) -> Session:
    """Create a session of a program with its inputs, whose values XLA computes `on` a device.

    `ProgramError` if the program has errors or rejects the inputs. A `recording` of the program supplies the
    results of its callbacks.
    """
    parsed = (
        python_api.parse(given.program, limits=limits) if isinstance(given.program, str) else given.program
    )
    columns: Sequence[Sequence[Any]] = ()
    if given.inputs is not None:
        columns = tuple(zip(*python_api.launch_of(parsed, given.inputs, entry, limits).inputs, strict=True))
    calls = given.host is not None and bool(given.host.callbacks) and given.inputs is not None
    recorded = recording
    if recorded is None and calls:
        recorded = record_given(given, entry=entry, limits=limits, callbacks=callbacks, on=on)
    arrays: dict[str, Any] = {}
    specs = [_spec(column, f"in_{number}", arrays) for number, column in enumerate(columns)]
    if recorded is not None:
        specs += _outside_specs(recorded, arrays)
    client = LocalClient(server)
    try:
        session = client.create(given.name, source_texts(parsed))
        run: dict[str, Any] = {"text": given.text, "inputs": _uploaded(client, session, specs, arrays)}
        if entry is not None:
            run["entry"] = entry
        started = client.start_run(session, run)
        if on is not None and started["run"] is not None:
            job = client.compute_on(session, started["run"]["number"], on)
            client.start_run(
                session, {name: run[name] for name in ("text", "entry") if name in run} | {"start": job}
            )
    except ServerRefused as refused:
        raise ProgramError(str(refused)) from None

    def make() -> Recording:
        if recorded is not None:
            return recorded
        return record_given(given, entry=entry, limits=limits, callbacks=callbacks, on=on)

    return Session(server, f"/s/{session}", given.name, make)


def _uploaded(
    client: LocalClient, session: str, specs: list[dict[str, Any]], arrays: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The specifications of inputs, with the file of their arrays, uploaded to the server."""
    if arrays:
        with TemporaryDirectory(prefix="hloscope-") as folder:
            path = Path(folder) / "inputs.npz"
            np.savez(path, **arrays)
            file = client.upload(session, path)
        _name_file(specs, file)
    return specs


def _spec(column: Sequence[Any], name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """The specification of an input; `column` holds its value in each process."""
    first = column[0]
    if all(value is first for value in column):
        found = _file_spec(first, name, arrays)
        return found if len(column) == 1 else {"kind": "same", "base": found}
    return {
        "kind": "each",
        "specs": [_file_spec(value, f"{name}_{at}", arrays) for at, value in enumerate(column)],
    }


def _file_spec(value: Any, name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    if is_tuple(value):
        raise InputError(
            "the page takes no tuples as inputs", hint="Record such a program with hloscope.record."
        )
    arrays[name] = as_bits(value)
    return {"kind": "file", "file": "", "array": name}


def _outside_specs(recording: Recording, arrays: dict[str, Any]) -> list[dict[str, Any]]:
    """The values supplied for each requested result from outside, in the order in which a run lists them."""
    program = recording.program
    results = outside_results(program, find_entry(program, recording.entry))
    return [
        _outside_spec(recording, result, f"outside_{number}", arrays) for number, result in enumerate(results)
    ]


def _outside_spec(
    recording: Recording, result: OutsideResult, name: str, arrays: dict[str, Any]
) -> dict[str, Any]:
    given = recording.bindings.get(result.op)
    if given is None:
        return {"kind": "stop"}
    if result.type is None:
        return {"kind": "skip"}
    if not isinstance(given, Answers):
        return _file_spec(given[result.number], name, arrays)
    listed = given.listed()
    if len(recording.tracks) > 1:
        raise InputError(f"{result} is called in several processes, whose answers the page takes no list of")
    executions = [results[result.number] for results in listed.get(0, ())]
    if not executions:
        return {"kind": "stop"}
    return _file_spec(np.stack(executions), f"{name}{OF_EXECUTIONS}", arrays)


def _name_file(specs: Sequence[dict[str, Any]], file: str) -> None:
    for spec in specs:
        if spec["kind"] == "file":
            spec["file"] = file
        elif "base" in spec or "specs" in spec:
            _name_file([spec["base"]] if spec["kind"] == "same" else spec["specs"], file)


def _server(settings: Settings) -> LocalServer:
    try:
        return local_server(settings)
    except NoServer as error:
        raise ProgramError(str(error)) from None


def _in_notebook() -> bool:
    """Whether this code runs in a notebook kernel, which displays the value of a cell."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell" or "marimo" in sys.modules


def _debug_passes(
    program: Any,
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    options: Options,
    limits: Limits,
    settings: Settings,
) -> Session:
    from .capture import dump_of, packed

    passes, name = dump_of(program, arguments, named, options, limits)
    server = _server(settings)
    try:
        with packed(passes.folder) as archive:
            dump = LocalClient(server).create_dump(archive)
    except ServerRefused as refused:
        raise ProgramError(str(refused)) from None

    def no_recording() -> Recording:
        raise ProgramError(
            "the passes of XLA are many programs, not one recording",
            hint="session.passes has what each pass did.",
        )

    return Session(server, f"/passes/{dump}", name, no_recording, passes)
