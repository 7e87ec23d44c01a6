"""Elementwise ops, over all element types that the specification lists for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, seeds, shapes, typed
from ..values import Array, array, element_types

UNARY = {
    "abs": "ifc",
    "cbrt": "fc",
    "ceil": "f",
    "count_leading_zeros": "iu",
    "floor": "f",
    "negate": "iufc",
    "not": "biu",
    "popcnt": "iu",
    "round_nearest_afz": "f",
    "round_nearest_even": "f",
    "sign": "ifc",
}
TRANSCENDENTAL = (
    *("cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic"),
    *("rsqrt", "sine", "sqrt", "tan", "tanh"),
)
BINARY = {
    "add": "biufc",
    "and": "biu",
    "atan2": "fc",
    "divide": "iufc",
    "maximum": "biuf",
    "minimum": "biuf",
    "multiply": "biufc",
    "or": "biu",
    "power": "iufc",
    "remainder": "iuf",
    "shift_left": "iu",
    "shift_right_arithmetic": "iu",
    "shift_right_logical": "iu",
    "subtract": "iufc",
    "xor": "biu",
}
CHLO = {
    **dict.fromkeys(("square", "conj", "tan", "sinh", "cosh"), "fc"),
    **dict.fromkeys(("acos", "asin", "atan", "acosh", "asinh", "atanh"), "fc"),
    **dict.fromkeys(("erf", "erfc", "erf_inv", "lgamma", "digamma", "bessel_i1e"), "f"),
    **dict.fromkeys(("is_inf", "is_pos_inf", "is_neg_inf"), "f"),
}
CHLO_BINARY = {"next_after": "f", "polygamma": "f", "zeta": "f", "mulhi": "iu"}
_ROUNDED_TWICE = 1
"""Both sides compute in f64 with libraries of their own: their last bits, rounded, may be neighbours."""
_F64_ULPS = 4
COMPLEX = {"complex<f32>": 1e-5, "complex<f64>": 1e-13}
"""Complex functions are compositions of real ones, and each library has others: a part of the modulus."""
_CHLO_ULPS = 2048
"""CHLO is made StableHLO by formulas that cancel (`exp(x) - exp(-x)`), where ours are the libraries' own."""


def _exact(name: str, element_type: ElementType) -> bool:
    """Whether IEEE arithmetic, or moving bits, leaves no choice."""
    return not element_type.is_float or name in {*UNARY, *BINARY, *_EXACT} - _INEXACT


_EXACT = ("sqrt", "square", "conj", "is_inf", "is_pos_inf", "is_neg_inf", "next_after")
_INEXACT = {"cbrt", "power", "atan2"}


def tolerance(name: str, dialect: str, element_type: ElementType) -> dict[str, Any]:
    """How far results may be away, as fields of a case."""
    if element_type.is_complex:
        exact = name in ("negate", "add", "subtract", "conj")
        return {} if exact else {"own": COMPLEX[element_type.name]}
    if _exact(name, element_type):
        return {}
    if dialect == "chlo":
        return {"ulps": _CHLO_ULPS if element_type.bits > 16 else 2}
    return {"ulps": _F64_ULPS if element_type.name == "f64" else _ROUNDED_TWICE}


def _fits(dialect: str, element_type: ElementType) -> bool:
    # The interpreter rounds after each op of a decomposition: below 16 bits that says nothing about ours.
    return dialect != "chlo" or not element_type.is_float or element_type.bits >= 16


def _result_element(name: str, element_type: ElementType) -> ElementType:
    if name == "abs" and element_type.is_complex:
        return ELEMENT_TYPES[element_type.name[8:-1]]
    if name.startswith("is_"):
        return I1
    return element_type


@st.composite
def unary(draw: st.DrawFn, name: str, kinds: str, dialect: str = "stablehlo") -> Case:
    fitting = element_types(kinds).filter(lambda found: _fits(dialect, found))
    operand = TensorType(draw(shapes), draw(fitting))
    result = operand.with_element_type(_result_element(name, operand.element_type))
    both = f"({operand}) -> {result}"
    if dialect == "chlo":
        statement = f"%r = chlo.{name} %a0 : {operand} -> {result}"
    elif operand == result and draw(st.booleans()):
        statement = f"%r = stablehlo.{name} %a0 : {operand}"
    else:
        statement = draw(
            st.sampled_from((f"%r = stablehlo.{name} %a0 : {both}", f'%r = "stablehlo.{name}"(%a0) : {both}'))
        )
    allowed = tolerance(name, dialect, operand.element_type)
    refused = name == "cbrt" and operand.element_type.is_complex
    return Case(statement, (operand,), (result,), draw(seeds), interpreter_only=refused, **allowed)


@st.composite
def chlo_binary(draw: st.DrawFn, name: str, kinds: str) -> Case:
    fitting = element_types(kinds).filter(lambda found: _fits("chlo", found))
    operand = TensorType(draw(shapes), draw(fitting))
    types = (operand, operand)
    statement = draw(
        st.sampled_from(
            (
                f"%r = chlo.{name} %a0, %a1 : {typed(*types)} -> {operand}",
                f'%r = "chlo.{name}"(%a0, %a1) : ({typed(*types)}) -> {operand}',
            )
        )
    )
    seed = draw(seeds)
    given = {}
    if name == "polygamma" and draw(st.booleans()):
        given[0] = np.abs(array(seed, operand, "small"))
    allowed = tolerance(name, "chlo", operand.element_type)
    return Case(statement, types, (operand,), seed, given=given, **allowed)


@st.composite
def binary(draw: st.DrawFn, name: str, kinds: str, zeros: bool = True) -> Case:
    """`zeros`: whether integers may be divided by zero, and the least by -1, which some oracles do not survive."""
    operand = TensorType(draw(shapes), draw(element_types(kinds)))
    types = (operand, operand)
    statement = draw(
        st.sampled_from(
            (
                f"%r = stablehlo.{name} %a0, %a1 : {operand}",
                f'%r = "stablehlo.{name}"(%a0, %a1) : ({typed(*types)}) -> {operand}',
            )
        )
    )
    seed = draw(seeds)
    given = {} if zeros or not operand.element_type.is_integer else {1: divisors(seed, operand)}
    allowed = tolerance(name, "stablehlo", operand.element_type)
    return Case(statement, types, (operand,), seed, given=given, **allowed)


def divisors(seed: int, value_type: TensorType) -> Array:
    """Without 0 and -1."""
    chosen = array(seed, value_type).astype(np.int64)
    return np.asarray(
        np.where((chosen == 0) | (chosen == -1), 1, chosen).astype(value_type.element_type.dtype)
    )


@st.composite
def compare(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    result = operand.with_element_type(I1)
    direction = draw(st.sampled_from(("EQ", "NE", "GE", "GT", "LE", "LT")))
    kind = operand.element_type.kind
    choices = {"float": ["FLOAT", "TOTALORDER"], "complex": ["FLOAT"], "signed": ["SIGNED"]}
    order = draw(st.sampled_from([None, *choices.get(kind, ["UNSIGNED"])]))
    if kind == "complex" and direction not in ("EQ", "NE"):
        direction = "EQ"
    both = f"({operand}, {operand}) -> {result}"
    if draw(st.booleans()):
        suffix = f", {order}" if order else ""
        statement = f"%r = stablehlo.compare {direction}, %a0, %a1{suffix} : {both}"
    else:
        suffix = f", compare_type = #stablehlo<comparison_type {order}>" if order else ""
        statement = (
            f'%r = "stablehlo.compare"(%a0, %a1) <{{comparison_direction = '
            f"#stablehlo<comparison_direction {direction}>{suffix}}}> : {both}"
        )
    return Case(statement, (operand, operand), (result,), draw(seeds))


@st.composite
def select(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    pred = TensorType(draw(st.sampled_from(((), operand.shape))), I1)
    statement = f"%r = stablehlo.select %a0, %a1, %a2 : {pred}, {operand}"
    return Case(statement, (pred, operand, operand), (operand,), draw(seeds))


@st.composite
def clamp(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biuf")))
    scalar = operand.with_shape(())
    low = draw(st.sampled_from((scalar, operand)))
    high = draw(st.sampled_from((scalar, operand)))
    types = (low, operand, high)
    statement = f"%r = stablehlo.clamp %a0, %a1, %a2 : ({typed(*types)}) -> {operand}"
    return Case(statement, types, (operand,), draw(seeds))


@st.composite
def convert(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    result = operand.with_element_type(draw(element_types("biufc")))
    return Case(f"%r = stablehlo.convert %a0 : ({operand}) -> {result}", (operand,), (result,), draw(seeds))


@st.composite
def call(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("biufc")))
    both = f"({operand}, {operand}) -> ({operand}, {operand})"
    function = (
        f"func.func private @aux_swap(%x: {operand}, %y: {operand}) -> ({operand}, {operand}) {{\n"
        f"  return %y, %x : {operand}, {operand}\n}}\n"
    )
    name = draw(st.sampled_from(("call", "func.call")))
    statement = f"%r:2 = {name} @aux_swap({arguments(2)}) : {both}"
    return Case(statement, (operand, operand), (operand, operand), draw(seeds), functions=function)


@st.composite
def is_finite(draw: st.DrawFn) -> Case:
    x = TensorType(draw(shapes), draw(element_types("f")))
    y = x.with_element_type(I1)
    quotes = draw(st.sampled_from(("stablehlo.is_finite %a0", '"stablehlo.is_finite"(%a0)')))
    return Case(f"%r = {quotes} : ({x}) -> {y}", (x,), (y,), draw(seeds))


@st.composite
def part(draw: st.DrawFn, name: str) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("cf")))
    found = operand.element_type
    result = operand.with_element_type(ELEMENT_TYPES[found.name[8:-1]] if found.is_complex else found)
    return Case(f"%r = stablehlo.{name} %a0 : ({operand}) -> {result}", (operand,), (result,), draw(seeds))


@st.composite
def complex_values(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))])
    result = operand.with_element_type(ELEMENT_TYPES[f"complex<{operand.element_type}>"])
    types = (operand, operand)
    statement = draw(
        st.sampled_from(
            (
                f"%r = stablehlo.complex %a0, %a1 : {result}",
                f'%r = "stablehlo.complex"(%a0, %a1) : ({typed(*types)}) -> {result}',
            )
        )
    )
    return Case(statement, types, (result,), draw(seeds))


@st.composite
def reduce_precision(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types("f")))
    exponent = draw(st.sampled_from((1, 2, 3, 5, 8, 11, 40)))
    mantissa = draw(st.sampled_from((0, 1, 2, 3, 7, 10, 23, 52, 60)))
    properties = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
    statement = draw(
        st.sampled_from(
            (
                f"%r = stablehlo.reduce_precision %a0, format = e{exponent}m{mantissa} : {operand}",
                f'%r = "stablehlo.reduce_precision"(%a0) <{{{properties}}}> : ({operand}) -> {operand}',
            )
        )
    )
    return Case(statement, (operand,), (operand,), draw(seeds))


@st.composite
def bitcast_convert(draw: st.DrawFn) -> Case:
    source, target = draw(
        # A boolean is a byte to XLA.
        st.tuples(element_types("iuf"), element_types("iuf")).filter(
            lambda pair: max(pair[0].bits, pair[1].bits) % min(pair[0].bits, pair[1].bits) == 0
        )
        | st.tuples(element_types("c"), element_types("c"))
    )
    shape = draw(shapes)
    operand = TensorType((*shape, target.bits // source.bits) if target.bits > source.bits else shape, source)
    result = TensorType((*shape, source.bits // target.bits) if target.bits < source.bits else shape, target)
    statement = f"%r = stablehlo.bitcast_convert %a0 : ({operand}) -> {result}"
    refused = source.is_complex and source != target
    return Case(statement, (operand,), (result,), draw(seeds), interpreter_only=refused)


@st.composite
def quantization(draw: st.DrawFn) -> Case:
    """There and back, so that no quantized value has to be handed over."""
    storage = draw(st.sampled_from(("i4", "ui4", "i8", "ui8", "i16")))
    expressed = "f32"  # the interpreter fails for any other
    shape = draw(shapes)
    scales = draw(st.sampled_from(("0.1:-2", "0.5", "3.0:1", "1.0e-3:0")))
    if shape and shape[-1] == 2 and draw(st.booleans()):
        kind = f"!quant.uniform<{storage}:{expressed}:{len(shape) - 1}, {{0.1:-2,0.5:3}}>"
    else:
        kind = f"!quant.uniform<{storage}:{expressed}, {scales}>"
    if storage.startswith("u"):
        kind = kind.replace(":-2", ":2")
    operand = TensorType(shape, ELEMENT_TYPES[expressed])
    stored = f"tensor<{operand.spelled_shape()}{kind}>"
    statement = (
        f"%q = stablehlo.uniform_quantize %a0 : ({operand}) -> {stored}\n"
        f"  %r = stablehlo.uniform_dequantize %q : ({stored}) -> {operand}"
    )
    return Case(statement, (operand,), (operand,), draw(seeds), interpreter_only=True)


GENERATORS = {
    **{f"stablehlo.{name}": unary(name, kinds) for name, kinds in UNARY.items()},
    **{f"stablehlo.{name}": unary(name, "fc") for name in TRANSCENDENTAL},
    **{f"stablehlo.{name}": binary(name, kinds) for name, kinds in BINARY.items()},
    **{f"stablehlo.{name}": binary(name, BINARY[name], zeros=False) for name in ("divide", "remainder")},
    **{f"chlo.{name}": unary(name, kinds, "chlo") for name, kinds in CHLO.items()},
    **{f"chlo.{name}": chlo_binary(name, kinds) for name, kinds in CHLO_BINARY.items()},
    "stablehlo.is_finite": is_finite(),
    "stablehlo.real": part("real"),
    "stablehlo.imag": part("imag"),
    "stablehlo.complex": complex_values(),
    "stablehlo.reduce_precision": reduce_precision(),
    "stablehlo.bitcast_convert": bitcast_convert(),
    "stablehlo.uniform_quantize": quantization(),
    "stablehlo.uniform_dequantize": quantization(),
    "stablehlo.compare": compare(),
    "stablehlo.select": select(),
    "stablehlo.clamp": clamp(),
    "stablehlo.convert": convert(),
    "func.call": call(),
    "func.return": call(),
}
UNSAFE = {f"stablehlo.{name}": binary(name, "iu") for name in ("divide", "remainder")}
"""Division by zero ends the interpreter's process."""
