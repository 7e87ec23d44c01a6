"""Shapes in calls of the builder: `"f32[2,3]"`, `"(f32[2], s32[])"`, or a type of the IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ProgramError, StructureError
from ..ir.element_types import ELEMENT_TYPES, ElementType, of_dtype
from ..ir.types import TensorType, Type
from ..limits import DEFAULT_LIMITS
from ..source import Source
from ..syntax.hlo.values.hlo_cursor import HloCursor
from ..syntax.hlo.values.print_shapes import hlo_element_type, print_shape
from ..syntax.hlo.values.read_shapes import ShapeReader
from .builder_error import BuilderError

ShapeLike = Type | str
"""A type of the IR, or HLO text: `f32[2,3]{1,0}`, `s32[<=8]`, `token[]`, `(f32[2], pred[])`."""
ElementTypeLike = ElementType | str | type[Any] | np.dtype[Any]
"""`"f32"`, `"s8"`, `"pred"`, `"c64"`, an MLIR name, a NumPy dtype, or an element type of the IR."""


def element_type_of(given: ElementTypeLike) -> ElementType:
    """Convert to an element type; `BuilderError` if there is none of this name or dtype."""
    if isinstance(given, ElementType):
        return given
    if isinstance(given, str):
        found = hlo_element_type(given) or ELEMENT_TYPES.get(given)
    else:
        found = of_dtype(np.dtype(given))
    if found is None:
        raise BuilderError(f"{given!r} is not an element type; write f32, s32, pred, …")
    return found


def shape(element_type: ElementTypeLike, dimensions: Sequence[int] = ()) -> TensorType:
    """Make an array shape: `shape("f32", [2, 3])` equals `"f32[2,3]"`."""
    sizes = tuple(int(size) for size in dimensions)
    if any(size < 0 for size in sizes):
        raise BuilderError(f"dimensions {list(sizes)} has a negative size")
    return TensorType(sizes, element_type_of(element_type))


def type_of(given: ShapeLike) -> Type:
    """Convert to a type; `BuilderError` if the text is not a shape."""
    if isinstance(given, Type):
        return given
    if not isinstance(given, str):
        raise BuilderError(f"{given!r} is not a shape; write 'f32[2,3]', or call shape(…)")
    try:
        cursor = HloCursor(Source(given), DEFAULT_LIMITS)
        found = ShapeReader().read(cursor)
        if not cursor.at_end:
            cursor.fail_expecting("the end of the shape")
    except ProgramError as error:
        raise BuilderError(f"'{given}' is not a shape: {error.message}") from None
    return found


def tensor_of(given: ShapeLike) -> TensorType:
    """Convert to an array shape; `BuilderError` for tuples and tokens."""
    found = type_of(given)
    if not isinstance(found, TensorType):
        raise BuilderError(f"{spell(found)} is not an array shape")
    return found


def spell(found: Type) -> str:
    """A type in HLO's notation, without layouts."""
    try:
        return print_shape(found, layouts=False)
    except StructureError:
        return str(found)
