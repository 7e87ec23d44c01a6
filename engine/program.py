"""A verified program: every operation bound to its op once, every value a number.

Numbers follow the order of the text, with an operation before those in its regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from .errors import Diagnostic
from .ir.module import Function, Module, Operation, Value
from .ir.records import set_plainly
from .ops.core.op import AskingOp, Cost, Op

Derived = TypeVar("Derived")


@set_plainly
@dataclass(frozen=True, slots=True)
class BoundOperation:
    """An operation of the text and its op, with operands, results and regions by number."""

    id: int
    operation: Operation
    op: Op
    operands: tuple[int, ...]
    results: tuple[int, ...]
    block: int
    regions: tuple[int, ...]
    """The block of each region."""
    cost: Cost
    dynamic: bool = False
    """Whether a size or an attribute is unknown before the run."""
    special: bool = False
    """Whether the run must prepare the op: dynamic sizes, or a reason not to run it."""
    light: bool = False
    """Whether the op only packs or unpacks tuples, so that nothing can go wrong."""
    bytes: int = field(init=False)
    """Maximum bytes that an execution allocates at once, from types alone."""
    quick: Callable[..., Any] | None = field(init=False)
    """The op's `quick`, if it is plain."""
    plain: bool = field(init=False)
    """Whether the results are a function of the operands alone: the op neither asks for anything nor ends its block."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes", max(self.cost.result_bytes, self.cost.scratch_bytes))
        asks = self.special or isinstance(self.op, AskingOp) or self.op.traits.is_terminator
        object.__setattr__(self, "plain", not asks)
        object.__setattr__(self, "quick", None if asks else self.op.quick)


@dataclass(frozen=True, slots=True)
class BoundBlock:
    """The body of a function (`opener` is `None`) or one region of an operation."""

    id: int
    function: str
    opener: int | None
    region: int
    arguments: tuple[int, ...]
    operations: tuple[BoundOperation, ...]
    releases: tuple[tuple[int, ...], ...]
    """For each operation, the values of this block without later readers."""
    liftable: bool
    """Whether one run on arrays of lanes replaces a run per lane: only scalar elementwise ops."""


@dataclass(frozen=True)
class BoundFunction:
    """A function with a body."""

    function: Function
    block: int


@set_plainly
@dataclass(frozen=True, slots=True)
class Maker:
    """The source of a value: an operation, or the block of which it is an argument."""

    block: int
    op: int | None
    index: int
    """Index among its results or arguments."""


@dataclass(frozen=True)
class BoundProgram:
    """A program that is ready to run."""

    module: Module
    functions: Mapping[str, BoundFunction]
    ops: tuple[BoundOperation, ...]
    blocks: tuple[BoundBlock, ...]
    values: tuple[Value, ...]
    warnings: tuple[Diagnostic, ...] = ()
    """Violations of the specification whose meaning is clear."""

    @cached_property
    def _derived(self) -> dict[object, Any]:
        return {}

    @cached_property
    def _reachable(self) -> dict[tuple[int, type[Op] | None], frozenset[int]]:
        return {}

    def derive(self, function: Callable[[BoundProgram], Derived]) -> Derived:
        """Cache the result of a function of the program alone, for all of its runs."""
        if function not in self._derived:
            self._derived[function] = function(self)
        found: Derived = self._derived[function]
        return found

    @cached_property
    def makers(self) -> Mapping[int, Maker]:
        """The source of each value, by number."""
        arguments = {
            value: Maker(block.id, None, index)
            for block in self.blocks
            for index, value in enumerate(block.arguments)
        }
        results = {
            value: Maker(bound.block, bound.id, index)
            for bound in self.ops
            for index, value in enumerate(bound.results)
        }
        return arguments | results

    @cached_property
    def readers(self) -> Mapping[int, tuple[int, ...]]:
        """The operations that read each value, in the order of the text, by number."""
        readers: dict[int, list[int]] = {}
        for bound in self.ops:
            for value in dict.fromkeys(bound.operands):
                readers.setdefault(value, []).append(bound.id)
        return {value: tuple(ops) for value, ops in readers.items()}

    def values_read(self, bound: BoundOperation) -> Iterator[int]:
        """The values that an operation and its regions read, including those of the regions themselves."""
        waiting = [bound]
        while waiting:
            current = waiting.pop()
            yield from current.operands
            for number in current.regions:
                if self.blocks[number].opener is not None:  # otherwise it is another function's body
                    waiting += self.blocks[number].operations

    def line_of(self, op: int) -> int:
        """The line on which an operation starts, in the numbering of the module's source."""
        return self.module.source.line_and_column(self.ops[op].operation.span.start)[0]

    @cached_property
    def positions(self) -> Mapping[int, int]:
        """The position of each operation in its block, by number."""
        return {bound.id: place for block in self.blocks for place, bound in enumerate(block.operations)}

    def find_callee(self, caller: BoundBlock, name: str) -> BoundFunction:
        """The function of that name in the module of the calling block."""
        if "::" not in caller.function:
            return self.functions[name]
        module, _, _ = caller.function.rpartition("::")
        return self.functions.get(f"{module}::{name}") or self.functions[name]

    def reachable_ops(self, function: BoundFunction, beyond: type[Op] | None = None) -> frozenset[int]:
        """The ops of a function, its regions and callees, not descending into ops of type `beyond`."""
        key = (function.block, beyond)
        if key not in self._reachable:
            self._reachable[key] = self._find_reachable(function, beyond)
        return self._reachable[key]

    def _find_reachable(self, function: BoundFunction, beyond: type[Op] | None) -> frozenset[int]:
        seen, waiting, found = {function.block}, [function.block], set()
        while waiting:
            block = self.blocks[waiting.pop()]
            for bound in block.operations:
                found.add(bound.id)
                unseen = bound.op.outside or (beyond is not None and isinstance(bound.op, beyond))
                called = () if unseen else bound.op.callees()
                if not (called or bound.regions):
                    continue
                blocks = {*bound.regions, *(self.find_callee(block, callee.name).block for callee in called)}
                waiting.extend(blocks - seen)
                seen |= blocks
        return frozenset(found)

    @property
    def entry(self) -> BoundFunction | None:
        """The default entry function."""
        entry = self.module.entry
        return next((found for found in self.functions.values() if found.function is entry), None)
