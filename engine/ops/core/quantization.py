"""`quantize` and `dequantize` of the specification, and `dequantize_op_quantize`.

The specification subtracts zero points in the storage type, where they wrap. This module computes
`(i - zero_point) * scale` of its section on types, in the expressed type.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import RunError
from ...ir.element_types import ElementType, QuantizedType
from .kinds import storage_range
from .numeric import Compute, Widening, apply_wide, round_to, widen
from .op import Constraint, all_equal
from .rules import format_list, is_per_axis_quantized

Array = NDArray[Any]


def dequantize(stored: Array, element_type: ElementType) -> Array:
    """Floats of the expressed type; values that are not quantized stay unchanged."""
    if not isinstance(element_type, QuantizedType):
        return stored
    scales, zero_points = _parameters(element_type, stored.shape)
    difference = widen(stored).astype(np.float64) - zero_points
    expressed = element_type.expressed
    return apply_wide(np.multiply, (round_to(difference, expressed), scales), expressed)


def quantize(value: Array, element_type: QuantizedType) -> Array:
    """The stored integers for floats of the expressed type, clamped to the storage range."""
    scales, zero_points = _parameters(element_type, value.shape)
    low, high = storage_range(element_type)

    def to_storage(operand: Array, scale: Array) -> Any:
        return np.rint(np.clip(operand / scale + zero_points.astype(operand.dtype), low, high))

    expressed = apply_wide(to_storage, (value, scales), element_type.expressed)
    # NaN has no integer; it becomes 0, as in a conversion.
    return (
        np.where(np.isnan(widen(expressed)), 0, widen(expressed)).astype(np.int64).astype(element_type.dtype)
    )


def dequantize_op_quantize(
    function: Compute,
    operands: tuple[Array, ...],
    types: tuple[ElementType, ...],
    result: ElementType,
    wide: Widening,
) -> Array:
    """The op on expressed values, quantized if `result` is."""
    floats = tuple(map(dequantize, operands, types))
    if not isinstance(result, QuantizedType):
        return apply_wide(function, floats, result, wide)
    return quantize(apply_wide(function, floats, result.expressed, wide), result)


def _parameters(element_type: QuantizedType, sizes: tuple[int, ...]) -> tuple[Array, NDArray[np.float64]]:
    """Scales in the expressed type, and zero points, in a shape that broadcasts along the quantized dimension."""
    shape = [1] * len(sizes)
    dimension = element_type.quantization_dimension
    if dimension is not None:
        shape[dimension] = count = len(element_type.scales)
        if sizes[dimension] != count:
            # The type may leave the size open; the run determines it.
            message = f"dimension {dimension} has size {sizes[dimension]}, but there are {count} scales: {element_type}"
            raise RunError(message)
    scales = round_to(np.array(element_type.scales, np.float64), element_type.expressed)
    zero_points = np.array(element_type.zero_points or (0,) * len(element_type.scales), np.float64)
    return scales.reshape(shape), zero_points.reshape(shape)


def quantized_sides(label: str, left: ElementType, right: ElementType, result: ElementType) -> Constraint:
    """The constraint of a product that `rhs` is quantized, and `lhs` and the result both or neither."""
    both_or_neither = isinstance(left, QuantizedType) == isinstance(result, QuantizedType)
    sentence = (
        f"rhs must be quantized, and lhs and the result both or neither, not {right}, {left} and {result}"
    )
    return label, both_or_neither and isinstance(right, QuantizedType), sentence


def quantized_product(
    labels: tuple[str, str, str, str], left: ElementType, right: QuantizedType, result: ElementType
) -> Iterator[Constraint]:
    """The constraints of a product of quantized tensors: storage and expressed types, axes, types of a hybrid one."""
    storage, expressed, per_tensor, hybrid = labels
    if not isinstance(left, QuantizedType) or not isinstance(result, QuantizedType):
        sentence = f"lhs and result must hold {right.expressed}, not {left} and {result}"
        yield hybrid, left == right.expressed == result, sentence
        return
    yield storage, left.storage == right.storage, f"lhs stores {left.storage}, but rhs {right.storage}"
    types = left.expressed, right.expressed, result.expressed
    yield (
        expressed,
        all_equal(types),
        f"lhs, rhs and the result express different types: {format_list(types)}",
    )
    sentence = f"rhs is quantized per tensor, so the result must be too, not along dimension {result.quantization_dimension}"
    yield per_tensor, is_per_axis_quantized(right) or not is_per_axis_quantized(result), sentence
