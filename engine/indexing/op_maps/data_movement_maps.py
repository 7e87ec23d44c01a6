"""Index maps of elementwise ops and of ops that move data by a fixed rule, in both directions.

Each function yields an op's `index_maps` (result to operand), or with `inverse` its `inverse_index_maps` (operand to
result). Shapes are sizes per dimension; attributes have the specification's names. The arguments must satisfy
the op's constraints. Formulas: docs/index-maps.md, "The maps of ops".
"""

from collections.abc import Iterable, Iterator, Sequence

from ..core.expressions import Constant, Dim, Expression, Range, dims
from ..core.index_map import IndexMap, OperandMap
from ..core.interval import INT64_MAX, INT64_MIN, Interval, box
from ..core.linearization import delinearize, linearize, matching_groups

Shape = Sequence[int]
ZERO = Interval(0, 0)


def elementwise_maps(
    result_shape: Shape, operand_shapes: Iterable[Shape], *, inverse: bool = False
) -> Iterator[OperandMap]:
    """The identity. A rank-0 operand (predicate of select, bounds of clamp) is read by, and goes to, every element."""
    of_scalar = IndexMap.everything if inverse else IndexMap.scalar
    for number, operand_shape in enumerate(operand_shapes):
        is_scalar = not operand_shape and len(result_shape) > 0
        yield OperandMap(number, of_scalar(result_shape) if is_scalar else IndexMap.identity(result_shape))


def broadcast_in_dim_maps(
    operand_shape: Shape, broadcast_dimensions: Sequence[int], result_shape: Shape, *, inverse: bool = False
) -> Iterator[OperandMap]:
    """An operand dimension of size 1 that is expanded is read at 0."""
    if not inverse:
        read = (
            Dim(target) if size == result_shape[target] else Constant(0)
            for size, target in zip(operand_shape, broadcast_dimensions, strict=True)
        )
        yield OperandMap(0, IndexMap.of(read, result_shape))
        return
    source = {target: number for number, target in enumerate(broadcast_dimensions)}
    index: list[Expression] = []
    repeated: list[int] = []
    for target, size in enumerate(result_shape):
        if target in source and operand_shape[source[target]] == size:
            index.append(Dim(source[target]))
        else:
            index.append(Range(len(repeated)))
            repeated.append(size)
    yield OperandMap(0, IndexMap.of(index, operand_shape, repeated))


def transpose_maps(
    operand_shape: Shape, permutation: Sequence[int], *, inverse: bool = False
) -> Iterator[OperandMap]:
    """Dimension j of the result is dimension permutation[j] of the operand."""
    if inverse:
        yield OperandMap(0, IndexMap.of(map(Dim, permutation), operand_shape))
        return
    result_shape = [operand_shape[source] for source in permutation]
    index = (Dim(permutation.index(number)) for number in range(len(operand_shape)))
    yield OperandMap(0, IndexMap.of(index, result_shape))


def reshape_maps(operand_shape: Shape, result_shape: Shape, *, inverse: bool = False) -> Iterator[OperandMap]:
    """The element at the same place in row-major order."""
    source, target = (operand_shape, result_shape) if inverse else (result_shape, operand_shape)
    yield OperandMap(0, _reshape(source, target))


def slice_maps(
    operand_shape: Shape,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int],
    *,
    inverse: bool = False,
) -> Iterator[OperandMap]:
    """Every stride-th element, from start to the last one taken, has a result."""
    sizes = _sliced_shape(start_indices, limit_indices, strides)
    parts = list(enumerate(zip(start_indices, sizes, strides, strict=True)))
    if not inverse:
        yield OperandMap(0, IndexMap.of((Dim(k) * stride + start for k, (start, _, stride) in parts), sizes))
        return
    taken = [(Dim(k), Interval(start, start + (size - 1) * stride)) for k, (start, size, stride) in parts]
    on_stride = [((Dim(k) - start) % stride, ZERO) for k, (start, _, stride) in parts]
    index = ((Dim(k) - start) // stride for k, (start, _, stride) in parts)
    yield OperandMap(0, IndexMap.of(index, operand_shape, constraints=[*taken, *on_stride]))


def reverse_maps(operand_shape: Shape, dimensions: Sequence[int]) -> Iterator[OperandMap]:
    """The maps of either direction."""
    index = (size - 1 - Dim(k) if k in dimensions else Dim(k) for k, size in enumerate(operand_shape))
    yield OperandMap(0, IndexMap.of(index, operand_shape))


def concatenate_maps(
    input_shapes: Iterable[Shape], dimension: int, *, inverse: bool = False
) -> Iterator[OperandMap]:
    """The domains of the inputs are disjoint: each result element has one source."""
    shapes = list(input_shapes)
    result_shape = list(shapes[0])
    result_shape[dimension] = sum(shape[dimension] for shape in shapes)
    start = 0
    for number, shape in enumerate(shapes):
        index: list[Expression] = list(dims(len(shape)))
        if inverse:
            index[dimension] = index[dimension] + start
            yield OperandMap(number, IndexMap.of(index, shape))
        else:
            index[dimension] = index[dimension] - start
            here = (Dim(dimension), Interval(start, start + shape[dimension] - 1))
            yield OperandMap(number, IndexMap.of(index, result_shape, constraints=[here]))
        start += shape[dimension]


def pad_maps(
    operand_shape: Shape,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
    exact: bool = True,
    *,
    inverse: bool = False,
) -> Iterator[OperandMap]:
    """Operand 0, and the padding value (operand 1) where operand 0 is not read, as a union of pieces.

    Unless `exact`, every result element reads the padding value, as XLA's document prints it. With negative padding
    some elements have no result.
    """
    if inverse:
        yield from _inverse_pad_maps(operand_shape, edge_padding_low, edge_padding_high, interior_padding)
        return
    steps = [interior + 1 for interior in interior_padding]
    result_shape = _padded_shape(operand_shape, edge_padding_low, edge_padding_high, steps)
    moved = [Dim(k) - low for k, low in enumerate(edge_padding_low)]
    index = [at // step for at, step in zip(moved, steps, strict=True)]
    domain = [
        (Dim(k), Interval(low, low + (size - 1) * step))
        for k, (low, size, step) in enumerate(zip(edge_padding_low, operand_shape, steps, strict=True))
    ]
    on_step = [(at % step, ZERO) for at, step in zip(moved, steps, strict=True)]
    yield OperandMap(0, IndexMap.of(index, result_shape, constraints=[*domain, *on_step]))
    pieces = _outside(result_shape, [*domain, *on_step]) if exact else iter([IndexMap.scalar(result_shape)])
    yield from (OperandMap(1, piece) for piece in pieces)


def _inverse_pad_maps(
    operand_shape: Shape,
    edge_padding_low: Sequence[int],
    edge_padding_high: Sequence[int],
    interior_padding: Sequence[int],
) -> Iterator[OperandMap]:
    steps = [interior + 1 for interior in interior_padding]
    result_shape = _padded_shape(operand_shape, edge_padding_low, edge_padding_high, steps)
    index = [Dim(k) * step + low for k, (step, low) in enumerate(zip(steps, edge_padding_low, strict=True))]
    # The elements whose position in the result, d * step + low, is inside.
    inside = (
        (Dim(k), Interval(-(low // step), (size - 1 - low) // step))
        for k, (step, low, size) in enumerate(zip(steps, edge_padding_low, result_shape, strict=True))
    )
    yield OperandMap(0, IndexMap.of(index, operand_shape, constraints=inside))
    for padding in pad_maps(operand_shape, edge_padding_low, edge_padding_high, interior_padding):
        if padding.operand == 1:
            yield OperandMap(1, _dimensions_as_ranges(padding.map))


def _reshape(from_shape: Shape, to_shape: Shape) -> IndexMap:
    """Reshape groups of dimensions with equal products separately, which keeps equal dimensions unchanged."""
    if 0 in from_shape or 0 in to_shape:
        return IndexMap.of([Constant(0)] * len(to_shape), from_shape)
    variables = dims(len(from_shape))
    bounds: dict[Expression, Interval] = dict(zip(variables, box(tuple(from_shape)), strict=True))
    index: list[Expression] = []
    for source, target in matching_groups(from_shape, to_shape):
        here, there = [from_shape[k] for k in source], [to_shape[k] for k in target]
        own = [variables[k] for k in source]
        index.extend(own if here == there else delinearize(linearize(own, here), there, bounds))
    return IndexMap.of(index, from_shape)


def _sliced_shape(start: Sequence[int], limit: Sequence[int], strides: Sequence[int]) -> list[int]:
    return [-((s - e) // step) for s, e, step in zip(start, limit, strides, strict=True)]


def _padded_shape(shape: Shape, low: Sequence[int], high: Sequence[int], steps: Sequence[int]) -> list[int]:
    parts = zip(shape, low, high, steps, strict=True)
    return [a + max(0, (size - 1) * step + 1) * (size > 0) + b for size, a, b, step in parts]


def _outside(shape: Shape, conditions: Sequence[tuple[Expression, Interval]]) -> Iterator[IndexMap]:
    """Disjoint maps (d) -> () that cover all indices of `shape` that violate a condition."""
    for number, (expression, allowed) in enumerate(conditions):
        for broken in complement(allowed):
            constraints = [*conditions[:number], (expression, broken)]
            piece = IndexMap.of((), shape, constraints=constraints)
            if not piece.is_known_empty:
                yield piece


def complement(interval: Interval) -> tuple[Interval, Interval]:
    """The intervals below and above `interval`; for an empty interval the two cover everything."""
    return Interval(INT64_MIN, interval.lower - 1), Interval(
        max(interval.upper + 1, interval.lower), INT64_MAX
    )


def _dimensions_as_ranges(piece: IndexMap) -> IndexMap:
    """The inverse of (d) -> () over a domain: ()[s] -> (s) over the same domain."""
    as_ranges: dict[Expression, Expression] = {Dim(k): Range(k) for k in range(len(piece.dimensions))}
    _, constraints = piece.substitute(as_ranges)
    return IndexMap(tuple(as_ranges.values()), (), piece.dimensions, (), constraints)
