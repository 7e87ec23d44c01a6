"""One stage as a runnable program, with flat leaves, because stages add and remove tuples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError, RunError
from hloscope.engine.frontend import load, parse
from hloscope.engine.inputs import needs_value
from hloscope.engine.ir.module import Module
from hloscope.engine.ir.types import TensorType, TokenType, TupleType, Type, leaf_types
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.elided import ELIDED
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import is_tuple, read_only, token, tuple_of
from hloscope.engine.outside_results import Bindings, OutsideResult, bindings_of, outside_results
from hloscope.engine.passes.carried_shardings import CarriedShardings, shardings_of
from hloscope.engine.process_grid.launch import Launch
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import Boundary, is_partitioned
from hloscope.engine.source import Source

from ..processes.arrays import Array
from ..runs.launching import choose_grid


class SignatureError(ProgramError):
    """The stage's signature differs from that of its original program."""

    kind = "input"


@dataclass(frozen=True)
class StageProgram:
    """A runnable stage."""

    program: BoundProgram
    function: BoundFunction
    grid: Grid
    boundary: Boundary

    @property
    def is_partitioned(self) -> bool:
        """Whether each process has partitions of the arguments and of the results."""
        return self.grid.num_partitions > 1 and is_partitioned(self.program, self.function)

    @property
    def argument_types(self) -> tuple[Type, ...]:
        """The types of whole arguments."""
        return self.boundary.whole_types

    @property
    def result_names(self) -> tuple[str, ...]:
        """The names of the result leaves in the text."""
        return tuple(_result_names(self))


def load_stage(text: str, name: str, limits: Limits, carried: CarriedShardings) -> StageProgram:
    """Load the program of a stage; `ProgramError` with the position if it is invalid."""
    loaded = load(Source(text, name), limits)
    if loaded.program is None:
        first = next(found for found in loaded.diagnostics if found.severity == "error")
        line, _ = loaded.source.line_and_column(first.span.start)
        raise RunError(f"line {line}: {first.text}", first.span, hint=first.hint)
    function = find_entry(loaded.program, None)
    grid = choose_grid(loaded.program, function, limits)
    types = [value.type for value in function.function.arguments]
    arguments = carried.of_arguments(types)
    results = carried.of_results(function.function.result_types)
    boundary = Boundary(loaded.program, function, grid, arguments, results)
    return StageProgram(loaded.program, function, grid, boundary)


def shardings_in(texts: Iterable[tuple[str, str]], limits: Limits) -> CarriedShardings:
    """The shardings that several texts of one program state together, each with its name."""

    def modules() -> Iterator[Module]:
        for name, text in texts:
            with suppress(ProgramError):
                yield parse(Source(text, name), limits)

    return shardings_of(modules())


# Inputs


def start(
    stage: StageProgram, inputs: Sequence[Array], constants: Mapping[str, Array], limits: Limits
) -> Recording:
    """A recording of no steps on these inputs; `SignatureError` if they do not fit.

    The inputs are the leaves of whole arguments, in order.
    """
    wholes = _arguments(stage, inputs)
    try:
        columns = [stage.boundary.cut(number, whole) for number, whole in enumerate(wholes)]
    except InputError as error:
        raise SignatureError(error.message, hint=error.hint) from None
    _check(stage, columns)
    count = stage.grid.num_processes
    launched = Launch(stage.grid, tuple(zip(*columns, strict=True)) if columns else ((),) * count)
    bindings = _bindings(stage, constants)
    return Recording(stage.program, launched, limits, stage.function.function.name, bindings)


def _arguments(stage: StageProgram, inputs: Sequence[Array]) -> list[Array]:
    types = [value.type for value in stage.function.function.arguments]
    wanted = sum(isinstance(leaf, TensorType) for leaf in leaf_types(TupleType(tuple(types))))
    if wanted != len(inputs):
        raise SignatureError(f"it takes {wanted} arrays, the first stage {len(inputs)}")
    left = iter(inputs)
    return [_value(kind, left) for kind in types]


def _value(kind: Type, left: Iterator[Array]) -> Array:
    if isinstance(kind, TupleType):
        return read_only(tuple_of([_value(found, left) for found in kind.types]))
    return token() if not needs_value(kind) else next(left)


def _check(stage: StageProgram, columns: Sequence[Sequence[Array]]) -> None:
    """Raise `SignatureError` if an argument's type differs from that of its value."""
    for number, (value, column) in enumerate(zip(stage.function.function.arguments, columns, strict=True)):
        for given, kind in zip(leaves_of(column[0]), _tensors(value.type), strict=True):
            if given.dtype != kind.element_type.dtype or len(given.shape) != kind.rank or any(
                size is not None and size != other for size, other in zip(kind.shape, given.shape, strict=True)
            ):  # fmt: skip
                given_text = f"{given.dtype.name}{list(given.shape)}"
                raise SignatureError(
                    f"argument {number} ({value.name}) is {kind}, but was {given_text} at first"
                )


def _tensors(kind: Type) -> list[TensorType]:
    return [leaf for leaf in leaf_types(kind) if isinstance(leaf, TensorType)]


def leaves_of(value: Array) -> Iterator[Array]:
    """The tensors of a value, with tuples flattened and tokens left out."""
    if is_tuple(value):
        for part in value:
            yield from leaves_of(part)
    elif not (value.shape == (0,) and value.dtype == np.bool_):
        yield value


def _bindings(stage: StageProgram, constants: Mapping[str, Array]) -> Bindings:
    results = outside_results(stage.program, stage.function)
    given = {found: array for found in results if (array := _constant(found, constants)) is not None}
    missing = [found for found in results if found.outside == ELIDED and found not in given]
    if missing:
        names = ", ".join(f"{found.name} ({found.type})" for found in missing[:6])
        raise RunError(
            f"the text leaves out the numbers of {names}, and no other file of the dump has them",
            missing[0].span,
            hint="Dump with --xla_dump_large_constants, or keep module.mlir beside the texts.",
        )
    return bindings_of(stage.program, results, given)


def _constant(result: OutsideResult, constants: Mapping[str, Array]) -> Array | None:
    found = constants.get(result.name.removeprefix("%"))
    kind = result.type
    if found is None or not isinstance(kind, TensorType):
        return None
    fits = found.dtype == kind.element_type.dtype and found.shape == kind.shape
    return found if fits else None


# Results


def finish(stage: StageProgram, recording: Recording) -> list[Array]:
    """Run to the end; the whole result leaves. `ProgramError` if the run does not end."""
    state = recording.record()
    if state.kind != "done":
        raise _stopped(stage, recording)
    return whole_results(stage, recording)


def _stopped(stage: StageProgram, recording: Recording) -> ProgramError:
    found = recording.state.diagnostic
    if found is None:
        return RunError(recording.state.reason)
    line, _ = stage.program.module.source.line_and_column(found.span.start)
    hint = None if found.kind == "unbound" else found.hint
    return RunError(f"line {line}: {found.text}", found.span, hint=hint)


def whole_results(stage: StageProgram, recording: Recording) -> list[Array]:
    """The result leaves. Unjoinable ones are those of all processes, one after the other."""
    return _joined(stage, [track.results() or () for track in recording.tracks[: stage.grid.num_processes]])


def join_leaves(stage: StageProgram, leaves: Sequence[Sequence[Array]]) -> list[Array]:
    """The result leaves, whole, from those of each process, as another engine returns them."""
    types = stage.function.function.result_types
    each = [[_value(kind, left) for kind in types] for left in map(iter, leaves)]
    return _joined(stage, [tuple(values) for values in each])


def _joined(stage: StageProgram, each: Sequence[tuple[Array, ...]]) -> list[Array]:
    joined = stage.boundary.join(each)
    found: list[Array] = []
    for number, whole in enumerate(joined):
        parts = whole if whole is not None else _side_by_side([values[number] for values in each])
        found += leaves_of(parts)
    return found


def _side_by_side(values: Sequence[Array]) -> Array:
    if is_tuple(values[0]):
        return tuple_of([_side_by_side(column) for column in zip(*values, strict=True)])
    same = all(value.tobytes() == values[0].tobytes() for value in values[1:])
    return values[0] if same else read_only(np.stack(values))


def _result_names(stage: StageProgram) -> Iterator[str]:
    block = stage.program.blocks[stage.function.block]
    if not block.operations:
        return
    for operand in block.operations[-1].operands:
        yield from _names_of(stage.program, operand)


def _names_of(program: BoundProgram, value: int) -> Iterator[str]:
    kind = program.values[value].type
    if isinstance(kind, TokenType):
        return
    if not isinstance(kind, TupleType):
        yield program.values[value].name
        return
    maker = program.makers[value]
    bound = None if maker.op is None else program.ops[maker.op]
    if bound is not None and bound.operation.name.endswith(".tuple"):
        for operand in bound.operands:
            yield from _names_of(program, operand)
    else:
        for number, leaf in enumerate(_tensors(kind)):
            del leaf
            yield f"{program.values[value].name}{{{number}}}"


def with_room(limits: Limits, recording_bytes: int) -> Limits:
    """Limits under which a recording keeps at most this many bytes of values."""
    return replace(limits, recording_bytes=min(limits.recording_bytes, recording_bytes))
