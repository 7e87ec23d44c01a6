"""Print the elements of tensors as MLIR does."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType
from ...ir.types import TensorType
from ..text.float_text import print_float

HEXADECIMAL_ABOVE = 100
"""MLIR prints literals with more elements than this as hexadecimal bytes."""


def print_dense(dense_type: TensorType, array: NDArray[Any], max_elements: int = 100) -> str:
    """Print the value as a literal, abbreviated by `…` after `max_elements`."""
    literal = print_literal(dense_type.element_type, np.asarray(array), max_elements)
    return f"dense<{literal}> : {dense_type}"


def print_literal(element_type: ElementType, data: NDArray[Any], max_elements: int | None = None) -> str:
    """The text between `dense<` and `>`; exact without `max_elements`."""
    if data.size == 0:
        return ""
    if _is_splat(data):
        return _element_printer(element_type)(data.reshape(-1)[:1])[0]
    if max_elements is None and data.size > HEXADECIMAL_ABOVE:
        return f'"0x{np.ascontiguousarray(data).tobytes().hex().upper()}"'
    return _print_nested(data, _element_printer(element_type), max_elements)


def _is_splat(data: NDArray[Any]) -> bool:
    if all(stride == 0 or size == 1 for stride, size in zip(data.strides, data.shape, strict=True)):
        return True
    flat = np.ascontiguousarray(data).reshape(-1)
    rows = flat.view(np.uint8).reshape(flat.size, flat.itemsize)
    return bool((rows[-1] == rows[0]).all() and (rows == rows[0]).all())


Printer = Callable[[NDArray[Any]], list[str]]


def _element_printer(element_type: ElementType) -> Printer:
    kind = element_type.storage if isinstance(element_type, QuantizedType) else element_type
    if kind.kind == "boolean":
        return lambda values: ["true" if value else "false" for value in values.tolist()]
    if kind.is_complex:
        part = ELEMENT_TYPES["f32" if kind.bits == 64 else "f64"]
        return lambda values: _pairs(values, part)
    if kind.is_float:
        return lambda values: [print_float(bits, kind) for bits in _bits(values)]
    return lambda values: [str(int(value)) for value in values]


def _bits(values: NDArray[Any]) -> list[int]:
    contiguous = np.ascontiguousarray(values)
    return [int(bits) for bits in contiguous.view(f"u{contiguous.itemsize}").tolist()]


def _pairs(values: NDArray[Any], part: ElementType) -> list[str]:
    parts = [print_float(bits, part) for bits in _bits(np.ascontiguousarray(values).view(part.dtype))]
    return [f"({real},{imaginary})" for real, imaginary in zip(parts[::2], parts[1::2], strict=True)]


def _print_nested(data: NDArray[Any], printer: Printer, max_elements: int | None) -> str:
    """Print nested lists; each list gets its share of `max_elements`, at least one."""
    if data.ndim == 1:
        shown = data if max_elements is None else data[: max(1, max_elements)]
        items = printer(shown)
        return f"[{', '.join([*items, '…'] if len(shown) < len(data) else items)}]"
    rows: list[str] = []
    left = max_elements
    each = data[0].size
    for row in data:
        if left is not None and left <= 0:
            rows.append("…")
            break
        rows.append(_print_nested(row, printer, left))
        left = None if left is None else left - each
    return f"[{', '.join(rows)}]"
