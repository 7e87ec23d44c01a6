"""The arithmetic of Triton's kernels: what `arith`, `math` and CUDA's library compute, element by element.

Integers have no sign; operations that need one say which. Floats are computed as elsewhere in hloscope.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from ....ir.element_types import ELEMENT_TYPES, ElementType
from ...chlo.special_functions import erf, high_product, next_after
from ...core import numeric
from ...core.numeric import AS_IS, PRECISE, WIDE, Compute, Widening, apply_wide, convert, round_to, widen
from ...core.op import Array
from .kernel import KernelOp

Function = Callable[..., Array]
"""A function of the operation and its operands."""


def _each(function: Compute, wide: Widening = WIDE) -> Function:
    """The function of the elements at each index, computed in the types of `wide`."""
    return lambda op, *operands: apply_wide(function, operands, op.types[0].element_type, wide)


def unsigned(function: Compute) -> Compute:
    """The function of integers taken as unsigned."""

    def on_unsigned(*operands: Array) -> Any:
        found = np.asarray(function(*(bits_of(operand) for operand in operands)))
        return found if found.dtype == np.bool_ else found.view(f"i{found.dtype.itemsize}")

    return on_unsigned


def bits_of(value: Array) -> Array:
    """The bits of the elements as unsigned integers."""
    return np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}").reshape(value.shape)


def _wrapping(function: Compute, on_bits: Compute) -> Compute:
    """A function of integers; of single bits it is `on_bits`."""
    return lambda lhs, rhs: (on_bits if lhs.dtype == np.bool_ else function)(lhs, rhs)


def _count_zeros(operand: Array) -> Any:
    """The number of zeros above the highest set bit."""
    bits, width = operand.copy(), 8 * operand.dtype.itemsize
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < width:
            bits |= bits >> bits.dtype.type(distance)
    return width - np.bitwise_count(bits)


_COMPARISONS = (
    np.equal, np.not_equal,
    np.less, np.less_equal, np.greater, np.greater_equal,
    unsigned(np.less), unsigned(np.less_equal), unsigned(np.greater), unsigned(np.greater_equal),
)  # fmt: skip


def _compare_integers(op: KernelOp, lhs: Array, rhs: Array) -> Array:
    """The comparison that `predicate` names, a number: eq, ne, and lt, le, gt, ge signed and unsigned."""
    return np.asarray(_COMPARISONS[op.attributes["predicate"]](lhs, rhs))


_FLOAT_COMPARISONS: tuple[Compute, ...] = (
    np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal,
)  # fmt: skip


def _compare_floats(op: KernelOp, lhs: Array, rhs: Array) -> Array:
    """The comparison that `predicate` names: 0 never, 1 to 6 of two numbers, 7 both are numbers.

    The predicates from 8 on hold if an operand is NaN: 8 to 13 as 1 to 6, 14 only then, 15 always.
    """
    lhs, rhs = widen(lhs), widen(rhs)
    number, is_nan = op.attributes["predicate"], np.isnan(lhs) | np.isnan(rhs)
    holds_of_nan = number > 7
    place = number - (8 if holds_of_nan else 1)
    if 0 <= place < len(_FLOAT_COMPARISONS):
        holds = _FLOAT_COMPARISONS[place](lhs, rhs)
    else:
        holds = np.full(lhs.shape, number in (7, 15))
    return np.asarray(holds | is_nan if holds_of_nan else holds & ~is_nan)


def _select(_: KernelOp, chosen: Array, one: Array, other: Array) -> Array:
    return np.where(chosen, one, other)


def _to_float_type(op: KernelOp, value: Array) -> Array:
    """Rounded to nearest even; an overflow of 8-bit floats gives their greatest number, as GPUs convert."""
    target = op.types[0].element_type
    wide = widen(value)
    if target.bits == 8:
        greatest = wide.dtype.type(ml_dtypes.finfo(target.dtype).max)
        wide = np.clip(wide, -greatest, greatest)
    return round_to(np.asarray(wide), target)


def _bitcast(op: KernelOp, value: Array) -> Array:
    """The same bits as another type; pointers stay what they are."""
    return np.ascontiguousarray(value).view(op.types[0].dtype).reshape(value.shape)


def _sign_extended(op: KernelOp, value: Array) -> Array:
    wide = value.astype(op.types[0].dtype)
    return -wide if value.dtype == np.bool_ else wide


def _zero_extended(op: KernelOp, value: Array) -> Array:
    return bits_of(value).astype(op.types[0].dtype)


def _truncated(op: KernelOp, value: Array) -> Array:
    dtype = op.types[0].dtype
    return np.asarray(value & 1).astype(dtype) if dtype == np.bool_ else value.astype(dtype)


def _unsigned_type(found: ElementType) -> ElementType:
    return found if found.kind == "boolean" else ELEMENT_TYPES[f"u{found.name}"]


def _from_integer(op: KernelOp, value: Array) -> Array:
    """A float of an integer, which is signed for `sitofp`; a single bit is 0 or 1, or 0 or -1 with a sign."""
    source, target = op.operand_types[0].element_type, op.types[0].element_type
    if op.name == "arith.uitofp":
        return convert(value if source.kind == "boolean" else bits_of(value), _unsigned_type(source), target)
    found = convert(value, source, target)
    return -found if source.kind == "boolean" else found


def _to_integer(op: KernelOp, value: Array) -> Array:
    """Towards zero; what lies outside of the type is its nearest number, as on GPUs, and NaN is 0."""
    source, target = op.operand_types[0].element_type, op.types[0].element_type
    if op.name == "arith.fptoui":
        return convert(value, source, _unsigned_type(target)).view(target.dtype)
    return convert(value, source, target)


_MATH: Mapping[str, Function] = {
    "absf": _each(np.abs),
    "absi": _each(np.abs),
    "ceil": _each(np.ceil),
    "floor": _each(np.floor),
    "trunc": _each(np.trunc),
    "roundeven": _each(np.rint),
    "copysign": _each(np.copysign),
    "exp": _each(np.exp, PRECISE),
    "exp2": _each(np.exp2, PRECISE),
    "expm1": _each(numeric.expm1, PRECISE),
    "log": _each(np.log, PRECISE),
    "log2": _each(np.log2, PRECISE),
    "log10": _each(np.log10, PRECISE),
    "log1p": _each(numeric.log_plus_one, PRECISE),
    "sqrt": _each(np.sqrt, PRECISE),
    "rsqrt": _each(numeric.rsqrt, PRECISE),
    "cbrt": _each(numeric.cbrt, PRECISE),
    "sin": _each(np.sin, PRECISE),
    "cos": _each(np.cos, PRECISE),
    "tan": _each(np.tan, PRECISE),
    "asin": _each(np.arcsin, PRECISE),
    "acos": _each(np.arccos, PRECISE),
    "atan": _each(np.arctan, PRECISE),
    "atan2": _each(numeric.atan2, PRECISE),
    "sinh": _each(np.sinh, PRECISE),
    "cosh": _each(np.cosh, PRECISE),
    "tanh": _each(np.tanh, PRECISE),
    "asinh": _each(np.arcsinh, PRECISE),
    "acosh": _each(np.arccosh, PRECISE),
    "atanh": _each(np.arctanh, PRECISE),
    "erf": _each(erf, PRECISE),
    "powf": _each(np.power, PRECISE),
    "fpowi": _each(lambda base, exponent: np.power(base, exponent.astype(base.dtype)), PRECISE),
    "fma": _each(lambda x, y, z: x * y + z, PRECISE),
    "ctpop": _each(unsigned(lambda operand: np.bitwise_count(operand).astype(operand.dtype))),
    "ctlz": _each(unsigned(_count_zeros)),
}
_LIBRARY = {
    "abs": "absi",
    "llabs": "absi",
    "fabs": "absf",
    "powi": "fpowi",
    "pow": "powf",
    "popc": "ctpop",
    "popcll": "ctpop",
    "clz": "ctlz",
    "clzll": "ctlz",
}
"""CUDA's names of functions that have another name in `math`."""
_OTHER_FUNCTIONS: Mapping[str, Function] = {"nextafter": _each(next_after, AS_IS)}

ARITHMETIC: Mapping[str, Function] = {
    **{f"math.{name}": function for name, function in _MATH.items()},
    "arith.addi": _each(_wrapping(np.add, np.bitwise_xor)),
    "arith.subi": _each(_wrapping(np.subtract, np.bitwise_xor)),
    "arith.muli": _each(_wrapping(np.multiply, np.bitwise_and)),
    "arith.divsi": _each(numeric.divide),
    "arith.divui": _each(unsigned(numeric.divide)),
    "arith.remsi": _each(numeric.remainder),
    "arith.remui": _each(unsigned(numeric.remainder)),
    "arith.andi": _each(np.bitwise_and),
    "arith.ori": _each(np.bitwise_or),
    "arith.xori": _each(np.bitwise_xor),
    "arith.shli": _each(np.left_shift),
    "arith.shrsi": _each(np.right_shift),
    "arith.shrui": _each(unsigned(np.right_shift)),
    "arith.minsi": _each(np.minimum),
    "arith.maxsi": _each(np.maximum),
    "arith.minui": _each(unsigned(np.minimum)),
    "arith.maxui": _each(unsigned(np.maximum)),
    "arith.addf": _each(np.add),
    "arith.subf": _each(np.subtract),
    "arith.mulf": _each(np.multiply),
    "arith.divf": _each(np.divide),
    "arith.remf": _each(np.fmod),
    "arith.negf": _each(np.negative),
    "arith.minimumf": _each(numeric.minimum),
    "arith.maximumf": _each(numeric.maximum),
    "arith.minnumf": _each(np.fmin),
    "arith.maxnumf": _each(np.fmax),
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": _select,
    "arith.bitcast": _bitcast,
    "arith.extf": _to_float_type,
    "arith.truncf": _to_float_type,
    "arith.extsi": _sign_extended,
    "arith.extui": _zero_extended,
    "arith.trunci": _truncated,
    "arith.sitofp": _from_integer,
    "arith.uitofp": _from_integer,
    "arith.fptosi": _to_integer,
    "arith.fptoui": _to_integer,
    "arith.index_cast": lambda op, value: value.astype(op.types[0].dtype),
    "tt.bitcast": _bitcast,
    "tt.fp_to_fp": _to_float_type,
    "tt.mulhiui": _each(unsigned(partial(high_product, width=32))),
    "tt.precise_sqrt": _MATH["sqrt"],
    "tt.precise_divf": _each(np.divide),
}


def library_function(symbol: str) -> Function | None:
    """The function of CUDA's or ROCm's library of that name, `__nv_tanhf`; `None` if it is unknown."""
    for prefix in ("__nv_", "__ocml_", "__ockl_"):
        if symbol.startswith(prefix):
            name = symbol.removeprefix(prefix)
            plain = name.rpartition("_")[0] if prefix != "__nv_" else name
            candidates = (plain, plain[:-1]) if prefix == "__nv_" and plain.endswith("f") else (plain,)
            return next(filter(None, map(_by_name, candidates)), None)
    return None


def _by_name(name: str) -> Function | None:
    return _OTHER_FUNCTIONS.get(name) or _MATH.get(_LIBRARY.get(name, name))
