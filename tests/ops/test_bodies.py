"""Which bodies are recognised."""

from __future__ import annotations

import pytest

from engine.ir.element_types import ELEMENT_TYPES
from engine.ops.bodies import Choice, Combiner, choice, combiners

from .running import BodyBuilder, argument_of_extreme, body_of, disguised, doubled_sum, second_of

F32 = ELEMENT_TYPES["f32"]


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "and", "or", "xor"])
@pytest.mark.parametrize("swapped", [False, True])
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
