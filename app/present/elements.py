"""Wire forms of elements: the dtype for each element type, and arrays as computable numbers."""

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.element_types import ElementType, QuantizedType

from ..wire.numbers import WireType
from ..wire.values import ElementWire

Array = NDArray[Any]


@dataclass(frozen=True)
class Wire:
    """The wire form of a value's elements: little-endian, `components` numbers per element."""

    name: WireType
    dtype: np.dtype[Any]
    components: Literal[1, 2] = 1

    def json(self) -> ElementWire:
        """The wire form as JSON for the browser."""
        return {"dtype": self.name, "components": self.components}

    def encode(self, array: Array) -> bytes:
        """The elements of `array`, row-major."""
        if self.components == 2:
            array = np.ascontiguousarray(array).view(array.real.dtype)
        return np.ascontiguousarray(array, self.dtype).tobytes()


def _wire(name: str, components: Literal[1, 2] = 1) -> Wire:
    kind, size = {"f": "f", "i": "i", "u": "u"}[name[0]], int(name[1:]) // 8
    return Wire(cast(WireType, name), np.dtype(f"<{kind}{size}"), components)


F32, F64, U32 = _wire("f32"), _wire("f64"), _wire("u32")


def storage(element_type: ElementType) -> ElementType:
    """The type that NumPy stores: for a quantized type, its storage type."""
    return element_type.storage if isinstance(element_type, QuantizedType) else element_type


def wire_of(element_type: ElementType) -> Wire:
    """The wire form of `element_type`; small floats become f32, which represents each exactly."""
    element_type = storage(element_type)
    match element_type.kind:
        case "boolean":
            return _wire("u8")
        case "signed" | "index":
            return _wire(f"i{max(8, element_type.bits)}")
        case "unsigned":
            return _wire(f"u{max(8, element_type.bits)}")
        case "complex":
            return _wire(f"f{element_type.bits // 2}", 2)
        case _:
            return F64 if element_type.bits == 64 else F32


def is_wide(element_type: ElementType) -> bool:
    """Whether f32 would lose digits of single elements."""
    wire = wire_of(element_type)
    return wire.dtype.itemsize == 8 or wire.name in ("i32", "u32")
