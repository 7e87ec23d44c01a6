"""Random arrays of any element type, rich in the values that break things, and how MLIR writes them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType

Array = NDArray[Any]
Flavour = Literal["edges", "normal", "small"]

BOOLEAN = ("i1",)
SIGNED = ("i2", "i4", "i8", "i16", "i32", "i64")
UNSIGNED = ("ui2", "ui4", "ui8", "ui16", "ui32", "ui64")
TINY_FLOATS = (
    *("f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ"),
    *("f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ"),
)
SMALL_FLOATS = (*TINY_FLOATS, "f8E8M0FNU", "bf16", "f16")
WIDE_FLOATS = ("f32", "f64")
FLOATS = (*SMALL_FLOATS, *WIDE_FLOATS)
COMPLEX = ("complex<f32>", "complex<f64>")
KINDS = {"b": BOOLEAN, "i": SIGNED, "u": UNSIGNED, "f": FLOATS, "c": COMPLEX}

_EDGES = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 2.0, 3.0, 1e-3, 88.0, 7e4, -1e30, np.inf, -np.inf),
    np.nan,
]


def element_types(kinds: str) -> st.SearchStrategy[ElementType]:
    """Types of the kinds `b`, `i`, `u`, `f`, `c`, each kind as often, common widths more often than others."""
    names = st.sampled_from(kinds).flatmap(lambda kind: st.sampled_from(KINDS[kind]))
    common = [name for kind in kinds for name in ("i1", "i32", "ui8", "f32", "bf16") if name in KINDS[kind]]
    chosen = st.one_of(names, names, st.sampled_from(common)) if common else names
    return chosen.map(lambda name: ELEMENT_TYPES[name])


def array(seed: int, value_type: TensorType, flavour: Flavour = "edges") -> Array:
    """`edges` mixes extremes with random values; `small` has integers whose sums are exact."""
    random = np.random.default_rng(seed)
    sizes, element_type = value_type.sizes, value_type.element_type
    if element_type.is_complex:
        part = TensorType(sizes, ELEMENT_TYPES[element_type.name[8:-1]])
        parts = [array(seed + salt, part, flavour) for salt in (0, 1)]
        joined = np.empty(sizes, element_type.dtype)
        joined.real, joined.imag = parts
        return joined
    with np.errstate(all="ignore"):
        if element_type.kind == "boolean":
            return np.asarray(random.random(sizes) < 0.5)
        if element_type.is_integer:
            return _integers(random, element_type, sizes, flavour)
        return _floats(random, element_type, sizes, flavour)


def _integers(
    random: np.random.Generator, element_type: ElementType, sizes: tuple[int, ...], flavour: Flavour
) -> Array:
    low, high = integer_range(element_type)
    if flavour == "edges":
        edges = [low, low + 1, high - 1, high, 0, 1, 2, 3, *([-1, -2] if low else [])]
        picked = np.array(edges, object)[random.integers(0, len(edges), sizes)]
        spread = random.integers(low, high, sizes, np.uint64 if not low else np.int64, endpoint=True)
        chosen = np.where(random.random(sizes) < 0.6, picked, spread.astype(object))
    else:
        chosen = random.integers(max(low, -3), min(high, 3), sizes, endpoint=True).astype(object)
    wide = np.asarray(chosen, object).astype(np.int64 if low else np.uint64)
    return np.asarray(wide.astype(element_type.dtype))


def integer_range(element_type: ElementType) -> tuple[int, int]:
    """The least and the greatest value."""
    bits = element_type.bits
    if element_type.kind == "signed":
        return -(1 << bits - 1), (1 << bits - 1) - 1
    return 0, (1 << bits) - 1


def _floats(
    random: np.random.Generator, element_type: ElementType, sizes: tuple[int, ...], flavour: Flavour
) -> Array:
    if flavour == "small":
        limit = 3 if element_type.bits >= 16 else 1
        return np.asarray(random.integers(-limit, limit, sizes, endpoint=True).astype(element_type.dtype))
    spread = random.standard_normal(sizes) * 10.0 ** random.integers(-3, 3, sizes)
    if flavour == "normal":
        return np.asarray(random.standard_normal(sizes).astype(element_type.dtype))
    edges = np.array(_EDGES)[random.integers(0, len(_EDGES), sizes)]
    mixed = np.asarray(np.where(random.random(sizes) < 0.5, edges, spread)).astype(element_type.dtype)
    # Any bits at all now and then: denormals, the largest numbers, NaNs of either sign.
    width = element_type.dtype.itemsize
    count = int(np.prod(sizes, dtype=np.int64))
    raw = random.integers(0, 1 << min(element_type.bits, 8), (count, width), np.uint8)
    bits = raw.view(element_type.dtype).reshape(sizes)
    return np.asarray(np.where(random.random(sizes) < 0.2, bits, mixed))


def literal(value: Array, value_type: TensorType) -> str:
    """`dense<"0x…">`, exactly these bits."""
    if value.size == 0:
        return f"dense<> : {value_type}"
    return f'dense<"0x{np.ascontiguousarray(value).tobytes().hex().upper()}"> : {value_type}'
