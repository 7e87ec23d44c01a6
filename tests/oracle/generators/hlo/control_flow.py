"""while, conditional and call: loops that end, branches over all indices, functions in functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I1, I32
from hloscope.engine.ir.types import TensorType

from ...cases import seeds, shapes
from .cases import HloCase, computable, module
from .text import Computation, Shape, Value

INDEX, PRED = TensorType((), I32), TensorType((), I1)


@st.composite
def while_(draw: st.DrawFn) -> HloCase:
    """Counts down to a bound and changes an array each time; the bound may be known or a part of the state."""
    name = draw(st.sampled_from(("i32", "ui8", "f32", "complex<f32>", "i64", "bf16")))
    changed = TensorType(draw(shapes), ELEMENT_TYPES[name])
    start, bound = draw(st.integers(-2, 5)), draw(st.integers(-2, 5))
    update = draw(st.sampled_from(("add", "subtract", "multiply")))
    known = draw(st.booleans())
    state: tuple[TensorType, ...] = (INDEX, changed, changed) if known else (INDEX, changed, changed, INDEX)
    condition, body = Computation("cond.1"), Computation("body.1")
    given = condition.parameter(state)
    limit = condition.constant(bound, INDEX) if known else condition.element(given, 3)
    condition.op("compare", [condition.element(given, 0), limit], PRED, "direction=GT")
    given = body.parameter(state)
    parts = [body.element(given, k) for k in range(len(state))]
    less = body.op("subtract", [parts[0], body.constant(1, INDEX)], INDEX)
    body.pack([less, body.op(update, parts[1:3], changed), *parts[2:]])

    def build(entry: Computation, operands: list[Value]) -> Value:
        loop = entry.pack(operands[: len(state)])
        done = entry.op("while", [loop], state, "condition=@cond.1", "body=@body.1")
        return entry.pack([entry.element(done, 1), entry.element(done, 0)])

    types = (INDEX, changed, changed, INDEX)
    numbers = {0: np.array(start, np.int32), 3: np.array(bound, np.int32)}
    stated: dict[str, Any] = {"given": numbers, "flavours": ("small",) * 4}
    return module(draw, "while", types, [changed, INDEX], build, [condition, body], **stated)


@st.composite
def nested_while(draw: st.DrawFn) -> HloCase:
    """A loop in a loop, whose states are single arrays."""
    outer, inner = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    loops = []
    for name, limit in (("inner", inner), ("outer", outer)):
        condition, body = Computation(f"{name}_cond"), Computation(f"{name}_body")
        given = condition.parameter(INDEX)
        rest = condition.op("and", [given, condition.constant(7, INDEX)], INDEX)
        condition.op("compare", [rest, condition.constant(limit, INDEX)], PRED, "direction=LT")
        value = body.parameter(INDEX)
        if name == "outer":
            attributes = "condition=@inner_cond", "body=@inner_body"
            value = body.op(
                "multiply", [body.op("while", [value], INDEX, *attributes), body.constant(8, INDEX)], INDEX
            )
        body.op("add", [value, body.constant(1, INDEX)], INDEX)
        loops += [condition, body]

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("while", operands, INDEX, "condition=@outer_cond", "body=@outer_body")

    numbers = {0: np.array(draw(st.integers(0, 3)), np.int32)}
    # Outside of what is shown to end: at most one turn of the outer loop.
    loops[2:] = [_once(loops[2]), loops[3]]
    return module(draw, "while", [INDEX], INDEX, build, loops, given=numbers)


def _once(condition: Computation) -> Computation:
    """The same for numbers below 8 only."""
    found = Computation(condition.name)
    given = found.parameter(INDEX)
    found.op("compare", [given, found.constant(8, INDEX)], PRED, "direction=LT")
    return found


def _branch(draw: st.DrawFn, name: str, operand: Shape, result: TensorType, number: int) -> Computation:
    """What gives a result of an array, or of a tuple of arrays, each in another way."""
    found = Computation(name)
    value = found.parameter(operand)
    if isinstance(operand, tuple):
        value = found.element(value, draw(st.integers(0, len(operand) - 1)))
    kind = number % 3
    if kind == 0 and result.element_type.kind != "boolean":
        found.op("add", [value, value], result)
    elif kind == 1:
        found.op("copy", [value], result)
    else:
        found.root = value
    return found


@st.composite
def conditional(draw: st.DrawFn) -> HloCase:
    """By a boolean, or by an index that may lie outside, of which the last branch has a care."""
    operand = TensorType(draw(shapes), draw(computable("iuf")))
    by_index = draw(st.booleans())
    count = draw(st.integers(1, 4)) if by_index else 2
    alone: tuple[Shape, ...] = (operand, (operand, operand))
    shapes_ = [draw(st.sampled_from(alone)) for _ in range(count)]
    names = [f"branch_{number}.1" for number in range(count)]
    branches = [
        _branch(draw, name, shape, operand, number)
        for number, (name, shape) in enumerate(zip(names, shapes_, strict=True))
    ]
    listed = ", ".join(f"@{name}" for name in names)
    attributes = (
        [f"branch_computations={{{listed}}}"]
        if by_index
        else [f"true_computation=@{names[0]}", f"false_computation=@{names[1]}"]
    )

    def build(entry: Computation, operands: list[Value]) -> Value:
        given = [
            entry.pack([value, operands[1]]) if isinstance(shape, tuple) else value
            for value, shape in zip(operands[1:], shapes_, strict=True)
        ]
        return entry.op("conditional", [operands[0], *given], operand, *attributes)

    index = draw(st.sampled_from((0, 1, 2, 3, 4, -1, -(2**31), 2**31 - 1)))
    numbers = {0: np.array(index, np.int32)} if by_index else {}
    types = (INDEX if by_index else PRED, *[operand] * count)
    stated: dict[str, Any] = {
        "given": numbers,
        "emitted": None if operand.element_type.name in _EMITTED else False,
    }
    return module(draw, "conditional", types, operand, build, branches, **stated)


_EMITTED = ("f32", "f64", "i8", "i32", "i64", "ui8", "ui32")
COMPOSITE = (
    "is_composite=true",
    'frontend_attributes={composite.attributes={n = 1 : i32, t = dense<1> : tensor<i32>},composite.name="foo.bar",composite.version="1"}',
)


@st.composite
def call(draw: st.DrawFn) -> HloCase:
    """A function that calls another twice; its results may be several."""
    operand = TensorType(draw(shapes), draw(computable("iuf")))
    twice, calls = Computation("twice"), Computation("calls.7")
    twice.op("add", [twice.parameter(operand), twice.parameter(operand)], operand)
    given = [calls.parameter(operand), calls.parameter(operand)]
    first = calls.op("call", given, operand, "to_apply=@twice")
    second = calls.op("call", [first, given[0]], operand, "to_apply=@twice")
    count = draw(st.sampled_from((1, 3)))
    if count > 1:
        calls.pack([second, given[0], first])
    results = operand if count == 1 else (operand,) * count
    small = ('frontend_attributes={xla_cpu_small_call="true"}',)
    extra = draw(st.sampled_from(((), small, COMPOSITE if count == 1 else ())))

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("call", operands, results, "to_apply=@calls.7", *extra)

    types, flavours = (operand, operand), ("small", "small")
    return module(draw, "call", types, results, build, [twice, calls], seed=draw(seeds), flavours=flavours)


GENERATORS = {"while": while_() | while_() | nested_while(), "conditional": conditional(), "call": call()}
