"""reduce, reduce-window, select-and-scatter, map and scan."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import I1
from hloscope.engine.ir.types import TensorType

from ...cases import positive_sizes, seeds, shapes
from ...values import Flavour
from ..bodies import ARGMAX, ELEMENTS_CHANGED, PAIRS, RECOGNISED, UNRECOGNISED, Body, accumulates_exactly
from ..windowed import SCATTERS, Windows, small_shapes, windows
from .bodies import computation
from .cases import HloCase, computable, one
from .text import Computation, dimensions


def _flavour(found: TensorType) -> Flavour:
    return "small" if found.element_type.is_float or found.element_type.is_complex else "edges"


@st.composite
def reduce(draw: st.DrawFn) -> HloCase:
    body = draw(st.sampled_from((*RECOGNISED, *UNRECOGNISED, *PAIRS, *ELEMENTS_CHANGED, ARGMAX)))
    count = len(body.returned)
    element_type = draw(computable(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand = TensorType(draw(shapes), element_type)
    reduced = draw(st.permutations(range(operand.rank)))[: draw(st.integers(0, operand.rank))]
    result = operand.with_shape(tuple(size for d, size in enumerate(operand.sizes) if d not in reduced))
    scalar = operand.with_shape(())
    applied = computation("region_0.2", body, (scalar,) * count)
    return one(
        draw,
        "reduce",
        (operand,) * count + (scalar,) * count,
        result if count == 1 else (result,) * count,
        dimensions(reduced),
        "to_apply=@region_0.2",
        computations=[applied],
        flavours=(_flavour(operand),) * (2 * count),
    )


@st.composite
def float_sum(draw: st.DrawFn) -> HloCase:
    """Sums whose order of rounding is open: close to the largest magnitude is enough."""
    element_type = draw(computable("f").filter(lambda t: t.name in ("f32", "f64")))
    operand = TensorType((draw(st.integers(1, 200)), 3), element_type)
    scalar, name = operand.with_shape(()), draw(st.sampled_from(("add", "multiply")))
    applied = Computation("region_0.2")
    applied.op(name, [applied.parameter(scalar), applied.parameter(scalar)], scalar)
    return one(
        draw,
        "reduce",
        [operand, scalar],
        operand.with_shape((3,)),
        "dimensions={0}",
        "to_apply=@region_0.2",
        computations=[applied],
        emitted=None,
        flavours=("normal", "normal"),
        given={1: np.array(0 if name == "add" else 1, element_type.dtype)},
        relative=1e-4 if element_type.name == "f32" else 1e-12,
    )


def window(found: Windows) -> str:
    """`window={size=2x3 stride=…}`; nothing of rank 0."""
    if not found.dimensions:
        return ""
    listed = {
        "size": found.dimensions,
        "stride": found.strides,
        "lhs_dilate": found.base_dilations,
        "rhs_dilate": found.window_dilations,
    }
    parts = [f"{name}={'x'.join(map(str, value))}" for name, value in listed.items() if value is not None]
    if found.padding is not None:
        parts.insert(1, f"pad={'x'.join(f'{low}_{high}' for low, high in found.padding)}")
    return f"window={{{' '.join(parts)}}}"


def _exact(body: Body) -> bool:
    return len(body.lines) == 1 and any(name in body.lines[0] for name in ("maximum", "minimum"))


@st.composite
def reduce_window(draw: st.DrawFn) -> HloCase:
    body = draw(st.sampled_from((*RECOGNISED, *UNRECOGNISED, *PAIRS, ARGMAX)))
    count = len(body.returned)
    element_type = draw(computable(body.kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand = TensorType(draw(small_shapes), element_type)
    found = draw(windows(operand.sizes).filter(lambda w: min(w.padded(operand.sizes), default=0) >= 0))
    scalar, result = operand.with_shape(()), operand.with_shape(found.counts(operand.sizes))
    applied = computation("region_0.2", body, (scalar,) * count)
    return one(
        draw,
        "reduce-window",
        (operand,) * count + (scalar,) * count,
        result if count == 1 else (result,) * count,
        window(found),
        "to_apply=@region_0.2",
        computations=[applied],
        flavours=("edges" if _exact(body) else _flavour(operand),) * (2 * count),
    )


@st.composite
def select_and_scatter(draw: st.DrawFn) -> HloCase:
    """Few different elements, so that some are equal."""
    body = draw(st.sampled_from(SCATTERS))
    kinds = "".join(kind for kind in body.kinds if kind != "c")
    element_type = draw(computable(kinds).filter(lambda t: accumulates_exactly(body, t.name)))
    operand = TensorType(draw(small_shapes.filter(len)), element_type)
    found = draw(
        windows(operand.sizes, dilated=False).filter(lambda w: min(w.padded(operand.sizes), default=0) >= 0)
    )
    source, scalar = operand.with_shape(found.counts(operand.sizes)), operand.with_shape(())
    flavours: tuple[Flavour, ...] = (draw(st.sampled_from(["edges", "small"])), "small", "small")
    return one(
        draw,
        "select-and-scatter",
        (operand, source, scalar),
        operand,
        window(found),
        "select=@select_0",
        "scatter=@scatter_0",
        computations=[draw(_selects(scalar)), computation("scatter_0", body, (scalar,))],
        flavours=flavours,
    )


@st.composite
def _selects(draw: st.DrawFn, scalar: TensorType) -> Computation:
    """One comparison, sometimes said in a way that is not recognised."""
    found, pred = Computation("select_0"), scalar.with_element_type(I1)
    operands = [found.parameter(scalar), found.parameter(scalar)]
    if draw(st.booleans()):
        operands.reverse()
    direction = draw(st.sampled_from(("GE", "GE", "GT", "LE", "LT")))
    value = found.op("compare", operands, pred, f"direction={direction}")
    if draw(st.booleans()):
        value = found.op("not", [found.op("not", [value], pred)], pred)
    return found


@st.composite
def maps(draw: st.DrawFn) -> HloCase:
    """One input or two; computations of one op, of several, of constants."""
    operand = TensorType(draw(shapes), draw(computable("iu")))
    types = (operand,) * draw(st.integers(1, 2))
    scalar, applied = operand.with_shape(()), Computation("mapped.1")
    values = [applied.parameter(scalar) for _ in types]
    kind, result = draw(st.sampled_from(("add", "several", "compare", "constant", "first"))), operand
    match kind:
        case "add":
            applied.op("add", [values[0], values[-1]], scalar)
        case "several":
            product = applied.op("multiply", [values[0], values[-1]], scalar)
            applied.op("maximum", [applied.op("not", [product], scalar), values[-1]], scalar)
        case "compare":
            result = operand.with_element_type(I1)
            applied.op("compare", [values[0], values[-1]], scalar.with_element_type(I1), "direction=LT")
        case "constant":
            applied.constant(1, scalar)
        case _:
            applied.root = values[0]
    attribute = dimensions(range(operand.rank))
    return one(draw, "map", types, result, attribute, "to_apply=@mapped.1", computations=[applied])


@st.composite
def scan(draw: st.DrawFn) -> HloCase:
    """Running sums and the like; XLA's expansion reads a first slice, which there must be."""
    shape = draw(st.lists(positive_sizes, min_size=1, max_size=2))
    dimension = draw(st.integers(0, len(shape) - 1))
    operand = TensorType(tuple(shape), draw(computable("iuf").filter(lambda t: t.bits >= 16)))
    slice_ = operand.with_shape(tuple(n for d, n in enumerate(shape) if d != dimension))
    applied = Computation("step.1")
    value, carry = applied.parameter(slice_), applied.parameter(slice_)
    name = draw(st.sampled_from(("add", "maximum", "subtract", "minimum")))
    carried = applied.op(name, [carry, value], slice_)
    output = draw(st.sampled_from((carried, carry, value)))
    if draw(st.booleans()):
        output = applied.op("add", [output, value], slice_)
    applied.root = applied.pack([output, carried])
    stated: dict[str, Any] = {"flavours": (_flavour(operand),) * 2}
    return one(
        draw,
        "scan",
        [operand, slice_],
        [operand, slice_],
        dimensions([dimension]),
        "num_carries=1",
        f"is_reverse={draw(st.sampled_from(('true', 'false')))}",
        "is_associative=false",
        "to_apply=@step.1",
        computations=[applied],
        seed=draw(seeds),
        **stated,
    )


GENERATORS = {
    "reduce": st.one_of(reduce(), reduce(), reduce(), float_sum()),
    "reduce-window": reduce_window(),
    "select-and-scatter": select_and_scatter(),
    "map": maps(),
    "scan": scan(),
}
