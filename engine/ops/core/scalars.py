"""Types of the dialects shape, tensor and arith: bare scalars (`index`, `i32`) beside tensors of them.

In a run a bare scalar is an array of rank 0; a shape is a list of i64, whether its type is a tensor of `index`
or `!shape.shape`; a size is an i64 of rank 0, a witness a boolean.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...indexing import Dim, IndexMap, Interval, OperandMap, Range, Runtime, RuntimeVariable
from ...ir.element_types import I1, INDEX, ElementType
from ...ir.types import Dimension, OpaqueType, ScalarType, TensorType, Type
from .op import Array, Constraint, all_equal

INDEX_TYPE = ScalarType(INDEX)
SHAPE, SIZE, WITNESS = (OpaqueType(f"!shape.{name}") for name in ("shape", "size", "witness"))


def element_of(value_type: Type) -> ElementType | None:
    """The element type of a scalar or a tensor; `None` for another type."""
    return value_type.element_type if isinstance(value_type, ScalarType | TensorType) else None


def shape_of(value_type: Type) -> tuple[Dimension, ...]:
    """The shape of a tensor; a scalar has none."""
    return value_type.shape if isinstance(value_type, TensorType) else ()


def sizes_of(value_type: Type) -> tuple[int, ...]:
    """The sizes of a static tensor, or of a scalar."""
    return value_type.sizes if isinstance(value_type, TensorType) else ()


def is_index(name: str, value_type: Type) -> Constraint:
    """The constraint that a value is an `index`."""
    return "", value_type == INDEX_TYPE, f"{name} must be index, not {value_type}"


def is_size(name: str, value_type: Type) -> Constraint:
    """The constraint that a value is a size of the dialect shape."""
    return "", value_type in (INDEX_TYPE, SIZE), f"{name} must be index or !shape.size, not {value_type}"


def is_shape(name: str, value_type: Type) -> Constraint:
    """The constraint that a value is a shape."""
    listed = isinstance(value_type, TensorType) and value_type.rank == 1
    fits = value_type == SHAPE or (listed and element_of(value_type) == INDEX)
    return "", fits, f"{name} must be a tensor of index of rank 1 or !shape.shape, not {value_type}"


def same_type_constraint(what: str, types: Sequence[Type]) -> Constraint:
    """The constraint that values have one type."""
    return "", all_equal(types), f"{what} must be of one type, not of {', '.join(map(str, types))}"


def extent_count(value_type: Type) -> Dimension:
    """The number of dimensions of a shape of this type; `None` if known only in a run."""
    return value_type.shape[0] if isinstance(value_type, TensorType) else None


def number(value: int) -> Array:
    """An integer as an `index` value, wrapped to 64 bits."""
    return np.array((value + (1 << 63)) % (1 << 64) - (1 << 63), np.int64)


def integers(shape: Array) -> list[int]:
    """The sizes in a shape value."""
    return [int(size) for size in shape.tolist()]


def whole_maps(shapes: Sequence[tuple[int, ...]], result: tuple[int, ...], inverse: bool) -> list[OperandMap]:
    """Each element of the result reads every element of each operand."""
    return [
        OperandMap(k, _all_of(result, shape) if inverse else _all_of(shape, result))
        for k, shape in enumerate(shapes)
    ]


def _all_of(read: tuple[int, ...], shape: tuple[int, ...]) -> IndexMap:
    return IndexMap.of(map(Range, range(len(read))), shape, ranges=read)


def listed_maps(shape: tuple[int, ...], *, inverse: bool) -> Iterator[OperandMap]:
    """Each element of a result of `shape` is a scalar operand, in row-major order."""
    for place, index in enumerate(np.ndindex(shape)):
        here = [(Dim(k), Interval(at, at)) for k, at in enumerate(index)]
        found = IndexMap.of(index, ()) if inverse else IndexMap.of((), shape, constraints=here)
        yield OperandMap(place, found)


def chosen_maps(shape: tuple[int, ...], inverse: bool) -> list[OperandMap]:
    """One element of operand 0, which has `shape`, at the index that operands 1, 2, … hold."""
    scalar = IndexMap.scalar(())
    domain = shape if inverse else ()
    here = IndexMap.scalar(domain)
    starts = [
        RuntimeVariable(Interval(0, size - 1), 1 + k, here, clamped=False) for k, size in enumerate(shape)
    ]
    places = [Runtime(k) for k in range(len(shape))]
    if not inverse:
        read = IndexMap.of(places, (), runtimes=starts)
    else:
        at = [(Dim(k) - place, Interval(0, 0)) for k, place in enumerate(places)]
        read = IndexMap.of((), shape, runtimes=starts, constraints=at)
    return [OperandMap(0, read), *(OperandMap(1 + k, scalar) for k in range(len(shape)))]


def as_tensor(value_type: Type) -> Type:
    """The type of a value in a run: bare scalars and values of the dialect shape are tensors there."""
    if isinstance(value_type, ScalarType):
        return TensorType((), value_type.element_type)
    return _OPAQUE.get(value_type, value_type) if isinstance(value_type, OpaqueType) else value_type


_OPAQUE: Mapping[Type, Type] = {
    SHAPE: TensorType((None,), INDEX),
    SIZE: TensorType((), INDEX),
    WITNESS: TensorType((), I1),
}
