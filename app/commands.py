"""What `hloscope check` and `hloscope run` do."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from engine.debugger.recording import Recording, State
from engine.errors import Diagnostic, InputError
from engine.frontend import Loaded, load
from engine.inputs import Array, InputSpec, make_input
from engine.ir.module import Function
from engine.ir.types import TensorType, Type
from engine.limits import MEBIBYTE, Limits
from engine.program import BoundProgram
from engine.source import Source
from engine.syntax.print_dense import print_dense

from .examples import stated_inputs
from .npz import arguments_of, match, read_arrays, read_inputs
from .present import diagnostics, entries, value_summary, value_text
from .present.npy import as_plain

SHOWN_ELEMENTS = 100
"""Elements of a result that are printed."""
KEPT_BYTES = 16 * MEBIBYTE
"""Values that `run` keeps: it looks at none but the results."""
SLICE_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
"""A run that takes longer says how far it is."""


class Failure(Exception):
    """The command cannot do what it was asked to; the message is for the user."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def read_source(file: str, limits: Limits) -> Source:
    """The program in `file`; `-` is standard input."""
    name = "<stdin>" if file == "-" else file
    data = sys.stdin.buffer.read() if file == "-" else _read(Path(file), limits)
    if len(data) > limits.max_program_bytes:
        raise Failure(_too_large(name, limits), 3)
    try:
        return Source(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise Failure(f"{name} is not text: byte {error.start} is not UTF-8") from None


def _read(file: Path, limits: Limits) -> bytes:
    if file.is_file() and file.stat().st_size > limits.max_program_bytes:
        raise Failure(_too_large(str(file), limits), 3)
    return file.read_bytes()


def _too_large(name: str, limits: Limits) -> str:
    return f"{name} is larger than max_program_bytes = {limits.max_program_bytes:,}"


# check


def check(files: Sequence[str], limits: Limits, *, as_json: bool) -> int:
    """Prints what is wrong with each file, or one line that all is well; 1 if anything is wrong.

    JSON: `{"files": [{"file", "ok", "diagnostics": […], "entries": […]}]}`; `from` and `to` of a diagnostic
    count UTF-16 units, line and column from 1.
    """
    loaded = [load(read_source(file, limits), limits) for file in files]
    if as_json:
        print(_json({"files": [_checked_json(item) for item in loaded]}))
    else:
        print("\n".join(_checked_text(item) for item in loaded))
    return 0 if all(map(_is_well, loaded)) else 1


def _is_well(loaded: Loaded) -> bool:
    return not any(found.severity == "error" for found in loaded.diagnostics)


def _checked_text(loaded: Loaded) -> str:
    lines = [found.located(loaded.source) for found in loaded.diagnostics]
    if loaded.program and _is_well(loaded):
        operations, functions = len(loaded.program.ops), len(loaded.program.functions)
        lines.append(
            f"{loaded.source.name}: well formed, {_count(operations, 'operation')} in {_count(functions, 'function')}"
        )
    return "\n".join(lines)


def _checked_json(loaded: Loaded) -> dict[str, Any]:
    return {
        "file": loaded.source.name,
        "ok": _is_well(loaded),
        "diagnostics": diagnostics(loaded.diagnostics, loaded.source),
        "entries": entries(loaded.module) if loaded.module and _is_well(loaded) else [],
    }


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)


# run


def run(options: argparse.Namespace, limits: Limits) -> int:
    """Runs a program and prints its results.

    JSON: `{"file", "entry", "state", "reason", "steps", "diagnostics": […], "results": [{"name", "type",
    "shape", "elementType", "dense", "shortened", "statistics", "histogram", "text"}]}`. `state` is `done`,
    `paused` at a limit, `failed`, or `refused` for a program with errors. Numbers that JSON does not know, and
    integers beyond 2^53, are strings.
    """
    source = read_source(options.file, limits)
    loaded = load(source, limits)
    if loaded.program is None or not _is_well(loaded):
        return _refuse(loaded, options)
    entry = entry_function(loaded.program, options.entry)
    recording = Recording(
        loaded.program,
        _inputs(options, source, entry, limits),
        replace(limits, recording_bytes=min(limits.recording_bytes, KEPT_BYTES)),
        entry.name,
    )
    state = _record(recording)
    results = recording.results() or ()
    if options.outputs and state.kind == "done":
        _save(Path(options.outputs), results, entry.result_types)
    if options.json:
        print(_json(_run_json(source, entry, state, recording)))
    else:
        _print_run(source, entry, state, results)
    return _exit_code(state)


def entry_function(program: BoundProgram, name: str | None) -> Function:
    """The function to run: the one named, or the program's own entry."""
    bound = program.functions.get(name.removeprefix("@")) if name else program.entry
    if bound is None:
        known = ", ".join(f"@{known}" for known in program.functions)
        problem = f"the program has no function @{name}" if name else "the program has no @main"
        raise Failure(
            f"{problem}: choose one of {known} with --entry" if known else "the program has no function"
        )
    return bound.function


def _refuse(loaded: Loaded, options: argparse.Namespace) -> int:
    if options.json:
        head = {"file": loaded.source.name, "entry": options.entry, "state": "refused"}
        found = diagnostics(loaded.diagnostics, loaded.source)
        reason = "the program has errors"
        print(_json({**head, "reason": reason, "steps": 0, "diagnostics": found, "results": []}))
    else:
        print(_checked_text(loaded), file=sys.stderr)
    return 1


def _inputs(options: argparse.Namespace, source: Source, entry: Function, limits: Limits) -> list[Array]:
    if options.inputs:
        arrays = read_inputs(Path(options.inputs), arguments_of(entry), limits.session_memory_bytes)
        specs = {number: InputSpec("array", array=array) for number, array in enumerate(arrays)}
    else:
        specs = {**_stated(options.seed, source.text), **_given(options.input, entry, limits)}
    default = InputSpec("normal", options.seed)
    return [
        make_input(specs.get(number, default), value.type, number, value.name, limits)
        for number, value in enumerate(entry.arguments)
    ]


def _stated(seed: int, text: str) -> dict[int, InputSpec]:
    """What a line `// inputs: …` of the program says; the seed is for what states none."""
    return {number: replace(spec, seed=spec.seed or seed) for number, spec in enumerate(stated_inputs(text))}


def _given(values: Sequence[str], entry: Function, limits: Limits) -> dict[int, InputSpec]:
    """The `--input` values by argument number: named ones where they say, the others in order."""
    specs: dict[int, InputSpec] = {}
    unnamed: list[str] = []
    for value in values:
        name, separator, text = value.partition("=")
        if not separator:
            unnamed.append(value)
            continue
        number = next(iter(_numbered(entry, name.strip())), None)
        if number is None:
            known = ", ".join(argument.name for argument in arguments_of(entry))
            raise InputError(f"@{entry.name} has no argument '{name.strip()}'; it has {known or 'none'}")
        specs[number] = _spec(text, limits)
    free = [number for number in range(len(entry.arguments)) if number not in specs]
    if len(unnamed) > len(free):
        raise InputError(f"@{entry.name} takes {_count(len(entry.arguments), 'input')}, not {len(values)}")
    return specs | {number: _spec(text, limits) for number, text in zip(free, unnamed, strict=False)}


def _numbered(entry: Function, name: str) -> dict[int, str]:
    arguments = arguments_of(entry)
    # A name that nothing has beside it, or one array for one argument would match by order.
    return {n: found for n, found in match(arguments, [name, "", *("",) * len(arguments)]).items() if found}


def _spec(text: str, limits: Limits) -> InputSpec:
    if text.strip().endswith(".npy"):
        (array,) = read_arrays(Path(text.strip()), budget=limits.max_tensor_bytes).values()
        return InputSpec("array", array=array)
    return InputSpec.parse(text)


def _record(recording: Recording) -> State:
    """Records to the end; on a terminal, a run that takes long says how far it is."""
    begin = monotonic()
    watched = sys.stderr.isatty()
    shown = False
    try:
        while (state := recording.record(seconds=SLICE_SECONDS)).kind == "recording":
            elapsed = monotonic() - begin
            if watched and elapsed > PATIENCE_SECONDS:
                print(f"\r\x1b[K{_progress(recording, elapsed)}", end="", file=sys.stderr, flush=True)
                shown = True
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return state


def _progress(recording: Recording, elapsed: float) -> str:
    steps, most = recording.step_count, recording.limits.run_step_limit
    filled = min(20, 20 * steps // most)
    bar = "█" * filled + "░" * (20 - filled)
    return f"{bar} {steps:,} of at most {most:,} steps, {elapsed:.0f} s"


def _save(file: Path, results: Sequence[Array], types: Sequence[Type]) -> None:
    tensors = [
        (number, array)
        for number, (array, type) in enumerate(zip(results, types, strict=True))
        if isinstance(type, TensorType)
    ]
    arrays: dict[str, Any] = {f"out_{number}": as_plain(array) for number, array in tensors}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)


def _print_run(source: Source, entry: Function, state: State, results: Sequence[Array]) -> None:
    if state.kind != "done":
        print(_ended_text(source, state), file=sys.stderr)
    for number, (array, type) in enumerate(zip(results, entry.result_types, strict=False)):
        print(f"%out_{number} = {_constant(array, type)}")


def _constant(array: Array, type: Type) -> str:
    if not isinstance(type, TensorType):
        return str(type)
    text = f"stablehlo.constant {print_dense(_actual(type, array), array, SHOWN_ELEMENTS)}"
    return f"{text}  // {value_text(array, type)}" if array.size > SHOWN_ELEMENTS else text


def _actual(type: TensorType, array: Array) -> TensorType:
    return type if type.is_static else type.with_shape(array.shape)


def _ended_text(source: Source, state: State) -> str:
    found = state.diagnostic
    if found is None:
        return f"hloscope: {state.reason}; --set NAME=VALUE changes a limit"
    return found.located(source)


def _exit_code(state: State) -> int:
    if state.kind == "done":
        return 0
    return 3 if state.kind == "paused" or _is_limit(state.diagnostic) else 1


def _is_limit(found: Diagnostic | None) -> bool:
    return found is not None and found.kind == "limit"


def _run_json(source: Source, entry: Function, state: State, recording: Recording) -> dict[str, Any]:
    results = zip(recording.results() or (), entry.result_types, strict=False)
    return {
        "file": source.name,
        "entry": entry.name,
        "state": state.kind,
        "reason": state.reason,
        "steps": recording.step_count,
        "diagnostics": diagnostics([state.diagnostic] if state.diagnostic else [], source),
        "results": [_result_json(number, *result) for number, result in enumerate(results)],
    }


def _result_json(number: int, array: Array, type: Type) -> dict[str, Any]:
    name = f"out_{number}"
    if not isinstance(type, TensorType):
        return {"name": name, "type": str(type)}
    summary = value_summary(name, array, type)
    keys = ("type", "shape", "elementType", "statistics", "histogram", "text")
    dense = print_dense(_actual(type, array), array, SHOWN_ELEMENTS)
    return {
        "name": name,
        **{key: summary[key] for key in keys},
        "dense": dense,
        "shortened": "…" in dense,
    }
