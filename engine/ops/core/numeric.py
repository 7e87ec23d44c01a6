"""Arithmetic of ops: computed in wide types, rounded once to the element type, without warnings.

Small floats (f16, bf16, f8, f6, f4) and tf32 are computed in f32, transcendental functions of everything up to
f32 in f64, integers of less than a byte in bytes. NumPy's own functions are used where they agree with the
specification; this module has the others.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import DTYPES, ELEMENT_TYPES, ElementType
from . import complex_functions
from .quiet import Signals, collected_flags, quiet

Array = NDArray[Any]
Compute = Callable[..., Any]

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_C64, _C128 = np.dtype(np.complex64), np.dtype(np.complex128)
_SMALL_FLOATS = {t.dtype for t in ELEMENT_TYPES.values() if t.is_float and t.bits <= 16}

Widening = Mapping[np.dtype[Any], np.dtype[Any]]
"""The dtype of intermediate results for each dtype; missing dtypes are computed in themselves."""

AS_IS: Widening = {}
"""For functions that compute nothing: values keep their bits."""
WIDE: Widening = (
    dict.fromkeys(_SMALL_FLOATS, _F32)
    | {DTYPES[name]: np.dtype(np.int8) for name in ("s1", "i2", "i4")}
    | {DTYPES[name]: np.dtype(np.uint8) for name in ("u1", "ui2", "ui4")}
    | {_C64: _C128}
)
PRECISE: Widening = {**WIDE, **dict.fromkeys((*_SMALL_FLOATS, _F32), _F64), _C64: _C128}
"""For transcendental functions, whose f32 versions are less exact and differ between processors."""


def apply_wide(
    function: Compute, operands: tuple[Array, ...], result: ElementType, wide: Widening = WIDE
) -> Array:
    """`function` of the operands, computed in wide dtypes and rounded once to `result`.

    Dimensions that only repeat elements (strides of 0) are computed once and stay repeated.
    """
    shape, operands = _without_repeats(operands)
    with quiet():
        if isinstance(function, np.ufunc) and not any(operand.dtype in wide for operand in operands):
            value = round_to(np.asarray(function(*operands)), result)
        else:
            value = _by_blocks(function, operands, result, wide)
    return value if shape is None else np.broadcast_to(value, shape)


BLOCK = 1 << 15
"""Elements per block, so that wide intermediate results stay in the processor's cache."""


def _by_blocks(function: Compute, operands: tuple[Array, ...], result: ElementType, wide: Widening) -> Array:
    def block(*parts: Array) -> Array:
        return round_to(np.asarray(function(*(widen(part, wide) for part in parts))), result)

    full = [operand for operand in operands if operand.ndim]
    if not full or full[0].size <= BLOCK or any(operand.shape != full[0].shape for operand in full):
        return block(*operands)
    flat = [operand.reshape(-1) if operand.ndim else operand for operand in operands]
    value = np.empty(full[0].size, result.dtype)
    for start in range(0, value.size, BLOCK):
        here = slice(start, start + BLOCK)
        value[here] = block(*(operand[here] if operand.ndim else operand for operand in flat))
    return value.reshape(full[0].shape)


def widen(operand: Array, wide: Widening = WIDE) -> Array:
    """The operand in the dtype of intermediate results."""
    dtype = wide.get(operand.dtype)
    return operand if dtype is None else operand.astype(dtype)


def round_to(value: Array, element_type: ElementType) -> Array:
    """`value`, of the same kind, as elements of `element_type`: floats to nearest even, integers wrapped."""
    dtype = element_type.dtype
    if element_type.name == "tf32":
        return _to_tf32(_to_odd(value) if value.dtype == _F64 else value)
    if value.dtype == dtype:
        return value
    if value.dtype == _F64 and dtype in _SMALL_FLOATS and dtype != np.float16:
        value = _to_odd(value)  # ml_dtypes converts f64 through f32, which would round twice
    return value.astype(dtype)


def _to_odd(value: Array) -> Array:
    """f64 truncated to f32, with the last bit set where bits were lost, so that a second rounding rounds once.

    Denormals of f32 have fewer bits; there, one value in many thousands may still be rounded twice.
    """
    bits = value.view(np.uint64)
    lost = np.uint64((1 << 29) - 1)
    sticky = ((bits & lost) != 0).astype(np.uint64) << np.uint64(29)
    return np.asarray((bits & ~lost) | sticky).view(_F64).astype(_F32)


def _to_tf32(value: Array) -> Array:
    """f32 with 13 bits of the mantissa rounded away, to nearest even."""
    bits = value.astype(_F32).view(np.uint32)
    half = np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
    kept = ((bits + half) & np.uint32(0xFFFFE000)).view(_F32)
    finite, flags = np.isfinite(value), collected_flags()
    if flags is not None and np.isinf(kept[finite]).any():
        flags.add("overflow", Signals.OVERFLOW)  # integers do not raise it
    return np.where(finite, kept, value).astype(_F32)


def is_repeated(operand: Array) -> bool:
    """Whether some dimension repeats the same elements."""
    return any(stride == 0 and size > 1 for stride, size in zip(operand.strides, operand.shape, strict=True))


def _without_repeats(operands: tuple[Array, ...]) -> tuple[tuple[int, ...] | None, tuple[Array, ...]]:
    """The shape to repeat to (`None` for no repeats), and the operands with repeating dimensions of size 1."""
    full = [operand for operand in operands if operand.ndim]
    if not full or not all(map(is_repeated, full)):
        return None, operands
    shape = full[0].shape
    if any(operand.shape != shape for operand in full) or 0 in shape:
        return None, operands
    repeats = [all(operand.strides[k] == 0 for operand in full) for k in range(len(shape))]
    once = tuple(slice(0, 1) if repeated else slice(None) for repeated in repeats)
    return shape, tuple(operand[once] if operand.ndim else operand for operand in operands)


def convert(value: Array, source: ElementType, target: ElementType) -> Array:
    """`value` converted to another element type by the rules of `convert` in XLA.

    Float to integer drops the fraction, saturates, and makes 0 of NaN; integer to integer wraps; anything but
    zero is true; a complex value gives its real part.
    """
    if source.is_complex and not target.is_complex:
        value = value.real
    with quiet():
        if target.kind == "boolean":
            return np.asarray(widen(value) != 0)
        if target.is_complex or not target.is_float:
            wide = widen(value)
            return (
                _truncate(wide, target)
                if wide.dtype.kind == "f" and target.is_integer
                else wide.astype(target.dtype)
            )
        return _to_float(widen(value), target)


def is_plain_cast(source: ElementType, target: ElementType) -> bool:
    """Whether NumPy's `astype` equals `convert`, with one rounding."""
    if "tf32" in (source.name, target.name) or target.kind == "boolean":
        return False
    if all(found.dtype.type.__module__ == "numpy" for found in (source, target)):
        kinds = source.dtype.kind + target.dtype.kind
        from_integer = kinds[0] in "iub" and (kinds[1] in "iu" or target.name in ("f32", "f64"))
        return kinds in ("ff", "cc") or from_integer
    to_small = source.name == "f32" and target.is_float and not target.is_complex
    return to_small or (source.is_float and source.bits <= 16 and target.name in ("f32", "f64"))


def _truncate(value: Array, target: ElementType) -> Array:
    signed = target.kind == "signed"
    low, high = (-(1 << target.bits - 1), 1 << target.bits - 1) if signed else (0, 1 << target.bits)
    # NaN is neither.
    if value.size and value.min() > low - 1 and value.max() < high and target.bits <= 32:
        return value.astype(np.int32 if signed else np.int64).astype(target.dtype, copy=False)
    whole = np.trunc(value.astype(_F64))
    fits = (whole >= low) & (whole < high)
    exact = np.where(fits, whole, 0).astype(np.int64 if signed else np.uint64)
    saturated = np.where(whole < low, low, np.where(whole >= high, np.asarray(high - 1, exact.dtype), exact))
    return np.asarray(saturated).astype(exact.dtype).astype(target.dtype)


def _to_float(value: Array, target: ElementType) -> Array:
    if value.dtype.kind in "iu" and (target.bits < 32 or target.name == "tf32"):
        value = (_with_sticky_bit(value) if value.dtype.itemsize == 8 else value).astype(_F64)
    if value.dtype.kind != "f":
        value = value.astype(_F32 if target.bits < 32 else target.dtype)
    return round_to(value, target)


def _with_sticky_bit(value: Array) -> Array:
    """64-bit integers that f64 represents exactly and that round to the same small float as the operand."""
    low_bits = np.asarray(0x7FF, value.dtype)
    sticky = ((value & low_bits) != 0).astype(value.dtype) << np.asarray(11, value.dtype)
    is_large = np.abs(value.astype(_F64)) >= 2.0**53
    return np.where(is_large, (value & ~low_bits) | sticky, value)


def divide(lhs: Array, rhs: Array) -> Any:
    """The quotient; integers round towards zero, `x / 0` has all bits set, and the least value over -1 is itself, as in XLA."""
    if lhs.dtype.kind == "c":
        return complex_functions.divide(lhs, rhs)
    if lhs.dtype.kind not in "iu":
        return np.divide(lhs, rhs)
    quotient = np.floor_divide(lhs - np.fmod(lhs, rhs), rhs)
    return np.where(rhs == 0, ~np.zeros_like(rhs), quotient)


def remainder(lhs: Array, rhs: Array) -> Any:
    """The remainder with the dividend's sign; `x` for integer `x % 0`, as in XLA; complex from the truncated quotient."""
    if lhs.dtype.kind == "c":
        quotient = complex_functions.divide(lhs, rhs)
        return lhs - (np.trunc(quotient.real) + 1j * np.trunc(quotient.imag)) * rhs
    found = np.fmod(lhs, rhs)
    return found if lhs.dtype.kind == "f" else np.where(rhs == 0, lhs, found)


def power(lhs: Array, rhs: Array) -> Any:
    """The power; a negative integer exponent gives 0 for all bases except 1 and -1, as in XLA."""
    if lhs.dtype.kind == "c":
        return complex_functions.power(lhs, rhs)
    if lhs.dtype.kind != "i":
        return np.power(lhs, rhs)
    odd = np.where(rhs & 1 == 0, np.ones_like(rhs), lhs)
    inverse = np.where((lhs == 1) | (lhs == -1), odd, np.zeros_like(lhs))
    return np.where(rhs < 0, inverse, np.power(lhs, np.maximum(rhs, 0)))


def limited_power(lhs: Array, rhs: Array) -> Any:
    """XLA's power of integers: it reads the lowest six bits of exponents above 63 if the base is odd, else the power is 0."""
    vanishes = (rhs > 0x3F) & (lhs % 2 == 0)
    return np.where(vanishes, 0, power(lhs, np.where(rhs > 0x3F, rhs & 0x3F, rhs)))


def maximum(lhs: Array, rhs: Array) -> Any:
    """The maximum; NaN wins, and +0 is greater than -0. Complex values compare by real, then imaginary part."""
    greater = np.maximum(lhs, rhs)
    # NumPy returns either of two zeros.
    if lhs.dtype.kind != "f" or not has_negative_zero(greater):
        return greater
    return np.where((lhs == 0) & (rhs == 0), lhs + rhs, greater)


def minimum(lhs: Array, rhs: Array) -> Any:
    """The minimum; NaN wins, and -0 is less than +0. Complex values compare by real, then imaginary part."""
    less = np.minimum(lhs, rhs)
    if lhs.dtype.kind != "f" or not (has_negative_zero(lhs) or has_negative_zero(rhs)):
        return less
    return np.where((lhs == 0) & (rhs == 0), -(-lhs - rhs), less)


_SIGN_ALONE = {size: np.array(-(1 << 8 * size - 1), f"i{size}") for size in (1, 2, 4, 8)}
"""The integer with the bits of -0, for each element size in bytes; comparing with an array of NumPy is faster."""


_FEW = 1 << 8
"""Maximum number of elements that are faster counted than compared."""


def has_negative_zero(value: Array) -> bool:
    """Whether any of the floats is -0."""
    if value.size <= _FEW and np.count_nonzero(value) == value.size:  # mostly it has no zero
        return False
    least = _SIGN_ALONE.get(value.dtype.itemsize)
    if least is None:  # no integer is as wide
        return bool((np.signbit(value) & (value == 0)).any())
    bits = np.asarray(value).view(least.dtype)
    if bits.size <= BLOCK or not bits.flags.c_contiguous:
        return bool(np.count_nonzero(bits == least))
    flat = bits.reshape(-1)
    return any(np.count_nonzero(flat[k : k + BLOCK] == least) for k in range(0, flat.size, BLOCK))


def clamp(least: Array, operand: Array, greatest: Array) -> Any:
    """The operand between the bounds; `greatest` where they cross."""
    return minimum(np.asarray(maximum(operand, least)), greatest)


def sign(operand: Array) -> Any:
    """The sign; -0 and NaN stay. Of a complex value, the value over its modulus."""
    if operand.dtype.kind == "f":
        return np.where(operand == 0, operand, np.sign(operand))
    return complex_functions.sign(operand) if operand.dtype.kind == "c" else np.sign(operand)


def square(operand: Array) -> Any:
    """The operand times itself."""
    return complex_functions.square(operand) if operand.dtype.kind == "c" else np.square(operand)


def logistic(operand: Array) -> Any:
    """`1 / (1 + exp(-x))`."""
    return complex_functions.logistic(operand) if operand.dtype.kind == "c" else 1 / (1 + np.exp(-operand))


def rsqrt(operand: Array) -> Any:
    """One over the square root; minus infinity for -0."""
    return complex_functions.rsqrt(operand) if operand.dtype.kind == "c" else 1 / np.sqrt(operand)


def expm1(operand: Array) -> Any:
    """`exp(x) - 1`, exact near 0."""
    return complex_functions.expm1(operand) if operand.dtype.kind == "c" else np.expm1(operand)


def log_plus_one(operand: Array) -> Any:
    """`log(1 + x)`, exact near 0."""
    return complex_functions.log_plus_one(operand) if operand.dtype.kind == "c" else np.log1p(operand)


def cbrt(operand: Array) -> Any:
    """The cube root, complex ones principal. A Newton step corrects the last bit, wrong in C libraries even for 27."""
    if operand.dtype.kind == "c":
        return complex_functions.cbrt(operand)
    root = np.cbrt(operand)
    with quiet():
        mended = root - (root * root * root - operand) / (3 * root * root)
    # The cube of a tiny root loses digits, that of the largest overflows; 0 and infinity need no correction.
    is_mended = np.isfinite(mended) & (np.abs(operand) > 2.0**-60)
    return np.where(is_mended, mended, root)[()]


def atan2(lhs: Array, rhs: Array) -> Any:
    """The angle of the point (rhs, lhs); for complex values by the formula that XLA defines."""
    return complex_functions.atan2(lhs, rhs) if lhs.dtype.kind == "c" else np.arctan2(lhs, rhs)


def total_order_key(operand: Array) -> Array:
    """Integers in the floats' total order, -NaN < -Inf < … < -0 < +0 < … < +Inf < +NaN."""
    if operand.dtype.itemsize < 2:
        operand = operand.astype(
            _F32
        )  # types with one NaN, which has the sign bit of -0, have a negative NaN
    elif operand.dtype.itemsize > 8:
        operand = operand.astype(_F64)  # no integer is as wide
    return ordered_bits(operand)


def ordered_bits(operand: Array) -> Array:
    """Integers in the order of floats with a sign bit, -0 and NaN of both signs, from all their bits."""
    bits = np.ascontiguousarray(operand).view(f"i{operand.dtype.itemsize}").reshape(operand.shape)
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


SIMPLER: Mapping[tuple[Compute, str], Compute] = {
    (divide, "f"): np.divide,
    (remainder, "f"): np.fmod,
    (expm1, "f"): np.expm1,
    (log_plus_one, "f"): np.log1p,
    (square, "f"): np.square,
    **{(maximum, kind): np.maximum for kind in "biu"},
    **{(minimum, kind): np.minimum for kind in "biu"},
}
"""NumPy's equivalent of a function above, for the dtype kinds where one exists."""
WHOLE: tuple[Compute, ...] = (maximum, minimum)
"""Functions that are applied to large arrays whole."""
