"""A segment as a StableHLO program: the values that it reads are arguments, the results of its operations are results.

Values are named by their order, and what has no effect on values is left out: equal segments, such as the layers of a
network, have one text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .executor import Results, Segment
from .hlo_to_stablehlo import stablehlo_module
from .ir.module import Block, Function, Module, Operation, Region, Value
from .ir.types import TupleType, Type, leaf_count, leaf_types
from .ops import op_table
from .ops.core.op import Array
from .ops.core.values import leaves, tuple_of
from .program import BoundOperation
from .remote_values import is_remote
from .syntax import print_module

MAIN = "main"
_WRITTEN_BYTES = 64
"""Maximum size of a constant that the text holds, unless all its elements are equal; others are arguments."""
_LEFT_OUT = ("mhlo.sharding", "sdy.", "jax.")
"""Prefixes of attributes that concern the whole program."""


@dataclass(frozen=True)
class SegmentText:
    """The text of a segment, and where its arguments and results are in a run."""

    segment: Segment
    text: str
    arguments: tuple[tuple[int, int], ...]
    """For each argument the value, and the number of the leaf in its tuples."""

    def arguments_in(self, values: Mapping[int, Array]) -> list[Array]:
        """The arguments, of the values of a run."""
        spread: dict[int, list[Array]] = {}
        return [
            spread.setdefault(number, list(leaves(values[number])))[leaf] for number, leaf in self.arguments
        ]

    def results_of(self, found: Sequence[Array]) -> Results:
        """The results of each operation, of those of the program. Raises `ValueError` if they have other types."""
        return segment_results(self.segment, found)


def segment_results(segment: Segment, found: Sequence[Array]) -> Results:
    """The results of each executed operation, of all tensors in order. Raises `ValueError` if they have other types."""
    waiting = iter(found)
    results = {
        bound.id: tuple(_assemble(value.type, waiting) for value in bound.operation.results)
        for bound in segment.executed
    }
    if next(waiting, None) is not None:
        raise ValueError("there are more results than the segment has")
    return results


def segment_text(segment: Segment) -> SegmentText:
    """The segment as StableHLO. Raises `NotStablehlo` for an instruction of HLO that StableHLO lacks."""
    program = segment.program
    constants = [bound for number in segment.reads if (bound := _small_constant(segment, number))]
    written = {number for bound in constants for number in bound.results}
    given = [number for number in segment.reads if number not in written]
    leaf_numbers = [
        (number, leaf) for number in given for leaf in range(leaf_count(program.values[number].type))
    ]
    arguments = tuple(program.values[number] for number in given)
    operations = [bound.operation for bound in (*constants, *segment.operations)]
    results = tuple(value for bound in segment.executed for value in bound.operation.results)
    if program.module.language == "hlo":
        main = _hlo_main(segment, arguments, operations, results)
    else:
        main = _main(arguments, [*operations, Operation("func.return", results, ())])
    main, kept = _without_unread(_Names().function(main))
    text = print_module(Module((main,), "segment"), op_table(), "generic")
    return SegmentText(segment, text, tuple(leaf_numbers[number] for number in kept))


def _small_constant(segment: Segment, number: int) -> BoundOperation | None:
    """The constant op that makes a value, if it is small enough to be in the text, where XLA knows its elements."""
    maker = segment.program.makers[number]
    bound = None if maker.op is None else segment.program.ops[maker.op]
    if bound is None or not bound.op.traits.is_constant or bound.special:
        return None
    value = bound.op.evaluate()
    assert not isinstance(value, tuple), "a constant has one result"
    if value.dtype.hasobject:
        return None
    is_small = value.nbytes <= _WRITTEN_BYTES or not any(value.strides)
    return bound if is_small else None


def _main(arguments: tuple[Value, ...], operations: Sequence[Operation]) -> Function:
    types = tuple(value.type for value in operations[-1].operands)
    body = Region((Block(arguments, tuple(operations)),))
    return Function(MAIN, arguments, types, body, "public")


def _hlo_main(
    segment: Segment, arguments: tuple[Value, ...], operations: list[Operation], results: tuple[Value, ...]
) -> Function:
    """The function in StableHLO, of instructions of HLO; HLO has one result, a tuple."""
    root = Value("%results.of.the.segment", TupleType(tuple(value.type for value in results)))
    packed = Operation("stablehlo.tuple", results, (root,), opcode="tuple")
    last = Operation("func.return", (root,), ())
    module = segment.program.module
    entry = _main(arguments, [*operations, packed, last])
    others = tuple(
        replace(function, visibility="private") for function in module.functions if function.name != MAIN
    )
    converted = stablehlo_module(replace(module, functions=(*others, entry)))
    found = converted.function(MAIN)
    assert found is not None
    return found


def _without_unread(main: Function) -> tuple[Function, list[int]]:
    """The function without the arguments that nothing reads, and the numbers of the others."""
    assert main.body is not None
    block = main.body.block
    read = {value.name for operation in _walk(block) for value in operation.operands}
    kept = [number for number, value in enumerate(block.arguments) if value.name in read]
    arguments = tuple(block.arguments[number] for number in kept)
    body = Region((replace(block, arguments=arguments),))
    return replace(main, arguments=arguments, body=body, argument_attributes=()), kept


def _walk(block: Block) -> Iterator[Operation]:
    waiting = [block]
    while waiting:
        for operation in waiting.pop().operations:
            yield operation
            waiting += [inner for region in operation.regions for inner in region.blocks]


def _assemble(found: Type, waiting: Iterator[Array]) -> Array:
    """A value of a type, of the leaves that come next."""
    if isinstance(found, TupleType):
        return tuple_of([_assemble(part, waiting) for part in found.types])
    value = next(waiting, None)
    (leaf,) = leaf_types(found)
    dtype, shape = leaf.element_type.dtype, leaf.shape  # type: ignore[attr-defined]
    if value is None or value.shape != shape:
        raise ValueError(f"a result of {found} is missing")
    if value.dtype != dtype:
        raise ValueError(f"a result of {found} has elements of {value.dtype}")
    return value if is_remote(value) else np.array(value)


@dataclass
class _Names:
    """Canonical names of the values of a function."""

    names: dict[str, str] = field(default_factory=dict)

    def function(self, function: Function) -> Function:
        assert function.body is not None
        block = self._block(function.body.block)
        return Function(
            MAIN,
            block.arguments,
            tuple(value.type for value in block.operations[-1].operands),
            Region((block,)),
            "public",
        )

    def _block(self, block: Block) -> Block:
        arguments = tuple(map(self._value, block.arguments))
        return Block(arguments, tuple(map(self._operation, block.operations)))

    def _operation(self, operation: Operation) -> Operation:
        return Operation(
            operation.name,
            tuple(map(self._value, operation.operands)),
            tuple(map(self._value, operation.results)),
            operation.properties,
            {name: value for name, value in operation.attributes.items() if not name.startswith(_LEFT_OUT)},
            tuple(Region(tuple(map(self._block, region.blocks))) for region in operation.regions),
        )

    def _value(self, value: Value) -> Value:
        return Value(self.names.setdefault(value.name, f"%v{len(self.names)}"), value.type)
