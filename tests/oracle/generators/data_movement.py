"""Creation and movement of elements: bits must come out as they went in."""

from __future__ import annotations

from math import prod

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, shapes, sizes, typed
from ..values import FLOATS, SIGNED, UNSIGNED, array, element_types, literal

ANY = "biufc"


@st.composite
def constant(draw: st.DrawFn) -> Case:
    result = TensorType(draw(shapes), draw(element_types(ANY)))
    value = array(draw(seeds), result)
    return Case(f"%r = stablehlo.constant {literal(value, result)}", (), (result,))


@st.composite
def iota(draw: st.DrawFn) -> Case:
    shape = draw(st.lists(sizes, min_size=1, max_size=3).map(tuple))
    name = draw(st.sampled_from((*SIGNED, *UNSIGNED, *FLOATS, "complex<f32>")))
    result = TensorType(shape, ELEMENT_TYPES[name])
    dimension = draw(st.integers(0, len(shape) - 1))
    statement = draw(
        st.sampled_from(
            (
                f"%r = stablehlo.iota dim = {dimension} : {result}",
                f'%r = "stablehlo.iota"() <{{iota_dimension = {dimension} : i64}}> : () -> {result}',
            )
        )
    )
    return Case(statement, (), (result,))


@st.composite
def broadcast_in_dim(draw: st.DrawFn) -> Case:
    shape = draw(shapes)
    extra = draw(st.integers(0, 2))
    places = draw(st.permutations(range(len(shape) + extra)))[: len(shape)]
    target = [draw(sizes) for _ in range(len(shape) + extra)]
    for size, place in zip(shape, places, strict=True):
        if size != 1 or draw(st.booleans()):
            target[place] = size
    operand = TensorType(shape, draw(element_types(ANY)))
    result = operand.with_shape(tuple(target))
    statement = (
        f"%r = stablehlo.broadcast_in_dim %a0, dims = {list(places)} : ({operand}) -> {result}"
        if draw(st.booleans())
        else f'%r = "stablehlo.broadcast_in_dim"(%a0) <{{broadcast_dimensions = {integers(places)}}}>'
        f" : ({operand}) -> {result}"
    )
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def concatenate(draw: st.DrawFn) -> Case:
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    dimension = draw(st.integers(0, len(shape) - 1))
    lengths = draw(st.lists(sizes, min_size=1, max_size=4))
    element_type = draw(element_types(ANY))

    def of(length: int) -> TensorType:
        return TensorType((*shape[:dimension], length, *shape[dimension + 1 :]), element_type)

    types, result = tuple(map(of, lengths)), of(sum(lengths))
    names = arguments(len(types))
    statement = f"%r = stablehlo.concatenate {names}, dim = {dimension} : ({typed(*types)}) -> {result}"
    return Case(statement, types, (result,), draw(seeds))


@st.composite
def reshape(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    rest, target = prod(operand.sizes), []
    while rest > 1 and draw(st.booleans()):
        factor = draw(st.sampled_from([n for n in range(1, rest + 1) if rest % n == 0]))
        target.append(factor)
        rest //= factor
    if rest != 1 or draw(st.booleans()):
        target.append(rest)
    result = operand.with_shape(tuple(target))
    return Case(f"%r = stablehlo.reshape %a0 : ({operand}) -> {result}", (operand,), (result,), draw(seeds))


@st.composite
def pad(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    low, high, interior, target = [], [], [], []
    for size in operand.sizes:
        interior.append(draw(st.sampled_from((0, 0, 1, 2))))
        whole = size + max(size - 1, 0) * interior[-1]
        low.append(draw(st.integers(-whole, 2)))
        high.append(draw(st.integers(-whole - low[-1], 2)))
        target.append(low[-1] + whole + high[-1])
    value, result = operand.with_shape(()), operand.with_shape(tuple(target))
    both = f"({operand}, {value}) -> {result}"
    statement = (
        f"%r = stablehlo.pad %a0, %a1, low = {low}, high = {high}, interior = {interior} : {both}"
        if draw(st.booleans())
        else f'%r = "stablehlo.pad"(%a0, %a1) <{{edge_padding_low = {integers(low)}, edge_padding_high = '
        f"{integers(high)}, interior_padding = {integers(interior)}}}> : {both}"
    )
    return Case(statement, (operand, value), (result,), draw(seeds))


@st.composite
def reverse(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    dimensions = draw(st.permutations(range(operand.rank)))[: draw(st.integers(0, operand.rank))]
    statement = (
        f"%r = stablehlo.reverse %a0, dims = {list(dimensions)} : {operand}"
        if draw(st.booleans())
        else f'%r = "stablehlo.reverse"(%a0) <{{dimensions = {integers(dimensions)}}}> : ({operand}) -> {operand}'
    )
    return Case(statement, (operand,), (operand,), draw(seeds))


@st.composite
def slice_(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    starts, limits, strides = [], [], []
    for size in operand.sizes:
        limits.append(draw(st.integers(0, size)))
        starts.append(draw(st.integers(0, limits[-1])))
        strides.append(draw(st.integers(1, 3)))
    parts = list(zip(starts, limits, strides, strict=True))
    result = operand.with_shape(tuple(-((start - limit) // stride) for start, limit, stride in parts))
    both = f"({operand}) -> {result}"
    if draw(st.booleans()):
        ranges = ", ".join(f"{start}:{limit}:{stride}" for start, limit, stride in parts)
        statement = f"%r = stablehlo.slice %a0 [{ranges}] : {both}"
    else:
        statement = (
            f'%r = "stablehlo.slice"(%a0) <{{start_indices = {integers(starts)}, limit_indices = '
            f"{integers(limits)}, strides = {integers(strides)}}}> : {both}"
        )
    return Case(statement, (operand,), (result,), draw(seeds))


@st.composite
def transpose(draw: st.DrawFn) -> Case:
    operand = TensorType(draw(shapes), draw(element_types(ANY)))
    permutation = draw(st.permutations(range(operand.rank)))
    result = operand.with_shape(tuple(operand.sizes[d] for d in permutation))
    statement = f"%r = stablehlo.transpose %a0, dims = {list(permutation)} : ({operand}) -> {result}"
    return Case(statement, (operand,), (result,), draw(seeds))


GENERATORS = {
    "stablehlo.constant": constant(),
    "stablehlo.iota": iota(),
    "stablehlo.broadcast_in_dim": broadcast_in_dim(),
    "stablehlo.concatenate": concatenate(),
    "stablehlo.reshape": reshape(),
    "stablehlo.pad": pad(),
    "stablehlo.reverse": reverse(),
    "stablehlo.slice": slice_(),
    "stablehlo.transpose": transpose(),
}
