"""Sums of products of any elements, done by BLAS in a dtype that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ...ir.element_types import ElementType, of_dtype
from ..core.blas import multiply_matrices
from ..core.numeric import convert, round_to, widen
from ..core.op import Array
from ..core.quiet import quiet

_F32, _F64, _U64 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.uint64)


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic of a product: multiplication, summation and conversion to elements of `result`.

    Floats below f32 are summed in f32; integers are exact modulo the result's width; booleans give the or of
    ands. `prepared` operands may be multiplied in parts: sums of sums are sums.
    """

    dtype: np.dtype[Any]
    """The dtype of prepared operands and of sums."""
    is_whole: bool
    """Whether sums are integers, in whatever dtype."""
    result: ElementType

    @classmethod
    def of(cls, lhs: Array, rhs: Array, result: ElementType, depth: int) -> Arithmetic:
        """The arithmetic for sums of `depth` products of an element of `lhs` and one of `rhs`."""
        if result.kind == "boolean" and lhs.dtype == rhs.dtype == np.bool_:
            return cls(_F32, False, result)
        if result.is_integer and _is_whole(lhs) and _is_whole(rhs):
            # NumPy multiplies integer matrices slowly, BLAS only floats: these hold every sum exactly, or none may.
            bound = depth * _magnitude(lhs) * _magnitude(rhs)
            exact = _F32 if bound <= 1 << 24 else _F64 if bound <= 1 << 53 else _U64
            return cls(exact, True, result)
        empty = (np.empty(0, dtype) for dtype in (lhs.dtype, rhs.dtype, result.dtype))
        return cls(np.result_type(*map(widen, empty)), False, result)

    def prepare(self, operand: Array) -> Array:
        """The operand in the dtype that it is multiplied in."""
        wide = widen(operand)
        if self.dtype == _U64:
            return wide.astype(np.int64).view(_U64)
        return wide.astype(self.dtype, copy=False)

    @property
    def is_direct(self) -> bool:
        """Whether sums are elements of the result as they are."""
        return self.dtype == self.result.dtype and not self.is_whole and self.result.name != "tf32"

    def product(self, lhs: Array, rhs: Array, out: Array | None = None) -> Array:
        """Sums of products of prepared stacks of matrices, in `out` if sums are elements of the result."""
        if self.dtype == _U64:
            return _integer_product(lhs, rhs, self.result.bits)
        with quiet():
            return multiply_matrices(lhs, rhs, out)

    def finish(self, sums: Array) -> Array:
        """The sums as elements of the result type, rounded once."""
        if self.is_whole:
            whole = sums.view(np.int64) if sums.dtype == _U64 else sums.astype(np.int64)
            return round_to(whole, self.result)
        source = of_dtype(sums.dtype)
        if source is None or source.kind == self.result.kind:
            with quiet():
                return round_to(sums, self.result)
        return convert(sums, source, self.result)


def matrix_product(lhs: Array, rhs: Array, result: ElementType) -> Array:
    """Stacks of matrices, [batch, m, k] times [batch, k, n], as elements of `result`."""
    how = Arithmetic.of(lhs, rhs, result, lhs.shape[-1])
    return how.finish(how.product(how.prepare(lhs), how.prepare(rhs)))


_LIMB = 16
_EXACT_DEPTH = 1 << 53 - 2 * _LIMB
"""Maximum number of products of two limbs whose sum is below 2^53, so that f64 holds it exactly."""


def _integer_product(lhs: Array, rhs: Array, bits: int) -> Array:
    """The exact product modulo 2^bits of u64: the products of the numbers' 16-bit limbs, added up."""
    if lhs.shape[-1] > _EXACT_DEPTH:
        return multiply_matrices(lhs, rhs)
    limbs = range(-(-bits // _LIMB))
    left_limbs, right_limbs = [_limb(lhs, i) for i in limbs], [_limb(rhs, j) for j in limbs]
    total: Any = _U64.type(0)
    for i, j in product(limbs, limbs):
        if i + j in limbs:
            part = multiply_matrices(left_limbs[i], right_limbs[j]).astype(_U64)
            total = total + (part << _U64.type(_LIMB * (i + j)))
    return np.asarray(total)


def _is_whole(operand: Array) -> bool:
    return widen(operand[..., :0] if operand.ndim else operand).dtype.kind in "biu"


def _magnitude(operand: Array) -> int:
    if not operand.size:
        return 0
    wide = widen(operand)
    return max(int(wide.max()), -int(wide.min()))


def _limb(values: Any, number: int) -> Array:
    mask = _U64.type((1 << _LIMB) - 1)
    return np.asarray((values >> _U64.type(_LIMB * number)) & mask, np.float64)
