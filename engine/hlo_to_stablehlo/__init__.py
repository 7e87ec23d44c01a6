"""Convert HLO modules to StableHLO: tuples become several values, named computations become regions.

Functions take and return the leaves of tuples one by one. The entry is `@main`. Values keep their names.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..ir.attribute_values import integer
from ..ir.attributes import Attribute
from ..ir.element_types import I32
from ..ir.module import Function, Module, Operation, Region, Value
from ..ir.types import TupleType
from ..ops import op_table
from ..ops.core.process_groups import ALONE, Grid
from ..sharded_runs.sharded_inputs import stated_grid
from . import call_lowerings, collective_lowerings, decompositions, op_lowerings, window_lowerings
from .scope import Lowering, NotStablehlo, Scope, Tree, Writer, leaves, need_known

LOWERINGS: Mapping[str, Lowering] = {
    **op_lowerings.LOWERINGS,
    **call_lowerings.LOWERINGS,
    **window_lowerings.LOWERINGS,
    **decompositions.LOWERINGS,
    **collective_lowerings.LOWERINGS,
}
"""Lowerings of the instructions that StableHLO has under another name or in another form."""
MAIN = "main"


def stablehlo_module(module: Module) -> Module:
    """The same program as StableHLO; `NotStablehlo` names an instruction that StableHLO cannot express."""
    entry = module.entry
    if entry is None or entry.body is None:
        raise NotStablehlo("the module has no entry computation")
    return _Translation(module).translate(entry)


class _Translation:
    """The conversion of one HLO module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.grid = stated_grid(module)
        self.functions = {function.name: function for function in module.functions}
        self.names: dict[str, str] = {}
        """StableHLO names of the called functions, by their HLO names."""
        self.waiting: list[Function] = []

    def translate(self, entry: Function) -> Module:
        """Convert the entry and all functions that it calls, directly or not."""
        main = self._function(replace(entry, name=MAIN), "public")
        found = [main]
        while self.waiting:
            function = self.waiting.pop(0)
            found.append(self._function(replace(function, name=self.names[function.name]), "private"))
        attributes = {**_sizes(self.grid), **op_lowerings.kept_attributes(self.module.attributes)}
        return Module(tuple(found), self.module.name, attributes=attributes)

    def _call(self, name: str) -> str:
        if name not in self.names:
            taken = {MAIN, *self.names.values()}
            found, number = name, 1
            while found in taken:
                found, number = f"{name}_{number}", number + 1
            self.names[name] = found
            self.waiting.append(self.functions[name])
        return self.names[name]

    def _function(self, function: Function, visibility: str) -> Function:
        assert function.body is not None
        here = Scope(Writer(self.functions, lower, self._call, self.grid))
        arguments = [leaves(here.argument(argument)) for argument in function.arguments]
        operations = here.body(function.body.block, "func.return")
        values = tuple(value for part in arguments for value in part)
        block = replace(function.body.block, arguments=values, operations=operations)
        return Function(
            function.name,
            values,
            tuple(value.type for value in operations[-1].operands),
            Region((block,)),
            visibility,
            _attributes(function, arguments),
            location=function.location,
        )


def _sizes(grid: Grid) -> dict[str, Attribute]:
    """Module attributes that state the numbers of replicas and partitions."""
    sizes = {"mhlo.num_partitions": grid.num_partitions, "mhlo.num_replicas": grid.num_replicas}
    return {} if grid == ALONE else {name: integer(size, I32) for name, size in sizes.items()}


def _attributes(function: Function, arguments: list[list[Value]]) -> tuple[Mapping[str, Attribute], ...]:
    """The sharding and other notes of each argument; those of a tuple are dropped."""
    stated = function.argument_attributes or ({},) * len(function.arguments)
    found = [
        {} if isinstance(argument.type, TupleType) else op_lowerings.kept_attributes(attributes)
        for argument, attributes in zip(function.arguments, stated, strict=True)
    ]
    spread = [part for part, values in zip(found, arguments, strict=True) for _ in values]
    return tuple(spread) if any(spread) else ()


def lower(operation: Operation, here: Scope) -> Tree:
    """Write an instruction: by its lowering, or else as the same operation."""
    need_known(operation.results[0].type, operation.spelled)
    special = LOWERINGS.get(operation.name)
    if special is None and (operation.name.startswith("hlo.") or operation.name not in op_table()):
        raise NotStablehlo(f"StableHLO has no form of {operation.spelled}", op=operation.spelled)
    return (special or op_lowerings.plain)(operation, here)
