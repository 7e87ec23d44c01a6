"""Predicates and notations of the specification that the constraints of several ops share.

Sizes may be `None` (not known yet); such a size breaks no rule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import pairwise

from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import Dimension, TensorType
from .op import Constraint

Sizes = Sequence[Dimension]


def agree(left: Dimension, right: Dimension) -> bool:
    """Whether two sizes can be equal."""
    return left is None or right is None or left == right


def at_most(left: Dimension, right: Dimension) -> bool:
    """Whether `left <= right` can hold."""
    return left is None or right is None or left <= right


def within(dimensions: Iterable[int], rank: int) -> bool:
    """`0 <= dimensions < rank`."""
    return all(0 <= dimension < rank for dimension in dimensions)


def is_unique(items: Sequence[int]) -> bool:
    """`is_unique` of the specification: no item occurs twice."""
    return len(set(items)) == len(items)


def is_sorted(items: Sequence[int]) -> bool:
    """`is_sorted` of the specification: in increasing order, equal neighbours allowed."""
    return all(left <= right for left, right in pairwise(items))


def format_list(items: Iterable[object]) -> str:
    """A list in messages: `[1, ?, 3]`."""
    return f"[{', '.join('?' if item is None else str(item) for item in items)}]"


def named_once(label: str, name: str, dimensions: Sequence[int]) -> Constraint:
    """Constraint: no dimension occurs twice."""
    return label, is_unique(dimensions), f"{name} {format_list(dimensions)} name a dimension twice"


def inside_rank(label: str, name: str, dimensions: Sequence[int], whose: str, rank: int) -> Constraint:
    """Constraint: the dimensions are those of a tensor of a rank; `whose`: `operand's `, or nothing."""
    return label, within(dimensions, rank), f"{name} {format_list(dimensions)} go outside {whose}rank {rank}"


def increasing(label: str, name: str, dimensions: Sequence[int]) -> Constraint:
    """Constraint: no dimension comes after a greater one."""
    return label, is_sorted(dimensions), f"{name} {format_list(dimensions)} must be in increasing order"


def is_per_axis_quantized(element_type: ElementType) -> bool:
    """Whether each slice along `quantization_dimension` has its scale and zero point."""
    return isinstance(element_type, QuantizedType) and element_type.quantization_dimension is not None


def is_index_type(element_type: ElementType) -> bool:
    """Whether a tensor of indices may have elements of this type: any integer type."""
    return element_type.is_integer or element_type.kind == "index"


def same_quantization(left: ElementType, right: ElementType, *ignored: str) -> bool:
    """Whether two element types are equal except for their spelling and the `ignored` parameters (`scales`, …)."""
    if not isinstance(left, QuantizedType) or not isinstance(right, QuantizedType):
        return left == right
    # The length of a list of scales follows from the list.
    ignored = ("name", "parameters_shape", *ignored)
    compared = (field.name for field in fields(left) if field.name not in ignored)
    return all(getattr(left, name) == getattr(right, name) for name in compared)


def is_promotable(source: ElementType, target: ElementType) -> bool:
    """`is_promotable` of the specification: the same kind of number, in no fewer bits."""
    if isinstance(source, QuantizedType) and isinstance(target, QuantizedType):
        return source.expressed == target.expressed and source.storage.bits <= target.storage.bits
    if source.is_integer and target.is_integer:
        return source.bits <= target.bits
    # Booleans have one width.
    return source.kind == target.kind and source.bits <= target.bits


def sizes_at(tensor: TensorType, dimensions: Iterable[int]) -> tuple[Dimension, ...]:
    """`dim(tensor, dimensions...)`."""
    return tuple(tensor.shape[dimension] for dimension in dimensions)


def drop_dimensions(sizes: Sizes, *dropped: int) -> tuple[Dimension, ...]:
    """The sizes without those of the dimensions `dropped`."""
    return tuple(size for dimension, size in enumerate(sizes) if dimension not in dropped)


def spelled_shape(value_type: TensorType) -> str:
    """`[2, ?]`."""
    return f"[{', '.join('?' if size is None else str(size) for size in value_type.shape)}]"
