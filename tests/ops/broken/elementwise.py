"""Operations that break a rule of an elementwise op."""

from __future__ import annotations

from collections.abc import Iterator

from hloscope.engine.ir.attributes import Attribute, StringAttribute
from hloscope.engine.ir.element_types import I32
from hloscope.engine.ir.module import Operation

from ..building import enum, operation
from .stating import Broken, number

SAME_TYPE_BINARY = ["subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum"]
SHIFTS = ["shift_left", "shift_right_arithmetic", "shift_right_logical"]
FUNCTIONS = [
    *("exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh"),
    *("sqrt", "rsqrt", "sine", "cosine", "tan", "cbrt"),
]


def _unary(name: str, good: str, *bad: str) -> Iterator[Broken]:
    for element_type in bad:
        yield "I1", operation(name, [f"2x{element_type}"], [f"2x{element_type}"])
    yield "C1", operation(name, [f"2x{good}"], [f"3x{good}"])
    yield "C1", operation(name, [f"2x{good}"], ["2xi32" if good != "i32" else "2xi8"])


def _binary(name: str, good: str, *bad: str, other: str = "i8") -> Iterator[Broken]:
    for element_type in bad:
        yield "I1", operation(name, [f"2x{element_type}"] * 2, [f"2x{element_type}"])
        yield "I2", operation(name, [f"2x{good}", f"2x{element_type}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", f"3x{good}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", f"2x1x{good}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", f"2x{other}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}"] * 2, [f"4x{good}"])
    yield "C1", operation(name, [f"2x{good}"] * 2, [f"2x{other}"])


def _add() -> Iterator[Broken]:
    yield "I1", operation("add", ["index", "f32"], ["f32"])
    yield "I2", operation("add", ["f32", "index"], ["f32"])
    yield from _binary("add", "f32")
    yield "C2", operation("add", ["2xq8", "2xf32"], ["2xq8"])
    yield "C2", operation("add", ["2xq8", "2xq8"], ["2xf32"])
    yield "C2", operation("add", ["2xf32", "2xf32"], ["2xq8"])
    yield "C3", operation("add", ["2xq8", "2xq16"], ["2xq8"])
    yield "C4", operation("add", ["2xq8", "2xq8h"], ["2xq8"])
    yield "C5", operation("add", ["2xa8", "2xq8"], ["2xq8"])
    yield "C5", operation("add", ["2xq8", "2xq8"], ["2xa8"])
    yield "C6", operation("add", ["2x2xa8", "2x2xq8"], ["2x2xb8"])
    yield "C7", operation("add", ["2x2xb8", "2x2xa8"], ["2x2xb8"])


def _abs() -> Iterator[Broken]:
    yield "I1", operation("abs", ["2xui8"], ["2xui8"])
    yield "I1", operation("abs", ["2xi1"], ["2xi1"])
    yield "C1", operation("abs", ["2xi32"], ["3xi32"])
    yield "C2", operation("abs", ["2xcomplex<f32>"], ["2xcomplex<f32>"])


def _compare() -> Iterator[Broken]:
    direction = enum("comparison_direction", "LT")

    def compared(lhs: str, rhs: str, result: str, compare_type: str = "FLOAT") -> Operation:
        order = enum("comparison_type", compare_type)
        return operation("compare", [lhs, rhs], [result], comparison_direction=direction, compare_type=order)

    yield "I1", compared("2xa8", "2xa8", "2xi1")
    yield "I2", compared("2xf32", "2xa8", "2xi1")
    wrong = enum("comparison_direction", "LESS")
    yield "I3", operation("compare", ["f32", "f32"], ["i1"], comparison_direction=wrong)
    yield "I4", compared("2xf32", "2xf32", "2xi1", "ORDERED")
    yield "C1", compared("2xf32", "2xf16", "2xi1")
    yield "C2", compared("2xf32", "3xf32", "2xi1")
    yield "C2", compared("2xf32", "2xf32", "3xi1")
    yield "C3", compared("2xi32", "2xi32", "2xi1")
    yield "C3", compared("2xi1", "2xi1", "2xi1", "SIGNED")
    yield "C3", compared("2xcomplex<f32>", "2xcomplex<f32>", "2xi1", "TOTALORDER")
    yield "", compared("2xf32", "2xf32", "2xf32")


def _select() -> Iterator[Broken]:
    yield "I1", operation("select", ["2xi8", "2xf32", "2xf32"], ["2xf32"])
    yield "I2", operation("select", ["2xi1", "2xa8", "2xf32"], ["2xf32"])
    yield "I3", operation("select", ["2xi1", "2xf32", "2xa8"], ["2xf32"])
    yield "C1", operation("select", ["3xi1", "2xf32", "2xf32"], ["2xf32"])
    yield "C2", operation("select", ["2xi1", "2xf32", "2xf16"], ["2xf32"])
    yield "C2", operation("select", ["i1", "2xf32", "2xf32"], ["3xf32"])


def _clamp() -> Iterator[Broken]:
    yield "I1", operation("clamp", ["2xa8", "2xf32", "2xf32"], ["2xf32"])
    yield "I2", operation("clamp", ["2xf32", "2xa8", "2xf32"], ["2xf32"])
    yield "I3", operation("clamp", ["2xf32", "2xf32", "2xa8"], ["2xf32"])
    yield "C1", operation("clamp", ["3xf32", "2xf32", "f32"], ["2xf32"])
    yield "C2", operation("clamp", ["f32", "2xf32", "1xf32"], ["2xf32"])
    yield "C3", operation("clamp", ["f32", "2xf32", "f16"], ["2xf32"])
    yield "C4", operation("clamp", ["f32", "2xf32", "f32"], ["3xf32"])


def _convert() -> Iterator[Broken]:
    yield "I1", operation("convert", ["2xq8"], ["2xf32"])
    yield "C1", operation("convert", ["2xf32"], ["3xi32"])
    yield "", operation("convert", ["2xf32"], ["2xq8"])


def _is_finite() -> Iterator[Broken]:
    yield "I1", operation("is_finite", ["2xi32"], ["2xi1"])
    yield "I1", operation("is_finite", ["2xa8"], ["2xi1"])
    yield "C1", operation("is_finite", ["2xf32"], ["3xi1"])
    yield "", operation("is_finite", ["2xf32"], ["2xf32"])


def _part(name: str) -> Iterator[Broken]:
    yield "I1", operation(name, ["2xi32"], ["2xi32"])
    yield "C1", operation(name, ["2xcomplex<f32>"], ["3xf32"])
    yield "C2", operation(name, ["2xcomplex<f32>"], ["2xf64"])
    yield "C2", operation(name, ["2xf16"], ["2xf32"])


def _complex() -> Iterator[Broken]:
    yield "I1", operation("complex", ["2xf16", "2xf16"], ["2xcomplex<f32>"])
    yield "I2", operation("complex", ["2xf32", "2xi32"], ["2xcomplex<f32>"])
    yield "C1", operation("complex", ["2xf32", "2xf64"], ["2xcomplex<f32>"])
    yield "C1", operation("complex", ["2xf32", "3xf32"], ["2xcomplex<f32>"])
    yield "C2", operation("complex", ["2xf32", "2xf32"], ["3xcomplex<f32>"])
    yield "C3", operation("complex", ["2xf32", "2xf32"], ["2xcomplex<f64>"])


def _reduce_precision() -> Iterator[Broken]:
    def reduced(operand: str, result: str, exponent: Attribute, mantissa: Attribute) -> Operation:
        operands, results = [operand], [result]
        return operation(
            "reduce_precision", operands, results, exponent_bits=exponent, mantissa_bits=mantissa
        )

    def of(value: int) -> Attribute:
        return number(value, I32)

    text = StringAttribute("5")
    yield "I1", reduced("2xi32", "2xi32", of(5), of(10))
    yield "I1", reduced("2xa8", "2xa8", of(5), of(10))
    yield "I2", reduced("2xf32", "2xf32", text, of(10))
    yield "I3", reduced("2xf32", "2xf32", of(5), text)
    yield "C1", reduced("2xf32", "3xf32", of(5), of(10))
    yield "C1", reduced("2xf32", "2xf64", of(5), of(10))
    yield "C2", reduced("2xf32", "2xf32", of(0), of(10))
    yield "C3", reduced("2xf32", "2xf32", of(5), of(-1))


def _bitcast_convert() -> Iterator[Broken]:
    yield "I1", operation("bitcast_convert", ["2xindex"], ["2xi64"])
    yield "", operation("bitcast_convert", ["2xi64"], ["2xindex"])
    yield "C1", operation("bitcast_convert", ["2xf32"], ["3xi32"])
    yield "C1", operation("bitcast_convert", ["2xf32"], ["2x4xi16"])
    yield "C1", operation("bitcast_convert", ["f16"], ["f32"])
    yield "C1", operation("bitcast_convert", ["2x3xf16"], ["2xf32"])
    yield "C1", operation("bitcast_convert", ["2xf6E2M3FN"], ["2x4xi2"])
    yield "C1", operation("bitcast_convert", ["2xi8"], ["2x1xf6E2M3FN"])
    yield "C2", operation("bitcast_convert", ["2xcomplex<f32>"], ["2xf64"])
    yield "C2", operation("bitcast_convert", ["2xi64"], ["2xcomplex<f32>"])


def _uniform_quantize() -> Iterator[Broken]:
    yield "I1", operation("uniform_quantize", ["2xi32"], ["2xq8"])
    yield "C1", operation("uniform_quantize", ["2xf32"], ["3xq8"])
    yield "C2", operation("uniform_quantize", ["2xf16"], ["2xq8"])
    yield "C2", operation("uniform_quantize", ["2xq8h"], ["2xq8"])
    yield "", operation("uniform_quantize", ["2xf32"], ["2xf32"])


def _uniform_dequantize() -> Iterator[Broken]:
    yield "I1", operation("uniform_dequantize", ["2xf32"], ["2xf32"])
    yield "C1", operation("uniform_dequantize", ["2xq8"], ["3xf32"])
    yield "C2", operation("uniform_dequantize", ["2xq8"], ["2xf16"])


def broken() -> Iterator[tuple[str, Broken]]:
    """Each op and what it is made to break."""
    families: dict[str, Iterator[Broken]] = {
        "add": _add(),
        "abs": _abs(),
        "compare": _compare(),
        "select": _select(),
        "clamp": _clamp(),
        "convert": _convert(),
        "is_finite": _is_finite(),
        "real": _part("real"),
        "imag": _part("imag"),
        "complex": _complex(),
        "reduce_precision": _reduce_precision(),
        "bitcast_convert": _bitcast_convert(),
        "uniform_quantize": _uniform_quantize(),
        "uniform_dequantize": _uniform_dequantize(),
        "popcnt": _unary("popcnt", "i32", "f32", "i1", "q8"),
        "count_leading_zeros": _unary("count_leading_zeros", "i32", "f32", "i1", "q8"),
        "round_nearest_afz": _unary("round_nearest_afz", "f32", "i32", "complex<f32>"),
        "round_nearest_even": _unary("round_nearest_even", "f32", "i32", "complex<f32>"),
        "not": _unary("not", "i32", "f32", "q8"),
        "negate": _unary("negate", "f32", "i1", "a8"),
        "sign": _unary("sign", "f32", "i1", "ui8"),
        "floor": _unary("floor", "f32", "i32", "complex<f32>"),
        "ceil": _unary("ceil", "f32", "i32", "complex<f32>"),
        **{name: _unary(name, "f32", "i32", "i1", "a8") for name in FUNCTIONS},
        **{name: _binary(name, "i32", "f32", "q8") for name in ("and", "or", "xor")},
        **{name: _binary(name, "i32", "f32", "i1", "q8") for name in SHIFTS},
        "atan2": _binary("atan2", "f32", "i32", "a8", other="f16"),
        **{name: _binary(name, "f32", "a8") for name in SAME_TYPE_BINARY},
    }
    for name, broken in families.items():
        yield from ((name, found) for found in broken)
