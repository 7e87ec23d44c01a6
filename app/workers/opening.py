"""From text and input specifications to a run, inside a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.debugger.recording import Recording
from engine.errors import Diagnostic, InputError, ProgramError
from engine.frontend import load
from engine.limits import Limits
from engine.program import BoundFunction, BoundProgram
from engine.source import Source

from ..examples import stated_inputs
from ..keys import recording_key, text_hash
from ..npz import arguments_of, listed, match, read_headers
from ..present import diagnostics as wire_diagnostics
from ..present import entries
from ..present.inputs import input_spec_json
from ..present.types import type_text
from .rows import rows_of, settled, values_of
from .runs import Run, memory_diagnostic

JSON = dict[str, Any]


@dataclass
class Opened:
    """What came of opening: the run if there is one, and what the page is told."""

    run: Run | None
    result: JSON = field(default_factory=dict)


def check(source: Source, entry: str | None, limits: Limits) -> JSON:
    """What is wrong with a program, and what it can be entered by.

    `entry`, or else the first, has with it what its run takes from outside of the program.
    """
    loaded = load(source, limits)
    found = entries(loaded.module) if loaded.module else []
    chosen = next((item for item in found if item["name"] == entry), next(iter(found), None))
    if chosen is not None and loaded.program is not None:
        rows = rows_of(loaded.program, loaded.program.functions[chosen["name"]])
        chosen["outside"] = [row.described() for row in rows if row.outside]
    return {"diagnostics": wire_diagnostics(loaded.diagnostics, source), "entries": found}


def open_run(
    source: Source, entry: str | None, inputs: Sequence[JSON | None], previous: Sequence[JSON], limits: Limits,
    build: str,
    blas_threads: int,
) -> Opened:  # fmt: skip
    """Verify, make the inputs, begin. `previous` are those of the run before, kept where types still fit."""
    loaded = load(source, limits)
    diagnostics = loaded.diagnostics
    if loaded.program is None:
        return _failed(source, diagnostics)
    try:
        bound = _function(loaded.program, entry)
        function = bound.function
        rows = rows_of(loaded.program, bound)
        stated = [input_spec_json(spec) for spec in stated_inputs(source.text)]
        specs, dropped = settled(rows, inputs, previous, stated)
        arrays, bindings = values_of(loaded.program, rows, specs, limits)
        recording = Recording(loaded.program, arrays, limits, function.name, bindings)
    except ProgramError as error:
        return _failed(source, (*diagnostics, error.diagnostic()))
    except MemoryError:
        return _failed(source, (*diagnostics, memory_diagnostic()))
    stored = [_stored(spec) for spec in specs]
    program = text_hash(source.text)
    key = recording_key(program, function.name, stored, build, blas_threads)
    result = {
        "key": key,
        "program": program,
        "entry": function.name,
        "arguments": [row.described() | {"input": spec} for row, spec in zip(rows, stored, strict=True)],
        "results": [type_text(type, loaded.program.module.language) for type in function.result_types],
        "diagnostics": wire_diagnostics(diagnostics, source),
        "dropped_inputs": dropped,
    }
    return Opened(Run(key, recording, source, limits), result)


def file_matches(path: Path, source: Source | None, entry: str | None, limits: Limits) -> JSON:
    """The arrays of an uploaded file, and which argument each is for, or which result from outside."""
    headers = read_headers(path, limits.session_memory_bytes)
    names = [header.name for header in headers]
    program = load(source, limits).program if source else None
    found: dict[int, str] = {}
    if program is not None:
        function = _function(program, entry)
        rows = enumerate(rows_of(program, function))
        found = match(arguments_of(function.function), names)
        found |= {number: row.name for number, row in rows if row.outside and row.name in names}
    matches = [{"argument": number, "array": name} for number, name in sorted(found.items())]
    return {"arrays": listed(headers), "matches": matches}


def _failed(source: Source, diagnostics: Sequence[Diagnostic]) -> Opened:
    return Opened(None, {"diagnostics": wire_diagnostics(diagnostics, source), "dropped_inputs": []})


def _function(program: BoundProgram, entry: str | None) -> BoundFunction:
    found = program.functions.get(entry) if entry else program.entry
    if found is not None:
        return found
    names = ", ".join(f"@{name}" for name in program.functions)
    message = (
        f"the program has no function @{entry}" if entry else "no function is @main or the only public one"
    )
    raise InputError(message, hint=f"Choose one to run: {names}.")


def _stored(spec: JSON) -> JSON:
    """The specification as it is kept: without the place of a file, which is this machine's business."""
    return {name: value for name, value in spec.items() if name != "path"}
