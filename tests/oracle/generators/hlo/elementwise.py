"""Elementwise opcodes."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, ElementType
from hloscope.engine.ir.types import TensorType

from ...cases import seeds, shapes
from ...values import array
from ..elementwise import BINARY, TRANSCENDENTAL, UNARY, divisors, tolerance
from .cases import HloCase, computable, one

_EMITTED = ("f32", "f64", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
"""Types that XLA's backend computes with as they are."""
_EXPANDED = (
    "logistic",
    "cbrt",
    "power",
    "remainder",
    "popcnt",
    "round_nearest_even",
    "round_nearest_afz",
    "sign",
    "tan",
)
"""Ops of which XLA makes others before they reach the backend."""
_KINDS = {**UNARY, **dict.fromkeys(TRANSCENDENTAL, "fc"), "cbrt": "f", "is_finite": "f", "erf": "f"}


def _opcode(name: str) -> str:
    return name.replace("_", "-")


def _either(name: str, element_type: ElementType) -> bool | None:
    return None if element_type.name in _EMITTED and name not in _EXPANDED else False


@st.composite
def unary(draw: st.DrawFn, name: str, kinds: str) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(kinds)))
    found = operand.element_type
    result = operand
    if name == "is_finite":
        result = operand.with_element_type(I1)
    if name == "abs" and found.is_complex:
        result = operand.with_element_type(ELEMENT_TYPES[found.name[8:-1]])
    allowed = tolerance(name, "chlo" if name == "erf" else "stablehlo", found)
    accuracy = ""
    if name in TRANSCENDENTAL and draw(st.booleans()):
        accuracy = "result_accuracy={mode=default}"
    emitted = _either(name, found) if not accuracy else False
    return one(draw, _opcode(name), [operand], result, accuracy, emitted=emitted, **allowed)


@st.composite
def binary(draw: st.DrawFn, name: str, kinds: str) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(kinds)))
    allowed = tolerance(name, "stablehlo", operand.element_type)
    emitted = _either(name, operand.element_type)
    return one(draw, _opcode(name), [operand, operand], operand, emitted=emitted, **allowed)


@st.composite
def mulhi(draw: st.DrawFn) -> HloCase:
    """Only as it is written: XLA's importer does not know it."""
    fitting = computable("iu").filter(lambda found: found.bits in (8, 16, 32, 64))
    operand = TensorType(draw(shapes), draw(fitting))
    return one(draw, "mulhi", [operand, operand], operand, emitted=True)


@st.composite
def compare(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable("biufc")))
    kind = operand.element_type.kind
    directions = ("EQ", "NE") if kind == "complex" else ("EQ", "NE", "GE", "GT", "LE", "LT")
    direction = draw(st.sampled_from(directions))
    choices = {"float": ["FLOAT", "TOTALORDER"], "complex": ["FLOAT"], "signed": ["SIGNED"]}
    order = draw(st.sampled_from([None, *choices.get(kind, ["UNSIGNED"])]))
    attributes = [f"direction={direction}", f"type={order}" if order else ""]
    if draw(st.booleans()):
        attributes.reverse()
    return one(draw, "compare", [operand, operand], operand.with_element_type(I1), *attributes)


@st.composite
def select(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable("biufc")))
    pred = TensorType(draw(st.sampled_from(((), operand.shape))), I1)
    return one(draw, "select", [pred, operand, operand], operand)


@st.composite
def clamp(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable("iuf")))
    low, high = (draw(st.sampled_from((operand.with_shape(()), operand))) for _ in range(2))
    return one(draw, "clamp", [low, operand, high], operand)


@st.composite
def convert(draw: st.DrawFn) -> HloCase:
    """XLA does not come back from a conversion of complex numbers to pred."""
    operand = TensorType(draw(shapes), draw(computable("biufc")))
    kinds = "iufc" if operand.element_type.is_complex else "biufc"
    return one(draw, "convert", [operand], operand.with_element_type(draw(computable(kinds))))


@st.composite
def bitcast_convert(draw: st.DrawFn) -> HloCase:
    fitting = computable("iuf")
    source, target = draw(
        st.tuples(fitting, fitting).filter(
            lambda pair: max(pair[0].bits, pair[1].bits) % min(pair[0].bits, pair[1].bits) == 0
        )
    )
    shape = draw(shapes)
    operand = TensorType((*shape, target.bits // source.bits) if target.bits > source.bits else shape, source)
    result = TensorType((*shape, source.bits // target.bits) if target.bits < source.bits else shape, target)
    return one(draw, "bitcast-convert", [operand], result)


@st.composite
def part(draw: st.DrawFn, name: str) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable("cf")))
    found = operand.element_type
    result = operand.with_element_type(ELEMENT_TYPES[found.name[8:-1]] if found.is_complex else found)
    return one(draw, name, [operand], result)


@st.composite
def complex_values(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))])
    result = operand.with_element_type(ELEMENT_TYPES[f"complex<{operand.element_type}>"])
    return one(draw, "complex", [operand, operand], result, emitted=None)


@st.composite
def reduce_precision(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable("f")))
    exponent = draw(st.sampled_from((1, 2, 3, 5, 8, 11, 40)))
    mantissa = draw(st.sampled_from((0, 1, 2, 3, 7, 10, 23, 52, 60)))
    bits = f"exponent_bits={exponent}", f"mantissa_bits={mantissa}"
    return one(draw, "reduce-precision", [operand], operand, *bits)


@st.composite
def stochastic_convert(draw: st.DrawFn) -> HloCase:
    name = draw(st.sampled_from(("f32", "f64", "f16", "bf16")))
    operand = TensorType(draw(shapes), ELEMENT_TYPES[name])
    random = operand.with_element_type(ELEMENT_TYPES[f"ui{operand.element_type.bits}"])
    result = operand.with_element_type(ELEMENT_TYPES[draw(st.sampled_from(("i8", "i16", "i32")))])
    return one(draw, "stochastic-convert", [operand, random], result)


@st.composite
def integer_division(draw: st.DrawFn, name: str) -> HloCase:
    """By numbers that no processor traps at, as it is written."""
    operand = TensorType(draw(shapes), draw(computable("iu").filter(lambda found: found.bits >= 8)))
    seed = draw(seeds)
    given = {0: array(seed, operand), 1: divisors(seed + 1, operand)}
    return one(draw, name, [operand, operand], operand, emitted=None, seed=seed, given=given)


@st.composite
def shift(draw: st.DrawFn, name: str) -> HloCase:
    """By amounts around the width."""
    operand = TensorType(draw(shapes), draw(computable("iu")))
    bits, seed = operand.element_type.bits, draw(seeds)
    amounts = np.random.default_rng(seed).choice([0, 1, bits - 1, bits, bits + 1, -1], operand.sizes)
    with np.errstate(all="ignore"):
        given = {1: np.asarray(amounts).astype(operand.element_type.dtype)}
    return one(draw, _opcode(name), [operand, operand], operand, seed=seed, given=given)


_SHIFTS = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
GENERATORS = {
    **{_opcode(name): unary(name, kinds) for name, kinds in _KINDS.items()},
    **{_opcode(name): binary(name, kinds) for name, kinds in BINARY.items()},
    **{_opcode(name): binary(name, BINARY[name]) | shift(name) for name in _SHIFTS},
    **{name: binary(name, BINARY[name]) | integer_division(name) for name in ("divide", "remainder")},
    "mulhi": mulhi(),
    "compare": compare(),
    "select": select(),
    "clamp": clamp(),
    "convert": convert(),
    "bitcast-convert": bitcast_convert(),
    "real": part("real"),
    "imag": part("imag"),
    "complex": complex_values(),
    "reduce-precision": reduce_precision(),
    "stochastic-convert": stochastic_convert(),
}
