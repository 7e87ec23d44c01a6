"""Generated inputs for programs with open sizes: consistent sizes, and hints if they clash."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic, ProgramError
from hloscope.engine.inputs import DEFAULT_SIZE, GENERATED, InputSpec
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.open_sizes import Sizes, is_open, size_arguments, source_arguments
from hloscope.engine.program import BoundFunction, BoundProgram

RANDOM = ("normal", "uniform")
"""Random kinds without fixed numbers: an integer that is a size becomes a valid one."""
_ENOUGH = 2
"""Maximum arguments named by a hint: a clash is between two, or one and the program."""
_TRIED = (5, 3, 8, 2, 1, 16, 6, 7, 12)
_MOST_STEPS = 10_000
"""Maximum steps of a run that is retried with other sizes after a failure."""


def with_sizes(spec: InputSpec, type: Type, sizes: Sizes | None) -> InputSpec:
    """The input of an argument with generated `sizes`; `None` if no size depends on it."""
    if sizes is None or spec.kind not in RANDOM or spec.shape is not None or not isinstance(type, TensorType):
        return spec
    if not type.is_static or type.element_count != len(sizes):
        return InputSpec("dense", text=str(DEFAULT_SIZE))
    numbers = np.array([DEFAULT_SIZE if size is None else size for size in sizes], np.int64)
    return InputSpec("array", array=numbers.reshape(type.sizes), exact=False)


def find_generated_sizes(
    program: BoundProgram, function: BoundFunction, specs: Sequence[InputSpec]
) -> frozenset[int]:
    """The arguments with unstated sizes, or size values; `specs`: how each is made."""
    if not any(bound.dynamic for bound in program.ops):
        return frozenset()
    numbers = size_arguments(program, function)
    return frozenset(
        number
        for number, (value, spec) in enumerate(zip(function.function.arguments, specs, strict=True))
        if spec.kind in GENERATED and spec.shape is None and (number in numbers or is_open(value.type))
    )


Run = Callable[[Mapping[int, InputSpec], int], Recording]
"""Records a number of steps of the same run, with other values for some arguments."""


def with_hint(
    found: Diagnostic,
    recording: Recording,
    function: BoundFunction,
    invented: Collection[int],
    run: Run,
    option: str = "{}",
) -> Diagnostic:
    """Add a hint to a run's error: the generated sizes to blame, and the option to set them."""
    op = _failed_op(recording)
    if found.kind != "run" or op is None or found.hint or not invented:
        return found
    suspects = [number for number in source_arguments(recording.program, function, op) if number in invented]
    if not suspects:
        return found
    arguments = function.function.arguments
    names = [f"{arguments[number].name}" for number in suspects[:_ENOUGH]]
    were = "was" if len(names) == 1 else "were"
    made = f"{' and '.join(names)} {were} made up, {DEFAULT_SIZE} for each unstated size"
    remedy = _remedy(recording, function, suspects, sorted(invented), run)
    if not remedy:
        example = {number: _of_size(arguments[number].type, 3) for number in suspects[:_ENOUGH]}
        return replace(
            found,
            hint=f"{made}: give sizes that go together, as in {_options_text(example, function, option)}",
        )
    further = "goes further" if len(remedy) == 1 else "go further"
    return replace(found, hint=f"{made}: {_options_text(remedy, function, option)} {further}")


def _options_text(specs: Mapping[int, InputSpec], function: BoundFunction, option: str) -> str:
    arguments = function.function.arguments
    return " ".join(option.format(f"{arguments[number].name}={spec}") for number, spec in specs.items())


def _remedy(
    recording: Recording, function: BoundFunction, suspects: Sequence[int], invented: Sequence[int], run: Run
) -> Mapping[int, InputSpec]:
    """Other values with which the run succeeds: of one argument, or of all with one size."""
    if recording.step_count > _MOST_STEPS:
        return {}
    types = [value.type for value in function.function.arguments]
    single = ({number: spec} for number in suspects for spec in _other_specs(types[number]))
    alike = ({number: _of_size(types[number], size) for number in invented} for size in _TRIED)
    for specs in chain(single, alike):
        with suppress(ProgramError):
            if run(specs, recording.step_count + 1).state.kind != "failed":
                return specs
    return {}


def _of_size(type: Type, size: int) -> InputSpec:
    """The value of an argument with the same size for every open one."""
    if isinstance(type, TensorType) and not type.is_static:
        return InputSpec(shape=tuple(size if known is None else known for known in type.shape))
    return InputSpec("dense", text=str(size))


def _other_specs(type: Type) -> Iterator[InputSpec]:
    """Other values for an argument, with one size or all numbers changed."""
    shape = type.shape if isinstance(type, TensorType) else ()
    for place in (place for place, size in enumerate(shape) if size is None):
        for size in _TRIED:
            usual = [DEFAULT_SIZE if known is None else known for known in shape]
            yield InputSpec(shape=(*usual[:place], size, *usual[place + 1 :]))
    if None not in shape:
        yield from (_of_size(type, size) for size in _TRIED)


def _failed_op(recording: Recording) -> int | None:
    """The op at which the run failed."""
    failed = (
        track
        for number, track in enumerate(recording.tracks)
        if recording.state_of(number) == "failed" and track.step_count
    )
    track = next(failed, None)
    return None if track is None else track.op_of(track.step_count - 1)
