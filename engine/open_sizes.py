"""Arguments that sizes depend on: the numbers to generate for them, and the culprits when sizes clash.

A program with open sizes runs with the default size for each dimension that the user does not state. Integer
arguments that are sizes, or that sizes are computed from, must agree with it: `size_arguments` follows the
operands that state shapes back to the arguments of the function.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .ir.types import TensorType, TupleType, Type
from .ops.control_flow.functions import Call
from .program import BoundFunction, BoundOperation, BoundProgram

Sizes = tuple[int | None, ...]
"""Numbers in row-major order; `None` accepts any size."""
_MAX_SHAPE_ELEMENTS = 64
"""Maximum number of elements of a tensor that can state a shape."""


def size_arguments(program: BoundProgram, function: BoundFunction) -> Mapping[int, Sizes]:
    """The integer arguments of `function` that shapes depend on, by number, with the sizes required."""
    walk = _Walk(program, function)
    for bound in program.ops if any(bound.dynamic for bound in program.ops) else ():
        for number, wanted in bound.op.open_sizes.stated(bound.op):
            walk.request(bound.operands[number], wanted)
    walk.run()
    return walk.arguments


def source_arguments(program: BoundProgram, function: BoundFunction, op: int) -> tuple[int, ...]:
    """The arguments that an op's operands are computed from: first one per operand, then the others."""
    found: list[list[int]] = []
    for operand in program.ops[op].operands:
        walk = _Walk(program, function, everything=True)
        walk.request(operand, None)
        walk.run()
        found.append(sorted(walk.arguments))
    others = (number for numbers in found for number in numbers[1:])
    return tuple(dict.fromkeys([*(numbers[0] for numbers in found if numbers), *others]))


def is_open(found: Type) -> bool:
    """Whether the type, or a part of it, has a dimension of unknown size."""
    if isinstance(found, TupleType):
        return any(map(is_open, found.types))
    return isinstance(found, TensorType) and not found.is_static


@dataclass
class _Walk:
    """Follows sizes from the values that state them back to arguments of the function."""

    program: BoundProgram
    function: BoundFunction
    everything: bool = False
    """Whether to follow all operands, not only integers that may be sizes."""
    arguments: dict[int, Sizes] = field(default_factory=dict)
    _seen: set[tuple[int, Sizes | None]] = field(default_factory=set)
    _waiting: list[tuple[int, Sizes | None]] = field(default_factory=list)

    def request(self, value: int, wanted: Sizes | None) -> None:
        """Queue `value` to be traced; `wanted` are the sizes it should hold."""
        found = self.program.values[value].type
        if not self.everything:
            if not _may_be_sizes(found):
                return
            if wanted is not None and isinstance(found, TensorType):
                wanted = wanted if found.is_static and found.element_count == len(wanted) else None
        if (value, wanted) not in self._seen:
            self._seen.add((value, wanted))
            self._waiting.append((value, wanted))

    def run(self) -> None:
        """Trace all queued values to their sources."""
        while self._waiting:
            value, wanted = self._waiting.pop(0)
            maker = self.program.makers[value]
            if maker.op is None:
                self._argument(maker.block, maker.index, wanted)
            else:
                self._want_operands(self.program.ops[maker.op], maker.index, wanted)

    def _argument(self, block: int, index: int, wanted: Sizes | None) -> None:
        if block == self.function.block:
            self._note(index, wanted)
            return
        found = self.program.blocks[block]
        if found.opener is not None:
            operands = self.program.ops[found.opener].operands
            for operand in operands[index : index + 1]:
                self.request(operand, wanted)
            return
        for bound in self.program.ops:
            if isinstance(bound.op, Call) and self._callee(bound).block == block:
                self.request(bound.operands[index], wanted)

    def _callee(self, bound: BoundOperation) -> BoundFunction:
        (callee,) = bound.op.callees()
        return self.program.find_callee(self.program.blocks[bound.block], callee.name)

    def _note(self, number: int, wanted: Sizes | None) -> None:
        known = self.arguments.get(number) or wanted or ()
        both = zip(known, wanted or known, strict=True)
        self.arguments[number] = tuple(other if size is None else size for size, other in both)

    def _want_operands(self, bound: BoundOperation, result: int, wanted: Sizes | None) -> None:
        op = bound.op
        if op.traits.reads_sizes_alone and not self.everything:
            return  # the size of a value that is only measured is unrelated to its contents
        if isinstance(op, Call) and op.callees():
            body = self.program.blocks[self._callee(bound).block]
            self.request(body.operations[-1].operands[result], wanted)
        for operand, part in zip(bound.operands, self._parts(bound, wanted), strict=True):
            self.request(operand, part)

    def _parts(self, bound: BoundOperation, wanted: Sizes | None) -> Sequence[Sizes | None]:
        """The sizes wanted of each operand; a computed operand may have any."""
        if wanted is None or not bound.op.traits.lists_operands:
            return [None] * len(bound.operands)
        parts, start = [], 0
        for operand in bound.operands:
            found = self.program.values[operand].type
            count = found.element_count if isinstance(found, TensorType) and found.is_static else 1
            parts.append(wanted[start : start + count])
            start += count
        return parts


def _may_be_sizes(found: Type) -> bool:
    if not isinstance(found, TensorType):
        return str(found) == "index"
    is_integer = found.element_type.kind in ("signed", "unsigned", "index")
    return is_integer and not (found.is_static and found.element_count > _MAX_SHAPE_ELEMENTS)
