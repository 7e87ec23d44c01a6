"""A program with its inputs during reduction: one module, one entry function, and arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..entry import find_entry
from ..errors import ProgramError
from ..ir.attributes import Attribute
from ..ir.module import Function, Module, Operation, Region, Value, walk
from ..ops import op_table
from ..ops.core.process_groups import Grid
from ..ops.core.values import is_tuple
from ..program import BoundProgram
from ..sharded_runs.sharded_inputs import is_partitioned, stated_grid
from ..syntax import print_hlo, print_module
from ..syntax.hlo.hlo_printer import NotHlo
from ..verifier import verify
from .editing import reachable

Array = NDArray[Any]
KEPT_HEADERS = ("is_scheduled", "mhlo.num_partitions", "mhlo.num_replicas", "num_partitions", "replica_count")
"""Module attributes that hold for any part of it, unlike layouts and aliases of arguments."""
SHARDINGS = frozenset({"mhlo.sharding", "sdy.sharding"})
"""Attributes of arguments, results and ops that distribute them over devices."""
FORGOTTEN = (
    "metadata",
    "jax.result_info",
    "mhlo.frontend_attributes",
    "frontend_attributes",
    "stablehlo.mesh",
)
"""Attributes of ops that do not affect their meaning."""


@dataclass(frozen=True, eq=False)
class Case:
    """A candidate program; verification is deferred until `program` is read."""

    module: Module
    inputs: tuple[Array, ...] = field(repr=False)

    @cached_property
    def program(self) -> BoundProgram | None:
        """The verified program; `None` if the module is invalid or cannot be printed."""
        try:
            found = verify(self.module, op_table()).program
            return found if found is not None and self.text else None
        except (ProgramError, NotHlo):
            return None

    @cached_property
    def text(self) -> str:
        """The program's text in its original language."""
        if self.module.language == "hlo":
            return print_hlo(self.module)
        return print_module(self.module, op_table())

    @cached_property
    def key(self) -> bytes:
        """A digest of the text and the inputs."""
        found = blake2b(self.text.encode(), digest_size=16)
        for array in self.inputs:
            if is_tuple(array):
                found.update(repr(array.tolist()).encode())
            else:
                found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return found.digest()

    @cached_property
    def entry(self) -> Function:
        """The entry function."""
        entry = self.module.entry
        assert entry is not None
        assert entry.body is not None
        return entry

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The ops of the entry without its terminator and, in HLO, without a tuple at its root."""
        assert self.entry.body is not None
        operations = self.entry.body.block.operations[:-1]
        return tuple(found for found in operations if found is not self._root_tuple)

    @property
    def results(self) -> tuple[Value, ...]:
        """The results of the entry; in HLO the root, or the elements of a tuple at the root."""
        assert self.entry.body is not None
        packed = self._root_tuple
        return self.entry.body.block.operations[-1].operands if packed is None else packed.operands

    @cached_property
    def _root_tuple(self) -> Operation | None:
        assert self.entry.body is not None
        *operations, end = self.entry.body.block.operations
        if self.module.language != "hlo":
            return None
        roots = (found for found in operations if found.results == end.operands)
        return next((found for found in roots if found.name == "stablehlo.tuple"), None)

    @cached_property
    def op_count(self) -> int:
        """Number of ops, including regions and other functions, without arguments and terminators."""
        return sum(_op_count(function) for function in self.module.functions)

    @cached_property
    def grid(self) -> Grid:
        """The processes that the program states."""
        return stated_grid(self.module)

    @property
    def is_whole(self) -> bool:
        """Whether inputs and results are whole values, the same in each process."""
        assert self.program is not None
        is_alone = self.grid.num_processes == 1
        return is_alone or not is_partitioned(self.program, find_entry(self.program, None))

    @property
    def element_count(self) -> int:
        """Number of elements of all inputs."""
        return sum(array.size for array in self.inputs)


def _op_count(function: Function) -> int:
    if function.body is None:
        return 0
    ends = {id(block.operations[-1]) for block in function.body.blocks if block.operations}
    found = 0
    for operation in walk(function.body):
        ends |= {
            id(block.operations[-1])
            for region in operation.regions
            if not region.function
            for block in region.blocks
            if block.operations
        }
        found += id(operation) not in ends
    return found


def case_of(module: Module, function: Function, inputs: Sequence[Array]) -> Case:
    """Build the case of a function and its callees; StableHLO entries are renamed to `main`."""
    home = next(
        inner for _, inner in module.all_modules() if any(found is function for found in inner.functions)
    )
    name = function.name if module.language == "hlo" else "main"
    entry = replace(
        function,
        name=name,
        visibility="public",
        argument_attributes=_shardings(function.argument_attributes),
        result_attributes=_shardings(function.result_attributes),
        attributes={},
    )
    others = tuple(
        replace(found, visibility="private") if found.visibility == "public" else found
        for found in home.functions
        if found is not function and found.name != name
    )
    functions = reachable((*others, entry), entry)
    attributes = {key: value for key, value in module.attributes.items() if key in KEPT_HEADERS}
    functions = tuple(map(_plain, functions))
    outside = tuple(map(_plain_operation, home.operations))
    small = Module(functions, home.name, attributes, outside, language=module.language)
    return Case(small, tuple(inputs))


def _plain(function: Function) -> Function:
    """The function without HLO's source metadata."""
    if function.body is None:
        return function
    attributes = _shardings(function.argument_attributes)
    return replace(function, body=_plain_region(function.body), argument_attributes=attributes)


def _shardings(given: tuple[Mapping[str, Attribute], ...]) -> tuple[Mapping[str, Attribute], ...]:
    """The attributes of arguments or results with only the shardings; none if there are none."""
    found = tuple({name: value for name, value in each.items() if name in SHARDINGS} for each in given)
    return found if any(found) else ()


def _plain_region(region: Region) -> Region:
    blocks = tuple(
        replace(block, operations=tuple(map(_plain_operation, block.operations))) for block in region.blocks
    )
    return replace(region, blocks=blocks)


def _plain_operation(operation: Operation) -> Operation:
    attributes = {key: value for key, value in operation.attributes.items() if key not in FORGOTTEN}
    regions = tuple(region if region.function else _plain_region(region) for region in operation.regions)
    return replace(operation, attributes=attributes, regions=regions)
