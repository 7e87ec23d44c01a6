"""Properties of instructions from Python values; the types of the op's fields select the attribute."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import StrEnum
from operator import index
from typing import Any, get_args, get_origin

import numpy as np

from ..errors import ProgramError
from ..ir.attribute_values import (
    booleans,
    dimension_numbers,
    enum,
    enums,
    integer,
    integers,
    real,
    struct,
    table,
)
from ..ir.attributes import Attribute, BoolAttribute, DenseArrayAttribute, DenseAttribute, StringAttribute
from ..ir.element_types import I32, I64
from ..limits import DEFAULT_LIMITS
from ..ops.collectives.collective_rules import ChannelHandle
from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from ..ops.core.binding import Int32
from ..ops.core.process_groups import IdTable, ReplicaGroups
from ..source import Source
from ..syntax.hlo.attributes.dim_labels import read_dim_labels
from ..syntax.hlo.values.hlo_cursor import HloCursor
from .builder_error import BuilderError

_NARROW = {"exponent_bits", "mantissa_bits"}
"""Fields that programs state as i32."""
_ENUM_KINDS = {"compare_type": "comparison_type"}
"""MLIR's names of enums that are not the name of their class."""
_DEVICE_TO_DEVICE = 1
"""The type of a channel in HLO, which does not distinguish transfers with the host by it."""
_OMITTED = {
    **dict.fromkeys(
        ("window_strides", "lhs_dilation", "rhs_dilation", "base_dilations", "window_dilations"), 1
    ),
    **dict.fromkeys(("padding", "window_reversal"), 0),
}
"""Properties of windows, and the value at which HLO text omits them."""


def whole(name: str, given: Any) -> int:
    """Convert an integer of any type; `BuilderError` for anything else."""
    try:
        return index(given)
    except TypeError:
        raise BuilderError(f"{name} must be an integer, not {given!r}") from None


def wholes(name: str, given: Any) -> tuple[int, ...]:
    """Convert a sequence of integers; `BuilderError` for anything else."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise BuilderError(f"{name} must be a sequence of integers, not {given!r}")
    return tuple(whole(name, item) for item in given)


def properties_of(types: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Attribute]:
    """The properties of an op whose fields have the values `stated`, without `None` and HLO's defaults."""
    found = {
        name: property_of(name, value, types[name]) for name, value in stated.items() if value is not None
    }
    return {name: value for name, value in found.items() if not _is_omitted(name, value)}


def property_of(name: str, value: Any, wanted: Any) -> Attribute:
    """The attribute of a field of type `wanted`; `BuilderError` if `value` does not fit."""
    if isinstance(value, Attribute):
        return value
    if wanted in _WRITERS:
        return _WRITERS[wanted](name, value)
    item = get_args(wanted)[0] if get_origin(wanted) is tuple else wanted
    if issubclass(item, StrEnum):
        kind = _ENUM_KINDS.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", item.__name__).lower()
        return enum(kind, value.upper()) if item is wanted else enums(kind, [one.upper() for one in value])
    if not is_dataclass(value):
        raise BuilderError(f"{name} must be {wanted.__name__}, not {value!r}")
    return dimension_numbers(value)


def _rows(name: str, given: Any) -> DenseAttribute:
    return table([wholes(name, row) for row in given])


def _pairs(name: str, given: Any) -> DenseAttribute:
    rows = [wholes(name, row) for row in given]
    if any(len(row) != 2 for row in rows):
        raise BuilderError(f"{name} must have 2 numbers each, not {[list(row) for row in rows]}")
    return table(rows, 2)


def _channel(name: str, number: Any) -> Attribute:
    parts = {"handle": integer(whole("channel_id", number)), "type": integer(_DEVICE_TO_DEVICE)}
    return struct("channel_handle", parts)


def _convolution_numbers(name: str, given: ConvolutionDimensionNumbers | str) -> Attribute:
    """Dimension numbers of a convolution, also from labels: `b01f_01io->b01f`."""
    if not isinstance(given, str):
        return dimension_numbers(given)
    try:
        cursor = HloCursor(Source(given), DEFAULT_LIMITS)
        found = read_dim_labels(cursor)
        if not cursor.at_end:
            cursor.fail_expecting("the end of the labels")
    except ProgramError as error:
        raise BuilderError(f"{name} '{given}': {error.message}", op="convolution") from None
    return found


_WRITERS: Mapping[Any, Callable[[str, Any], Attribute]] = {
    bool: lambda name, value: BoolAttribute(bool(value)),
    int: lambda name, value: integer(whole(name, value), I32 if name in _NARROW else I64),
    Int32: lambda name, value: integer(whole(name, value), I32),
    float: lambda name, value: real(value),
    str: lambda name, value: StringAttribute(value),
    tuple[int, ...]: lambda name, value: integers(wholes(name, value)),
    tuple[bool, ...]: lambda name, value: booleans(value),
    tuple[tuple[int, ...], ...]: _pairs,
    IdTable: _pairs,
    ReplicaGroups: _rows,
    ChannelHandle: _channel,
    ConvolutionDimensionNumbers: _convolution_numbers,
}
"""The writers of properties, by the type of the field."""


def _is_omitted(name: str, found: Attribute) -> bool:
    if name not in _OMITTED:
        return False
    values: Sequence[Any] = ()
    match found:
        case DenseArrayAttribute(_, values):
            return all(value == _OMITTED[name] for value in values)
        case DenseAttribute(_, data):
            return bool(np.all(data == _OMITTED[name]))
    return False
