"""What a run gets from outside, by the command line and by the program itself: a value for each argument, and for
what the program has others make."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import InputError
from engine.inputs import Array, InputSpec, make_input
from engine.ir.module import Function
from engine.limits import Limits
from engine.outside import Bindings, OutsideResult, bindings_of, find_results, outside_results
from engine.program import BoundFunction, BoundProgram
from engine.source import Source

from ..examples import stated_inputs
from ..npz import arguments_of, match, read_arrays, read_inputs
from .outcome import counted

SKIP = "skip"
"""The value of `--bind` that lets a run go past an op without results."""


def inputs_of(options: argparse.Namespace, source: Source, entry: Function, limits: Limits) -> list[Array]:
    """A value for each argument of `entry`; `InputError` where one does not fit."""
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


def bindings_for(
    options: argparse.Namespace, program: BoundProgram, entry: BoundFunction, limits: Limits
) -> Bindings:
    """What `--bind` gives for results that are made outside of the program; `InputError` where it does not fit."""
    results = outside_results(program, entry)
    texts: dict[int, str] = {}
    for value in options.bind:
        name, separator, text = value.partition("=")
        if not separator:
            raise InputError(f"--bind takes NAME=VALUE, not '{value:.200}'")
        texts |= {results.index(found): text for found in find_results(results, name.strip())}
    first = len(entry.function.arguments)
    given = {
        results[number]: _bound(results[number], text, first + number, limits)
        for number, text in texts.items()
    }
    return bindings_of(program, results, given)


def _bound(result: OutsideResult, text: str, number: int, limits: Limits) -> Array | None:
    """The value, made as that of one more argument; `None` to skip what gives nothing."""
    if (text.strip() == SKIP) != (result.type is None):
        told = (
            "is a value: only what gives nothing is skipped"
            if result.type
            else "gives nothing: it can only be skipped"
        )
        hint = "give a value" if result.type else f"--bind '{result.name}={SKIP}'"
        raise InputError(f"{result} {told}", result.span, hint=hint)
    if result.type is None:
        return None
    return make_input(_spec(text, limits), result.type, number, limits=limits, what=str(result))


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
        raise InputError(f"@{entry.name} takes {counted(len(entry.arguments), 'input')}, not {len(values)}")
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
