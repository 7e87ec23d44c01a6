"""From text and input specifications to a run, inside a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.debugger.recording import Recording
from engine.errors import Diagnostic, InputError, ProgramError
from engine.frontend import load
from engine.inputs import InputSpec, make_input
from engine.ir.module import Function, Value
from engine.ir.types import Type
from engine.limits import Limits
from engine.ops.op import Array
from engine.program import BoundProgram
from engine.source import Source

from ..examples import stated_inputs
from ..keys import recording_key, text_hash
from ..npz import arguments_of, listed, match, read_arrays, read_headers
from ..present import diagnostics as wire_diagnostics
from ..present import entries, input_spec, location_text
from ..present.inputs import input_spec_json
from .runs import Run, memory_diagnostic

JSON = dict[str, Any]
DEFAULT_SPEC: JSON = {"kind": "normal", "seed": 0}


@dataclass
class Opened:
    """What came of opening: the run if there is one, and what the page is told."""

    run: Run | None
    result: JSON = field(default_factory=dict)


def check(source: Source, limits: Limits) -> JSON:
    """What is wrong with a program, and what it can be entered by."""
    loaded = load(source, limits)
    found = entries(loaded.module) if loaded.module else []
    return {"diagnostics": wire_diagnostics(loaded.diagnostics, source), "entries": found}


def open_run(
    source: Source, entry: str | None, inputs: Sequence[JSON | None], previous: Sequence[JSON], limits: Limits,
    build: str,
    blas_threads: int,
) -> Opened:  # fmt: skip
    """Verify, make the inputs, begin. `previous` are arguments of the run before, kept where types still fit."""
    loaded = load(source, limits)
    diagnostics = loaded.diagnostics
    if loaded.program is None:
        return _failed(source, diagnostics)
    try:
        function = _function(loaded.program, entry)
        stated = [input_spec_json(spec) for spec in stated_inputs(source.text)]
        specs, dropped = _specs(function.arguments, inputs, previous, stated)
        arrays = _arrays(function.arguments, specs, limits)
        recording = Recording(loaded.program, arrays, limits, function.name)
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
        "arguments": [_argument(*pair) for pair in zip(function.arguments, stored, strict=True)],
        "results": [str(type) for type in function.result_types],
        "diagnostics": wire_diagnostics(diagnostics, source),
        "dropped_inputs": dropped,
    }
    return Opened(Run(key, recording, source, limits), result)


def file_matches(path: Path, source: Source | None, entry: str | None, limits: Limits) -> JSON:
    """The arrays of an uploaded file, and which argument each is for."""
    headers = read_headers(path, limits.session_memory_bytes)
    program = load(source, limits).program if source else None
    found: dict[int, str] = {}
    if program is not None:
        found = match(arguments_of(_function(program, entry)), [header.name for header in headers])
    matches = [{"argument": number, "array": name} for number, name in sorted(found.items())]
    return {"arrays": listed(headers), "matches": matches}


def _failed(source: Source, diagnostics: Sequence[Diagnostic]) -> Opened:
    return Opened(None, {"diagnostics": wire_diagnostics(diagnostics, source), "dropped_inputs": []})


def _function(program: BoundProgram, entry: str | None) -> Function:
    found = program.functions.get(entry) if entry else program.entry
    if found is not None:
        return found.function
    names = ", ".join(f"@{name}" for name in program.functions)
    message = (
        f"the program has no function @{entry}" if entry else "no function is @main or the only public one"
    )
    raise InputError(message, hint=f"Choose one to run: {names}.")


def _argument(value: Value, spec: JSON) -> JSON:
    location = location_text(value.location)
    name = value.name.removeprefix("%")
    return {"name": name, "type": str(value.type), "input": spec, "location": location}


def _specs(
    arguments: Sequence[Value],
    inputs: Sequence[JSON | None],
    previous: Sequence[JSON],
    stated: Sequence[JSON],
) -> tuple[list[JSON], list[JSON]]:
    """A specification for each argument, and those of the run before that fit no more.

    What is given comes first, then what the run before had, then what the program's own lines state.
    """
    if len(inputs) > len(arguments):
        raise InputError(f"{len(inputs)} inputs are given, but the function takes {len(arguments)}")
    dropped = []
    specs = [inputs[i] if i < len(inputs) else None for i in range(len(arguments))]
    for number, old in enumerate(previous):
        reason = _misfit(arguments, number, old)
        if reason:
            dropped.append({"name": old["name"], "reason": reason})
        elif specs[number] is None:
            specs[number] = old["input"]
    spare = [*stated, *[DEFAULT_SPEC] * len(arguments)]
    return [spec or spare[number] for number, spec in enumerate(specs)], dropped


def _misfit(arguments: Sequence[Value], number: int, old: JSON) -> str | None:
    if number >= len(arguments):
        return "The program has no such argument any more."
    if (new := str(arguments[number].type)) != old["type"]:
        return f"Its type was {old['type']} and is {new} now."
    return None


def _stored(spec: JSON) -> JSON:
    """The specification as it is kept: without the place of a file, which is this machine's business."""
    return {name: value for name, value in spec.items() if name != "path"}


def _arrays(arguments: Sequence[Value], specs: Sequence[JSON], limits: Limits) -> list[Array]:
    files = _files(specs, limits)
    return [
        _array(spec, value.type, number, value.name, files, limits)
        for number, (value, spec) in enumerate(zip(arguments, specs, strict=True))
    ]


def _array(spec: JSON, type: Type, number: int, name: str, files: dict[str, Any], limits: Limits) -> Array:
    return make_input(_input_spec(spec, files), type, number, name, limits)


def _input_spec(spec: JSON, files: dict[str, dict[str, Array]]) -> InputSpec:
    if spec["kind"] == "file":
        return InputSpec("array", array=files[spec["file"]][spec["array"]])
    return input_spec(spec)


def _files(specs: Sequence[JSON], limits: Limits) -> dict[str, dict[str, Array]]:
    """Each file that the specifications name, read once: the arrays that are wanted of it."""
    wanted: dict[str, set[str]] = {}
    paths = {}
    for spec in specs:
        if spec["kind"] == "file":
            if not spec.get("path"):
                raise InputError("the file of an input is not there any more", hint="Upload it again.")
            wanted.setdefault(spec["file"], set()).add(spec["array"])
            paths[spec["file"]] = Path(spec["path"])
    budget = limits.session_memory_bytes
    return {file: read_arrays(paths[file], sorted(names), budget) for file, names in wanted.items()}
