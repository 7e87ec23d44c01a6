"""The program as data: values, operations, blocks, functions and modules. All immutable.

Equality ignores spans and locations. A value is its name and type, since names are unique in a scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from ..source import NOWHERE, Source, Span
from .attributes import Attribute
from .locations import Location
from .records import set_plainly
from .types import FunctionType, Type

Language = Literal["stablehlo", "hlo"]


@set_plainly
@dataclass(frozen=True, slots=True)
class Value:
    """`%name` or `%name#1`, with its type; the span is the definition's."""

    name: str
    type: Type
    span: Span = field(default=NOWHERE, compare=False)
    location: Location | None = field(default=None, compare=False)


@set_plainly
@dataclass(frozen=True, eq=False, slots=True)
class Operation:
    """One operation as stated in the text; unchecked."""

    name: str
    """With its dialect: `stablehlo.add`, `func.call`."""
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    properties: Mapping[str, Attribute] = field(default_factory=dict)
    """The properties that the op defines (`<{…}>` in the generic form)."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """Discardable attributes (`{…}`): `mhlo.sharding`, `jax.result_info`."""
    regions: tuple[Region, ...] = ()
    successors: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    """The whole operation, including its results and regions."""
    name_span: Span = field(default=NOWHERE, compare=False)
    operand_spans: tuple[Span, ...] = field(default=(), compare=False)
    location: Location | None = field(default=None, compare=False)
    opcode: str = ""
    """HLO's opcode (`reduce-window`); empty for MLIR."""

    @property
    def spelled(self) -> str:
        """The op's name in the text's language."""
        return self.opcode or self.name

    def attribute(self, name: str) -> Attribute | None:
        """The property of that name, or else the attribute."""
        found = self.properties.get(name)
        return found if found is not None else self.attributes.get(name)

    def __eq__(self, other: object) -> bool:
        # Compare operation by operation instead of recursively: nested regions must not exhaust Python's
        # stack.
        if not isinstance(other, Operation):
            return NotImplemented
        return all(a == b for a, b in zip_longest(_contents(self), _contents(other)))

    __hash__ = None  # type: ignore[assignment]

    @property
    def function_type(self) -> FunctionType:
        """Types of operands and results."""
        return FunctionType(tuple(v.type for v in self.operands), tuple(v.type for v in self.results))


@dataclass(frozen=True, slots=True)
class Block:
    """Arguments and operations; `label` is `^bb0`, empty where the text has none."""

    arguments: tuple[Value, ...]
    operations: tuple[Operation, ...]
    label: str = field(default="", compare=False)
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Region:
    """Blocks between braces; the supported dialects have exactly one."""

    blocks: tuple[Block, ...]
    span: Span = field(default=NOWHERE, compare=False)
    function: str = ""
    """The function whose body this region is: HLO text names a computation where MLIR has a region."""

    @property
    def block(self) -> Block:
        """The only block; the verifier has checked that there is one."""
        return self.blocks[0]


@dataclass(frozen=True)
class Begin:
    """The start of a function whose first operations are left out, and the source of their values."""

    line: int
    """Line of the first operation that is kept."""
    values: tuple[Literal["computed", "constant", "given", "token"], ...]
    """Source of the last arguments, which replace results of left-out operations."""
    by: str
    """The system that computed the values: `XLA of jaxlib 0.10.2 on cpu`."""


@dataclass(frozen=True)
class Function:
    """`func.func`, with the types and attributes of its arguments and results."""

    name: str
    """Without `@`."""
    arguments: tuple[Value, ...]
    result_types: tuple[Type, ...]
    body: Region | None
    """`None` for a declaration."""
    visibility: str = ""
    """`public`, `private`, `nested`, or empty where the text has none."""
    argument_attributes: tuple[Mapping[str, Attribute], ...] = ()
    result_attributes: tuple[Mapping[str, Attribute], ...] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    location: Location | None = field(default=None, compare=False)
    begin: Begin | None = None
    """The start of the function, if it is not the first operation."""

    @property
    def type(self) -> FunctionType:
        """Types of arguments and results."""
        return FunctionType(tuple(argument.type for argument in self.arguments), self.result_types)


@dataclass(frozen=True)
class Module:
    """A whole program and the source that it was read from."""

    functions: tuple[Function, ...]
    name: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    operations: tuple[Operation, ...] = ()
    """Top-level operations other than functions (`sdy.mesh`), in order."""
    source: Source = field(default=Source(""), compare=False, repr=False)
    location: Location | None = field(default=None, compare=False)
    modules: tuple[Module, ...] = ()
    """Nested modules; their functions are named `inner::function`."""
    span: Span = field(default=NOWHERE, compare=False)
    language: Language = "stablehlo"
    """Language of the text. An HLO module defines functions before their uses."""

    def all_modules(self) -> Iterator[tuple[str, Module]]:
        """This module and all nested ones, each with the prefix of its function names."""
        waiting = [("", self)]
        while waiting:
            prefix, module = waiting.pop()
            yield prefix, module
            waiting.extend((f"{prefix}{inner.name}::", inner) for inner in reversed(module.modules))

    def function(self, name: str) -> Function | None:
        """The function of that name."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, Function]:
        return {function.name: function for function in reversed(self.functions)}

    @cached_property
    def definitions(self) -> Mapping[int, tuple[Operation | Function, int]]:
        """The operation or function that defines each value (by `id`), and the number of the value there."""
        found: dict[int, tuple[Operation | Function, int]] = {}
        functions = (function for _, module in self.all_modules() for function in module.functions)
        for function in functions:
            found |= {id(value): (function, number) for number, value in enumerate(function.arguments)}
            for operation in walk(function.body) if function.body else ():
                for number, value in enumerate(operation.results):
                    found[id(value)] = (operation, number)
        return found

    @cached_property
    def entry(self) -> Function | None:
        """The entry function: `@main`, else the only public function, else the only one.

        HLO text needs a single public function. A module without functions has the entry of its only nested
        module that has any.
        """
        module = self
        while not module.functions:
            inner = [found for found in module.modules if any(m.functions for _, m in found.all_modules())]
            if len(inner) != 1:
                return None
            module = inner[0]
        public = [function for function in module.functions if function.visibility != "private"]
        candidates = public if len(public) == 1 else module.functions
        if module.language == "hlo":
            return candidates[0] if len(candidates) == 1 else None
        return module.function("main") or (candidates[0] if len(candidates) == 1 else None)


def _contents(operation: Operation) -> Iterator[tuple[object, ...]]:
    """The compared content of `operation` and of those in its regions, one after the other."""
    inner = (found for region in operation.regions if not region.function for found in walk(region))
    for found in (operation, *inner):
        yield (
            *(
                found.name,
                found.opcode,
                found.operands,
                found.results,
                found.properties,
                found.attributes,
                found.successors,
            ),
            [
                region.function or [(block.arguments, len(block.operations)) for block in region.blocks]
                for region in found.regions
            ],
        )


def walk(region: Region) -> Iterator[Operation]:
    """Every operation in `region`, in pre-order; the body of another function is skipped."""
    stack = [operation for block in reversed(region.blocks) for operation in reversed(block.operations)]
    while stack:
        operation = stack.pop()
        yield operation
        for inner in reversed(operation.regions):
            if inner.function:
                continue
            stack.extend(op for block in reversed(inner.blocks) for op in reversed(block.operations))
