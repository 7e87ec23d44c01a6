"""Ops of the CHLO dialect that stand for one function of each element."""

from __future__ import annotations

import numpy as np

from .elementwise import REAL_OR_COMPLEX, Unary
from .numeric import PRECISE
from .op import Op


class ChloUnary(Unary):
    """One operand; operand and result are both spelled."""

    short_form = "operands attr-dict : operand-type -> result-type"


class Square(ChloUnary):
    """The operand times itself."""

    name = "chlo.square"
    compute, kinds = np.square, REAL_OR_COMPLEX


class Conj(ChloUnary):
    """The complex conjugate."""

    name = "chlo.conj"
    compute, kinds = np.conjugate, REAL_OR_COMPLEX


class Transcendental(ChloUnary):
    """Computed in f64, like StableHLO's own."""

    kinds, wide = REAL_OR_COMPLEX, PRECISE


class Tan(Transcendental):
    """The tangent of an angle in radians."""

    name = "chlo.tan"
    compute = np.tan


class Sinh(Transcendental):
    """The hyperbolic sine."""

    name = "chlo.sinh"
    compute = np.sinh


class Cosh(Transcendental):
    """The hyperbolic cosine."""

    name = "chlo.cosh"
    compute = np.cosh


class Acos(Transcendental):
    """The angle whose cosine the operand is."""

    name = "chlo.acos"
    compute = np.arccos


class Asin(Transcendental):
    """The angle whose sine the operand is."""

    name = "chlo.asin"
    compute = np.arcsin


class Atan(Transcendental):
    """The angle whose tangent the operand is."""

    name = "chlo.atan"
    compute = np.arctan


class Acosh(Transcendental):
    """The inverse of the hyperbolic cosine."""

    name = "chlo.acosh"
    compute = np.arccosh


class Asinh(Transcendental):
    """The inverse of the hyperbolic sine."""

    name = "chlo.asinh"
    compute = np.arcsinh


class Atanh(Transcendental):
    """The inverse of the hyperbolic tangent."""

    name = "chlo.atanh"
    compute = np.arctanh


OPS: tuple[type[Op], ...] = (
    Square,
    Conj,
    Tan,
    Sinh,
    Cosh,
    Acos,
    Asin,
    Atan,
    Acosh,
    Asinh,
    Atanh,
)
