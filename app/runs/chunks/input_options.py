"""Inputs of a run from the command line, the program and a recorded execution: arguments, outside results."""

import argparse
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec, make_input, needs_value
from hloscope.engine.ir.module import Function
from hloscope.engine.ir.types import TokenType, TupleType, Type, leaf_types
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.outside_results import (
    Bindings,
    OutsideResult,
    bindings_of,
    find_results,
    outside_results,
)
from hloscope.engine.program import BoundFunction, BoundProgram

from ...processes.arrays import Array
from ..array_files.stored import array_spec
from ..launching import ArgumentSource, of_process, process_number
from ..npz import Arrays, arguments_of, match, read_arrays, read_grid_inputs
from ..run_inputs import stated_inputs
from .outcome import count_text
from .reading import Chunk

FILES = (".npy", ".safetensors", ".pt", ".json", ".csv")
"""Suffixes of files with one array."""
OF_VALUES = ("input", "bind", "infeed", "host_values")
"""The options whose values may be files."""
_PART = re.compile(r"[^=;]+")
SKIP = "skip"
"""The value of `--bind` that skips an op without results."""


def inputs_of(
    options: argparse.Namespace, chunk: Chunk, entry: Function, grid: Grid, limits: Limits
) -> list[ArgumentSource]:
    """The source of each argument of `entry`. Raises `InputError` for invalid options."""
    if options.inputs:
        found = read_grid_inputs(Path(options.inputs), arguments_of(entry), limits.session_memory_bytes)
        return [
            _of_file(arrays, value.name, grid) for arrays, value in zip(found, entry.arguments, strict=True)
        ]
    given, special = _inputs_by_argument(options.input, entry, grid, limits)
    stated = _stated_inputs(options.seed, chunk.source.text, grid)
    ways = {**stated, **recorded_inputs(chunk.recorded, entry, grid), **given}
    default = ArgumentSource.one(InputSpec("normal", options.seed))
    return [
        replace(ways.get(number, default), special=special.get(number, {}))
        for number in range(len(entry.arguments))
    ]


def _of_file(arrays: Arrays, name: str, grid: Grid) -> ArgumentSource:
    special = {process_number(grid, *place): array_spec(array) for place, array in arrays.special.items()}
    if arrays.common is None and not special:
        return ArgumentSource()
    missing = [number for number in range(grid.num_processes) if number not in special]
    if arrays.common is None and missing:
        place = divmod(missing[0], grid.num_partitions)
        raise InputError(
            f"argument {name} has arrays for {count_text(len(special), 'process', 'processes')}, but none for process "
            f"({place[0]}, {place[1]}) of {grid}"
        )
    return ArgumentSource.one(array_spec(arrays.common), special)


def bindings_for(
    options: argparse.Namespace, program: BoundProgram, entry: BoundFunction, limits: Limits
) -> Bindings:
    """The `--bind` values of results from outside. Raises `InputError` if one does not fit."""
    results = outside_results(program, entry)
    texts: dict[int, str] = {}
    for value in options.bind:
        name, separator, text = value.partition("=")
        if not separator:
            raise InputError(f"--bind takes NAME=VALUE, not '{value:.200}'")
        texts |= {results.index(found): text for found in find_results(results, name.strip())}
    first = len(entry.function.arguments)
    given = {
        results[number]: _input_value(results[number], text, first + number, limits)
        for number, text in texts.items()
    }
    return bindings_of(program, results, given)


def _input_value(result: OutsideResult, text: str, number: int, limits: Limits) -> Array | None:
    """The array in `text` for a result; `None` for a result without a value, which is skipped."""
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
    return make_input(spec_of(text, limits), result.type, number, limits=limits, what=str(result))


def _stated_inputs(seed: int, text: str, grid: Grid) -> dict[int, ArgumentSource]:
    """The inputs of a program's line `// inputs: …`; `seed` is for entries without one."""
    return {
        number: replace(given, specs=tuple(replace(spec, seed=spec.seed or seed) for spec in given.specs))
        for number, given in enumerate(stated_inputs(text))
        if given.way != "each" or len(given.specs) == grid.num_processes
    }


def _inputs_by_argument(
    values: Sequence[str], entry: Function, grid: Grid, limits: Limits
) -> tuple[dict[int, ArgumentSource], dict[int, dict[int, InputSpec]]]:
    """The `--input` values by argument number: named values first, the others in order.

    Also those of single processes, `NAME@R,P=VALUE`, by argument and process.
    """
    ways: dict[int, ArgumentSource] = {}
    special: dict[int, dict[int, InputSpec]] = {}
    unnamed: list[str] = []
    for value in values:
        name, separator, text = value.partition("=")
        if not separator:
            unnamed.append(value)
            continue
        name, process = of_process(name.strip(), grid)
        number = _number_of(entry, name)
        if number in ways if process is None else process in special.get(number, {}):
            raise InputError(f"argument '{name}' is given twice", hint="Give each argument one value.")
        if process is None:
            ways[number] = _way(text, limits)
        else:
            special.setdefault(number, {})[process] = spec_of(text, limits)
    free = _free_arguments(entry, ways.keys(), len(unnamed))
    if len(unnamed) > len(free):
        count = sum(needs_value(argument.type) for argument in entry.arguments)
        raise InputError(f"@{entry.name} takes {count_text(count, 'input')}, not {len(values)}")
    rest = {number: _way(text, limits) for number, text in zip(free, unnamed, strict=False)}
    return ways | rest, special


def _number_of(entry: Function, name: str) -> int:
    """The number of the argument with this name."""
    number = next(iter(_argument_names(entry, name)), None)
    if number is None:
        known = ", ".join(argument.given_name or argument.name for argument in arguments_of(entry))
        raise InputError(f"@{entry.name} has no argument '{name}'; it has {known or 'none'}")
    return number


def _free_arguments(entry: Function, named: Collection[int], count: int) -> list[int]:
    """The arguments for `count` unnamed values, in order; tokens only if the count covers them."""
    unnamed = [number for number in range(len(entry.arguments)) if number not in named]
    wanted = [number for number in unnamed if needs_value(entry.arguments[number].type)]
    return wanted if count <= len(wanted) else unnamed


def _way(text: str, limits: Limits) -> ArgumentSource:
    return ArgumentSource.one(spec_of(text, limits)) if _is_file(text) else ArgumentSource.parse(text)


def _argument_names(entry: Function, name: str) -> dict[int, str]:
    arguments = arguments_of(entry)
    # A name without other values, or one array for one argument, would match by order.
    return {n: found for n, found in match(arguments, [name, "", *("",) * len(arguments)]).items() if found}


def spec_of(text: str, limits: Limits) -> InputSpec:
    """The specification of a command-line value: an array file, or text for `InputSpec.parse`."""
    if not _is_file(text):
        return InputSpec.parse(text)
    arrays = read_arrays(Path(text.strip()), budget=limits.max_tensor_bytes)
    if len(arrays) != 1:
        known = ", ".join(list(arrays)[:6]) or "none"
        raise InputError(
            f"{text.strip():.200} holds {count_text(len(arrays), 'array')}, and one is wanted: {known}",
            hint="Give a file of several arrays with --inputs.",
        )
    return array_spec(*arrays.values())


def _is_file(text: str) -> bool:
    """Whether a value is a file's name, not a literal; the contents determine its format."""
    return text.strip().endswith(FILES)


def files_named(options: Mapping[str, Any]) -> list[str]:
    """The files that are values of options."""
    parts = {part.strip() for name in OF_VALUES for value in options[name] for part in _PART.findall(value)}
    return sorted(part for part in parts if part.endswith((*FILES, ".npz")) and Path(part).is_file())


def with_files(options: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """The options with the paths that their files have elsewhere."""

    def changed(value: str) -> str:
        return _PART.sub(lambda part: paths.get(part[0].strip(), part[0]), value)

    return {**options, **{name: [changed(value) for value in options[name]] for name in OF_VALUES}}


def recorded_inputs(
    partitions: Sequence[Sequence[Array]], entry: Function, grid: Grid
) -> dict[int, ArgumentSource]:
    """The source of each argument of `entry` by number; empty if nothing was recorded.

    `partitions` has the arrays of each partition, with tuples flattened. Raises `InputError` if they do not fit `entry`.
    """
    if not partitions:
        return {}
    types = [argument.type for argument in entry.arguments]
    specs = [_specs(types, arrays, entry.name) for arrays in partitions]
    if len(specs) == 1:
        return {number: ArgumentSource.one(spec) for number, spec in enumerate(specs[0])}
    if len(specs) != grid.num_processes:
        raise InputError(
            f"the file holds arguments of {len(specs)} partitions, and the grid is {grid}",
            hint=f"Run it with --partitions {len(specs)}, or give other inputs.",
        )
    return {
        number: ArgumentSource("each", tuple(spec[number] for spec in specs)) for number in range(len(types))
    }


def _specs(types: Sequence[Type], arrays: Sequence[Array], name: str) -> list[InputSpec]:
    wanted = sum(not isinstance(leaf, TokenType) for type in types for leaf in leaf_types(type))
    if wanted != len(arrays):
        raise InputError(
            f"the file holds {len(arrays)} arrays of arguments, and @{name} takes {wanted}",
            hint="Give the inputs with --inputs or --input.",
        )
    leaves = iter(arrays)
    return [_spec(type, leaves) for type in types]


def _spec(type: Type, leaves: Iterator[Array]) -> InputSpec:
    if isinstance(type, TupleType):
        return InputSpec("array", parts=tuple(_spec(part, leaves) for part in type.types))
    return InputSpec("array") if isinstance(type, TokenType) else InputSpec("array", array=next(leaves))
