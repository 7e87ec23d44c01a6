"""Calls of dot_general, reduce, gather and scatter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from hloscope.engine.ir.module import Region, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.indexed.scatter import Scatter
from hloscope.engine.ops.reductions.reduce import Reduce

from .. import placing
from ..running import BodyBuilder, body_of
from .drawing import I32, Case, Cases, Draw, arrays, of_i32, shapes


@st.composite
def reductions(draw: Draw) -> Case:
    """Sums, which any other element changes, and maxima."""
    name = draw(st.sampled_from(["stablehlo.add", "stablehlo.maximum"]))
    found, operand = of_i32(draw, draw(shapes))
    dimensions = tuple(k for k in range(found.rank) if draw(st.booleans()))
    scalar, initial = of_i32(draw, ())
    op = Reduce((found,), (scalar,), dimensions, body_of(name, "i32"), draw(st.booleans()))
    return Case(op, (operand, initial))


Two = tuple[Value, Value]


def _argmax(build: BodyBuilder) -> Two:
    a, i, b, j = build.arguments
    first = build.compare("GE", a, b)
    return build.op("stablehlo.select", first, a, b), build.op("stablehlo.select", first, i, j)


def _apart(build: BodyBuilder) -> Two:
    a, i, b, j = build.arguments
    return build.op("stablehlo.add", a, b), build.op("stablehlo.minimum", i, j)


def _second_of_one(build: BodyBuilder) -> Two:
    a, _, b, j = build.arguments
    return build.op("stablehlo.add", a, b), j


def _crossed(build: BodyBuilder) -> Two:
    a, i, b, _ = build.arguments
    both = build.op("stablehlo.add", a, i)
    return build.op("stablehlo.add", both, b), build.op("stablehlo.xor", both, b)


def _kept(build: BodyBuilder) -> Two:
    a, i, b, _ = build.arguments
    return build.op("stablehlo.add", a, b), i


def of_two(draw: Draw, *bodies: Callable[[BodyBuilder], Two]) -> Region:
    """A body over two accumulators and two elements."""
    build = BodyBuilder(*[I32] * 4)
    return build.returning(*draw(st.sampled_from(bodies))(build))


@st.composite
def variadic_reductions(draw: Draw) -> Case:
    """Of two inputs, apart or not."""
    found, first = of_i32(draw, draw(shapes))
    second = draw(arrays(I32, found.sizes))
    dimensions = [k for k in range(found.rank) if draw(st.booleans())]
    scalar, initial = of_i32(draw, ())
    op = Reduce(
        (found, found),
        (scalar, scalar),
        tuple(dimensions),
        of_two(draw, _argmax, _apart),
        draw(st.booleans()),
    )
    return Case(op, (first, second, initial, draw(arrays(I32, ()))))


@st.composite
def variadic_scatters(draw: Draw) -> Case:
    """Of two inputs: results that read both, one or none of the old values, and none of the updates."""
    op, _, (_, indices, updates) = draw(placing.scatters())
    body = of_two(
        draw, _apart, _second_of_one, _crossed, _kept, lambda build: (build.arguments[3], build.arguments[2])
    )
    types = [TensorType(found.shape, I32) for found in (op.inputs[0], op.updates[0])]
    several = replace(op, inputs=(types[0],) * 2, updates=(types[1],) * 2, update_computation=body)
    inputs = [draw(arrays(I32, types[0].sizes)) for _ in "ab"]
    return Case(several, (*inputs, indices, *[draw(arrays(I32, updates.shape)) for _ in "ab"]))


CASES: dict[str, Cases] = {
    Reduce.name: reductions() | variadic_reductions(),
    Scatter.name: placing.scatters().map(lambda made: Case(made[0], made[2])) | variadic_scatters(),
}
