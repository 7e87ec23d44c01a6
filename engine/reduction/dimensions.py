"""Classes of dimensions that must have equal sizes, because ops connect them."""

from collections.abc import Iterator

from ..ir.attributes import Attribute, DenseArrayAttribute, StructAttribute
from ..ir.module import Block, Operation, Value
from ..ir.types import TensorType
from .case import Case

Dimension = tuple[str, str, int]
"""A dimension of a value: function name, value name and dimension index."""
Pair = tuple[tuple[Value, int], tuple[Value, int]]


class Classes:
    """Union-find of the dimensions of all values of a case."""

    def __init__(self, case: Case) -> None:
        self._above: dict[Dimension, Dimension] = {}
        self._sizes: dict[Dimension, int] = {}
        for function in case.module.functions:
            if function.body is not None:
                self._block(function.name, function.body.block)

    def groups(self) -> list[tuple[int, frozenset[Dimension]]]:
        """The classes with their sizes, largest size first."""
        found: dict[Dimension, list[Dimension]] = {}
        for dimension in self._sizes:
            found.setdefault(self._root(dimension), []).append(dimension)
        groups = [(self._sizes[members[0]], frozenset(members)) for members in found.values()]
        return sorted(groups, key=lambda group: -group[0])

    def _block(self, function: str, block: Block) -> None:
        for value in block.arguments:
            self._add(function, value)
        for operation in block.operations:
            for value in operation.results:
                self._add(function, value)
            for (one, i), (other, j) in _tied(operation):
                self._join((function, one.name, i), (function, other.name, j))
            for region in operation.regions:
                if not region.function and len(region.blocks) == 1:
                    self._block(function, region.block)
                    self._region(function, operation, region.block)

    def _add(self, function: str, value: Value) -> None:
        for number, size in enumerate(value.type.shape if isinstance(value.type, TensorType) else ()):
            if size is not None:
                self._sizes[function, value.name, number] = size

    def _region(self, function: str, operation: Operation, block: Block) -> None:
        """Tie a region's arguments to the operands, and its results to the op's, if types agree."""
        pairs = [
            *zip(block.arguments, operation.operands, strict=False),
            *zip(block.operations[-1].operands, operation.results, strict=False),
        ]
        for one, other in pairs:
            if one.type == other.type and isinstance(one.type, TensorType):
                for number in range(one.type.rank):
                    self._join((function, one.name, number), (function, other.name, number))

    def _root(self, dimension: Dimension) -> Dimension:
        while self._above.get(dimension, dimension) != dimension:
            dimension = self._above[dimension]
        return dimension

    def _join(self, one: Dimension, other: Dimension) -> None:
        if one in self._sizes and other in self._sizes and self._sizes[one] == self._sizes[other]:
            self._above[self._root(one)] = self._root(other)


def _tied(operation: Operation) -> Iterator[Pair]:
    rule = _RULES.get(operation.name.partition(".")[2])
    yield from (_same_places(operation) if rule is None else rule(operation))


def _same_places(operation: Operation) -> Iterator[Pair]:
    """Tie equal dimensions of operands and results of the same rank."""
    values = [
        value for value in (*operation.operands, *operation.results) if isinstance(value.type, TensorType)
    ]
    first: dict[int, list[Value]] = {}
    for value in values:
        assert isinstance(value.type, TensorType)
        first.setdefault(value.type.rank, []).append(value)
    for rank, alike in first.items():
        for number in range(rank):
            for one in alike:
                for other in alike:
                    if one is not other and _size(one, number) == _size(other, number):
                        yield (one, number), (other, number)


def _size(value: Value, number: int) -> int | None:
    assert isinstance(value.type, TensorType)
    return value.type.shape[number]


def integers(found: Attribute | None) -> tuple[int, ...]:
    """The numbers of an integer list attribute."""
    return tuple(int(value) for value in found.values) if isinstance(found, DenseArrayAttribute) else ()


def _broadcast(operation: Operation) -> Iterator[Pair]:
    operand, result = operation.operands[0], operation.results[0]
    for number, to in enumerate(integers(operation.attribute("broadcast_dimensions"))):
        yield (operand, number), (result, to)


def _transpose(operation: Operation) -> Iterator[Pair]:
    for to, number in enumerate(integers(operation.attribute("permutation"))):
        yield (operation.operands[0], number), (operation.results[0], to)


def _reduce(operation: Operation) -> Iterator[Pair]:
    gone = set(integers(operation.attribute("dimensions")))
    count = len(operation.operands) // 2
    first = operation.operands[0]
    rank = first.type.rank if isinstance(first.type, TensorType) else 0
    kept = [number for number in range(rank) if number not in gone]
    for operand in operation.operands[:count]:
        yield from (((first, number), (operand, number)) for number in range(rank))
        for result in operation.results:
            yield from (((operand, number), (result, to)) for to, number in enumerate(kept))


def _dot(operation: Operation) -> Iterator[Pair]:
    left, right = operation.operands[:2]
    numbers = operation.attribute("dot_dimension_numbers")
    found = numbers.parameters if isinstance(numbers, StructAttribute) else operation.properties
    batch = [integers(found.get(f"{side}_batching_dimensions")) for side in ("lhs", "rhs")]
    summed = [integers(found.get(f"{side}_contracting_dimensions")) for side in ("lhs", "rhs")]
    yield from (((left, i), (right, j)) for i, j in zip(*batch, strict=False))
    yield from (((left, i), (right, j)) for i, j in zip(*summed, strict=False))
    free = [
        [(value, i) for i in range(_rank(value)) if i not in batch[side] and i not in summed[side]]
        for side, value in enumerate((left, right))
    ]
    order = [*((left, i) for i in batch[0]), *free[0], *free[1]]
    yield from ((place, (operation.results[0], to)) for to, place in enumerate(order))


def _rank(value: Value) -> int:
    return value.type.rank if isinstance(value.type, TensorType) else 0


def _reshape(operation: Operation) -> Iterator[Pair]:
    """Tie dimensions that span the same range of elements."""
    operand, result = operation.operands[0], operation.results[0]
    spans = [_spans(value) for value in (operand, result)]
    for span, number in spans[0].items():
        if span in spans[1]:
            yield (operand, number), (result, spans[1][span])


def _spans(value: Value) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    count = 1
    for number, size in enumerate(value.type.shape if isinstance(value.type, TensorType) else ()):
        found[count, count * (size or 0)] = number
        count *= size or 0
    return found


_RULES = {
    "broadcast_in_dim": _broadcast,
    "broadcast": _broadcast,
    "transpose": _transpose,
    "reduce": _reduce,
    "dot_general": _dot,
    "dot": _dot,
    "reshape": _reshape,
}
