"""Ops that are told shapes and windows by operands: the shape operands are constants, which XLA asks for."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ..cases import Case, integers, positive_sizes, seeds, shapes, sizes
from ..values import FLOATS, SIGNED, UNSIGNED, element_types
from .gather_scatter import windows

ANY = "biufc"
INDEX_TYPES = ("i32", "i64", "i16", "ui32")


def _constants(draw: st.DrawFn, *lists: Sequence[int]) -> tuple[str, list[str]]:
    """Lines that define `%n0`, `%n1`, … of one type, and that type for each."""
    name = draw(st.sampled_from(INDEX_TYPES))
    if name.startswith("u") and any(value < 0 for values in lists for value in values):
        name = "i32"
    types = [f"tensor<{len(values)}x{name}>" for values in lists]
    lines = [
        f"%n{k} = stablehlo.constant dense<{list(values) or ''}> : {found}\n  "
        for k, (values, found) in enumerate(zip(lists, types, strict=True))
    ]
    return "".join(lines), types


def _operation(
    draw: st.DrawFn,
    name: str,
    operands: Sequence[TensorType],
    lists: Sequence[Sequence[int]],
    result: TensorType,
    attributes: Sequence[str] = (),
    short: str | None = "",
) -> str:
    """The op, its lists behind its operands; `short` is what its short form says between these and the types."""
    lines, types = _constants(draw, *lists)
    names = ", ".join([f"%a{k}" for k in range(len(operands))] + [f"%n{k}" for k in range(len(lists))])
    both = f"({', '.join([*map(str, operands), *types])}) -> {result}"
    if short is not None and draw(st.booleans()):
        return f"{lines}%r = stablehlo.{name} {names}{short} : {both}"
    properties = f" <{{{', '.join(attributes)}}}>" if attributes else ""
    return f'{lines}%r = "stablehlo.{name}"({names}){properties} : {both}'


@st.composite
def dynamic_broadcast_in_dim(draw: st.DrawFn) -> Case:
    shape = draw(shapes)
    extra = draw(st.integers(0, 2))
    places = draw(st.permutations(range(len(shape) + extra)))[: len(shape)]
    target = [draw(sizes) for _ in range(len(shape) + extra)]
    for size, place in zip(shape, places, strict=True):
        if size != 1 or draw(st.booleans()):
            target[place] = size
    operand = TensorType(shape, draw(element_types(ANY)))
    result = operand.with_shape(tuple(target))
    attributes = [f"broadcast_dimensions = {integers(places)}"]
    short = f", dims = {list(places)}"
    if draw(st.booleans()):
        kept = [k for k, place in enumerate(places) if shape[k] == target[place] != 1]
        known = f"known_nonexpanding_dimensions = {integers(kept)}"
        attributes.append(known)
        short += f" {{{known}}}"
    statement = _operation(draw, "dynamic_broadcast_in_dim", [operand], [target], result, attributes, short)
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def dynamic_reshape(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    target = list(draw(st.permutations(operand.sizes))) + [1] * draw(st.integers(0, 2))
    if draw(st.booleans()):
        target = [prod(operand.sizes)]
    result = operand.with_shape(tuple(target))
    statement = _operation(draw, "dynamic_reshape", [operand], [target], result)
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def dynamic_iota(draw: st.DrawFn) -> Case:
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    name = draw(st.sampled_from((*SIGNED, *UNSIGNED, *FLOATS, "complex<f32>")))
    result = TensorType(tuple(shape), ELEMENT_TYPES[name])
    dimension = draw(st.integers(0, len(shape) - 1))
    attributes, short = [f"iota_dimension = {dimension} : i64"], f", dim = {dimension}"
    return Case(_operation(draw, "dynamic_iota", [], [shape], result, attributes, short), (), (result,))


@st.composite
def dynamic_pad(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    low, high, interior, target = [], [], [], []
    for size in operand.sizes:
        interior.append(draw(st.sampled_from((0, 0, 1, 2))))
        whole = size + max(size - 1, 0) * interior[-1]
        low.append(draw(st.integers(-whole, 2)))
        high.append(draw(st.integers(-whole - low[-1], 2)))
        target.append(low[-1] + whole + high[-1])
    value, result = operand.with_shape(()), operand.with_shape(tuple(target))
    statement = _operation(draw, "dynamic_pad", [operand, value], [low, high, interior], result)
    return Case(statement, (operand, value), (result,), draw(seeds))


@st.composite
def real_dynamic_slice(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    limits = [draw(st.integers(0, size)) for size in operand.sizes]
    starts = [draw(st.integers(0, limit)) for limit in limits]
    strides = [draw(st.integers(1, 3)) for _ in limits]
    parts = zip(starts, limits, strides, strict=True)
    result = operand.with_shape(tuple(-((start - limit) // stride) for start, limit, stride in parts))
    statement = _operation(draw, "real_dynamic_slice", [operand], [starts, limits, strides], result)
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def dynamic_gather(draw: st.DrawFn) -> Case:
    w = draw(windows(wrapping=False))
    operand = TensorType(w.operand, draw(element_types(ANY)))
    result = operand.with_shape(w.outer)
    numbers = (
        f"#stablehlo.gather<offset_dims = {list(w.window_dims)}, collapsed_slice_dims = {list(w.dropped)}, "
        f"operand_batching_dims = {list(w.batching)}, start_indices_batching_dims = "
        f"{list(w.indices_batching)}, start_index_map = {list(w.index_map)}, index_vector_dim = {w.vector_dim}>"
    )
    attributes = [f"dimension_numbers = {numbers}", "indices_are_sorted = false"]
    statement = _operation(
        draw, "dynamic_gather", [operand, w.indices], [w.window], result, attributes, short=None
    )
    return Case(statement, (operand, w.indices), (result,), draw(seeds), given={1: w.value})


@st.composite
def get_dimension_size(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(st.lists(sizes, min_size=1, max_size=3).map(tuple)), draw(element_types(ANY)))
    dimension = draw(st.integers(0, operand.rank - 1))
    result = TensorType((), ELEMENT_TYPES["i32"])
    attributes, short = [f"dimension = {dimension} : i64"], f", dim = {dimension}"
    statement = _operation(draw, "get_dimension_size", [operand], [], result, attributes, short)
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def set_dimension_size(draw: st.DrawFn) -> Case:
    """What is left is summed: XLA hands no array of a size that is not known to Python."""
    operand = TensorType(
        draw(st.lists(positive_sizes, min_size=1, max_size=3).map(tuple)),
        ELEMENT_TYPES[draw(st.sampled_from(("i32", "i64", "ui8")))],
    )
    dimension = draw(st.integers(0, operand.rank - 1))
    size = draw(st.integers(0, operand.sizes[dimension]))
    bounds = ["?"] * operand.rank
    bounds[dimension] = str(operand.sizes[dimension])
    shape = "".join("?x" if k == dimension else f"{whole}x" for k, whole in enumerate(operand.sizes))
    element = operand.element_type
    left = f"tensor<{shape}{element}, #stablehlo.bounds<{', '.join(bounds)}>>"
    result = TensorType((), element)
    statement = (
        f"%n0 = stablehlo.constant dense<{size}> : tensor<i32>\n"
        f"  %left = stablehlo.set_dimension_size %a0, %n0, dim = {dimension} : ({operand}, tensor<i32>) -> {left}\n"
        f"  %zero = stablehlo.constant dense<0> : {result}\n"
        f"  %r = stablehlo.reduce(%left init: %zero) applies stablehlo.add across dimensions = "
        f"{list(range(operand.rank))} : ({left}, {result}) -> {result}"
    )
    return Case(statement, (operand,), (result,), draw(seeds))


GENERATORS = {
    "stablehlo.dynamic_broadcast_in_dim": dynamic_broadcast_in_dim(),
    "stablehlo.dynamic_gather": dynamic_gather(),
    "stablehlo.dynamic_iota": dynamic_iota(),
    "stablehlo.dynamic_pad": dynamic_pad(),
    "stablehlo.dynamic_reshape": dynamic_reshape(),
    "stablehlo.real_dynamic_slice": real_dynamic_slice(),
    "stablehlo.get_dimension_size": get_dimension_size(),
    "stablehlo.set_dimension_size": set_dimension_size(),
}
REFUSED = frozenset(["stablehlo.real_dynamic_slice", "stablehlo.set_dimension_size"])
"""What the reference interpreter does not have."""
