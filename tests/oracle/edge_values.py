"""Every elementwise op on every edge value of every float and complex type, as cases for the oracles."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, ElementType
from hloscope.engine.ir.types import TensorType

from .cases import Case, typed
from .generators.elementwise import BINARY, CHLO, CHLO_BINARY, TRANSCENDENTAL, UNARY, tolerance
from .values import COMPLEX, FLOATS, Array

DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
WIDTHS = ((1, 0), (8, 0), (5, 0), (5, 2), (5, 10), (8, 7), (11, 52))
"""Exponent and mantissa bits of `reduce_precision`."""


def edges(element_type: ElementType) -> Array:
    """±0, ±1, what lies beside, denormals, the smallest normal numbers, the largest, ±infinity and NaN."""
    info = ml_dtypes.finfo(element_type.dtype)
    numbers = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, float(info.eps)]
    numbers += [float(info.smallest_subnormal), float(info.smallest_normal), float(info.max), np.inf]
    with np.errstate(all="ignore"):
        return np.array([*numbers, *(-number for number in numbers), np.nan]).astype(element_type.dtype)


def complex_edges(element_type: ElementType) -> Array:
    """All pairs of a few such numbers."""
    part = ELEMENT_TYPES[element_type.name[8:-1]]
    info = ml_dtypes.finfo(part.dtype)
    numbers = [0.0, 1.0, 0.5, float(info.max), float(info.smallest_normal), np.inf]
    both = np.array([*numbers, *(-number for number in numbers), np.nan], part.dtype)
    found = np.empty((len(both), len(both)), element_type.dtype)
    found.real, found.imag = both[:, np.newaxis], both
    return found.reshape(-1)


def values(element_type: ElementType, count: int) -> tuple[Array, ...]:
    """For each of `count` operands, so that all combinations are there."""
    found = complex_edges(element_type) if element_type.is_complex else edges(element_type)
    if count == 1:
        return (found,)
    if element_type.is_complex:
        found = found[:: 5 if count == 2 else 13]
    return tuple(
        np.ascontiguousarray(grid.reshape(-1)) for grid in np.meshgrid(*[found] * count, indexing="ij")
    )


def _types(kinds: str, dialect: str) -> Iterator[ElementType]:
    names = (*(FLOATS if "f" in kinds else ()), *(COMPLEX if "c" in kinds else ()))
    for name in names:
        found = ELEMENT_TYPES[name]
        # The interpreter rounds after each op of a decomposition: below 16 bits that says nothing about ours.
        if dialect != "chlo" or found.is_complex or found.bits >= 16:
            yield found


def _case(op: str, element_type: ElementType, count: int, result: ElementType, attributes: str = "") -> Case:
    dialect, _, name = op.partition(".")
    given = dict(enumerate(values(element_type, count)))
    operand = TensorType(given[0].shape, element_type)
    types, to = (operand,) * count, operand.with_element_type(result)
    names = ", ".join(f"%a{number}" for number in range(count))
    statement = f'%r = "{op}"({names}){attributes} : ({typed(*types)}) -> {to}'
    allowed = {} if result == I1 else tolerance(name, dialect, element_type)
    alone = name == "cbrt" and element_type.is_complex
    return Case(statement, types, (to,), given=given, interpreter_only=alone, **allowed)


def cases(op: str) -> Iterator[Case]:
    """One for each type that the op takes, and each form of it."""
    dialect, _, name = op.partition(".")
    for element_type in _types(OPS[op][0], dialect):
        result = element_type
        if name == "is_finite" or name.startswith(("is_", "compare")):
            result = I1
        elif element_type.is_complex and name in ("abs", "real", "imag"):
            result = ELEMENT_TYPES[element_type.name[8:-1]]
        for attributes in _attributes(name, element_type):
            yield _case(op, element_type, OPS[op][1], result, attributes)


def _attributes(name: str, element_type: ElementType) -> Iterator[str]:
    if name == "compare":
        # The interpreter orders no complex numbers, and XLA their real parts alone.
        for direction in DIRECTIONS[:2] if element_type.is_complex else DIRECTIONS:
            yield f" {{comparison_direction = #stablehlo<comparison_direction {direction}>}}"
    elif name == "reduce_precision":
        for exponent, mantissa in WIDTHS:
            yield f" {{exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32}}"
    else:
        yield ""


def _floats(kinds: str) -> bool:
    return "f" in kinds or "c" in kinds


OPS: dict[str, tuple[str, int]] = {
    **{f"stablehlo.{name}": (kinds, 1) for name, kinds in UNARY.items() if _floats(kinds)},
    **{f"stablehlo.{name}": ("fc", 1) for name in TRANSCENDENTAL},
    **{f"stablehlo.{name}": (kinds, 2) for name, kinds in BINARY.items() if _floats(kinds)},
    **{f"chlo.{name}": (kinds, 1) for name, kinds in CHLO.items()},
    **{f"chlo.{name}": (kinds, 2) for name, kinds in CHLO_BINARY.items() if _floats(kinds)},
    "stablehlo.is_finite": ("f", 1),
    "stablehlo.reduce_precision": ("f", 1),
    "stablehlo.real": ("c", 1),
    "stablehlo.imag": ("c", 1),
    "stablehlo.compare": ("fc", 2),
}
"""The kinds of types of each op, and how many operands it has."""
