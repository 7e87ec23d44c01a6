"""Element types of tensors, and the one table from a type's name to its NumPy dtype.

Source: the specification's section on types. MLIR spells a signed integer `i8` and an unsigned one
`ui8`; the specification's own `si8` is read as `i8`.
"""

from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np

Kind = Literal["boolean", "signed", "unsigned", "float", "complex", "quantized", "index"]


@dataclass(frozen=True)
class ElementType:
    """An element type of tensors; `name` is MLIR's spelling, or HLO's where MLIR has none."""

    name: str
    kind: Kind
    bits: int

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the elements. Types narrower than a byte take one byte per element."""
        return DTYPES[self.name]

    @property
    def is_integer(self) -> bool:
        """Signed or unsigned; booleans are not integers."""
        return self.kind in ("signed", "unsigned")

    @property
    def is_float(self) -> bool:
        """Any real floating-point type."""
        return self.kind == "float"

    @property
    def is_complex(self) -> bool:
        """A pair of f32 or of f64."""
        return self.kind == "complex"

    @property
    def hlo_name(self) -> str:
        """HLO's name of the type: `pred`, `s32`, `c64`."""
        if self.kind == "boolean":
            return "pred"
        if self.is_integer:
            return f"{self.kind[0]}{self.bits}"
        return f"c{self.bits}" if self.is_complex else self.name.lower()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class QuantizedType(ElementType):
    """`!quant.uniform<storage<min:max>:expressed[:axis], {scale:zero_point, …}>`, or blocks as axis."""

    storage: ElementType = None  # type: ignore[assignment]
    expressed: ElementType = None  # type: ignore[assignment]
    storage_min: int | None = None
    storage_max: int | None = None
    quantization_dimension: int | None = None
    """`None` for quantization per tensor."""
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    block_sizes: tuple[tuple[int, int], ...] | None = None
    """For quantization per block: each dimension with its block size."""
    parameters_shape: tuple[int, ...] = ()
    """The nesting of `scales` in the text."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the storage type."""
        return self.storage.dtype


class ExtendedType(ElementType):
    """NumPy's `longdouble`, which no text has: 64 bits of precision on x86-64, 113 on AArch64 under Linux."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype `longdouble`."""
        return np.dtype(np.longdouble)


_ROWS: list[tuple[str, Kind, int, Any]] = [
    ("i1", "boolean", 1, np.bool_),
    ("i2", "signed", 2, ml_dtypes.int2),
    ("i4", "signed", 4, ml_dtypes.int4),
    ("i8", "signed", 8, np.int8),
    ("i16", "signed", 16, np.int16),
    ("i32", "signed", 32, np.int32),
    ("i64", "signed", 64, np.int64),
    ("ui2", "unsigned", 2, ml_dtypes.uint2),
    ("ui4", "unsigned", 4, ml_dtypes.uint4),
    ("ui8", "unsigned", 8, np.uint8),
    ("ui16", "unsigned", 16, np.uint16),
    ("ui32", "unsigned", 32, np.uint32),
    ("ui64", "unsigned", 64, np.uint64),
    ("f4E2M1FN", "float", 4, ml_dtypes.float4_e2m1fn),
    ("f6E2M3FN", "float", 6, ml_dtypes.float6_e2m3fn),
    ("f6E3M2FN", "float", 6, ml_dtypes.float6_e3m2fn),
    ("f8E3M4", "float", 8, ml_dtypes.float8_e3m4),
    ("f8E4M3", "float", 8, ml_dtypes.float8_e4m3),
    ("f8E4M3FN", "float", 8, ml_dtypes.float8_e4m3fn),
    ("f8E4M3FNUZ", "float", 8, ml_dtypes.float8_e4m3fnuz),
    ("f8E4M3B11FNUZ", "float", 8, ml_dtypes.float8_e4m3b11fnuz),
    ("f8E5M2", "float", 8, ml_dtypes.float8_e5m2),
    ("f8E5M2FNUZ", "float", 8, ml_dtypes.float8_e5m2fnuz),
    ("f8E8M0FNU", "float", 8, ml_dtypes.float8_e8m0fnu),
    ("bf16", "float", 16, ml_dtypes.bfloat16),
    ("f16", "float", 16, np.float16),
    ("f32", "float", 32, np.float32),
    ("f64", "float", 64, np.float64),
    # tf32 has no dtype: its values are f32 values with 10 mantissa bits.
    ("tf32", "float", 32, np.float32),
    ("complex<f32>", "complex", 64, np.complex64),
    ("complex<f64>", "complex", 128, np.complex128),
    ("index", "index", 64, np.int64),
]
ELEMENT_TYPES: dict[str, ElementType] = {name: ElementType(name, kind, bits) for name, kind, bits, _ in _ROWS}
"""Every element type that is not quantized, by MLIR's name."""
# In MLIR the only 1-bit integer is `i1`, the boolean.
ONLY_IN_HLO: dict[str, ElementType] = {
    "s1": ElementType("s1", "signed", 1),
    "u1": ElementType("u1", "unsigned", 1),
}
"""Element types that only HLO has, by HLO's name: integers of the values -1 and 0, or 0 and 1."""
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(dtype) for name, _, _, dtype in _ROWS} | {
    "s1": np.dtype(ml_dtypes.int1),
    "u1": np.dtype(ml_dtypes.uint1),
}

I1, I32, I64, UI8 = (ELEMENT_TYPES[name] for name in ("i1", "i32", "i64", "ui8"))
F32, F64, INDEX = (ELEMENT_TYPES[name] for name in ("f32", "f64", "index"))
EXTENDED = (
    ExtendedType("f80", "float", 80) if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps else None
)
"""A float type of more digits than f64, for runs that judge f64; `None` where NumPy has none."""


def element_type(name: str) -> ElementType | None:
    """The type named `name`, including the specification's aliases (`si32`, `pred`)."""
    if name.startswith("si"):
        name = name[1:]
    return ELEMENT_TYPES.get(name)


def of_dtype(dtype: np.dtype[Any]) -> ElementType | None:
    """The element type with NumPy's `dtype`; f32 rather than tf32."""
    return _BY_DTYPE.get(dtype)


_BY_DTYPE = {
    found.dtype: found
    for found in (*ELEMENT_TYPES.values(), *ONLY_IN_HLO.values(), EXTENDED)
    if found is not None and found.name not in ("tf32", "index")
}
