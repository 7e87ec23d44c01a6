"""Generated numbers for inputs: constant, consecutive or random; `inputs` documents the kinds."""

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .ir.element_types import ElementType, QuantizedType

Array = NDArray[Any]


def kind_of(element_type: ElementType) -> str:
    """Kind of an element type; of a quantized type, the kind of its storage type."""
    return storage_of(element_type).kind


def storage_of(element_type: ElementType) -> ElementType:
    """Storage type of a quantized type; any other type unchanged."""
    return element_type.storage if isinstance(element_type, QuantizedType) else element_type


def constant_number(one: bool, element_type: ElementType) -> Array:
    """One or zero of an element type, as a scalar."""
    if element_type.name == "f8E8M0FNU":
        return _powers_of_two(np.array(0 if one else -127), element_type)
    return np.array(int(one)).astype(element_type.dtype)


def consecutive_numbers(count: int, element_type: ElementType) -> Array:
    """0, 1, 2, …, starting again at 0 when the type cannot represent the next integer."""
    if element_type.name == "f8E8M0FNU":
        return _powers_of_two(np.arange(count) % 128, element_type)
    once = np.arange(min(count, _period(element_type))).astype(element_type.dtype)
    return once if once.size == count else np.resize(once, count)


def _period(element_type: ElementType) -> int:
    """Number of consecutive integers from 0 that the type represents exactly."""
    if element_type.kind == "boolean":
        return 2
    if element_type.kind in ("signed", "unsigned", "index"):
        # A signed 1-bit integer holds -1 and 0 only, and 1 wraps to -1.
        return max(2, int(ml_dtypes.iinfo(element_type.dtype).max) + 1)
    if element_type.name == "tf32":
        return 1 << 11
    information = ml_dtypes.finfo(element_type.dtype)
    return int(min(2.0 ** (information.nmant + 1), float(information.max))) + 1


def random_numbers(
    generator: np.random.Generator, kind: str, scale: float, element_type: ElementType, shape: tuple[int, ...]
) -> Array:
    """Draw random numbers from `generator`, of kind `uniform` or `normal`, in the given shape."""
    if element_type.name == "f8E8M0FNU":
        return _powers_of_two(generator.integers(-8, 0, shape), element_type)
    if element_type.kind == "boolean":
        return generator.integers(0, 2, shape, np.uint8).astype(np.bool_)
    if element_type.kind in ("signed", "unsigned", "index"):
        return generator.integers(0, min(10, _period(element_type)), shape, np.uint8).astype(
            element_type.dtype
        )
    draw = _uniform if kind == "uniform" else _normal
    values = draw(generator, shape, element_type)
    if scale != 1:
        with np.errstate(over="ignore", under="ignore"):
            values = _scale(values, scale)
    return _without_low_bits(values) if element_type.name == "tf32" else values


def _scale(values: Array, scale: float) -> Array:
    if values.dtype.type.__module__ != "numpy":
        return (values.astype(np.float32) * np.float32(scale)).astype(values.dtype)
    scaled: Array = values * values.real.dtype.type(scale)
    return scaled


def _normal(generator: np.random.Generator, shape: tuple[int, ...], element_type: ElementType) -> Array:
    if element_type.kind == "complex":
        return _complex(_normal, generator, shape, element_type)
    if element_type.name == "f64":
        return generator.standard_normal(shape)
    return generator.standard_normal(shape, np.float32).astype(element_type.dtype, copy=False)


def _uniform(generator: np.random.Generator, shape: tuple[int, ...], element_type: ElementType) -> Array:
    if element_type.kind == "complex":
        return _complex(_uniform, generator, shape, element_type)
    if element_type.name == "f64":
        return generator.random(shape)
    values = generator.random(shape, np.float32)
    if element_type.name == "f32":
        return values
    # Rounding could reach 1, outside [0, 1): truncate to a step that the type represents everywhere below 1.
    information = ml_dtypes.finfo(np.float16 if element_type.name == "tf32" else element_type.dtype)
    step = np.float32(max(float(information.eps) / 2, float(information.smallest_subnormal)))
    cut: Array = (np.floor(values / step) * step).astype(element_type.dtype)
    return cut


def _complex(
    draw: Any, generator: np.random.Generator, shape: tuple[int, ...], element_type: ElementType
) -> Array:
    values = np.empty(shape, element_type.dtype)
    part = ElementType("f32" if element_type.bits == 64 else "f64", "float", element_type.bits // 2)
    values.real = draw(generator, shape, part)
    values.imag = draw(generator, shape, part)
    return values


def _without_low_bits(values: Array) -> Array:
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _powers_of_two(exponents: Array, element_type: ElementType) -> Array:
    # The bits of f8E8M0FNU are the exponent plus 127.
    return np.asarray(exponents + 127).astype(np.uint8).view(element_type.dtype)
