"""Cut whole inputs for each process, join results, and determine the number of processes.

A program is *partitioned* if its arguments are the parts of one process: output of XLA's partitioner, or text
with collectives outside manual computations. All other programs take and return whole values in each process.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from ..errors import InputError
from ..ir.attributes import Attribute, IntegerAttribute, OpaqueAttribute
from ..ir.module import Function, Module
from ..ir.types import TensorType, TupleType, Type
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.core.exchanges import Array, Arrays, GridPosition
from ..ops.core.op import Op
from ..ops.core.process_groups import ALONE, Grid
from ..ops.core.values import is_tuple, read_only, tuple_of
from ..ops.custom_calls import CustomCall
from ..ops.sharded_parts.manual_parts import ManualParts, device_at
from ..ops.sharded_parts.tiled_parts import TiledParts
from ..ops.sharding.manual_computation import ManualComputation
from ..program import BoundFunction, BoundProgram
from ..sharding.notation.stated_shardings import StatedShardings, Tilings
from ..sharding.notation.tilings import Tiling

_PARTITIONED = re.compile(r"_spmd(?:\.[0-9]+)?$")
"""Name that XLA's partitioner gives to the entry computation."""
_REPLICAS = ("mhlo.num_replicas", "replica_count")
_PARTITIONS = ("mhlo.num_partitions", "num_partitions")


# Number of processes


def needed_grid(program: BoundProgram, function: BoundFunction) -> Grid:
    """The grid that a program needs: from its attributes or header, else from its shardings.

    JAX's HLO text states shardings of arguments and results, and no number of partitions.
    """
    stated = stated_grid(program.module)
    if stated != ALONE:
        return stated
    counts = chain(_mesh_sizes(program), _sharing_devices(StatedShardings(program.module), function.function))
    return Grid(1, max(counts, default=1))


def stated_grid(module: Module) -> Grid:
    """The grid that a module's attributes or header state; one process by default."""
    return Grid(_stated_count(module, _REPLICAS), _stated_count(module, _PARTITIONS))


def _stated_count(module: Module, names: Sequence[str]) -> int:
    found = (module.attributes.get(name) for name in names)
    return max(1, *(_number(attribute) for attribute in found))


def _number(attribute: Attribute | None) -> int:
    match attribute:
        case IntegerAttribute(value):
            return value
        case OpaqueAttribute(text) if text.isdecimal() and len(text) < 10:
            return int(text)
    return 1


def _mesh_sizes(program: BoundProgram) -> Iterator[int]:
    for op in program.derive(_ops):
        count = None
        if isinstance(op, ManualComputation):
            count = op.parts.count
        elif isinstance(op, CustomCall) and isinstance(op.shares, ManualParts):
            count = op.shares.count
        elif isinstance(op, CustomCall) and isinstance(op.shares, TiledParts):
            count = op.shares.tiling.device_count
        if count is not None:
            yield count


def _sharing_devices(stated: StatedShardings, function: Function) -> Iterator[int]:
    """The numbers of devices that share each argument and result."""
    arguments = (stated.of_argument(function, number) for number in range(len(function.arguments)))
    results = (stated.of_result(function, number) for number in range(len(function.result_types)))
    for tilings in chain(arguments, results):
        yield from (tiling.device_count or 1 for tiling in tilings or ())


def _ops(program: BoundProgram) -> tuple[Op, ...]:
    """The ops of a program, each that operations share once."""
    return tuple({id(bound.op): bound.op.unpacked for bound in program.ops}.values())


# Whole or cut


def is_partitioned(program: BoundProgram, function: BoundFunction) -> bool:
    """Whether arguments and results are the parts of one process."""
    if _PARTITIONED.search(function.function.name):
        return True
    ops = program.derive(_ops)
    return not any(map(_is_manual, ops)) and any(
        isinstance(op, CollectiveOp) or op.traits.returns_process_id for op in ops
    )


def _is_manual(op: Op) -> bool:
    return isinstance(op, ManualComputation) or (isinstance(op, CustomCall) and op.shares is not None)


@dataclass(frozen=True)
class Boundary:
    """The arguments and results of a function on a grid, with their stated shardings."""

    program: BoundProgram
    function: BoundFunction
    grid: Grid
    carried_arguments: tuple[Tilings | None, ...] = ()
    """Shardings from another text of the same program, for arguments without stated ones."""
    carried_results: tuple[Tilings | None, ...] = ()

    def argument(self, number: int) -> Tilings | None:
        """The tilings of an argument's leaves; `None` if it is not cut."""
        stated = self._stated.of_argument(self.function.function, number)
        return self._usable_tilings(stated or _nth(self.carried_arguments, number))

    def result(self, number: int) -> Tilings | None:
        """The tilings of a result's leaves."""
        stated = self._stated.of_result(self.function.function, number)
        return self._usable_tilings(stated or _nth(self.carried_results, number))

    @cached_property
    def whole_types(self) -> tuple[Type, ...]:
        """The types of whole inputs, before they are cut."""
        arguments = self.function.function.arguments
        return tuple(_whole_type(found.type, self.argument(number)) for number, found in enumerate(arguments))

    @cached_property
    def whole_result_types(self) -> tuple[Type, ...]:
        """The types of the results after their parts are joined."""
        types = self.function.function.result_types
        return tuple(_whole_type(found, self.result(number)) for number, found in enumerate(types))

    def cut(self, argument: int, whole: Array) -> tuple[Array, ...]:
        """The value of an argument in each process: parts of a whole value, or the value itself.

        A value that already has the type of the argument is passed to every process unchanged.
        """
        tilings = self.argument(argument)
        stated = self.function.function.arguments[argument].type
        if tilings is None or _has_type(whole, stated):
            return (whole,) * self.grid.num_processes
        cuts: dict[tuple[int, ...], Array] = {}
        given = []
        for place in GridPosition.all_of(self.grid):
            devices = tuple(device_at(place, tiling.device_count, "the sharding") for tiling in tilings)
            # Processes that hold copies share one array.
            key = tuple(
                int(tiling.sources(device).reshape(-1)[0]) if tiling.is_whole else device
                for tiling, device in zip(tilings, devices, strict=True)
            )
            if key not in cuts:
                parts = _cut(whole, list(zip(tilings, devices, strict=True)))
                if not _has_type(parts, stated):
                    raise _shape_error(self.function, argument, whole, tilings)
                cuts[key] = parts
            given.append(cuts[key])
        return tuple(given)

    def cut_all(self, wholes: Sequence[Array]) -> tuple[Arrays, ...]:
        """The inputs of each process, from whole inputs."""
        columns = [self.cut(number, whole) for number, whole in enumerate(wholes)]
        return tuple(zip(*columns, strict=True)) if columns else ((),) * self.grid.num_processes

    def join(self, results: Sequence[Arrays]) -> tuple[Array | None, ...]:
        """The whole results, joined from those of all processes; `None` if processes have different ones.

        Without a sharding a result is whole if all processes have the same one.
        """
        count = len(self.function.function.result_types)
        return tuple(
            _join([found[number] for found in results], self.result(number), self.grid)
            for number in range(count)
        )

    @cached_property
    def _stated(self) -> StatedShardings:
        return StatedShardings(self.program.module)

    @cached_property
    def is_partitioned(self) -> bool:
        return is_partitioned(self.program, self.function)

    def _usable_tilings(self, tilings: Tilings | None) -> Tilings | None:
        if tilings is None or not self.is_partitioned:
            return None
        counts = {found.device_count for found in tilings} - {None}
        return tilings if counts <= {self.grid.num_processes, self.grid.num_partitions} else None


def _nth(carried: tuple[Tilings | None, ...], number: int) -> Tilings | None:
    return carried[number] if number < len(carried) else None


def _whole_type(part: Type, tilings: Tilings | None) -> Type:
    if tilings is None:
        return part
    left = iter(tilings)

    def leaf(found: Type) -> Type:
        tiling = next(left)
        if isinstance(found, TensorType) and found.is_static and tiling.tile_count > 1:
            return replace(found, shape=tiling.whole_shape(found.sizes), layout=None)
        return found

    return _map_type(part, leaf)


def _map_type(found: Type, leaf: Callable[[Type], Type]) -> Type:
    if isinstance(found, TupleType):
        return TupleType(tuple(_map_type(item, leaf) for item in found.types))
    return leaf(found)


def _cut(whole: Array, leaves: list[tuple[Tiling, int]]) -> Array:
    """Cut a value; consumes `leaves`."""
    if is_tuple(whole):
        return tuple_of([_cut(item, leaves) for item in whole])
    tiling, device = leaves.pop(0)
    if tiling.tiles and len(tiling.tiles) != whole.ndim:
        return whole
    return read_only(tiling.cut(whole, device))


def _has_type(value: Array, stated: Type) -> bool:
    if is_tuple(value):
        types = stated.types if isinstance(stated, TupleType) else ()
        return len(value) == len(types) and all(map(_has_type, value, types))
    return not isinstance(stated, TensorType) or value.shape == stated.shape or not stated.is_static


def _shape_error(function: BoundFunction, argument: int, whole: Array, tilings: Tilings) -> InputError:
    value = function.function.arguments[argument]
    cut = " and ".join(dict.fromkeys(tiling.describe() for tiling in tilings))
    message = f"argument {argument} ({value.name}) is a part of type {value.type}, but {list(whole.shape)} is not the shape of the whole"
    hint = f"its layout: {cut}; give a whole value of {_whole_type(value.type, tilings)}, or a part"
    return InputError(message, value.span, hint=hint)


# Results


def _join(values: Sequence[Array], tilings: Tilings | None, grid: Grid) -> Array | None:
    if tilings is None or any(tiling.is_manual for tiling in tilings):
        return values[0] if all(_values_equal(values[0], value) for value in values[1:]) else None
    return _join_leaves(values, list(tilings), grid)


def _join_leaves(values: Sequence[Array], tilings: list[Tiling], grid: Grid) -> Array:
    """Join a value; consumes `tilings`."""
    if is_tuple(values[0]):
        items = range(len(values[0]))
        return tuple_of([_join_leaves([value[item] for value in values], tilings, grid) for item in items])
    tiling = tilings.pop(0)
    if tiling.is_single:
        (alone,) = tiling.devices or (0,)
        return values[min(alone, len(values) - 1)]
    device = device_at(next(GridPosition.all_of(grid)), tiling.device_count, "the sharding")
    parts = {int(at): values[int(at)] for at in tiling.sources(device).reshape(-1)}
    return read_only(tiling.join(parts, tiling.whole_shape(values[0].shape), device))


def _values_equal(one: Array, other: Array) -> bool:
    if one is other:
        return True
    if is_tuple(one):
        return is_tuple(other) and len(one) == len(other) and all(map(_values_equal, one, other))
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    # Compare bits: NaN equals itself, and -0 differs from 0.
    return _bytes(one) == _bytes(other)


def _bytes(value: Array) -> bytes:
    return np.ascontiguousarray(value).tobytes()
