"""Attributes: the constants in a program's text. Equality is by value, and by bits for numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .element_types import ElementType
from .types import TensorType, Type


class Attribute:
    """A constant in a program's text."""


@dataclass(frozen=True)
class UnitAttribute(Attribute):
    """`unit`, or a name in a dictionary without a value."""


@dataclass(frozen=True)
class BoolAttribute(Attribute):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True)
class IntegerAttribute(Attribute):
    """`1 : i64`."""

    value: int
    type: Type


@dataclass(frozen=True)
class FloatAttribute(Attribute):
    """`1.0 : f32`; `bits` are the value in its own type, so that NaN and -0 compare by bits."""

    bits: int
    type: Type
    value: float = field(compare=False)


@dataclass(frozen=True)
class StringAttribute(Attribute):
    """`"text"`; bytes that are not UTF-8 are kept as surrogate escapes."""

    value: str
    type: Type | None = None


@dataclass(frozen=True)
class SymbolAttribute(Attribute):
    """`@root::@nested`."""

    root: str
    nested: tuple[str, ...] = ()


@dataclass(frozen=True)
class TypeAttribute(Attribute):
    """A type as a value."""

    type: Type


@dataclass(frozen=True)
class ArrayAttribute(Attribute):
    """`[a, b]`."""

    elements: tuple[Attribute, ...]


@dataclass(frozen=True)
class DenseArrayAttribute(Attribute):
    """`array<i64: 1, 2>`; booleans for `array<i1: …>`."""

    element_type: ElementType
    values: tuple[int | float | bool, ...]


@dataclass(frozen=True)
class DictionaryAttribute(Attribute):
    """`{name = value}`."""

    entries: Mapping[str, Attribute]


class ElementsAttribute(Attribute):
    """The elements of a tensor, or a name for them."""

    type: TensorType


@dataclass(frozen=True, eq=False)
class DenseAttribute(ElementsAttribute):
    """`dense<…> : tensor<…>`.

    `data` has the type's shape and dtype and is read-only; a splat is a broadcast view (strides of 0). A
    literal cannot have a type with unknown sizes.
    """

    type: TensorType
    data: NDArray[Any]

    @property
    def is_splat(self) -> bool:
        """Whether the literal is one value for all elements."""
        return self.data.size > 0 and all(stride == 0 for stride in self.data.strides)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DenseAttribute) or self.type != other.type:
            return False
        if self.is_splat and other.is_splat:
            return _bits(self.data.flat[0]) == _bits(other.data.flat[0])
        return _bits(self.data) == _bits(other.data)

    __hash__ = None  # type: ignore[assignment]


def _bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


@dataclass(frozen=True)
class ResourceAttribute(ElementsAttribute):
    """`dense_resource<name> : tensor<…>` without data in the program's text."""

    name: str
    type: TensorType


@dataclass(frozen=True)
class EnumAttribute(Attribute):
    """`#stablehlo<comparison_direction LT>`: `kind` is `comparison_direction`, `value` is `LT`."""

    dialect: str
    kind: str
    value: str


@dataclass(frozen=True)
class StructAttribute(Attribute):
    """`#stablehlo.gather<offset_dims = [0], …>`: named parameters as attributes.

    `dialect` is `stablehlo`, `name` is `gather`. Lists of integers are `DenseArrayAttribute` of i64,
    single integers `IntegerAttribute` of i64.
    """

    dialect: str
    name: str
    parameters: Mapping[str, Attribute]


@dataclass(frozen=True)
class OpaqueAttribute(Attribute):
    """An attribute of an unknown dialect (`#foo.bar<…>`, `dense_resource<…>`), as text."""

    text: str


def literals_in(attribute: Attribute) -> Iterator[DenseAttribute]:
    """The `dense<…>` literals in an attribute, at any depth."""
    waiting = [attribute]
    while waiting:
        match waiting.pop():
            case DenseAttribute() as found:
                yield found
            case ArrayAttribute(elements):
                waiting.extend(elements)
            case DictionaryAttribute(entries) | StructAttribute(parameters=entries):
                waiting.extend(entries.values())
