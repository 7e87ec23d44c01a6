"""A tensor of a form, and its short text in setups and links.

`2x3xi32:iota` is its shape, its element type and its values. `=` stands for an inferred shape or element type:
`=x=:iota`, `=xf32:random`, `2x3x=:1,2,3,4,5,6`. A scalar is `i32:5`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.syntax import parse_type

from ...wire.playground import FormTensorInfo

QUANTIZED = {
    "quantized": "!quant.uniform<i8:f32, 0.5:-2>",
    "quantized_axis": "!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>",
}
"""Quantized element types of a form, by their word: per tensor, and per axis 0 of size 2."""
KINDS = ("iota", "counting", "random", "zeros", "ones")
"""Generated values: own linear indices; 1 to 9 repeatedly; random; 0; 1."""
GENERATED = re.compile(rf"({'|'.join(KINDS)})(?::(\d{{1,9}}))?", re.ASCII)
"""A word for values, `random` with a seed."""
_SPELLED = re.compile(r"((?:=x)|(?:\d+x)*)(.+)", re.ASCII)


@dataclass(frozen=True)
class FormTensor:
    """A tensor of a form: element type, sizes and values as text."""

    shape: tuple[int, ...] | None
    """`None`: the shape that fits the rest of the form."""
    type: str | None
    """Name of the element type; `None`: that of its partner."""
    values: str | tuple[str, ...] = "iota"
    """One of `KINDS`, or each element in row-major order, of one process or of all."""

    @classmethod
    def read(cls, text: str) -> FormTensor:
        """Parse a short text; setups are ours, so it is well formed."""
        spelled, _, values = text.partition(":")
        match = _SPELLED.fullmatch(spelled)
        assert match, text
        sizes, element = match.groups()
        shape = None if sizes == "=x" else tuple(map(int, sizes.split("x")[:-1]))
        found = values if GENERATED.fullmatch(values) or not values else tuple(values.split(","))
        return cls(shape, None if element == "=" else element, found or "iota")

    def json(self) -> FormTensorInfo:
        """The tensor in the page's format."""
        values = self.values if isinstance(self.values, str) else list(self.values)
        shape: list[int | None] | None = None if self.shape is None else list(self.shape)
        return {"shape": shape, "type": self.type, "values": values}


TYPE_NAMES = (*(name for name in ELEMENT_TYPES if name != "index"), *QUANTIZED)
"""Element types of a form."""


def element_type_of(name: str) -> ElementType:
    """The element type of one of `TYPE_NAMES`."""
    if name not in QUANTIZED:
        return ELEMENT_TYPES[name]
    found = parse_type(f"tensor<2x{QUANTIZED[name]}>")
    assert isinstance(found, TensorType)
    return found.element_type


def name_of(element_type: ElementType) -> str | None:
    """The form's name for an element type."""
    if not isinstance(element_type, QuantizedType):
        return element_type.name if element_type.name in TYPE_NAMES else None
    return next((name for name in QUANTIZED if element_type_of(name) == element_type), None)
