"""Functions of complex numbers: Annex G's special values, both sides of the cuts, and numbers of more digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hloscope.engine.ops.core import complex_functions as functions
from hloscope.engine.ops.core import numeric
from tests.each import for_each

Array = NDArray[Any]
INF, NAN, PI = np.inf, np.nan, np.pi
NAN_NAN = complex(NAN, NAN)
UNARY: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": functions.cbrt,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "expm1": functions.expm1,
    "log": np.log,
    "log1p": functions.log_plus_one,
    "logistic": functions.logistic,
    "rsqrt": functions.rsqrt,
    "sign": functions.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": functions.square,
    "tan": np.tan,
    "tanh": np.tanh,
}


def _of(function: Callable[..., Any], *operands: complex) -> complex:
    arrays = [np.array([operand], np.complex128) for operand in operands]
    with np.errstate(all="ignore"):
        return complex(np.asarray(function(*arrays))[0])


def _same(found: complex, wanted: complex, strict: bool = True) -> bool:
    """Parts that are close, both NaN or, `strict` or not, zeros of one sign."""
    pairs = (found.real, wanted.real), (found.imag, wanted.imag)
    close = all(np.isclose(mine, theirs, 1e-14, 1e-300, equal_nan=True) for mine, theirs in pairs)
    signs = all(np.signbit(mine) == np.signbit(theirs) or np.isnan(theirs) for mine, theirs in pairs)
    return close and (signs or not strict)


SPECIAL = [
    ("exp", complex(INF, 0), complex(INF, 0)),
    ("exp", complex(INF, NAN), complex(INF, NAN)),
    ("exp", complex(INF, 1), complex(INF, INF)),
    ("exp", complex(-INF, INF), 0),
    ("exp", complex(-INF, -1), complex(0, -0.0)),
    ("exp", complex(NAN, -0.0), complex(NAN, -0.0)),
    ("exp", complex(1, INF), NAN_NAN),
    ("exp", complex(800, 1e-300), complex(INF, 2.7263745721125e47)),
    ("expm1", complex(-0.0, -0.0), complex(-0.0, -0.0)),
    ("expm1", complex(INF, -0.0), complex(INF, -0.0)),
    ("expm1", complex(INF, INF), complex(INF, NAN)),
    ("expm1", complex(-INF, 1), complex(-1, 0)),
    ("expm1", complex(-INF, NAN), complex(-1, 0)),
    ("expm1", complex(NAN, 0), complex(NAN, 0)),
    ("expm1", complex(1e-300, 1e-300), complex(1e-300, 1e-300)),
    ("log", complex(-0.0, 0), complex(-INF, PI)),
    ("log", complex(0, -0.0), complex(-INF, -0.0)),
    ("log", complex(INF, INF), complex(INF, PI / 4)),
    ("log", complex(-INF, INF), complex(INF, 3 * PI / 4)),
    ("log", complex(NAN, INF), complex(INF, NAN)),
    ("log", complex(1e308, 1e308), complex(709.5427822826, PI / 4)),
    ("log1p", complex(-0.0, -0.0), complex(0.0, -0.0)),
    ("log1p", complex(-1, 0), complex(-INF, 0)),
    ("log1p", complex(-1, -0.0), complex(-INF, -0.0)),
    ("log1p", complex(INF, NAN), complex(INF, NAN)),
    ("log1p", complex(-INF, 1), complex(INF, PI)),
    ("log1p", complex(1e308, 1e308), complex(709.5427822826, PI / 4)),
    ("log1p", complex(1e-300, 1e-200), complex(1e-300, 1e-200)),
    ("sqrt", complex(-0.0, -0.0), complex(0, -0.0)),
    ("sqrt", complex(NAN, INF), complex(INF, INF)),
    ("sqrt", complex(-INF, 1), complex(0, INF)),
    ("sqrt", complex(INF, NAN), complex(INF, NAN)),
    ("sqrt", complex(0, 1e308), complex(7.0710678118654752e153, 7.0710678118654752e153)),
    ("rsqrt", complex(0, 0), complex(INF, NAN)),
    ("rsqrt", complex(INF, INF), complex(0, -0.0)),
    ("rsqrt", complex(1, -INF), complex(0, 0)),
    ("rsqrt", complex(INF, NAN), 0),
    ("rsqrt", complex(1e-320, 0), 1.0000055664551362e160),
    ("cbrt", complex(INF, 1), complex(INF, 0)),
    ("cbrt", complex(-INF, 0), complex(INF, INF)),
    ("cbrt", complex(NAN, INF), complex(INF, NAN)),
    ("cbrt", complex(0, 0), 0),
    ("cbrt", complex(-8, 0), complex(1, np.sqrt(3))),
    ("logistic", complex(-INF, NAN), 0),
    ("logistic", complex(INF, -INF), complex(1, -0.0)),
    ("logistic", complex(-INF, 2), complex(-0.0, 0)),
    ("logistic", complex(NAN, 0), NAN_NAN),
    ("logistic", complex(0, INF), NAN_NAN),
    ("logistic", complex(-800, 1), 0),
    ("sign", 0, 0),
    ("sign", complex(INF, 1), NAN_NAN),
    ("sign", complex(3e-320, 4e-320), complex(0.6, 0.8)),
    ("sign", complex(-9e307, 1.2e308), complex(-0.6, 0.8)),
    ("square", complex(1e200, 1e200), complex(0, INF)),
    ("square", complex(-1, 1), complex(0, -2)),
    ("square", complex(INF, 0), complex(INF, NAN)),
    ("square", complex(1 + 2**-30, 1), complex(1.862645150e-9, 2.000000001862645)),
    ("sin", complex(0, INF), complex(0, INF)),
    ("cos", complex(0, -INF), complex(INF, 0)),
    ("tan", complex(1, INF), complex(0, 1)),
    ("tan", complex(NAN, 0), complex(NAN, 0)),
    ("tanh", complex(INF, 1), complex(1, 0)),
    ("tanh", complex(-800, 1), complex(-1, 0)),
    ("tanh", complex(0, INF), complex(0, NAN)),
    ("sinh", complex(INF, 0), complex(INF, 0)),
    ("sinh", complex(0, NAN), complex(0, NAN)),
    ("cosh", complex(-INF, 0), complex(INF, -0.0)),
    ("acos", complex(0, NAN), complex(PI / 2, NAN)),
    ("acos", complex(-INF, INF), complex(3 * PI / 4, -INF)),
    ("acosh", complex(INF, INF), complex(INF, PI / 4)),
    ("asinh", complex(NAN, 0), complex(NAN, 0)),
    ("asinh", complex(INF, INF), complex(INF, PI / 4)),
    ("asin", complex(1e308, 1e308), complex(PI / 4, 710.2359294631)),
    ("atanh", complex(1, 0), complex(INF, 0)),
    ("atanh", complex(1, 1e-200), complex(230.6050811, PI / 4)),
    ("atanh", complex(INF, NAN), complex(0, NAN)),
    ("atan", complex(INF, INF), complex(PI / 2, 0)),
    ("abs", complex(NAN, -INF), INF),
    ("abs", complex(1e308, 1e308), 1.4142135623730951e308),
]


@for_each(("name", "operand", "wanted"), SPECIAL)
def test_special_values(name: str, operand: complex, wanted: complex) -> None:
    found = _of(UNARY[name], operand)
    close = np.isclose(found.real, wanted.real, 1e-6, 0, equal_nan=True)
    close &= np.isclose(found.imag, wanted.imag, 1e-6, 0, equal_nan=True)
    assert close, found
    for mine, theirs in ((found.real, complex(wanted).real), (found.imag, complex(wanted).imag)):
        assert theirs or np.signbit(mine) == np.signbit(theirs), found


@for_each("name", sorted(set(UNARY) - {"abs"}))
def test_conjugates_have_conjugate_results(name: str) -> None:
    parts = np.array([0.0, 1e-310, 1e-9, 0.3, 1, 2.5, 80, 1e30, 1e308])
    upper = np.concatenate([sign * parts[:, None] + 1j * parts for sign in (1, -1)]).reshape(-1)
    with np.errstate(all="ignore"):
        above, below = UNARY[name](upper), UNARY[name](np.conj(upper))
    np.testing.assert_allclose(above.real, below.real, 1e-15)
    np.testing.assert_allclose(above.imag, -below.imag, 1e-15)


CUTS = [
    ("sqrt", complex(-4, 0), 2j),
    ("rsqrt", complex(-4, 0), -0.5j),
    ("cbrt", complex(-27, 0), complex(1.5, 1.5 * np.sqrt(3))),
    ("log", complex(-1, 0), complex(0, PI)),
    ("log1p", complex(-2, 0), complex(0, PI)),
    ("acos", complex(2, 0), complex(0, -1.3169578969248166)),
    ("acos", complex(-2, 0), complex(PI, -1.3169578969248166)),
    ("asin", complex(2, 0), complex(PI / 2, 1.3169578969248166)),
    ("asin", complex(-2, 0), complex(-PI / 2, 1.3169578969248166)),
    ("acosh", complex(0.5, 0), complex(0, PI / 3)),
    ("acosh", complex(-2, 0), complex(1.3169578969248166, PI)),
    ("atanh", complex(2, 0), complex(0.5493061443340548, PI / 2)),
    ("atanh", complex(-2, 0), complex(-0.5493061443340548, PI / 2)),
]


@for_each(("name", "operand", "wanted"), CUTS)
def test_the_sign_of_zero_is_the_side_of_a_cut(name: str, operand: complex, wanted: complex) -> None:
    """On the real axis: as above for +0, the conjugate for -0."""
    assert _same(_of(UNARY[name], operand), wanted, strict=False)
    assert _same(_of(UNARY[name], operand.conjugate()), wanted.conjugate(), strict=False)


@pytest.mark.parametrize(
    ("name", "imaginary", "wanted"),
    [
        ("asinh", 2.0, complex(1.3169578969248166, PI / 2)),
        ("asinh", -2.0, complex(1.3169578969248166, -PI / 2)),
        ("atan", 2.0, complex(PI / 2, 0.5493061443340548)),
        ("atan", -2.0, complex(PI / 2, -0.5493061443340548)),
    ],
)
def test_cuts_of_the_imaginary_axis(name: str, imaginary: float, wanted: complex) -> None:
    right, left = _of(UNARY[name], complex(0, imaginary)), _of(UNARY[name], complex(-0.0, imaginary))
    assert _same(right, wanted)
    assert _same(left, complex(-wanted.real, wanted.imag))


QUOTIENTS = [
    (complex(1, 1), 0, complex(INF, INF)),
    (complex(1, 0), complex(-0.0, 0), complex(-INF, NAN)),
    (complex(INF, NAN), complex(2, 1), complex(INF, -INF)),
    (complex(INF, 1e30), complex(-1, 160), complex(-INF, -INF)),
    (complex(1, 1), complex(INF, NAN), 0),
    (complex(0, 0), complex(0, 0), NAN_NAN),
    (complex(INF, 0), complex(INF, 0), NAN_NAN),
    (complex(1e308, 1e308), complex(1e308, 1e308), 1),
    (complex(1e-320, 1e-320), complex(1e-320, 1e-320), 1),
    (complex(1.7e308, 1.7e308), complex(1.5, 1.5), 1.7e308 / 1.5),
    (complex(1e300, 1e-20), 1, complex(1e300, 1e-20)),
    (complex(1e-310, 0), complex(0, 1e-300), complex(0, -1e-10)),
    (complex(1, 1e-300), complex(1e-50, 0), complex(1e50, 1e-250)),
]


@for_each(("lhs", "rhs", "wanted"), QUOTIENTS)
def test_divide(lhs: complex, rhs: complex, wanted: complex) -> None:
    found = _of(functions.divide, lhs, rhs)
    assert np.isclose(found.real, wanted.real, 1e-9, 0, equal_nan=True), found
    assert np.isclose(found.imag, wanted.imag, 1e-9, 0, equal_nan=True), found


POWERS = [
    (complex(NAN, 1), 0, 1),
    (0, 0, 1),
    (1, complex(NAN, INF), 1),
    (0, complex(2, 5), 0),
    (0, -1, complex(INF, NAN)),
    (0, 1j, NAN_NAN),
    (complex(-INF, 0), 1, complex(-INF, 0)),
    (complex(INF, 1), -2, 0),
    (complex(NAN, INF), complex(-1, 1), 0),
    (complex(1, 1), 2, 2j),
    (complex(1, 1), -2, -0.5j),
    (2, 10, 1024),
    (complex(1e200, 1e200), -2, 0),
    (complex(1e-160, 0), 2, 1e-320),
    (complex(1e200, 1e200), 2, complex(0, INF)),
    (-1, 0.5, 1j),
    (complex(2, 3), complex(-1e308, 1e308), 0),
    (2, 1j, complex(np.cos(np.log(2)), np.sin(np.log(2)))),
    (1e100, complex(0.5, 0), 1e50),
]


@for_each(("lhs", "rhs", "wanted"), POWERS)
def test_power(lhs: complex, rhs: complex, wanted: complex) -> None:
    assert _same(_of(functions.power, lhs, rhs), wanted, strict=False) or abs(wanted - 1j) < 1e-15


ANGLES = [
    (1, 1, PI / 4),
    (1, -1, 3 * PI / 4),
    (-1, -1, -3 * PI / 4),
    (1, 0, PI / 2),
    (-1, 0, -PI / 2),
    (0, -2, PI),
    (1e-10, complex(1, 1), complex(5e-11, -5e-11)),
    (1e308, 1e308, PI / 4),
    (1e-320, -1e-320, 3 * PI / 4),
    (complex(0.5, 1.5), complex(-0.5, 1.5), complex(PI / 4, -np.log(2) / 2)),
    (0, 0, NAN_NAN),
    (1j, 1, NAN_NAN),
    (complex(-1, -1), complex(1, -1), complex(NAN, -INF)),
    (INF, 1, NAN_NAN),
]


@for_each(("lhs", "rhs", "wanted"), ANGLES)
def test_atan2(lhs: complex, rhs: complex, wanted: complex) -> None:
    assert _same(_of(functions.atan2, lhs, rhs), wanted, strict=False)


def test_atan2_of_real_numbers_is_theirs() -> None:
    y, x = np.random.default_rng(0).standard_normal((2, 1000))
    found = functions.atan2(y.astype(np.complex128), x.astype(np.complex128))
    np.testing.assert_allclose(found.real, np.arctan2(y, x), 1e-14)
    assert not found.imag.any()


MORE = np.finfo(np.longdouble)
with_more_digits = pytest.mark.skipif(
    MORE.nmant < 60 or MORE.maxexp < 16000, reason="long doubles are no longer"
)


def _numbers(random: np.random.Generator, least: float, most: float) -> NDArray[np.complex128]:
    """Of either sign, parts of very different sizes."""
    size = 10.0 ** random.uniform(least, most, (2, 3000))
    signed = size * random.choice([-1, 1], size.shape)
    return np.asarray(signed[0] + 1j * signed[1])


def _errors(found: Array, wanted: Array) -> Array:
    """In units of the last place of the modulus."""
    with np.errstate(all="ignore"):
        unit = np.maximum(np.abs(wanted) * np.finfo(np.float64).eps, np.longdouble(5e-324))
        return np.asarray(np.abs(found.astype(np.clongdouble) - wanted) / unit)


def _log_plus_one(operand: Array) -> Array:
    x, y = operand.real, operand.imag
    value = np.empty_like(operand)
    value.real, value.imag = np.log1p(2 * x + x * x + y * y) / 2, np.arctan2(y, x + 1)
    return value


EXACT: dict[str, tuple[Callable[..., Any], float]] = {
    "cbrt": (lambda z: np.exp(np.log(z) / 3), 300),
    "divide": (lambda z, w: z / w, 300),
    "expm1": (lambda z: 2 * np.sinh(z / 2) * np.exp(z / 2), 2),
    "log_plus_one": (_log_plus_one, 150),
    "logistic": (lambda z: 1 / (1 + np.exp(-z)), 2),
    "rsqrt": (lambda z: 1 / np.sqrt(z), 300),
    "sign": (lambda z: z / np.abs(z), 300),
    "square": (lambda z: z * z, 150),
}


@with_more_digits
@pytest.mark.parametrize("name", sorted(EXACT))
@pytest.mark.parametrize("spread", ["ordinary", "all"])
def test_errors_are_some_units_of_the_last_place(name: str, spread: str) -> None:
    exact, limit = EXACT[name]
    random = np.random.default_rng(7)
    most = min(limit, 1.0 if spread == "ordinary" else limit)
    least = -most if spread == "ordinary" else -300 if name != "square" else -150
    operands = [_numbers(random, least, most) for _ in range(2 if name == "divide" else 1)]
    with np.errstate(all="ignore"):
        found = getattr(functions, name)(*operands)
        wanted = exact(*(operand.astype(np.clongdouble) for operand in operands))
    inside = (np.abs(wanted) < 1e308) & (np.abs(wanted) > 1e-300)
    assert inside.sum() > 1000
    assert _errors(found, wanted)[inside].max() < 6


@with_more_digits
def test_power_is_exact_but_for_its_angle() -> None:
    """An angle of some thousands has three digits less."""
    random = np.random.default_rng(3)
    lhs, rhs = _numbers(random, -20, 20), _numbers(random, -1, 1)
    exponent = rhs.astype(np.clongdouble) * np.log(lhs.astype(np.clongdouble))
    with np.errstate(all="ignore"):
        found, wanted = functions.power(lhs, rhs), np.exp(exponent)
    inside = np.abs(exponent.real) < 700
    assert (_errors(found, wanted) / (2 + np.abs(exponent)))[inside].max() < 4


def test_log_plus_one_where_the_modulus_is_near_1() -> None:
    """The real part is half the logarithm of `1 + 2x + x² + y²`, of terms that cancel."""
    y = np.array([1e-6, 3e-7, -2e-5, 0.8, -0.6])
    x = np.sqrt(1 - y * y) * (1 + 1e-9) - 1
    distances = [
        float(Fraction(a) * 2 + Fraction(a) ** 2 + Fraction(b) ** 2) for a, b in zip(x, y, strict=True)
    ]
    found = functions.log_plus_one(x + 1j * y)
    np.testing.assert_allclose(found.real, np.log1p(distances) / 2, 1e-14)
    np.testing.assert_allclose(found.imag, np.arctan2(y, x + 1), 1e-14)


@pytest.mark.parametrize("name", ["cbrt", "expm1", "log_plus_one", "logistic", "rsqrt", "sign", "square"])
def test_shapes_and_f32(name: str) -> None:
    """No dimensions, none of some size, and complex<f32> by way of f64."""
    function = getattr(functions, name)
    assert np.shape(function(np.array(0.5 + 1j))) == ()
    assert function(np.zeros((0, 2), np.complex128)).shape == (0, 2)
    from hloscope.engine.ir.element_types import ELEMENT_TYPES

    narrow = (np.arange(1, 7).reshape(2, 3) * (0.5 + 1e-9j)).astype(np.complex64)
    found = numeric.apply_wide(getattr(numeric, name), (narrow,), ELEMENT_TYPES["complex<f32>"])
    np.testing.assert_array_equal(found, function(narrow.astype(np.complex128)).astype(np.complex64))


@pytest.mark.parametrize("name", ["divide", "power", "atan2"])
def test_one_operand_may_be_a_scalar(name: str) -> None:
    function = getattr(functions, name)
    many, one = np.array([1 + 1j, 2, 3j]), np.array(2 + 0.5j)
    np.testing.assert_array_equal(function(many, one), function(many, np.full(3, one)))
    np.testing.assert_array_equal(function(one, many), function(np.full(3, one), many))
