"""Which bodies are recognised."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region
from hloscope.engine.ops.core.bodies import (
    UFUNCS,
    Choice,
    Combiner,
    choice,
    combiners,
    neutral_element,
    outer_combiners,
)
from tests.each import for_each

from .running import BodyBuilder, argument_of_extreme, body_of, disguised, doubled_sum, second_of

F32 = ELEMENT_TYPES["f32"]


@for_each("name", ["add", "multiply", "maximum", "minimum", "and", "or", "xor"])
@for_each("swapped", [False, True])
def test_one_op_on_both_arguments_is_recognised_in_either_order(name: str, swapped: bool) -> None:
    body = body_of(f"stablehlo.{name}", "i32", swapped=swapped)
    assert combiners(body) == (Combiner(f"stablehlo.{name}"),)


def test_bodies_over_several_inputs_that_do_not_mix_are_recognised() -> None:
    assert combiners(body_of("stablehlo.add", "f32", "i32")) == (Combiner.ADD, Combiner.ADD)
    assert combiners(second_of("f32", "i32")) == (Combiner.REPLACE, Combiner.REPLACE)


def test_anything_else_is_not_recognised() -> None:
    build = BodyBuilder(F32, F32)
    a, b = build.arguments
    assert combiners(body_of("stablehlo.subtract", "f32")) is None
    assert combiners(doubled_sum()) is None
    assert combiners(disguised("stablehlo.add", "f32")) is None
    assert combiners(BodyBuilder(F32, F32).returning(a)) is None
    assert combiners(build.returning(build.op("stablehlo.add", b, b))) is None


def test_bodies_that_mix_their_inputs_are_not_recognised() -> None:
    build = BodyBuilder(F32, F32, F32, F32)
    a, _, c, d = build.arguments
    assert combiners(build.returning(build.op("stablehlo.add", a, d), c)) is None


@pytest.mark.parametrize("direction", ["GT", "LT"])
def test_jax_s_argmax_and_argmin_are_recognised(direction: str) -> None:
    assert choice(argument_of_extreme(direction, "bf16", "ui8")) is Choice(direction)
    assert choice(argument_of_extreme(direction, "f32", disguise=True)) is None
    assert choice(argument_of_extreme("GE", "f32")) is None


def squared(name: str, element_type: str) -> Region:
    """`a op x * x`."""
    build = BodyBuilder(ELEMENT_TYPES[element_type], ELEMENT_TYPES[element_type])
    a, x = build.arguments
    return build.returning(build.op(name, build.op("stablehlo.multiply", x, x), a))


def test_what_is_done_to_the_element_alone_is_told_from_what_combines() -> None:
    assert outer_combiners(squared("stablehlo.maximum", "f32")) == (Combiner.MAXIMUM,)
    build = BodyBuilder(F32, F32)
    a, x = build.arguments
    total = build.op("stablehlo.add", a, x)
    assert outer_combiners(build.returning(build.op("stablehlo.multiply", total, x))) is None
    assert outer_combiners(build.returning(build.op("stablehlo.add", a, a))) is None
    assert outer_combiners(BodyBuilder(F32, F32).returning(x)) is None
    assert outer_combiners(argument_of_extreme("GT", "f32")) is None


@for_each("combiner", [found for found in Combiner if found in UFUNCS])
@for_each("name", ["i1", "i4", "ui4", "i8", "ui64", "bf16", "f32", "f64", "complex<f32>"])
def test_neutral_values_change_nothing(combiner: Combiner, name: str) -> None:
    element_type = ELEMENT_TYPES[name]
    bitwise = combiner in (Combiner.AND, Combiner.OR, Combiner.XOR)
    if (bitwise and element_type.kind in ("float", "complex")) or (
        # A complex infinity times 1 has a NaN, for everybody.
        combiner in (Combiner.MAXIMUM, Combiner.MINIMUM, Combiner.MULTIPLY) and element_type.is_complex
    ):
        return
    whole = element_type.kind not in ("float", "complex")
    values = np.array([0, 1] if name == "i1" else [0, 1, 3, 7]).astype(element_type.dtype)
    if not whole:
        values = np.concatenate([values, np.array([-0.0, np.inf, -2.5]).astype(values.dtype)])
    if bitwise and values.dtype.kind == "V":
        values, unit = values.astype(np.int8), neutral_element(combiner, element_type).astype(np.int8)
    else:
        unit = neutral_element(combiner, element_type)
    assert UFUNCS[combiner](np.broadcast_to(unit, values.shape), values).tobytes() == values.tobytes()
