"""XLA's parser and printer on shapes and constants: it reads ours as what they are, and we read its own."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hloscope.engine.ir.attributes import Attribute, DenseAttribute
from hloscope.engine.ir.layouts import Layout
from hloscope.engine.ir.types import BufferType, TensorType, TupleType, Type
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import HloCursor
from hloscope.engine.syntax.hlo.values.print_literals import print_literal
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape
from hloscope.engine.syntax.hlo.values.read_literals import read_literal
from hloscope.engine.syntax.hlo.values.read_shapes import ShapeReader
from tests.each import for_each
from tests.syntax.hlo.shape_strategies import SMALL_ARRAYS, any_bits, shapes
from tests.syntax.hlo.test_literals import AS_XLA_PRINTS

from .client import Oracle

pytestmark = pytest.mark.oracle
INSTRUCTION = re.compile(r"ROOT %?p = (.*) (parameter|constant)\((.*)\)\n\}", re.DOTALL)


def xla(oracle: Oracle, shape: str, instruction: str) -> tuple[str, str]:
    """How XLA prints the shape and what is in the parentheses of an instruction."""
    printed = oracle.parse_hlo(f"HloModule m\n\nENTRY e {{\n  ROOT p = {shape} {instruction}\n}}\n")
    match = INSTRUCTION.search(printed)
    assert match, printed
    return match[1], match[3]


def shape(text: str) -> Type:
    return ShapeReader().read(HloCursor(Source(text), DEFAULT_LIMITS))


def literal(kind: Type, text: str) -> Attribute:
    return read_literal(HloCursor(Source(text), DEFAULT_LIMITS), kind)


def with_layouts(kind: Type) -> Type:
    """The type with the layout that XLA gives to arrays that state none."""
    match kind:
        case TensorType(layout=None) if kind.rank:
            return replace(kind, layout=Layout(tuple(reversed(range(kind.rank)))))
        case TupleType():
            return TupleType(tuple(with_layouts(element) for element in kind.types))
        case BufferType():
            return BufferType(with_layouts(kind.type))
    return kind


@given(kind=shapes(max_size=1000))
def test_xla_reads_our_shapes_and_prints_them_as_we_do(oracle: Oracle, kind: Type) -> None:
    printed, _ = xla(oracle, print_shape(kind), "parameter(0)")
    assert printed == print_shape(with_layouts(kind))
    assert shape(printed) == kind


@for_each(
    ("shape_text", "text"),
    [case for case in AS_XLA_PRINTS if "{...}" not in case[1] and "-inf)" not in case[1]],
)
def test_examples_are_as_xla_prints_them(oracle: Oracle, shape_text: str, text: str) -> None:
    assert xla(oracle, shape_text, f"constant({text})")[1] == text


@st.composite
def arrays_of_numbers(draw: st.DrawFn) -> tuple[TensorType, NDArray[Any]]:
    kind = draw(SMALL_ARRAYS)
    if kind.layout is not None:
        # XLA does not survive constants whose layout says more.
        kind = replace(kind, layout=Layout(kind.layout.minor_to_major))
    data = draw(any_bits(kind))
    if kind.element_type.is_complex:
        # XLA adds the imaginary part times i to the real part, and NaN spread.
        data = np.where(np.isfinite(data.real) & np.isfinite(data.imag), data, 1).astype(data.dtype)
    return kind, data


@given(drawn=arrays_of_numbers())
def test_xla_reads_our_constants_and_prints_them_as_we_do(
    oracle: Oracle, drawn: tuple[TensorType, NDArray[Any]]
) -> None:
    kind, ours = drawn[0], print_literal(DenseAttribute(*drawn))
    _, printed = xla(oracle, print_shape(kind), f"constant({ours})")
    assert printed == re.sub(r"-0\.0(?![0-9])", "-0", ours).replace(EXACT_SMALLEST_POWER, "5.9e-39")
    assert literal(kind, printed) == DenseAttribute(*drawn)


EXACT_SMALLEST_POWER = "5.8774717541114375e-39"
"""Which XLA shortens to what it reads as the next power."""


def nearly(number: int, power: int) -> float:
    """The double next to a number that many types round to even."""
    return math.nextafter(min(number * 2.0**power, 15), number % 3 * 10.0)


@given(
    name=st.sampled_from(
        ["f16", "bf16", "f32", "f8e4m3fn", "f8e5m2", "f8e3m4", "f8e4m3fnuz", "f8e4m3b11fnuz"]
    ),
    numbers=st.lists(
        st.floats(-15, 15)
        | st.floats(1e-9, 1e-3)
        | st.builds(nearly, st.integers(0, 1 << 13), st.integers(-9, 0)),
        min_size=1,
        max_size=20,
    ),
)
def test_we_round_decimals_as_xla_does(oracle: Oracle, name: str, numbers: list[float]) -> None:
    kind = shape(f"{name}[{len(numbers)}]")
    text = f"{{{', '.join(map(repr, numbers))}}}"
    _, printed = xla(oracle, print_shape(kind), f"constant({text})")
    assert print_literal(literal(kind, printed)) == print_literal(literal(kind, text))
