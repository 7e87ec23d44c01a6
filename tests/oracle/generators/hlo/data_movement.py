"""Opcodes that create and move elements, and tuples."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import I32
from hloscope.engine.ir.types import TensorType

from ...cases import seeds, shapes, sizes
from ...values import array
from ..dynamic_slices import starts
from .cases import HloCase, computable, flags, module, one
from .text import Computation, Value, dimensions

ANY = "biufc"


@st.composite
def constant(draw: st.DrawFn) -> HloCase:
    result = TensorType(draw(shapes), draw(computable(ANY)))
    value = array(draw(seeds), result)
    return module(draw, "constant", [], result, lambda entry, _: entry.constant(value, result))


@st.composite
def iota(draw: st.DrawFn) -> HloCase:
    shape = draw(
        st.lists(sizes | st.just(300), min_size=1, max_size=3).map(tuple).filter(lambda s: prod(s) < 9999)
    )
    result = TensorType(shape, draw(computable("iufc")))
    return one(draw, "iota", [], result, f"iota_dimension={draw(st.integers(0, len(shape) - 1))}")


@st.composite
def broadcast(draw: st.DrawFn) -> HloCase:
    """Into any dimensions in any order; a scalar may leave them out."""
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    rank = operand.rank + draw(st.integers(0, 2))
    places = draw(st.permutations(range(rank)))[: operand.rank]
    target = [draw(sizes) for _ in range(rank)]
    for size, place in zip(operand.sizes, places, strict=True):
        target[place] = size
    attribute = dimensions(places) if places or draw(flags) else ""
    emitted = None if places == sorted(places) else False
    return one(draw, "broadcast", [operand], operand.with_shape(tuple(target)), attribute, emitted=emitted)


@st.composite
def concatenate(draw: st.DrawFn) -> HloCase:
    shape = draw(st.lists(sizes, min_size=1, max_size=3))
    dimension = draw(st.integers(0, len(shape) - 1))
    lengths = draw(st.lists(sizes, min_size=1, max_size=4))
    element_type = draw(computable(ANY))

    def of(length: int) -> TensorType:
        return TensorType((*shape[:dimension], length, *shape[dimension + 1 :]), element_type)

    return one(
        draw, "concatenate", [*map(of, lengths)], of(sum(lengths)), dimensions([dimension]), emitted=None
    )


@st.composite
def reshape(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    rest, target = prod(operand.sizes), []
    while rest > 1 and draw(st.booleans()):
        factor = draw(st.sampled_from([n for n in range(1, rest + 1) if rest % n == 0]))
        target.append(factor)
        rest //= factor
    if rest != 1 or draw(st.booleans()):
        target.append(rest)
    return one(draw, "reshape", [operand], operand.with_shape(tuple(target)))


@st.composite
def pad(draw: st.DrawFn) -> HloCase:
    """Interior padding, and edges that take away; of a scalar there is no text that XLA would read."""
    operand = TensorType(draw(shapes.filter(len)), draw(computable(ANY)))
    parts, target = [], []
    for size in operand.sizes:
        interior = draw(st.sampled_from((0, 0, 1, 2)))
        whole = size + max(size - 1, 0) * interior
        low = draw(st.integers(-whole, 2))
        high = draw(st.integers(-whole - low, 2))
        parts.append(f"{low}_{high}" + (f"_{interior}" if interior or draw(st.booleans()) else ""))
        target.append(low + whole + high)
    result = operand.with_shape(tuple(target))
    return one(draw, "pad", [operand, operand.with_shape(())], result, f"padding={'x'.join(parts)}")


@st.composite
def reverse(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    reversed_ = draw(st.permutations(range(operand.rank)))[: draw(st.integers(0, operand.rank))]
    return one(draw, "reverse", [operand], operand, dimensions(reversed_), emitted=None)


@st.composite
def slice_(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    ranges, target = [], []
    for size in operand.sizes:
        limit = draw(st.integers(0, size))
        start = draw(st.integers(0, limit))
        stride = draw(st.integers(1, 3))
        ranges.append(f"[{start}:{limit}" + (f":{stride}]" if stride > 1 or draw(st.booleans()) else "]"))
        target.append(-((start - limit) // stride))
    result = operand.with_shape(tuple(target))
    return one(draw, "slice", [operand], result, f"slice={{{', '.join(ranges)}}}", emitted=None)


@st.composite
def transpose(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    permutation = draw(st.permutations(range(operand.rank)))
    result = operand.with_shape(tuple(operand.sizes[d] for d in permutation))
    return one(draw, "transpose", [operand], result, dimensions(permutation), emitted=None)


@st.composite
def dynamic_slice(draw: st.DrawFn) -> HloCase:
    """XLA's importer takes neither scalars nor the one vector of starts of old programs."""
    operand = TensorType(draw(shapes.filter(len)), draw(computable(ANY)))
    index, given = draw(starts(operand.rank, 1, wrapping=True))
    window = [draw(st.integers(0, size)) for size in operand.sizes]
    types, result = (operand, *[index] * operand.rank), operand.with_shape(tuple(window))
    attribute = dimensions(window, "dynamic_slice_sizes")
    return one(draw, "dynamic-slice", types, result, attribute, given=given, emitted=None)


@st.composite
def dynamic_update_slice(draw: st.DrawFn) -> HloCase:
    operand = TensorType(draw(shapes), draw(computable(ANY)))
    index, given = draw(starts(operand.rank, 2, wrapping=True))
    update = operand.with_shape(tuple(draw(st.integers(0, size)) for size in operand.sizes))
    types = (operand, update, *[index] * operand.rank)
    return one(draw, "dynamic-update-slice", types, operand, given=given)


@st.composite
def tuples(draw: st.DrawFn, opcode: str) -> HloCase:
    """Tuples in tuples, taken apart."""
    types = [TensorType(draw(shapes), draw(computable(ANY))) for _ in range(draw(st.integers(2, 3)))]
    order = draw(st.permutations(range(len(types))))

    def build(entry: Computation, operands: list[Value]) -> Value:
        inner = entry.pack(operands)
        outer = entry.pack([operands[0], inner])
        again = entry.element(outer, 1)
        return entry.pack([entry.element(again, k) for k in order])

    return module(draw, opcode, types, [types[k] for k in order], build)


@st.composite
def parameters(draw: st.DrawFn) -> HloCase:
    """Parameters that are returned, used twice, or not used."""
    types = [TensorType(draw(shapes), draw(computable(ANY))) for _ in range(draw(st.integers(1, 3)))]
    kept = draw(st.lists(st.integers(0, len(types) - 1), min_size=2, max_size=3))
    build = lambda entry, operands: entry.pack([operands[k] for k in kept])  # noqa: E731
    return module(draw, "parameter", types, [types[k] for k in kept], build)


def _bounded(operand: TensorType, dimension: int) -> TensorType:
    shape = list(operand.shape)
    bounds = tuple(size if d == dimension else None for d, size in enumerate(shape))
    shape[dimension] = None
    return TensorType(tuple(shape), operand.element_type, bounds)


@st.composite
def dimension_sizes(draw: st.DrawFn, opcode: str) -> HloCase:
    """A size that is set and asked for; the elements behind it count for nothing in a sum."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    operand = TensorType(shape, draw(computable("iuf").filter(lambda found: found.bits >= 32)))
    dimension = draw(st.integers(0, operand.rank - 1))
    scalar, size = operand.with_shape(()), TensorType((), I32)
    add = Computation("add_0")
    add.op("add", [add.parameter(scalar), add.parameter(scalar)], scalar)
    reduced = draw(st.lists(st.integers(0, operand.rank - 1), min_size=1, unique=True))
    if dimension not in reduced:
        reduced.append(dimension)
    kept = operand.with_shape(tuple(n for d, n in enumerate(operand.sizes) if d not in reduced))

    def build(entry: Computation, operands: list[Value]) -> Value:
        bounded = _bounded(operand, dimension)
        cut = entry.op("set-dimension-size", operands, bounded, dimensions([dimension]))
        asked = entry.op("get-dimension-size", [cut], size, dimensions([dimension]))
        whole = entry.op("get-dimension-size", [operands[0]], size, dimensions([dimension]))
        zero = entry.constant(0, scalar)
        total = entry.op("reduce", [cut, zero], kept, dimensions(reduced), "to_apply=@add_0")
        return entry.pack([total, asked, whole])

    given = {1: np.array(draw(st.integers(0, shape[dimension])), np.int32)}
    flavours = ("small", "small")
    return module(
        draw, opcode, [operand, size], [kept, size, size], build, [add], given=given, flavours=flavours
    )


@st.composite
def dynamic_reshape(draw: st.DrawFn) -> HloCase:
    """To sizes that fill their bounds, which are then said to be no bounds."""
    operand = TensorType(
        draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)), draw(computable(ANY))
    )
    target = draw(st.permutations(operand.sizes))
    dynamic = draw(st.integers(0, len(target) - 1))
    result, size = operand.with_shape(tuple(target)), TensorType((), I32)

    def build(entry: Computation, operands: list[Value]) -> Value:
        shaped = entry.op("dynamic-reshape", operands, _bounded(result, dynamic))
        whole = entry.constant(target[dynamic], size)
        return entry.op("set-dimension-size", [shaped, whole], result, dimensions([dynamic]))

    given = {1 + k: np.array(n, np.int32) for k, n in enumerate(target)}
    return module(draw, "dynamic-reshape", [operand, *[size] * len(target)], result, build, given=given)


GENERATORS = {
    "constant": constant(),
    "iota": iota(),
    "broadcast": broadcast(),
    "concatenate": concatenate(),
    "reshape": reshape(),
    "pad": pad(),
    "reverse": reverse(),
    "slice": slice_(),
    "transpose": transpose(),
    "dynamic-slice": dynamic_slice(),
    "dynamic-update-slice": dynamic_update_slice(),
    "tuple": tuples("tuple"),
    "get-tuple-element": tuples("get-tuple-element"),
    "parameter": parameters(),
    "get-dimension-size": dimension_sizes("get-dimension-size"),
    "set-dimension-size": dimension_sizes("set-dimension-size"),
    "dynamic-reshape": dynamic_reshape(),
}
