"""Short ways to write types, operations and arrays, so that tests of ops need no parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.attributes import Attribute, EnumAttribute, StringAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.module import Block, Operation, Region, Value
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.binding import bind
from hloscope.engine.ops.core.op import Op

from .quantized import quantized

Array = NDArray[Any]


def tensor(text: str) -> TensorType:
    """`2x?xf32` as a type; `q8` and the like are in `QUANTIZED`."""
    spelled_shape, element = re.fullmatch(r"((?:(?:\d+|\?)x)*)(.*)", text).groups()  # type: ignore[union-attr]
    shape = tuple(None if size == "?" else int(size) for size in spelled_shape.split("x")[:-1])
    return TensorType(shape, QUANTIZED.get(element) or ELEMENT_TYPES[element])


QUANTIZED = {
    "q8": quantized(),
    "q8b": quantized((0.25,), (3,)),
    "q16": quantized(storage="i16"),
    "u8": quantized(storage="ui8"),
    "q8h": quantized(expressed="f16"),
    "a8": quantized((0.5, 0.5), (0, 0), axis=0),
    "b8": quantized((0.5, 0.5), (0, 0), axis=1),
    "a1": quantized((0.5,), (0,), axis=0),
    "a8b": quantized((0.5, 0.25), (0, 1), axis=0),
    "b8b": quantized((0.5, 0.25), (0, 1), axis=1),
}
"""Quantized types by the short names that `tensor` knows."""


def types(texts: Sequence[str]) -> tuple[Type, ...]:
    return tuple(map(tensor, texts))


def operation(
    name: str,
    operands: Sequence[str] = (),
    results: Sequence[str] = (),
    regions: Sequence[Region] = (),
    **properties: Attribute,
) -> Operation:
    """An operation of the text, from types; a name without a dialect is StableHLO's."""
    return Operation(
        name if "." in name else f"stablehlo.{name}",
        tuple(Value(f"a{number}", found) for number, found in enumerate(types(operands))),
        tuple(Value(f"r{number}", found) for number, found in enumerate(types(results))),
        properties,
        regions=tuple(regions),
    )


def region(arguments: Sequence[str] = (), results: Sequence[str] = ()) -> Region:
    """A region that returns values of the given types: arguments where they are of such types."""
    values = tuple(Value(f"b{number}", found) for number, found in enumerate(types(arguments)))
    made: list[Operation] = []
    returned: list[Value] = []
    for number, wanted in enumerate(types(results), len(values)):
        value = next((value for value in values if value.type == wanted), Value(f"b{number}", wanted))
        returned.append(value)
        if value not in values:
            target = {"call_target_name": StringAttribute("anything")}
            made.append(Operation("stablehlo.custom_call", (), (value,), target))
    last = Operation("stablehlo.return", tuple(returned), ())
    return Region((Block(values, (*made, last)),))


def enum(kind: str, value: str) -> EnumAttribute:
    return EnumAttribute("stablehlo", kind, value)


def bound(stated: Operation) -> Op:
    """The op that an operation states."""
    return bind(op_table()[stated.name], stated)


def array(values: Any, element_type: ElementType | str) -> Array:
    """Values as an array of an element type."""
    found = ELEMENT_TYPES[element_type] if isinstance(element_type, str) else element_type
    with np.errstate(all="ignore"):
        return np.array(values).astype(found.dtype)


def evaluated(
    name: str, operands: Sequence[Array], element_types: Sequence[str], result: str, **properties: Attribute
) -> Array:
    """What an op gives; shapes are those of the operands, the result's that of the largest."""
    stated = [spelled(value, found) for value, found in zip(operands, element_types, strict=True)]
    largest = max(operands, key=lambda value: value.ndim)
    op = bound(operation(name, stated, [spelled(largest, result)], (), **properties))
    with np.errstate(all="ignore"):  # as the interpreter does
        value = op.evaluate(*operands)
    assert isinstance(value, np.ndarray)
    return value


def spelled(value: Array, element_type: str) -> str:
    return "".join(f"{size}x" for size in value.shape) + element_type


def same_bits(left: Array, right: Array) -> bool:
    """Equal values in equal dtypes, where -0 is not 0 and NaN is NaN."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind in "biu":
        return bool(np.array_equal(left, right))
    parts = [(left.real, right.real), (left.imag, right.imag)] if left.dtype.kind == "c" else [(left, right)]
    wide = [(a.astype(np.float64), b.astype(np.float64)) for a, b in parts]
    return all(_same_floats(a, b) for a, b in wide)


def _same_floats(left: Array, right: Array) -> bool:
    nan = np.isnan(left) & np.isnan(right)
    same = (left == right) & (np.signbit(left) == np.signbit(right))
    return bool(np.all(nan | same))
