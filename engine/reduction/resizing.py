"""Changes of sizes: types, literals, inputs and attributes that state sizes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute
from ..ir.module import Block, Function, Operation, Region, Value
from ..ir.types import TensorType, TupleType
from ..ops.core.op import Array
from .case import Case
from .dimensions import Dimension
from .editing import refreshed, with_values

SIZES = ("limit_indices", "slice_sizes", "window_dimensions")
"""Attributes with one size per dimension of the first operand."""


def smaller_sizes(size: int) -> Iterator[int]:
    """Sizes to try, from much smaller to one less: the check need not be monotone in size."""
    tried = set()
    step = size - 1
    while step > 0:
        if size - step not in tried:
            tried.add(size - step)
            yield size - step
        step = step // 2 if step > 1 else 0


def resized(case: Case, dimensions: frozenset[Dimension], size: int, last: bool = False) -> Case:
    """Resize these dimensions; inputs keep their first elements, or their `last`."""
    resizer = _Resizer(dimensions, size, last)
    functions = refreshed([resizer.function(function) for function in case.module.functions])
    name = case.entry.name
    inputs = [
        resizer.cut(name, value, array)
        for value, array in zip(case.entry.arguments, case.inputs, strict=True)
    ]
    return Case(replace(case.module, functions=functions), tuple(inputs))


class _Resizer:
    def __init__(self, dimensions: frozenset[Dimension], size: int, last: bool) -> None:
        self._size, self._last = size, last
        self._changed: dict[tuple[str, str], set[int]] = {}
        for function, name, number in dimensions:
            self._changed.setdefault((function, name), set()).add(number)

    def function(self, function: Function) -> Function:
        if function.body is None:
            return function
        body = self._region(function.name, function.body)
        return replace(
            function,
            arguments=body.block.arguments,
            body=body,
            result_types=tuple(value.type for value in body.block.operations[-1].operands),
        )

    def cut(self, function: str, value: Value, array: Array) -> Array:
        for number in self._changed.get((function, value.name), ()):
            begin = array.shape[number] - self._size if self._last else 0
            array = array.take(range(begin, begin + self._size), number)
        return array

    def _region(self, function: str, region: Region) -> Region:
        if region.function:
            return region
        return replace(region, blocks=tuple(self._block(function, block) for block in region.blocks))

    def _block(self, function: str, block: Block) -> Block:
        return replace(
            block,
            arguments=tuple(self._value(function, value) for value in block.arguments),
            operations=tuple(
                _with_tuples(self._operation(function, operation) for operation in block.operations)
            ),
        )

    def _value(self, function: str, value: Value) -> Value:
        numbers = self._changed.get((function, value.name))
        if not numbers or not isinstance(value.type, TensorType):
            return value
        shape = tuple(
            self._size if number in numbers else size for number, size in enumerate(value.type.shape)
        )
        return replace(value, type=replace(value.type, shape=shape))

    def _operation(self, function: str, operation: Operation) -> Operation:
        return replace(
            operation,
            operands=tuple(self._value(function, value) for value in operation.operands),
            results=tuple(self._value(function, value) for value in operation.results),
            regions=tuple(self._region(function, region) for region in operation.regions),
            properties=self._properties(function, operation),
        )

    def _properties(self, function: str, operation: Operation) -> Mapping[str, Attribute]:
        found = dict(operation.properties)
        value = found.get("value")
        if isinstance(value, DenseAttribute) and operation.results:
            result = self._value(function, operation.results[0])
            if result is not operation.results[0]:
                assert isinstance(result.type, TensorType)
                data = self._cut_literal(function, operation.results[0], value.data)
                found["value"] = DenseAttribute(replace(value.type, shape=result.type.shape), data)
        for name in SIZES:
            sizes = found.get(name)
            if isinstance(sizes, DenseArrayAttribute) and operation.operands:
                found[name] = self._sizes(function, operation, sizes)
        return found

    def _sizes(self, function: str, operation: Operation, sizes: DenseArrayAttribute) -> DenseArrayAttribute:
        """Clamp sizes to the operand; a size of a whole dimension follows that dimension."""
        operand = operation.operands[0]
        if not isinstance(operand.type, TensorType) or len(sizes.values) != operand.type.rank:
            return sizes
        numbers = self._changed.get((function, operand.name), set())
        of_result: Any = self._changed.get((function, operation.results[0].name), set())
        values = tuple(
            min(int(value), self._size)
            if number in numbers or (number in of_result and value == self._old(operation, number))
            else value
            for number, value in enumerate(sizes.values)
        )
        return replace(sizes, values=values)

    def _old(self, operation: Operation, number: int) -> int | None:
        found = operation.results[0].type
        return found.shape[number] if isinstance(found, TensorType) and number < found.rank else None

    def _cut_literal(self, function: str, value: Value, data: Array) -> Array:
        """Cut a literal; a splat stays a splat."""
        index: list[slice] = [slice(None)] * data.ndim
        for number in self._changed.get((function, value.name), ()):
            begin = data.shape[number] - self._size if self._last else 0
            index[number] = slice(begin, begin + self._size)
        return data[tuple(index)]


def _with_tuples(operations: Iterable[Operation]) -> Iterator[Operation]:
    """The ops; tuples have the types of their elements, as the root of HLO text with several results."""
    tuples: dict[str, Value] = {}
    for operation in operations:
        if operation.name == "stablehlo.tuple":
            (result,) = operation.results
            types = tuple(value.type for value in operation.operands)
            tuples[result.name] = replace(result, type=TupleType(types))
        yield with_values(operation, tuples) if tuples else operation
