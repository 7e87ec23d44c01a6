"""Kinds of element types, in the words of the specification's tables of inputs."""

from functools import cache

from ...ir.element_types import F32, F64, ElementType, QuantizedType
from ...ir.types import TensorType
from .op import Constraint

Kinds = tuple[str, ...]

BOOLEAN: Kinds = ("boolean",)
SIGNED: Kinds = ("signed",)
INTEGER: Kinds = ("signed", "unsigned")
FLOAT: Kinds = ("float",)
COMPLEX: Kinds = ("complex",)
PER_TENSOR: Kinds = ("per-tensor",)
QUANTIZED: Kinds = ("per-tensor", "per-axis")
TENSOR: Kinds = (*BOOLEAN, *INTEGER, *FLOAT, *COMPLEX)
"""A tensor that is not quantized."""
TENSOR_OR_PER_TENSOR: Kinds = (*TENSOR, *PER_TENSOR)
ANY: Kinds = (*TENSOR, *QUANTIZED)

_WORDS = {
    "boolean": "boolean",
    "signed": "signed integer",
    "unsigned": "unsigned integer",
    "float": "floating-point",
    "complex": "complex",
    "per-tensor": "quantized (per tensor)",
    "per-axis": "quantized (per axis)",
}


def kind_of(element_type: ElementType) -> str:
    """The kind of an element type; quantized types differ by how they are quantized."""
    if isinstance(element_type, QuantizedType):
        if element_type.block_sizes is not None:
            return "per-block"
        return "per-tensor" if element_type.quantization_dimension is None else "per-axis"
    return element_type.kind


def holds(label: str, name: str, value_type: TensorType, kinds: Kinds) -> Constraint:
    """The constraint that the elements of `name` are of one of `kinds`."""
    element_type = value_type.element_type
    found = kind_of(element_type)
    return label, found in kinds, f"{name} must hold {describe_kinds(kinds)} elements, not {element_type}"


@cache
def describe_kinds(kinds: Kinds) -> str:
    """`boolean, integer or floating-point`."""
    words = [_WORDS[kind] for kind in kinds]
    for pair, both in ((("signed", "unsigned"), "integer"), (("per-tensor", "per-axis"), "quantized")):
        first, second = (_WORDS[kind] for kind in pair)
        if first in words and second in words:
            words[words.index(first)] = both
            words.remove(second)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def is_scalar(label: str, name: str, value_type: TensorType, element_type: ElementType) -> Constraint:
    """The constraint that `name` is one element of `element_type`."""
    holds_one = value_type.rank == 0 and value_type.element_type == element_type
    return label, holds_one, f"{name} must be tensor<{element_type}>, not {value_type}"


def complex_part(element_type: ElementType) -> ElementType:
    """The type of the real part; a type that is not complex is unchanged."""
    return {"complex<f32>": F32, "complex<f64>": F64}.get(element_type.name, element_type)


def same_baseline(*types: ElementType) -> bool:
    """Whether element types are equal except for scales and zero points (`baseline_element_type`)."""
    return all(_baseline(found) == _baseline(types[0]) for found in types)


def _baseline(element_type: ElementType) -> object:
    if not isinstance(element_type, QuantizedType):
        return element_type
    return (
        element_type.storage,
        element_type.expressed,
        *storage_range(element_type),
        element_type.quantization_dimension,
    )


def storage_range(element_type: QuantizedType) -> tuple[int, int]:
    """The least and the greatest stored value; by default those of the storage type."""
    bits = element_type.storage.bits
    signed = element_type.storage.kind == "signed"
    least, greatest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    low, high = element_type.storage_min, element_type.storage_max
    return least if low is None else low, greatest if high is None else high


def are_one_scalar(operand: TensorType, result: TensorType) -> bool:
    """Whether an op that only moves elements returns its scalar operand unchanged."""
    return not (operand.shape or result.shape) and operand.element_type == result.element_type
