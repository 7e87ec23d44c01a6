"""The session of a page, in the server's format, from a recording alone.

The debugger uses it to open the page again: the program, the inputs, the position and the breakpoints.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import cast

import numpy as np
from typing_extensions import TypedDict

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.outside_results import Answers
from hloscope.engine.program import BoundFunction
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid

from ...present.grid import queue_version
from ...present.npy import as_plain
from ...present.source_offsets import diagnostic as wire_diagnostic
from ...present.source_offsets import diagnostics as wire_diagnostics
from ...present.types import type_text
from ...runs.launching import fed_queues, queue_text
from ...runs.opening import grid_size
from ...runs.run_inputs import SKIP, STOP, RunInput, run_inputs
from ...wire.sessions import Argument, Feed, Feeds, FileSpec, InputSpec, RunInfo, SessionInfo, ValueSpec
from .collecting import LARGEST_VALUE
from .page import PageError

NAME = "file"
"""The id of the session and the key of the recording: a page has only one."""
INPUTS = "inputs.npz"
MOST_INPUT_BYTES = 64 << 20


class PlacedArray(TypedDict):
    """A value whose elements are all in the page, by address."""

    address: str
    dtype: str
    shape: list[int]


class Inputs:
    """The input arrays of a run, and their specifications; equal arrays are kept once."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self.elsewhere: dict[str, PlacedArray] = {}
        """Arrays among the responses of the page."""
        self.size = 0
        self._names: dict[int, str] = {}

    def spec(self, name: str, array: Array, address: Address | None = None) -> FileSpec:
        """The specification of an array; an unencoded one may refer to its `address` in the page."""
        known = self._names.get(id(array))
        if known is None:
            known = self._names[id(array)] = name
            self._add(name, array, address)
        return {"kind": "file", "file": INPUTS, "array": known}

    def _add(self, name: str, array: Array, address: Address | None) -> None:
        if address is not None and _travels_as_it_is(array):
            self.elsewhere[name] = {
                "address": str(address), "dtype": array.dtype.name, "shape": list(array.shape)
            }  # fmt: skip
        else:
            self.arrays[name] = as_plain(array)
            self.size += self.arrays[name].nbytes

    def files(self) -> dict[str, bytes]:
        """The other arrays as an .npz file, if there are any; raises `PageError`."""
        if self.size > MOST_INPUT_BYTES:
            much = f"the inputs take {self.size:,} bytes, and a page has room for {MOST_INPUT_BYTES:,}"
            raise PageError(much)
        return {INPUTS: npz_of(self.arrays)} if self.arrays else {}


def npz_of(arrays: Mapping[str, Array]) -> bytes:
    """Arrays as an .npz file."""
    stream = BytesIO()
    np.savez(stream, **dict(arrays))  # type: ignore[arg-type]  # names are ours, no keyword of its own
    return stream.getvalue()


def _travels_as_it_is(array: Array) -> bool:
    """Whether the page already holds the raw elements: not widened, and within the limit."""
    is_plain = array.dtype.type.__module__ == "numpy" and array.dtype.kind in "biufc"
    return is_plain and array.dtype != np.float16 and 0 < array.size <= LARGEST_VALUE


def session_of(
    recording: Recording,
    entry: BoundFunction,
    specs: Sequence[InputSpec | None],
    inputs: Inputs,
    position: int = 0,
    breakpoints: Sequence[int] = (),
) -> SessionInfo:
    """The session of a recording; `specs` override the specifications of argument arrays."""
    source = recording.program.module.source
    run = run_of(recording, entry, specs, inputs)
    return {
        "id": NAME,
        "name": _name(recording),
        "text": source.text,
        "long_text": None,
        "run": run,
        "read_only": True,
        "runs": [{"number": run["number"], "created": "", "title": f"Run {run['number']}: @{run['entry']}"}],
        "diagnostics": wire_diagnostics(recording.program.warnings, source),
        "breakpoints": list(breakpoints),
        "position": {"step": position, "path": []},
        "limits": recording.limits.describe(),
        "waiting": None,
        "verifying": None,
    }


def run_of(
    recording: Recording, entry: BoundFunction, specs: Sequence[InputSpec | None], inputs: Inputs
) -> RunInfo:
    """The run of a recording."""
    program, state = recording.program, recording.state
    diagnostic = wire_diagnostic(state.diagnostic, program.module.source) if state.diagnostic else None
    rows = run_inputs(program, entry, recording.grid)
    return {
        "number": 1,
        "key": NAME,
        "text": program.module.source.text,
        "long_text": None,
        "entry": entry.function.name,
        "arguments": _arguments(recording, rows, specs, inputs),
        "results": [type_text(type, program.module.language) for type in entry.function.result_types],
        "grid": grid_size(recording.grid),
        "needed_grid": grid_size(needed_grid(program, entry)),
        "user_queues": [queue_text(queue) for queue in fed_queues(program, recording.grid)],
        "feeds": _feeds(recording, inputs),
        "start": None,
        "state": {"kind": state.kind, "reason": state.reason, "diagnostic": diagnostic},
        "steps": recording.step_count,
        "frames": recording.frame_count,
        "prints": recording.print_count,
        "findings": recording.finding_count,
        "processes": len(recording.tracks),
        "ticks": recording.end_tick,
        "collective_executions": len(recording.collective_executions),
        "queues": queue_version(recording),
        "awaiting_item": bool(recording.awaited_queues),
    }


def _arguments(
    recording: Recording, rows: Sequence[RunInput], specs: Sequence[InputSpec | None], inputs: Inputs
) -> list[Argument]:
    found: list[Argument] = []
    for number, row in enumerate(rows):
        stated = specs[number] if number < len(specs) else None
        spec = stated or (
            _outside(recording, row, inputs) if row.outside else _given(recording, number, row, inputs)
        )
        found.append(cast(Argument, {**row.to_json(), "input": spec}))
    return found


def _given(recording: Recording, number: int, row: RunInput, inputs: Inputs) -> InputSpec:
    """The values of an argument, by process."""
    values = [process[number] for process in recording.launch.inputs]
    if not isinstance(row.type, TensorType):
        return {"kind": "zeros", "seed": 0}  # a token; arrays of a tuple have no file
    first = values[0]
    places = [Address(process, "f", 0, number) for process in range(len(values))]
    if all(value is first or _same(value, first) for value in values):
        spec = inputs.spec(f"in_{number}", first, places[0])
        return spec if len(values) == 1 else {"kind": "same", "base": spec}
    each: list[ValueSpec] = [
        inputs.spec(f"in_{number}_{process}", value, places[process]) for process, value in enumerate(values)
    ]
    return {"kind": "each", "specs": each}


def _name(recording: Recording) -> str:
    """The file's name without its path, which is private; else the module's name."""
    name = Path(recording.program.module.source.name).name
    return recording.program.module.name or "program" if name.startswith("<") else name


def _same(one: Array, other: Array) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()


def _outside(recording: Recording, row: RunInput, inputs: Inputs) -> InputSpec:
    """The values supplied for a result from outside of the program."""
    made = row.outside
    given = None if made is None else recording.bindings.get(made.op)
    # Callback results differ between executions: a new run stops there.
    if made is None or given is None or isinstance(given, Answers):
        return STOP
    if made.type is None:
        return SKIP
    return inputs.spec(f"outside_{made.op}_{made.number}", given[made.number])


def _feeds(recording: Recording, inputs: Inputs) -> Feeds | None:
    """The queue items of the run at its start."""
    if not fed_queues(recording.program, recording.grid):
        return None
    given: list[Feed] = []
    for key, items in recording.launch.feeds.items():
        name = queue_text(key)
        specs: list[list[ValueSpec]] = [
            [
                inputs.spec(f"{key.kind}_{key.channel}_{number}_{place}", array)
                for place, array in enumerate(item)
            ]
            for number, item in enumerate(items)
        ]
        given.append({"queue": name, "process": key.process, "items": specs})
    return {"mark": "", "given": given, "later": []}
